//! Areas, groups and users as they are stored.

use std::fmt;

use crate::search::UserTexts;
use crate::table::table;
use crate::texts::Texts;
use crate::variant::Variant;
use obeya_model::Timestamp;
use obeya_rules::enums::{GroupType, MemberRole, UserType};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

table! {
    /// An area.
    areas: AreaRow, AreaLine {
        key id: i32,
        required name: String,
        given description: Option<String>,
    }
}

table! {
    /// A group.
    groups: GroupRow, GroupLine {
        key id: i32,
        required r#type: Variant<GroupType>,
        rule name: Option<String>,
        rule description: Option<String>,
        rule parent_id: Option<i32> => groups,
        given is_system_group: bool,
        rule level: Option<i32>,
        given sort_order: Option<i32>,
        rule business_unit_id: Option<i32>,
        rule project_id: Option<i32>,
        rule external_id: Option<String>,
        given external_name: Option<String>,
        given is_member: bool,
    }
}

table! {
    /// A user.
    users: UserRow, UserLine {
        key id: String,
        required user_name: String,
        required display_name: String,
        rule email: Option<String>,
        rule azure_ad_object_id: Option<String>,
        rule first_name: Option<String>,
        rule last_name: Option<String>,
        rule screen_name: Option<String>,
        rule use_ad: bool,
        rule r#type: Variant<UserType>,
        rule business_unit_id: Option<i32>,
        rule external_id: Option<String>,
        rule roles: Texts,
        rule deleted_date: Option<Timestamp>,
        also #[serde(deserialize_with = "crate::field::or_empty")] groups: Vec<MembershipLine>,
    }
}

impl UserRow {
    /// The texts by which a search finds the user.
    pub fn searched(&self) -> UserTexts<'_> {
        [
            Some(&self.display_name),
            self.first_name.as_deref(),
            self.last_name.as_deref(),
            Some(&self.user_name),
            self.email.as_deref(),
        ]
    }
}

/// A membership in the line of a user: the id of a group, where the user is a `Member`, or the id with the
/// role.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum MembershipLine {
    /// The id.
    Id(i32),
    /// The id and the role.
    WithRole(RoleInGroup),
}

/// A role in a group.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct RoleInGroup {
    /// The id of the group.
    pub id: i32,
    /// The role of the user.
    pub role: Variant<MemberRole>,
}

/// Not derived: an error inside the object would not say where it is.
impl<'de> Deserialize<'de> for MembershipLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdOrObject;

        impl<'de> Visitor<'de> for IdOrObject {
            type Value = MembershipLine;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the id of a group, or an object of its id and a role")
            }

            fn visit_i64<E: de::Error>(self, id: i64) -> Result<MembershipLine, E> {
                let id = i32::try_from(id);
                id.map(MembershipLine::Id)
                    .map_err(|_| E::custom("expected an integer of 32 bits"))
            }

            fn visit_u64<E: de::Error>(self, id: u64) -> Result<MembershipLine, E> {
                self.visit_i64(i64::try_from(id).unwrap_or(i64::MAX))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MembershipLine, A::Error> {
                let object = MapAccessDeserializer::new(map);
                RoleInGroup::deserialize(object).map(MembershipLine::WithRole)
            }
        }

        deserializer.deserialize_any(IdOrObject)
    }
}

impl From<MembershipLine> for RoleInGroup {
    fn from(line: MembershipLine) -> Self {
        match line {
            MembershipLine::Id(id) => Self {
                id,
                role: Variant::from_enum(MemberRole::Member),
            },
            MembershipLine::WithRole(role) => role,
        }
    }
}

impl From<RoleInGroup> for MembershipLine {
    fn from(role: RoleInGroup) -> Self {
        match role.role.to_enum() {
            MemberRole::Member => Self::Id(role.id),
            MemberRole::Viewer | MemberRole::Owner => Self::WithRole(role),
        }
    }
}
