//! Lists without stamps: what the service has, with what belongs to their records, at first and after every
//! kind of change; and copies of earlier versions, which have fewer of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use obeya::Client;
use obeya::model::{
    DataListItemCreate, GroupMemberCreate, GroupRole, Patch, ProjectCreate, TaskCommentCreate,
    TaskCreate, TaskPatch, TaskStatus, UserCreateV2, UserPatch, UserType,
};
use obeya_testkit::postgres::connect;
use obeya_testkit::{Answer, Proxy};
use serde_json::{Value, json};

use super::copy::{Copy, assert_same};
use super::exact::counts;
use super::plant::{Plant, QUOTED};
use super::wire::{FIELDS, tables};
use crate::binary::{Done, done, obeya};
use crate::credentials::Credentials;

/// The tables of the first versions.
const FIRST: [&str; 2] = [
    "--only",
    "incidents,comments,improvements,boards,groups,areas,types,datasources,values",
];

/// The lists that this file is about.
const LISTS: [&str; 5] = ["projects", "data_lists", "users", "tasks", "task_comments"];

const NOT_FOUND: Answer =
    "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

fn member(role: GroupRole, user: &str) -> GroupMemberCreate {
    GroupMemberCreate {
        group_role: role,
        user_id: user.to_owned(),
    }
}

