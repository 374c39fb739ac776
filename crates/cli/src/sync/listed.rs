//! The records whose lists have no stamps: the tables of each, and its rows. No I/O here.

use obeya::model::{
    Area, Board, DataList, DataListItem, Datasource, GroupV2, IncidentCommentV2,
    IncidentTypeSummary, Project, Task, TaskAttachment, TaskComment, UserMembership, UserV2,
};
use obeya::tables::{Column, Tabular as _};

use super::Dataset;
use super::row::{
    CellValue, GroupRows, Owner, Table, TableGroup, text_rows, to_part_row, to_row, value_columns,
};

/// A record of such a list.
pub(super) trait Listed: Send + Sync + Sized + 'static {
    const DATASET: Dataset;

    fn group() -> TableGroup;

    /// The rows of the records, for the tables of the group.
    fn rows(records: &[Self]) -> GroupRows;
}

/// Declares records without parts: the table of each, and the columns of its index.
macro_rules! plain_records {
    ($($record:ty: $dataset:ident in $table:literal by [$($index:literal)?];)*) => {
        $(
            impl Listed for $record {
                const DATASET: Dataset = Dataset::$dataset;

                fn group() -> TableGroup {
                    let table = Table::of($table, 1, None, value_columns::<Self>());
                    TableGroup::single(table.indexed(&[$($index)?]))
                }

                fn rows(records: &[Self]) -> GroupRows {
                    let row = |record| to_row(None, value_columns::<Self>(), record);
                    GroupRows(vec![records.iter().map(row).collect()])
                }
            }
        )*

        /// The tables of all lists.
        pub(super) fn groups() -> Vec<TableGroup> {
            vec![
                $(<$record>::group(),)*
                DataListContent::group(),
                UserV2::group(),
                Task::group(),
            ]
        }
    };
}

plain_records! {
    Area: Areas in "areas" by [];
    Board: Boards in "boards" by [];
    Datasource: Datasources in "datasources" by [];
    GroupV2: Groups in "groups" by [];
    IncidentCommentV2: Comments in "comments" by ["incident_id"];
    IncidentTypeSummary: Types in "incident_types" by [];
    Project: Projects in "projects" by [];
    TaskComment: TaskComments in "task_comments" by ["task_id"];
}

/// A data list with its items.
pub(super) struct DataListContent {
    pub(super) list: DataList,
    pub(super) items: Vec<DataListItem>,
}

impl Listed for DataListContent {
    const DATASET: Dataset = Dataset::DataLists;

    fn group() -> TableGroup {
        let owner = Some(Owner::by_number("data_list_id"));
        TableGroup {
            main: Table::of("data_lists", 1, None, DataList::columns()),
            parts: vec![Table::of(
                "data_list_items",
                2,
                owner,
                DataListItem::columns(),
            )],
        }
    }

    fn rows(records: &[Self]) -> GroupRows {
        let list = |record: &Self| to_row(None, DataList::columns(), &record.list);
        let items = |record: &Self| -> Vec<_> {
            let id = Some(record.list.id);
            let item = |item| to_row(id, DataListItem::columns(), item);
            record.items.iter().map(item).collect()
        };
        GroupRows(vec![
            records.iter().map(list).collect(),
            records.iter().flat_map(items).collect(),
        ])
    }
}

impl Listed for UserV2 {
    const DATASET: Dataset = Dataset::Users;

    fn group() -> TableGroup {
        let owner = Some(Owner::by_text("user_id"));
        TableGroup {
            main: Table::of("users", 1, None, value_columns::<Self>()),
            parts: vec![Table::of("user_groups", 2, owner, membership_columns())],
        }
    }

    fn rows(records: &[Self]) -> GroupRows {
        let user = |record| to_row(None, value_columns::<Self>(), record);
        let groups = |record: &Self| -> Vec<_> {
            let id = CellValue::text(record.id.as_deref());
            let row = |group| to_part_row(Some(id.clone()), membership_columns(), group);
            record.groups.iter().flatten().map(row).collect()
        };
        GroupRows(vec![
            records.iter().map(user).collect(),
            records.iter().flat_map(groups).collect(),
        ])
    }
}

/// The columns of a membership beside its user, who is the owner.
fn membership_columns() -> impl Iterator<Item = &'static Column<UserMembership>> {
    value_columns().filter(|column| column.field.name != "userId")
}

const TASK: Owner = Owner::by_number("task_id");

impl Listed for Task {
    const DATASET: Dataset = Dataset::Tasks;

    fn group() -> TableGroup {
        let attachments = value_columns::<TaskAttachment>();
        TableGroup {
            main: Table::of("tasks", 1, None, value_columns::<Self>()),
            parts: vec![
                Table::of_texts("task_tags", TASK, "tag"),
                Table::of("task_attachments", 2, Some(TASK), attachments),
            ],
        }
    }

    fn rows(records: &[Self]) -> GroupRows {
        let task = |record| to_row(None, value_columns::<Self>(), record);
        let tags = |record: &Self| -> Vec<_> {
            let id = record.id.map_or(CellValue::Null, CellValue::Int);
            text_rows(&id, record.tags.as_deref()).collect()
        };
        let attachments = |record: &Self| -> Vec<_> {
            let row = |one| to_row(record.id, value_columns::<TaskAttachment>(), one);
            record.attachments.iter().flatten().map(row).collect()
        };
        GroupRows(vec![
            records.iter().map(task).collect(),
            records.iter().flat_map(tags).collect(),
            records.iter().flat_map(attachments).collect(),
        ])
    }
}
