//! A folder after runs that ended in the middle.

use super::file::beside;
use super::*;
use crate::durable::calls;
use crate::sync::row::Value;
use crate::sync::schema;
use crate::sync::state::Source;

/// A folder with a state and no rows.
fn new() -> (tempfile::TempDir, Folder, Group, State) {
    let place = tempfile::tempdir().unwrap();
    let (url, client_id) = (String::new(), String::new());
    let state = State::new(Source { url, client_id });
    let mut folder = Folder::open(place.path()).unwrap();
    folder.save(&state).unwrap();
    (place, folder, schema::values(), state)
}

/// Has these values, and no others, in March 2026.
fn replace(folder: &mut Folder, group: &Group, ids: std::ops::Range<i32>, state: &State) {
    let date = "2026-03-02T06:12:00Z".parse().unwrap();
    let cell = |name: &str, id| match name {
        "id" => Value::Int(id),
        "datasource_id" => Value::Int(12),
        "value_date" | "registration_date" => Value::Instant(date),
        _ => Value::Null,
    };
    let row = |id| group.main.names().map(|name| cell(name, id)).collect();
    let month = Month::of(date);
    folder.begin(Scope::Month(group, 12, month)).unwrap();
    folder.push(Rows(vec![ids.map(row).collect()])).unwrap();
    folder.finish(state).unwrap();
}

#[test]
fn the_number_of_values_of_a_month_is_not_believed_after_a_run_that_ended_at_it() {
    let (place, mut folder, group, state) = new();
    replace(&mut folder, &group, 1..11, &state);
    folder.save(&state).unwrap();
    assert_eq!(folder.count(&group, 12).unwrap(), Some(10));
    // Ended here: the file has two values more than the state ever knew of.
    replace(&mut folder, &group, 1..13, &state);
    drop(folder);
    let mut folder = Folder::open(place.path()).unwrap();
    assert_eq!(folder.count(&group, 12).unwrap(), None);
    let months = folder.months(&group, 12).unwrap();
    assert_eq!(months.into_values().collect::<Vec<_>>(), [None]);
}

#[test]
fn parts_of_a_record_that_never_came_to_its_place_are_removed() {
    let (place, mut folder, _, state) = new();
    let group = schema::incidents(&state);
    let row = |table: &Table, id| -> Row {
        let cell = |place| {
            if place < table.key {
                Value::Int(id)
            } else {
                Value::Null
            }
        };
        (0..table.columns.len()).map(cell).collect()
    };
    let rows = |ids: &[i32]| -> Vec<Vec<Row>> {
        let tables = group.tables();
        let rows = tables.map(|table| ids.iter().map(|id| row(table, *id)).collect());
        rows.collect()
    };
    let owners = || -> Vec<Vec<i32>> {
        let path = |table: &Table| place.path().join(format!("{}.parquet", table.name));
        group
            .tables()
            .map(|table| file::ids(&path(table)).unwrap())
            .collect()
    };
    folder.begin(Scope::All(&group)).unwrap();
    folder.push(Rows(rows(&[1, 2]))).unwrap();
    folder.finish(&state).unwrap();
    assert!(folder.parts.is_empty());
    // Ended when the parts are in their places and the records are not.
    let written = group.tables().zip(rows(&[3])).map(|(table, rows)| {
        exchanged(table, &folder.table_file(table), |_| true, rows)
            .unwrap()
            .0
    });
    let written: Vec<_> = written.collect();
    fs::remove_file(beside(&folder.table_file(&group.main))).unwrap();
    folder.put(&group, written, &state).unwrap_err();
    drop(folder);
    let (some, all) = (vec![1, 2], vec![1, 2, 3]);
    assert_eq!(owners(), [&some, &all, &all, &all, &all].map(Clone::clone));
    let mut folder = Folder::open(place.path()).unwrap();
    assert_eq!(folder.ids(&group).unwrap(), some);
    assert_eq!(owners(), vec![some; 5]);
    drop(folder);
    assert!(Folder::open(place.path()).unwrap().parts.is_empty());
}

