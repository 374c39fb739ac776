//! Areas, boards and groups.

use obeya::model::{Area, Board, BoardType, Group, GroupType};

use super::cell::{Column, Kind};

/// An area (v2). Only the id is sure to be there: v2 promises no property.
pub(crate) static AREA: [Column<Area>; 3] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("name", Kind::Text, true, |r| r.name.as_deref().into()),
    Column::new("description", Kind::Text, true, |r| {
        r.description.as_deref().into()
    }),
];

/// A board (v2). Only the id is sure to be there: v2 promises no property.
pub(crate) static BOARD: [Column<Board>; 8] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("name", Kind::Text, true, |r| r.name.as_deref().into()),
    Column::new("boardType", Kind::Word, true, |r| {
        r.board_type.as_ref().map(BoardType::as_str).into()
    }),
    Column::new("businessUnitId", Kind::Int, true, |r| {
        r.business_unit_id.into()
    }),
    Column::new("isMember", Kind::Bool, true, |r| r.is_member.into()),
    Column::new("projectId", Kind::Int, true, |r| r.project_id.into()),
    Column::new("isPublic", Kind::Bool, true, |r| r.is_public.into()),
    Column::new("groupId", Kind::Int, true, |r| r.group_id.into()),
];

/// A group (v2). Only the id is sure to be there: v2 promises no property.
pub(crate) static GROUP: [Column<Group>; 13] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("type", Kind::Word, true, |r| {
        r.type_.as_ref().map(GroupType::as_str).into()
    }),
    Column::new("name", Kind::Text, true, |r| r.name.as_deref().into()),
    Column::new("description", Kind::Text, true, |r| {
        r.description.as_deref().into()
    }),
    Column::new("parentId", Kind::Int, true, |r| r.parent_id.into()),
    Column::new("isSystemGroup", Kind::Bool, true, |r| {
        r.is_system_group.into()
    }),
    Column::new("level", Kind::Int, true, |r| r.level.into()),
    Column::new("sortOrder", Kind::Int, true, |r| r.sort_order.into()),
    Column::new("businessUnitId", Kind::Int, true, |r| {
        r.business_unit_id.into()
    }),
    Column::new("projectId", Kind::Int, true, |r| r.project_id.into()),
    Column::new("externalId", Kind::Text, true, |r| {
        r.external_id.as_deref().into()
    }),
    Column::new("externalName", Kind::Text, true, |r| {
        r.external_name.as_deref().into()
    }),
    Column::new("isMember", Kind::Bool, true, |r| r.is_member.into()),
];
