//! Backup and restore: the file is whole or absent, and is there once the program has said so.

use std::path::Path;

use obeya_testkit::disk::{Disk, Replay, cut_power};

use super::cuts;
use crate::binary::{database, done, obeya, run};
use crate::credentials::PLANT;

/// Runs a command that makes one file in a recorded folder, and cuts the power.
fn cut_while_made(name: &str, arguments: impl Fn(&Path) -> Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    let disk = Disk::new(folder.path());
    let mut command = obeya();
    disk.hold(&mut command);
    done(command.args(arguments(&file))).success();
    disk.mark("done");
    let whole = std::fs::read(&file).expect("a file");
    let operations = disk.operations();
    let mut random = obeya_testkit::rng();
    cut_power(
        Replay::new(),
        &operations,
        cuts(60),
        &mut random,
        |cut| match std::fs::read(cut.folder.path().join(name)) {
            Ok(found) => assert!(found == whole, "{cut}: half a file"),
            Err(_) => assert!(cut.marks.is_empty(), "{cut}: the file is gone"),
        },
    );
}

/// The address of a database with the plant.
fn plant() -> (tempfile::TempDir, String) {
    let (folder, db) = database();
    run(["import", PLANT, "--db", &db]).success();
    (folder, db)
}

#[test]
fn a_backup_is_whole_or_absent_and_stays_once_it_is_done() {
    let (_folder, db) = plant();
    cut_while_made("backup.db", |file| {
        let file = file.to_str().expect("UTF-8");
        ["backup", file, "--db", &db].map(str::to_owned).to_vec()
    });
}

#[test]
fn a_restored_database_is_whole_or_absent_and_stays_once_it_is_done() {
    let (folder, db) = plant();
    let backup = folder.path().join("backup.db");
    let backup = backup.to_str().expect("UTF-8");
    run(["backup", backup, "--db", &db]).success();
    cut_while_made("plant.db", |file| {
        let db = format!("sqlite:{}", file.display());
        ["restore", backup, "--db", &db].map(str::to_owned).to_vec()
    });
}
