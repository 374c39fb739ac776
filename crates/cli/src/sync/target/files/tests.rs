//! A folder after runs that were killed.

use super::*;
use std::fs;
use std::path::PathBuf;

use obeya::model::{Board, UserMembership, UserV2};

use crate::durable::calls;
use crate::sync::listed::Listed as _;
use crate::sync::row::CellValue;
use crate::sync::schema;
use crate::sync::state::Source;

/// A folder with a state and no rows.
fn new_folder() -> (tempfile::TempDir, FolderTarget, TableGroup, State) {
    let directory = tempfile::tempdir().unwrap();
    let (url, client_id) = (String::new(), String::new());
    let state = State::new(Source { url, client_id });
    let mut folder = FolderTarget::open(directory.path()).unwrap();
    folder.save(&state).unwrap();
    (directory, folder, schema::values(), state)
}

/// Replaces the values of March 2026 by these.
fn replace(
    folder: &mut FolderTarget,
    group: &TableGroup,
    ids: std::ops::Range<i32>,
    state: &State,
) {
    let date = "2026-03-02T06:12:00Z".parse().unwrap();
    let cell = |name: &str, id| match name {
        "id" => CellValue::Int(id),
        "datasource_id" => CellValue::Int(12),
        "value_date" | "registration_date" => CellValue::Instant(date),
        _ => CellValue::Null,
    };
    let row = |id| group.main.names().map(|name| cell(name, id)).collect();
    let month = Month::of(date);
    folder.begin(Scope::Month(group, 12, month)).unwrap();
    folder
        .push(GroupRows(vec![ids.map(row).collect()]))
        .unwrap();
    folder.finish(state).unwrap();
}

#[test]
fn the_number_of_values_of_a_month_is_not_believed_after_a_run_that_ended_at_it() {
    let (directory, mut folder, group, state) = new_folder();
    replace(&mut folder, &group, 1..11, &state);
    folder.save(&state).unwrap();
    assert_eq!(folder.count(&group, 12).unwrap(), Some(10));
    // Killed here: the file has two values more than the state has recorded.
    replace(&mut folder, &group, 1..13, &state);
    drop(folder);
    let mut folder = FolderTarget::open(directory.path()).unwrap();
    assert_eq!(folder.count(&group, 12).unwrap(), None);
    let months = folder.months(&group, 12).unwrap();
    assert_eq!(months.into_values().collect::<Vec<_>>(), [None]);
}

#[test]
fn parts_of_a_record_that_never_came_to_its_place_are_removed() {
    let (directory, mut folder, _, state) = new_folder();
    let group = schema::incidents(&state);
    let row = |table: &Table, id| -> TableRow {
        let cell = |column| {
            if column < table.key {
                CellValue::Int(id)
            } else {
                CellValue::Null
            }
        };
        (0..table.columns.len()).map(cell).collect()
    };
    let rows = |ids: &[i32]| -> Vec<Vec<TableRow>> {
        let tables = group.tables();
        let rows = tables.map(|table| ids.iter().map(|id| row(table, *id)).collect());
        rows.collect()
    };
    let owners = || -> Vec<Vec<i32>> {
        let path = |table: &Table| directory.path().join(format!("{}.parquet", table.name));
        group
            .tables()
            .map(|table| parquet_file::ids(&path(table)).unwrap())
            .collect()
    };
    folder.begin(Scope::All(&group)).unwrap();
    folder.push(GroupRows(rows(&[1, 2]))).unwrap();
    folder.finish(&state).unwrap();
    assert!(folder.parts.is_empty());
    // Killed after the parts were renamed and before the main table was.
    let written = group
        .tables()
        .zip(rows(&[3]))
        .map(|(table, rows)| folder.rewrite(table, |_| true, rows).unwrap().0);
    let written: Vec<_> = written.collect();
    fs::remove_file(&written[0].path).unwrap();
    folder.publish(&group, written, &state).unwrap_err();
    drop(folder);
    let (some, all) = (vec![1, 2], vec![1, 2, 3]);
    assert_eq!(owners(), [&some, &all, &all, &all, &all].map(Clone::clone));
    let mut folder = FolderTarget::open(directory.path()).unwrap();
    assert_eq!(folder.ids(&group).unwrap(), some);
    assert_eq!(owners(), vec![some; 5]);
    drop(folder);
    assert!(
        FolderTarget::open(directory.path())
            .unwrap()
            .parts
            .is_empty()
    );
}

#[test]
fn files_of_a_list_are_replaced_when_a_row_of_any_differs_or_a_run_was_killed_between_them() {
    let (directory, mut folder, _, state) = new_folder();
    let group = UserV2::group();
    let user = |id: &str, role: &str| UserV2 {
        id: Some(id.to_owned()),
        groups: Some(vec![UserMembership {
            group_id: Some(4),
            role: role.parse().ok(),
            ..UserMembership::default()
        }]),
        ..UserV2::default()
    };
    let renames = |folder: &mut FolderTarget, role: &str| {
        calls::take();
        folder.begin(Scope::All(&group)).unwrap();
        let users = [user("U-1", "Member"), user("u-1", role)];
        folder.push(UserV2::rows(&users)).unwrap();
        let counts = folder.finish(&state).unwrap();
        let calls = calls::take().into_iter();
        let files = calls.filter(|call| call.starts_with("rename") && call.contains("user"));
        (counts, files.count())
    };
    let counts = |added| Counts {
        added,
        ..Counts::default()
    };
    assert_eq!(renames(&mut folder, "Member"), (counts(2), 2));
    assert_eq!(renames(&mut folder, "Member"), (counts(0), 0));
    assert_eq!(renames(&mut folder, "Owner"), (counts(0), 2));
    folder.parts.insert(group.main.name.to_owned());
    assert_eq!(renames(&mut folder, "Owner"), (counts(0), 2));
    drop(folder);
    let folder = FolderTarget::open(directory.path()).unwrap();
    assert!(folder.parts.is_empty());
}

