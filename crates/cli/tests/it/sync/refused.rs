//! What is refused: said clearly, and nothing is touched.

use std::fs::File;

use obeya_testkit::postgres::connect;

use super::bucket::Bucket;
use super::copy::Copy;
use super::plant::Plant;
use crate::binary::{done, obeya};
use crate::credentials::Credentials;
use crate::postgres::with_schema;

#[test]
fn a_target_that_is_none_is_wrong_usage() {
    for to in [
        "",
        "sqlite:",
        "postgres://",
        "mysql://u:secret@h/d",
        "http://h",
        "s3://",
        "s3://key:secret@bucket/plant",
    ] {
        let refused = done(obeya().args([
            "sync",
            "--to",
            to,
            "--url",
            "http://127.0.0.1:9",
            "--client-id",
            "c",
        ]));
        let err = refused.failure(2);
        assert!(
            err.contains(
                "expected a folder, s3://BUCKET/PREFIX, sqlite: and a file name, or postgres://"
            ),
            "{to}: {err}"
        );
        assert!(!err.contains("secret"), "{err}");
    }
    let none = done(obeya().args(["sync", "--to", "copy"])).failure(2);
    assert!(none.contains("--client-id <ID>"), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_with_something_else_in_it_is_left_alone() {
    let plant = Plant::new(2, 0);
    std::fs::create_dir(plant.file("other")).expect("a folder");
    std::fs::write(plant.file("other/letter.txt"), "x").expect("written");
    let err = plant.sync(&plant.file("other"), &[]).failure(1);
    assert!(
        err.contains("it contains `letter.txt` but no sync-state.json, expected an empty folder"),
        "{err}"
    );

    let bucket = Bucket::new();
    std::fs::create_dir_all(bucket.folder.join("notes")).expect("a folder");
    std::fs::write(bucket.folder.join("notes/letter.txt"), "x").expect("written");
    let err = plant.sync(&bucket.to(), &[]).failure(1);
    assert!(
        err.contains("it contains notes/letter.txt but no _obeya/sync-state.json"),
        "{err}"
    );

    // The service's own database is the likeliest of all slips.
    let err = plant.sync(&plant.db, &[]).failure(1);
    assert!(
        err.contains("has a table `areas` that does not belong to a copy"),
        "{err}"
    );
    std::fs::write(plant.file("no.db"), "x".repeat(5000)).expect("written");
    let err = plant
        .sync(&format!("sqlite:{}", plant.file("no.db")), &[])
        .failure(1);
    assert!(err.contains("not a SQLite database"), "{err}");
    let scratch = with_schema();
    let err = plant.sync(scratch.url(), &[]).failure(1);
    assert!(err.contains("that does not belong to a copy"), "{err}");

    let err = plant
        .sync(&format!("sqlite:{}", plant.file("nowhere/copy.db")), &[])
        .failure(1);
    assert!(err.contains("nowhere"), "{err}");
    let err = plant
        .sync("postgres://nobody:secret@127.0.0.1:9/x", &[])
        .failure(1);
    assert!(
        err.contains("postgres://nobody@127.0.0.1:9/x cannot be used") && !err.contains("secret"),
        "{err}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_cannot_be_used_is_named_with_the_reason() {
    let plant = Plant::new(2, 0);
    let to = Bucket::new().to();
    let wrong = done(
        plant
            .command(&to, &[])
            .env("AWS_SECRET_ACCESS_KEY", "wrong"),
    );
    let err = wrong.failure(1);
    assert!(
        err.contains("SignatureDoesNotMatch") && !err.contains("wrong"),
        "{err}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_of_one_service_and_one_client() {
    let plant = Plant::new(2, 0);
    let Credentials { id: other, secret } = Credentials::add(&plant.db, &["Boards.Read"]);
    for copy in Copy::all(plant.folder.path()) {
        let to = copy.to();
        plant.sync(&to, &[]).success();
        let mut command = obeya();
        command
            .args([
                "sync",
                "--to",
                &to,
                "--url",
                &plant.serving.url,
                "--client-id",
                &other,
            ])
            .env("OBEYA_CLIENT_SECRET", &secret);
        let err = done(&mut command).failure(1);
        assert!(
            err.contains(&plant.credentials.id) && err.contains(&other),
            "{err}"
        );
        assert!(err.contains("expected a separate target for each"), "{err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_at_once_on_one_copy_are_one_too_many() {
    let plant = Plant::new(2, 0);
    for copy in Copy::all(plant.folder.path()) {
        let to = copy.to();
        plant.sync(&to, &[]).success();
        let beside = match &copy {
            Copy::Folder(path) => Some(path.join(".sync-lock")),
            Copy::Sqlite(path) => Some(path.with_file_name("copy.db.sync-lock")),
            Copy::Bucket(bucket) => {
                std::fs::write(bucket.lease(), r#"{"held":true}"#).expect("written");
                None
            }
            Copy::Postgres(_) => None,
        };
        let file = beside.map(|path| File::open(path).expect("opened"));
        if let Some(file) = &file {
            file.lock().expect("locked");
        }
        let other = match &copy {
            Copy::Postgres(scratch) => {
                let other = connect(scratch.url()).await;
                other
                    .batch_execute("SELECT pg_advisory_lock(199730624)")
                    .await
                    .expect("locked");
                Some(other)
            }
            _ => None,
        };
        let err = plant.sync(&to, &[]).failure(1);
        assert!(err.contains("another sync is writing it"), "{to}: {err}");
        drop((file, other));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_may_not_read_is_said_and_left_out() {
    let plant = Plant::new(4, 10);
    let Credentials { id: client, secret } = Credentials::add(&plant.db, &["Boards.Read"]);
    let to = plant.file("few");
    let mut command = obeya();
    command
        .args([
            "sync",
            "--to",
            &to,
            "--url",
            &plant.serving.url,
            "--client-id",
            &client,
        ])
        .env("OBEYA_CLIENT_SECRET", &secret);
    let out = done(&mut command).success();
    for table in [
        "incidents",
        "improvements",
        "groups",
        "areas",
        "values",
        "data_lists",
        "projects",
        "tasks",
        "task_comments",
        "users",
    ] {
        let line = out
            .lines()
            .find(|line| line.contains(&format!("│ {table} ")))
            .unwrap_or_else(|| panic!("{table}: {out}"));
        assert!(line.contains("may not be read"), "{line}");
    }
    assert!(std::path::Path::new(&to).join("boards.parquet").exists());
    let wrong = done(plant.command(&to, &[]).env("OBEYA_CLIENT_SECRET", "wrong"));
    let err = wrong.failure(1);
    assert!(
        err.contains("separate target") || err.contains("invalid_client"),
        "{err}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_says_how_far_it_is_without_a_service() {
    let mut plant = Plant::new(4, 10);
    let copies = Copy::all(plant.folder.path());
    for copy in &copies {
        let err = done(obeya().args(["sync", "--status", "--to", &copy.to()])).failure(1);
        assert!(err.contains("there is no copy at"), "{err}");
        plant.sync(&copy.to(), &[]).success();
    }
    plant.serving.child.kill().expect("killed");
    for copy in &copies {
        let out = done(obeya().args(["sync", "--status", "--to", &copy.to()])).success();
        assert!(out.contains("up to date at "), "{out}");
        for (table, mark) in [
            ("incidents", "2026-03-02T00:00:04.1234567Z"),
            ("values of datasource 13", "nothing yet"),
        ] {
            let line = out.lines().find(|line| line.contains(table));
            assert!(
                line.is_some_and(|line| line.contains(mark)),
                "{table}: {out}"
            );
        }
    }
    let gone = plant.sync(&copies[0].to(), &[]).failure(1);
    assert!(gone.contains("no connection"), "{gone}");
}
