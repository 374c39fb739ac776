//! Converts the bodies of create, update and patch of both generations to one change, and checks what their
//! schemas require beyond types.

use std::ops::RangeInclusive;

use obeya_model::bounds::schemas::{user_create_v1 as v1, user_create_v2 as v2};
use obeya_model::{
    Patch, UserCreateV1, UserCreateV2, UserPatch, UserType as TypeName, UserUpdateV1, UserUpdateV2,
};

use crate::ops::never_null::Properties;
use obeya_rules::enums::UserType;
use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::tables::organisation::UserRow;
use obeya_store::variant::Variant;

impl Properties for UserCreateV1 {
    const NEVER_NULL: &'static [&'static str] = &["useAD", "isInfoScreenUser", "isMobileUser"];
}

impl Properties for UserUpdateV1 {
    const NEVER_NULL: &'static [&'static str] = UserCreateV1::NEVER_NULL;
}

impl Properties for UserPatch {
    const NEVER_NULL: &'static [&'static str] =
        &["firstName", "lastName", "type", "userName", "email"];
}

/// What a body sets: `None` leaves a property as it is, `Some(None)` empties it.
#[derive(Debug, Clone, Default)]
pub(super) struct UserChange {
    pub(super) user_name: Option<String>,
    email: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    /// Without a display name it is made of first and last name.
    display_name: Option<Option<String>>,
    use_ad: Option<bool>,
    azure_ad_object_id: Option<Option<String>>,
    screen_name: Option<Option<String>>,
    kind: TypeChange,
    business_unit_id: Option<Option<i32>>,
    external_id: Option<Option<String>>,
}

/// What a body says about the type.
#[derive(Debug, Clone, Copy, Default)]
enum TypeChange {
    /// Nothing.
    #[default]
    None,
    /// The type.
    To(UserType),
    /// Whether it is one of a screen, and whether it is one of a mobile device.
    Flags([Option<bool>; 2]),
}

impl UserChange {
    /// The user after the change.
    pub(super) fn apply(self, mut user: UserRow) -> UserRow {
        let names = [user.first_name.clone(), user.last_name.clone()];
        set(&mut user.user_name, self.user_name);
        set(&mut user.email, self.email.map(Some));
        set(&mut user.first_name, self.first_name.map(Some));
        set(&mut user.last_name, self.last_name.map(Some));
        set(&mut user.use_ad, self.use_ad);
        set(&mut user.azure_ad_object_id, self.azure_ad_object_id);
        set(&mut user.screen_name, self.screen_name);
        set(&mut user.business_unit_id, self.business_unit_id);
        set(&mut user.external_id, self.external_id);
        user.r#type = Variant::from_enum(self.kind.of(user.r#type.to_enum()));
        match self.display_name {
            Some(Some(name)) if !name.is_empty() => user.display_name = name,
            None if names == [user.first_name.clone(), user.last_name.clone()] => {}
            _ => user.display_name = full_name(&user),
        }
        user
    }
}

