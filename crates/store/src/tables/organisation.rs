//! Areas, groups and users as they are stored.

use crate::table::table;
use crate::variant::Variant;
use obeya_rules::enums::GroupType;

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
        also #[serde(deserialize_with = "crate::field::or_empty")] groups: Vec<i32>,
    }
}
