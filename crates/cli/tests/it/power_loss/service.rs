//! The service on SQLite: every write that was answered is in the database that a power failure leaves.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use obeya_server::store::{Store, StoreError, StoreOptions};
use obeya_testkit::Serving;
use obeya_testkit::disk::{Disk, Operation, Replay, cut_power};
use serde_json::{Value, json};

use super::cuts;
use crate::binary::{done, obeya};
use crate::credentials::Credentials;
use crate::import::write_lines;

/// Clients that write at the same time, and writes of each: enough for several checkpoints.
const CLIENTS: usize = 4;
const WRITES: usize = 100;
/// The mark after the import.
const IMPORTED: &str = "imported";

fn on_disk(disk: &Disk) -> Command {
    let mut command = obeya();
    disk.hold(&mut command);
    command
}

/// Runs a service from an empty folder on; each answered write is a mark with its external id.
fn write(disk: &Disk, folder: &Path, db: &str) {
    let import = folder.join("import");
    std::fs::create_dir(&import).expect("made");
    write_lines(&import, "datasources.jsonl", [r#"{"id":1}"#]);
    let mut command = on_disk(disk);
    done(command.arg("import").arg(&import).args(["--db", db])).success();
    disk.mark(IMPORTED);
    let mut command = on_disk(disk);
    command.args(["client", "add", "test", "--db", db, "--json"]);
    command.args(["--scope", "public.api.read", "--scope", "public.api.write"]);
    let credentials = Credentials::of(&done(&mut command).success());
    let serving = Serving::start(on_disk(disk), db, &["--log", "off"]);
    let token = credentials.token(&serving.url);
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (url, token) = (&serving.url, &token);
            scope.spawn(move || {
                for number in 0..WRITES {
                    let id = format!("{client}/{number}");
                    let value = json!({
                        "value": 1.0, "valueDate": "2026-01-01T00:00:00Z", "externalId": id,
                    });
                    let (path, body) = match values(&id) {
                        1 => ("values", value),
                        values => ("values/batch", Value::Array(vec![value; values])),
                    };
                    let answer = ureq::post(format!("{url}/v1/Datasources/1/{path}"))
                        .header("authorization", format!("Bearer {token}"))
                        .header("content-type", "application/json")
                        .send(body.to_string());
                    answer.expect("accepted");
                    disk.mark(&id);
                }
            });
        }
    });
}

/// How many values the write with this id adds: some are batches, which are there as a whole or not at all.
fn values(id: &str) -> usize {
    if id.ends_with('5') { 60 } else { 1 }
}

/// The external ids in a database as the next service finds it, and how many values have each.
async fn found(folder: &Path) -> Result<BTreeMap<String, usize>, StoreError> {
    let url = format!("sqlite:{}", folder.join("plant.db").display());
    let store = Store::open(&url, &StoreOptions::default()).await?;
    let read = store.read(|session| {
        let faults = session.all("PRAGMA integrity_check", &[], |row| row.string(0))?;
        assert_eq!(faults, [Some("ok".to_owned())]);
        let datasources =
            session.first("SELECT count(*) FROM datasources", &[], |row| row.int(0))?;
        let ids = "SELECT external_id FROM datasource_values";
        let mut ids = session.all(ids, &[], |row| row.string(0))?;
        ids.extend((datasources == Some(Some(1))).then(|| Some(IMPORTED.to_owned())));
        let mut found = BTreeMap::new();
        for id in ids.into_iter().flatten() {
            *found.entry(id).or_default() += 1;
        }
        Ok::<_, StoreError>(found)
    });
    let read = read.await;
    store.close().await;
    read
}

/// Whether the database file was written after the first answer.
fn is_checkpointed(operations: &[Operation]) -> bool {
    let file = operations.iter().find_map(|operation| match operation {
        Operation::Create { path, inode } if path == "plant.db" => Some(*inode),
        _ => None,
    });
    let is_answer =
        |operation: &&Operation| matches!(operation, Operation::Mark(id) if id != IMPORTED);
    let after = operations.iter().skip_while(|one| !is_answer(one));
    let mut written = after.filter_map(|operation| match operation {
        Operation::Write { inode, .. } => Some(*inode),
        _ => None,
    });
    written.any(|inode| Some(inode) == file)
}

#[test]
fn no_answered_write_is_lost_and_the_database_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    std::fs::create_dir(&data).expect("made");
    let disk = Disk::new(&data);
    let db = format!("sqlite:{}", data.join("plant.db").display());
    write(&disk, folder.path(), &db);
    let operations = disk.operations();
    assert!(
        is_checkpointed(&operations),
        "the log was written back meanwhile"
    );
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (mut random, mut extra) = (obeya_testkit::rng(), 0);
    cut_power(Replay::new(), &operations, cuts(50), &mut random, |cut| {
        let found = runtime.block_on(found(cut.folder.path()));
        let found = found.unwrap_or_else(|error| panic!("{cut}: {error}"));
        let lost: Vec<_> = cut
            .marks
            .iter()
            .filter(|id| !found.contains_key(*id))
            .collect();
        assert!(lost.is_empty(), "{cut}: lost {lost:?}");
        for (id, count) in &found {
            assert_eq!(*count, values(id), "{cut}: {id} is there as a whole");
        }
        extra += found.len() - cut.marks.len();
    });
    println!(
        "{} operations; {extra} writes on disk and not answered yet",
        operations.len()
    );
}