fn tagged(tags: &[&str]) -> TaskPatch {
    TaskPatch {
        tags: Patch::Value(tags.iter().map(|tag| (*tag).to_owned()).collect()),
        ..TaskPatch::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_and_what_belongs_to_them_are_what_the_service_has_after_every_kind_of_change() {
    let plant = Plant::new(4, 0);
    let client = plant.client();
    let copies = Copy::all(plant.folder.path());
    let check = async |what: &str| {
        let service = tables(&client, FIELDS).await;
        for copy in &copies {
            let to = copy.to();
            let out = plant.sync(&to, &[]).success();
            assert!(out.contains("is up to date"), "{out}");
            assert_same(&copy.tables().await, &service, &format!("{to}: {what}"));
        }
    };
    check("new").await;
    for copy in &copies {
        let out = plant.sync(&copy.to(), &[]).success();
        for (table, rows) in LISTS.into_iter().zip(["2", "2", "6", "3", "3"]) {
            assert_eq!(counts(&out, table), [rows, "0", "0", "0", rows], "{out}");
        }
    }
    // Nothing of the user's own changes.
    let groups = client.groups();
    let put = groups.put_member(4, &member(GroupRole::Owner, "u-1")).await;
    put.expect("put");
    groups.remove_member(1, "u-1").await.expect("removed");
    check("other groups").await;
    change_tasks(&client).await;
    check("other tasks").await;
    change_others(&client).await;
    check("other users, projects and data lists").await;
    client.incidents().delete(3).await.expect("deleted");
    check("a task whose incident is in the trash").await;
    client.incidents().restore(3).await.expect("restored");
    check("the same task once more").await;
}

async fn change_tasks(client: &Client) {
    let tasks = client.tasks();
    tasks.patch(501, &tagged(&["new", "b"])).await.expect("set");
    tasks.delete_v2(502, None).await.expect("deleted");
    let new = TaskCreate {
        tags: Some(vec!["a".to_owned()]),
        ..TaskCreate::new("A new one", TaskStatus::NotStarted)
    };
    tasks.create_v2(&new).await.expect("created");
    let attached = tasks.add_attachment(503, "note.txt", b"Worn").await;
    attached.expect("attached");
    let comment = TaskCommentCreate::new(503, "Another");
    tasks.create_comment(&comment).await.expect("created");
    tasks.delete_comment(9002).await.expect("deleted");
}

async fn change_others(client: &Client) {
    let users = client.users();
    let new = UserCreateV2::new("Some", "One", UserType::Normal, "some", "some@a.example");
    users.create(&new, false).await.expect("created");
    users.delete(QUOTED).await.expect("deleted");
    let renamed = UserPatch {
        display_name: Patch::Value("Ulf N.".to_owned()),
        ..UserPatch::default()
    };
    users.patch("U-1", &renamed).await.expect("renamed");
    let projects = client.projects();
    let new = ProjectCreate::new("P-9", "A new one");
    projects.create(&new).await.expect("created");
    projects.delete("P-3").await.expect("deleted");
    let item = DataListItemCreate::new("S-1");
    let created = client.data_lists().create_item(9, &item).await;
    created.expect("created");
}

#[tokio::test(flavor = "multi_thread")]
async fn users_whose_ids_differ_in_case_alone_are_two_on_any_number_of_pages() {
    let plant = Plant::new(2, 0);
    let client = plant.client();
    // Two pages. Names must differ in more than case.
    let user = |number: i32, letter: &str, name: &str| json!({"id": format!("{letter}'{number}\""), "userName": format!("{name}{number}"), "displayName": format!("{letter} {number}"), "groups": [4]});
    let others =
        (1..=600).flat_map(|number| [user(number, "x", "small"), user(number, "X", "big")]);
    plant.import_more("users.jsonl", &others.collect::<Vec<_>>());
    let only = ["--only", "users"];
    let copies = Copy::all(plant.folder.path());
    for copy in &copies {
        let to = copy.to();
        for added in ["1\u{2009}206", "0"] {
            let out = plant.sync(&to, &only).success();
            let cells = counts(&out, "users");
            assert_eq!(cells[..4], ["1\u{2009}206", added, "0", "0"], "{out}");
        }
        let mut service = tables(&client, FIELDS).await;
        service.retain(|table, _| table.starts_with("user"));
        assert_same(&copy.tables().await, &service, &to);
    }
    let renamed = json!({"id": "X'7\"", "userName": "big7", "displayName": "Another"});
    // Between the two letters.
    plant.import_more("users.jsonl", &[renamed, user(1, "m", "middle")]);
    for copy in &copies {
        let out = plant.sync(&copy.to(), &only).success();
        assert_eq!(counts(&out, "users")[1..4], ["1", "1", "0"], "{out}");
        let rows = copy.rows("users").await;
        let name = |id: &str| {
            let row = rows.iter().find(|row| row["id"] == json!(id));
            row.expect("it is there")["display_name"].clone()
        };
        assert_eq!([name("x'7\""), name("X'7\"")], ["x 7", "Another"]);
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_did_not_change_is_not_written_again() {
    use std::os::unix::fs::MetadataExt as _;
    let plant = Plant::new(2, 0);
    let (folder, file) = (plant.file("copy"), plant.file("copy.db"));
    let database = format!("sqlite:{file}");
    for to in [&folder, &database] {
        plant.sync(to, &[]).success();
    }
    let copy = rusqlite::Connection::open(&file).expect("a database");
    let tables = [
        "tasks",
        "task_tags",
        "users",
        "user_groups",
        "data_list_items",
    ];
    for table in tables {
        for what in ["DELETE", "UPDATE"] {
            let trigger = format!(
                "CREATE TRIGGER {table}_{what} BEFORE {what} ON {table} BEGIN SELECT RAISE(ABORT, 'written'); END"
            );
            copy.execute_batch(&trigger).expect("a trigger");
        }
    }
    let files = || {
        tables.map(|table| {
            let path = Path::new(&folder).join(format!("{table}.parquet"));
            fs::metadata(path).expect("a file").ino()
        })
    };
    let before = files();
    for to in [&folder, &database] {
        plant.sync(to, &[]).success();
    }
    assert_eq!(files(), before);
    let tasks = plant.client();
    tasks
        .tasks()
        .patch(501, &tagged(&["b"]))
        .await
        .expect("set");
    let err = plant.sync(&database, &[]).failure(1);
    assert!(err.contains("written"), "the triggers do nothing: {err}");
    plant.sync(&folder, &[]).success();
    let after = files();
    assert!(
        after[..2]
            .iter()
            .zip(&before)
            .all(|(after, before)| after != before)
    );
    assert_eq!(after[2..], before[2..]);
}

/// Makes the state of a copy one of an earlier version.
async fn forget_tables(copy: &Copy) {
    let without = |text: &str| {
        let mut state: Value = serde_json::from_str(text).expect("a state");
        let copy = match state.get_mut("copy") {
            Some(copy) => copy,
            None => &mut state,
        };
        let state_of_copy = copy.as_object_mut().expect("an object");
        assert!(state_of_copy.remove("tables").is_some());
        state.to_string()
    };
    let select = "SELECT value FROM obeya_sync WHERE name = 'state'";
    let in_file = |file: &Path| {
        let text = fs::read_to_string(file).expect("a state");
        fs::write(file, without(&text)).expect("written");
    };
    match copy {
        Copy::Folder(path) => in_file(&path.join("sync-state.json")),
        Copy::Bucket(bucket) => in_file(&bucket.folder.join("_obeya/sync-state.json")),
        Copy::Sqlite(path) => {
            let copy = rusqlite::Connection::open(path).expect("a database");
            let text: String = copy.query_row(select, [], |row| row.get(0)).expect("text");
            let set = copy.execute("UPDATE obeya_sync SET value = ?1", [without(&text)]);
            assert_eq!(set.expect("set"), 1);
        }
        Copy::Postgres(scratch) => {
            let copy = connect(scratch.url()).await;
            let text: String = copy.query_one(select, &[]).await.expect("a row").get(0);
            let set = "UPDATE obeya_sync SET value = $1";
            let set = copy.execute(set, &[&without(&text)]).await;
            assert_eq!(set.expect("set"), 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_an_earlier_version_gets_the_lists_it_lacks() {
    let plant = Plant::new(4, 30);
    let service = tables(&plant.client(), FIELDS).await;
    for copy in Copy::all(plant.folder.path()) {
        let to = copy.to();
        plant.sync(&to, &FIRST).success();
        assert!(copy.rows("users").await.is_empty(), "{to}");
        // The second time all tables are there, and the earlier version did not pass on whose they are.
        for added in ["6", "0"] {
            forget_tables(&copy).await;
            let out = plant.sync(&to, &[]).success();
            assert_eq!(counts(&out, "users")[..2], ["6", added], "{out}");
            assert_eq!(counts(&out, "incidents")[1..4], ["0", "0", "0"], "{out}");
            assert_same(&copy.tables().await, &service, &to);
        }
    }
}

/// Makes a table of others with the name of one that a copy lacks.
async fn add_other_users(copy: &Copy) {
    let make =
        "CREATE TABLE users (id integer, shoe_size integer); INSERT INTO users VALUES (1, 43)";
    match copy {
        // Of areas, in truth.
        Copy::Folder(path) => {
            let from = path.join("areas.parquet");
            fs::copy(from, path.join("users.parquet")).expect("copied");
        }
        Copy::Bucket(bucket) => {
            let [from, to] = ["areas", "users"].map(|table| bucket.folder.join(table));
            fs::create_dir_all(to.join("_delta_log")).expect("made");
            let commit = "_delta_log/00000000000000000000.json";
            fs::copy(from.join(commit), to.join(commit)).expect("copied");
            for file in bucket.files("areas").into_keys() {
                fs::copy(&file, to.join(file.file_name().expect("a name"))).expect("copied");
            }
        }
        Copy::Sqlite(path) => {
            let copy = rusqlite::Connection::open(path).expect("a database");
            copy.execute_batch(make).expect("made");
        }
        Copy::Postgres(scratch) => {
            let copy = connect(scratch.url()).await;
            copy.batch_execute(make).await.expect("made");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_of_others_beside_a_copy_of_an_earlier_version_is_left_alone() {
    let plant = Plant::new(4, 0);
    for copy in Copy::all(plant.folder.path()) {
        let to = copy.to();
        plant.sync(&to, &FIRST).success();
        forget_tables(&copy).await;
        add_other_users(&copy).await;
        let others = copy.rows("users").await;
        let err = plant.sync(&to, &[]).failure(1);
        let expected = "it has a table `users` that does not belong to the copy";
        assert!(err.contains(expected), "{to}: {err}");
        assert_eq!(copy.rows("users").await, others, "{to}");
        plant.sync(&to, &FIRST).success();
        plant.sync(&to, &["--only", "tasks,projects"]).success();
        assert_eq!(copy.rows("tasks").await.len(), 3, "{to}");
    }
}

/// A copy by a client with these scopes.
fn sync_with(plant: &Plant, scopes: &[&str], to: &str) -> Done {
    let Credentials { id, secret } = Credentials::add(&plant.db, scopes);
    let url = &plant.serving.url;
    let mut command = obeya();
    command
        .args(["sync", "--to", to, "--url", url, "--client-id", &id])
        .env("OBEYA_CLIENT_SECRET", &secret);
    done(&mut command)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_gets_the_lists_that_its_scopes_are_for() {
    let plant = Plant::new(4, 10);
    let service = tables(&plant.client(), FIELDS).await;
    for (scope, lists) in [
        ("Tasks.Read", &["tasks", "task_comments"][..]),
        ("Projects.Read", &["projects"]),
        ("UserManagement.Read", &["users"]),
        ("Data.Read", &["data_lists"]),
    ] {
        for copy in Copy::all(&plant.folder.path().join(scope)) {
            let to = copy.to();
            if let Copy::Sqlite(path) = &copy {
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            }
            let out = sync_with(&plant, &[scope], &to).success();
            for table in LISTS {
                let is_skipped = counts(&out, table)[0] == "may not be read";
                assert_eq!(is_skipped, !lists.contains(&table), "{table}: {out}");
            }
            let copied = copy.tables().await;
            for table in lists {
                assert_eq!(copied[*table].len(), service[*table].len(), "{table}: {to}");
            }
            assert_eq!(
                copied.get("user_groups").map(BTreeMap::len),
                lists.contains(&"users").then_some(6),
                "{to}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_the_service_lacks_is_reported_and_all_else_is_copied() {
    let plant = Plant::new(4, 10);
    let without = Proxy::http(&plant.serving.url, &[], |line| {
        let is_lacking = line.contains("/v2/users") || line.contains("/v1/Projects");
        is_lacking.then_some(NOT_FOUND)
    });
    let mut service = tables(&plant.client(), FIELDS).await;
    service.retain(|table, _| !["users", "user_groups", "projects"].contains(&table.as_str()));
    for copy in Copy::all(plant.folder.path()) {
        let to = copy.to();
        let out = done(&mut plant.command_at(&without.url(), &to, &[])).success();
        for table in ["users", "projects"] {
            assert_eq!(counts(&out, table)[0], "is not served", "{out}");
        }
        assert_same(&copy.tables().await, &service, &to);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_list_that_goes_before_its_items_are_read_is_none() {
    let plant = Plant::new(2, 0);
    let service = tables(&plant.client(), FIELDS).await;
    let is_gone = Arc::<AtomicBool>::default();
    let goes = Arc::clone(&is_gone);
    let proxy = Proxy::http(&plant.serving.url, &[], move |line| {
        let is_about_it = line.contains("/v1/Datalists/5/items");
        (is_about_it && goes.load(Ordering::Relaxed)).then_some(NOT_FOUND)
    });
    let only = ["--only", "data-lists"];
    for copy in Copy::all(plant.folder.path()) {
        let to = copy.to();
        let sync = |gone: bool, more: &[&str]| {
            is_gone.store(gone, Ordering::Relaxed);
            done(&mut plant.command_at(&proxy.url(), &to, more)).success()
        };
        sync(false, &[]);
        let out = sync(true, &only);
        assert_eq!(
            counts(&out, "data_lists")[..4],
            ["1", "0", "0", "1"],
            "{out}"
        );
        assert!(copy.rows("data_list_items").await.is_empty(), "{to}");
        sync(false, &only);
        assert_same(&copy.tables().await, &service, &to);
    }
}
