//! Sync: a copy can be read at any moment, is as the service was once a run has said so, and the next run
//! makes it exact.

use std::path::Path;

use obeya_testkit::disk::{Cut, Disk, Replay, cut_power};

use super::cuts;
use crate::binary::done;
use crate::sync::copy::{Copy, assert_same};
use crate::sync::killed::change;
use crate::sync::plant::Plant;
use crate::sync::wire::{FIELDS, tables};

async fn cut_sync(at: impl Fn(&Path) -> Copy) {
    let plant = Plant::new(20, 400);
    let client = plant.client();
    let folder = tempfile::tempdir().expect("a folder");
    let disk = Disk::new(folder.path());
    let to = at(folder.path()).to();
    // What the service has at each mark.
    let mut served = Vec::new();
    for round in 0..3 {
        change(&client, round).await;
        let mut command = plant.command(&to, &[]);
        disk.hold(&mut command);
        done(&mut command).success();
        disk.mark("done");
        served.push(tables(&client, FIELDS).await);
    }
    let operations = disk.operations();
    let mut random = obeya_testkit::rng();
    let mut left = Vec::new();
    cut_power(
        Replay::new(),
        &operations,
        cuts(16),
        &mut random,
        |cut: Cut| left.push(cut),
    );
    for cut in left {
        let copy = at(cut.folder.path());
        if cut.is_at_rest {
            assert!(
                cut.unsettled.iter().all(|path| path.ends_with("-wal")),
                "{:?}",
                cut.unsettled
            );
            let expected = &served[cut.marks.len() - 1];
            assert_same(&copy.tables().await, expected, &format!("{cut}"));
        } else if !cut.marks.is_empty() {
            // Readers do not wait for the next run: whatever is there can be read.
            copy.tables().await;
        }
        let next = plant.sync(&copy.to(), &[]);
        assert_eq!(next.code(), Some(0), "{cut}: {}", next.err());
        let last = served.last().expect("some rounds");
        assert_same(
            &copy.tables().await,
            last,
            &format!("{cut}, after the next run"),
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_as_reported_and_the_next_run_mends_it() {
    cut_sync(|folder| Copy::Folder(folder.join("copy"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_as_reported_and_the_next_run_mends_it() {
    cut_sync(|folder| Copy::Sqlite(folder.join("copy.db"))).await;
}