impl TypeChange {
    /// The type after it.
    fn of(self, before: UserType) -> UserType {
        match self {
            Self::None => before,
            Self::To(kind) => kind,
            Self::Flags([Some(true), _]) => UserType::Screen,
            Self::Flags([_, Some(true)]) => UserType::Mobile,
            Self::Flags([screen, mobile]) => match before {
                UserType::Screen if screen.is_some() => UserType::Normal,
                UserType::Mobile if mobile.is_some() => UserType::Normal,
                other => other,
            },
        }
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn full_name(user: &UserRow) -> String {
    let names = [&user.first_name, &user.last_name];
    let names: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
    names.join(" ")
}

/// The change of a body of v1 that creates: what is absent or null is empty.
pub(super) fn of_create_v1(body: UserCreateV1) -> Result<UserChange, DomainError> {
    let change = UserChange {
        user_name: Some(body.user_name),
        email: Some(body.email),
        first_name: Some(body.first_name),
        last_name: Some(body.last_name),
        use_ad: body.use_ad,
        azure_ad_object_id: Some(body.azure_ad_object_id),
        screen_name: Some(body.screen_name),
        kind: TypeChange::Flags([body.is_info_screen_user, body.is_mobile_user]),
        business_unit_id: Some(body.business_unit_id),
        external_id: Some(body.external_id),
        ..UserChange::default()
    };
    checked(change, None)
}

/// The change of a body of v1 that updates.
pub(super) fn of_update_v1(body: UserUpdateV1) -> Result<UserChange, DomainError> {
    let change = UserChange {
        user_name: Some(body.user_name),
        email: Some(body.email),
        first_name: Some(body.first_name),
        last_name: Some(body.last_name),
        use_ad: body.use_ad,
        azure_ad_object_id: body.azure_ad_object_id.into_option(),
        screen_name: body.screen_name.into_option(),
        kind: TypeChange::Flags([body.is_info_screen_user, body.is_mobile_user]),
        business_unit_id: body.business_unit_id.into_option(),
        external_id: body.external_id.into_option(),
        ..UserChange::default()
    };
    checked(change, None)
}

/// The change of a body of v2 that creates: what is absent or null is empty.
pub(super) fn of_create_v2(body: UserCreateV2) -> Result<UserChange, DomainError> {
    let change = UserChange {
        user_name: Some(body.user_name),
        email: Some(body.email),
        first_name: Some(body.first_name),
        last_name: Some(body.last_name),
        display_name: Some(body.display_name),
        business_unit_id: Some(body.business_unit_id),
        external_id: Some(body.external_id),
        ..UserChange::default()
    };
    checked(change, Some(&body.type_))
}

/// The change of a body of v2 that updates.
pub(super) fn of_update_v2(body: UserUpdateV2) -> Result<UserChange, DomainError> {
    of_patch(UserPatch {
        first_name: Some(body.first_name),
        last_name: Some(body.last_name),
        type_: Some(body.type_),
        display_name: body.display_name,
        user_name: Some(body.user_name),
        email: Some(body.email),
        business_unit_id: body.business_unit_id,
        external_id: body.external_id,
    })
}

/// The change of a merge patch.
pub(super) fn of_patch(body: UserPatch) -> Result<UserChange, DomainError> {
    let change = UserChange {
        user_name: body.user_name,
        email: body.email,
        first_name: body.first_name,
        last_name: body.last_name,
        display_name: Patch::into_option(body.display_name),
        business_unit_id: body.business_unit_id.into_option(),
        external_id: body.external_id.into_option(),
        ..UserChange::default()
    };
    checked(change, body.type_.as_ref())
}

/// Checks a change, and the name of a type.
fn checked(mut change: UserChange, kind: Option<&TypeName>) -> Result<UserChange, DomainError> {
    let mut check = Check::default();
    let empty = |text: &Option<Option<String>>| text.clone().flatten();
    let texts: [(&str, Option<String>, &RangeInclusive<usize>); 8] = [
        ("userName", change.user_name.clone(), &v1::user_name::LENGTH),
        ("email", change.email.clone(), &v1::email::LENGTH),
        (
            "firstName",
            change.first_name.clone(),
            &v1::first_name::LENGTH,
        ),
        ("lastName", change.last_name.clone(), &v1::last_name::LENGTH),
        (
            "displayName",
            empty(&change.display_name),
            &v2::display_name::LENGTH,
        ),
        (
            "azureAdObjectId",
            empty(&change.azure_ad_object_id),
            &v1::azure_ad_object_id::LENGTH,
        ),
        (
            "screenName",
            empty(&change.screen_name),
            &v1::screen_name::LENGTH,
        ),
        (
            "externalId",
            empty(&change.external_id),
            &v1::external_id::LENGTH,
        ),
    ];
    for (name, text, length) in &texts {
        if let Some(text) = text {
            check.length(name, text, length);
        }
    }
    if let Some(email) = &change.email
        && !is_address(email)
    {
        check.refuse(
            "email",
            "expected an e-mail address, such as name@plant.example",
        );
    }
    if let TypeChange::Flags([Some(true), Some(true)]) = change.kind {
        let text = "expected false where isInfoScreenUser is true: a user is of one type";
        check.refuse("isMobileUser", text);
    }
    if let Some(kind) = kind {
        change.kind = match check.variant("type", kind.as_str()) {
            Some(kind) => TypeChange::To(kind),
            // A refused type ends the check below.
            None => TypeChange::None,
        };
    }
    check.finish(Some(change))
}

/// Whether a text has a name and a domain, and neither white space nor control characters of ASCII. Which
/// addresses exist, only a message shows.
fn is_address(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| byte > b' ' && byte != 0x7f);
    let parts = text.split_once('@');
    is_plain
        && parts.is_some_and(|(name, domain)| {
            !name.is_empty() && !domain.is_empty() && !domain.contains('@')
        })
}
