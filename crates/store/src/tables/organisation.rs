//! Areas, groups and users as they are stored.

use crate::table::table;
use crate::variant::Variant;
use obeya_rules::enums::{GroupType, MemberRole};
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
        given email: Option<String>,
        given azure_ad_object_id: Option<String>,
        also #[serde(deserialize_with = "crate::field::or_empty")] groups: Vec<MembershipLine>,
    }
}

/// A membership in the line of a user: the id of a group, where the user is a `Member`, or the id with the
/// role.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "the id of a group, or an object of its id and a role"
)]
pub enum MembershipLine {
    /// The id.
    Id(i32),
    /// The id and the role.
    WithRole(RoleInGroup),
}

/// A role in a group.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RoleInGroup {
    /// The id of the group.
    pub id: i32,
    /// The role of the user.
    pub role: Variant<MemberRole>,
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
