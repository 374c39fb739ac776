//! Areas, boards, groups and the people in them.

use obeya_model::{Area, Board, BoardSummary, BoardType, Group, GroupType, User};

use super::cell::{Cell, Column, Field, Kind, nullable_fields};

/// An area (v2). Only the id is sure to be there: v2 promises no property.
pub(super) static AREA: [Column<Area>; 3] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("name", Kind::Text, true, |r| r.name.as_deref().into()),
    Column::new("description", Kind::Text, true, |r| {
        r.description.as_deref().into()
    }),
];

/// A board (v2). Only the id is sure to be there: v2 promises no property.
static BOARD: [Column<Board>; 8] = [
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
pub(super) static GROUP: [Column<Group>; 13] = [
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

/// A board (v1).
static BOARD_SUMMARY: [Column<BoardSummary>; 7] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("name", Kind::Text, true, |r| r.name.as_deref().into()),
    Column::new("description", Kind::Text, true, |r| {
        r.description.as_deref().into()
    }),
    Column::new("boardType", Kind::Word, true, |r| {
        r.board_type.as_ref().map(BoardType::as_str).into()
    }),
    Column::new("isPublic", Kind::Bool, false, |r| r.is_public.into()),
    Column::new("groupId", Kind::Int, true, |r| r.group_id.into()),
    Column::new("groupName", Kind::Text, true, |r| {
        r.group_name.as_deref().into()
    }),
];

/// A person, as groups bring them along.
static USER: [Column<User>; 3] = [
    Column::new("id", Kind::Text, false, |r| r.id.as_deref().into()),
    Column::new("userName", Kind::Text, true, |r| {
        r.user_name.as_deref().into()
    }),
    Column::new("displayName", Kind::Text, true, |r| {
        r.display_name.as_deref().into()
    }),
];

pub(super) static LINKED_AREA: [Field; 3] = nullable_fields(&AREA);
pub(super) static LINKED_GROUP: [Field; 13] = nullable_fields(&GROUP);
static LINKED_BOARD: [Field; 8] = nullable_fields(&BOARD);
static LINKED_USER: [Field; 3] = nullable_fields(&USER);

static BOARD_LINKS: [Column<Board>; 1] =
    [Column::new("group", Kind::Row(&LINKED_GROUP), true, |r| {
        Cell::row(&LINKED_GROUP, &GROUP, r.group.as_ref())
    })];

static GROUP_LINKS: [Column<Group>; 4] = [
    Column::new("parent", Kind::Row(&LINKED_GROUP), true, |r| {
        Cell::row(&LINKED_GROUP, &GROUP, r.parent.as_deref())
    }),
    Column::new("children", Kind::List(&LINKED_GROUP), true, |r| {
        Cell::list_of(&LINKED_GROUP, &GROUP, r.children.as_deref())
    }),
    Column::new("boards", Kind::List(&LINKED_BOARD), true, |r| {
        Cell::list_of(&LINKED_BOARD, &BOARD, r.boards.as_deref())
    }),
    Column::new("users", Kind::List(&LINKED_USER), true, |r| {
        Cell::list_of(&LINKED_USER, &USER, r.users.as_deref())
    }),
];

super::tabular! {
    Area: AREA;
    Board: BOARD, BOARD_LINKS;
    BoardSummary: BOARD_SUMMARY;
    Group: GROUP, GROUP_LINKS;
}
