//! The members of a group, and their roles in it.

use obeya_model::GroupMemberCreate;
use obeya_odata::sql::{Predicate, Value};

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::{NoBody, json};
use crate::ops::reading;
use crate::ops::writing::{self, Decision};
use obeya_read::{Parent, RecordForm, Records};
use obeya_rules::enums::MemberRole;
use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::audit::{Change, Diff};
use obeya_store::grants::Grants;
use obeya_store::references::References;
use obeya_store::variant::Variant;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, entities, groups};
use serde::Serialize;

static FORM: RecordForm = RecordForm::of(&entities::USER_GROUP_MEMBER);

/// A member, as the audit log shows it. The path of its record would name the user, whom an erasure must be
/// able to remove.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Member<'a> {
    user_id: &'a str,
    group_role: Variant<MemberRole>,
}

/// GET /v1/Groups/{id}/members
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    let id = call.id()?.into();
    reading::read(call, |request| {
        Ok(Records::all(request, &FORM, &[])?
            .only(Predicate::new("{t}.group_id = ?", [Value::Int(id)]))
            .under(Parent {
                noun: "group",
                exists: "SELECT 1 FROM groups WHERE id = ?1".into(),
                id: id.into(),
                source: None,
            }))
    })
    .await
}

/// PUT /v1/Groups/{id}/members: adds a member, or changes its role.
pub(crate) async fn put(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, json::<GroupMemberCreate>(), |body, context| {
        let role = role(&body)?;
        let grants = context.grants();
        Ok(Decision::empty(move |session| {
            put_member(session, &grants, id, &body.user_id, role)
        }))
    })
    .await
}

/// DELETE /v1/Groups/{id}/members/{userId}
pub(crate) async fn remove(call: Call) -> Result<Response, Problem> {
    let (id, user) = (call.id()?, call.name_at(1)?);
    writing::write(call, NoBody, |(), _| {
        Ok(Decision::empty(move |session| {
            exists(session, id)?;
            let missing = || WriteError::Missing("member", user.as_str().into());
            let role = groups::role_of(session, id, &user)?.ok_or_else(missing)?;
            groups::remove_member(session, id, &user)?;
            Ok(change(id, &user, Some(role), None))
        }))
    })
    .await
}

fn role(body: &GroupMemberCreate) -> Result<Variant<MemberRole>, DomainError> {
    let mut check = Check::default();
    let role: Option<MemberRole> = check.variant("groupRole", body.group_role.as_str());
    Ok(Variant::from_enum(check.finish(role)?))
}

fn put_member(
    session: &mut dyn Session,
    grants: &Grants,
    id: i32,
    user: &str,
    role: Variant<MemberRole>,
) -> Result<Option<Change>, WriteError> {
    exists(session, id)?;
    let mut references = References::new(session, grants);
    references.user("userId", Some(user))?;
    references.finish()?;
    let before = groups::role_of(session, id, user)?;
    if before == Some(role) {
        return Ok(None);
    }
    groups::put_member(session, id, user, role)?;
    Ok(Some(change(id, user, before, Some(role))))
}

fn exists(session: &mut dyn Session, id: i32) -> Result<(), WriteError> {
    match groups::find(session, id)? {
        Some(_) => Ok(()),
        None => Err(WriteError::Missing("group", id.into())),
    }
}

fn change(
    id: i32,
    user_id: &str,
    before: Option<Variant<MemberRole>>,
    after: Option<Variant<MemberRole>>,
) -> Change {
    let [before, after] = [before, after].map(|role| {
        role.map(|group_role| Member {
            user_id,
            group_role,
        })
    });
    let diff = Diff::default().property("member", before.as_ref(), after.as_ref());
    Change::of(format!("groups/{id}/members"), diff)
}