#[test]
fn a_month_that_the_state_never_knew_of_is_removed() {
    let (directory, mut folder, group, state) = new_folder();
    replace(&mut folder, &group, 1..11, &state);
    let file = directory
        .path()
        .join("values/datasource=12/2026-03.parquet");
    assert!(file.exists());
    drop(folder);
    FolderTarget::open(directory.path()).unwrap();
    assert!(!file.exists());
}

/// The calls that write the state in this folder.
fn state_calls(directory: &tempfile::TempDir) -> [String; 3] {
    [
        "sync .sync-state.json.new".to_owned(),
        "rename to sync-state.json".to_owned(),
        folder_sync_call(directory),
    ]
}

fn folder_sync_call(directory: &tempfile::TempDir) -> String {
    format!(
        "sync folder {}",
        directory.path().file_name().unwrap().display()
    )
}

/// The calls since the last time; those that write the state are shortened to `state`.
fn calls_except(state_written: &[String; 3]) -> String {
    let calls = calls::take().join(", ");
    calls.replace(&state_written.join(", "), "state")
}

/// A power failure loses what was not synced: the state must not refer to a file that may be lost.
#[test]
fn a_month_is_on_disk_before_the_state_tells_of_it() {
    let (directory, mut folder, group, state) = new_folder();
    let state_written = state_calls(&directory);
    assert_eq!(calls_except(&state_written), "state");
    // Independent of the clock: the state is written when the test says so.
    folder.state_interval = Duration::MAX;
    let month = "sync .2026-03.parquet.new";
    let placed = "rename to 2026-03.parquet";
    replace(&mut folder, &group, 1..11, &state);
    assert_eq!(calls_except(&state_written), format!("{month}, {placed}"));
    folder.save(&state).unwrap();
    // The name of the new folder is on disk too.
    assert_eq!(
        calls_except(&state_written),
        "sync folder datasource=12, sync folder values, state"
    );
    // The known number of values becomes uncertain until the file is replaced.
    replace(&mut folder, &group, 1..13, &state);
    assert_eq!(
        calls_except(&state_written),
        format!("{month}, state, {placed}")
    );
    folder.state_interval = Duration::ZERO;
    replace(&mut folder, &group, 1..14, &state);
    // Each write of the state, also the one that marks a month uncertain, comes after the months before it.
    let calls = calls_except(&state_written);
    let written_each = "sync folder datasource=12, state";
    assert_eq!(
        calls,
        format!("{month}, {written_each}, {placed}, {written_each}")
    );
}

#[test]
fn parts_are_on_disk_before_records_and_both_before_the_state_tells_of_them() {
    let (directory, mut folder, _, state) = new_folder();
    let (state_written, synced) = (state_calls(&directory), folder_sync_call(&directory));
    let group = schema::incidents(&state);
    let empty = || GroupRows(vec![Vec::new(); 5]);
    calls::take();
    folder.begin(Scope::All(&group)).unwrap();
    folder.push(empty()).unwrap();
    folder.finish(&state).unwrap();
    let names = [
        "incidents",
        "incident_consequences",
        "incident_categories",
        "incident_causes",
        "incident_custom_fields",
    ];
    let written = names.map(|name| format!("sync .{name}.parquet.new"));
    let mut placed = names.map(|name| format!("rename to {name}.parquet"));
    placed.reverse();
    let (written, placed) = (written.join(", "), placed.join(", "));
    assert_eq!(
        calls_except(&state_written),
        format!("{written}, state, {placed}, {synced}, state")
    );

    // A run was killed before it renamed the main table.
    folder.parts.insert(group.main.name.to_owned());
    folder.ids(&group).unwrap();
    let parts = names[1..]
        .iter()
        .map(|name| format!("sync .{name}.parquet.new, rename to {name}.parquet"));
    let parts = parts.collect::<Vec<_>>().join(", ");
    assert_eq!(
        calls_except(&state_written),
        format!("{parts}, {synced}, state")
    );
}

#[cfg(unix)]
#[test]
fn new_files_are_their_owners_alone_until_the_copy_is_widened() {
    use std::os::unix::fs::PermissionsExt as _;
    let (directory, mut folder, group, state) = new_folder();
    replace(&mut folder, &group, 1..11, &state);
    folder.save(&state).unwrap();
    let file = |name| directory.path().join(name);
    let first = file("values/datasource=12/2026-03.parquet");
    let state_file = file("sync-state.json");
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&first), mode(&state_file)), (0o600, 0o600));

    for path in [&first, &state_file] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o640)).unwrap();
    }
    replace(&mut folder, &group, 1..13, &state);
    let boards = Board::group();
    folder.begin(Scope::All(&boards)).unwrap();
    folder.finish(&state).unwrap();
    for path in [
        &first,
        &state_file,
        &directory.path().join("boards.parquet"),
    ] {
        assert_eq!(mode(path), 0o640, "{}", path.display());
    }
}
