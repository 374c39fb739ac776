//! Export: a folder is whole or absent, and is there once the program has said so.

use std::path::Path;

use obeya_testkit::disk::{Disk, Replay, cut_power};

use super::cuts;
use crate::binary::{database, done, obeya, run};
use crate::credentials::PLANT;
use crate::export::files;

#[test]
fn an_export_is_whole_or_absent_and_stays_once_it_is_done() {
    let (folder, db) = database();
    run(["import", PLANT, "--db", &db]).success();
    let reference = folder.path().join("reference");
    run(["export", reference.to_str().expect("UTF-8"), "--db", &db]).success();
    let reference = files(&reference);
    let out = folder.path().join("out");
    std::fs::create_dir(&out).expect("made");
    let disk = Disk::new(&out);
    let mut command = obeya();
    disk.hold(&mut command);
    done(
        command
            .arg("export")
            .arg(out.join("plant"))
            .args(["--db", &db]),
    )
    .success();
    disk.mark("done");
    let operations = disk.operations();
    let mut random = obeya_testkit::rng();
    cut_power(Replay::new(), &operations, cuts(100), &mut random, |cut| {
        let plant = cut.folder.path().join("plant");
        if plant.exists() {
            assert!(is_same(&plant, &reference), "{cut}: half a folder");
        } else {
            assert!(cut.marks.is_empty(), "{cut}: the folder is gone");
        }
    });
}

fn is_same(
    folder: &Path,
    reference: &impl PartialEq<std::collections::BTreeMap<String, Vec<u8>>>,
) -> bool {
    *reference == files(folder)
}