#[test]
fn a_month_that_the_state_never_knew_of_is_removed() {
    let (place, mut folder, group, state) = new();
    replace(&mut folder, &group, 1..11, &state);
    let file = place.path().join("values/datasource=12/2026-03.parquet");
    assert!(file.exists());
    drop(folder);
    Folder::open(place.path()).unwrap();
    assert!(!file.exists());
}

/// What keeping the state comes to, in this folder.
fn kept(place: &tempfile::TempDir) -> [String; 3] {
    [
        "sync .sync-state.json.new".to_owned(),
        "rename to sync-state.json".to_owned(),
        folder_synced(place),
    ]
}

fn folder_synced(place: &tempfile::TempDir) -> String {
    format!(
        "sync folder {}",
        place.path().file_name().unwrap().display()
    )
}

/// The calls since the last time; all but those of the state, which are its name.
fn calls_but_of(kept: &[String; 3]) -> String {
    let calls = calls::take().join(", ");
    calls.replace(&kept.join(", "), "state")
}

/// A power failure loses what was not synced: a state must not tell of a file that may be lost.
#[test]
fn a_month_is_on_disk_before_the_state_tells_of_it() {
    let (place, mut folder, group, state) = new();
    let kept = kept(&place);
    assert_eq!(calls_but_of(&kept), "state");
    // Time has no part in it: the state is kept when the test says so.
    folder.keep_interval = Duration::MAX;
    let month = "sync .2026-03.parquet.new";
    let placed = "rename to 2026-03.parquet";
    replace(&mut folder, &group, 1..11, &state);
    assert_eq!(calls_but_of(&kept), format!("{month}, {placed}"));
    folder.save(&state).unwrap();
    assert_eq!(calls_but_of(&kept), "sync folder datasource=12, state");
    // The number of its values is known, and is doubtful until the other file is there.
    replace(&mut folder, &group, 1..13, &state);
    assert_eq!(calls_but_of(&kept), format!("{month}, state, {placed}"));
    folder.keep_interval = Duration::ZERO;
    replace(&mut folder, &group, 1..14, &state);
    // Each keeping of the state, that of the doubt too, comes after the months before it.
    let kept = calls_but_of(&kept);
    let kept_each = "sync folder datasource=12, state";
    assert_eq!(kept, format!("{month}, {kept_each}, {placed}, {kept_each}"));
}

#[test]
fn parts_are_on_disk_before_records_and_both_before_the_state_tells_of_them() {
    let (place, mut folder, _, state) = new();
    let (kept, synced) = (kept(&place), folder_synced(&place));
    let group = schema::incidents(&state);
    let empty = || Rows(vec![Vec::new(); 5]);
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
        calls_but_of(&kept),
        format!("{written}, state, {placed}, {synced}, state")
    );

    // A run was ended before it put the records in their place.
    folder.parts.insert(group.main.name.to_owned());
    folder.ids(&group).unwrap();
    let parts = names[1..]
        .iter()
        .map(|name| format!("sync .{name}.parquet.new, rename to {name}.parquet"));
    let parts = parts.collect::<Vec<_>>().join(", ");
    assert_eq!(calls_but_of(&kept), format!("{parts}, {synced}, state"));
}

#[cfg(unix)]
#[test]
fn new_files_are_their_owners_alone_until_the_copy_is_widened() {
    use std::os::unix::fs::PermissionsExt as _;
    let (place, mut folder, group, state) = new();
    replace(&mut folder, &group, 1..11, &state);
    folder.save(&state).unwrap();
    let first = folder.month_file(12, "2026-03".parse().unwrap());
    let state_file = folder.file("sync-state.json");
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&first), mode(&state_file)), (0o600, 0o600));

    for path in [&first, &state_file] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o640)).unwrap();
    }
    replace(&mut folder, &group, 1..13, &state);
    let boards = schema::boards();
    folder.begin(Scope::All(&boards)).unwrap();
    folder.finish(&state).unwrap();
    for path in [&first, &state_file, &place.path().join("boards.parquet")] {
        assert_eq!(mode(path), 0o640, "{}", path.display());
    }
}
