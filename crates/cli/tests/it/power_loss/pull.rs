//! Pull: the file is whole or has no name, the next run goes on where the state says, and the file is there
//! once the program has said so.

use obeya_testkit::disk::{Disk, Replay, cut_power};

use super::cuts;
use crate::binary::done;
use crate::pull::plant::{DATASOURCE, Plant};
use crate::pull::read::content;

fn cut_pull(ending: &str, more: &[&str]) {
    let plant = Plant::with_values(12_000);
    let arguments = [&["values", DATASOURCE], more].concat();
    let whole = content(&plant.pulled(&arguments, &format!("whole.{ending}")));
    let name = format!("values.{ending}");
    let pull = |folder: &std::path::Path, disk: Option<&Disk>| {
        let file = folder.join(&name);
        let path = file.to_str().expect("UTF-8");
        let mut command = plant.pull(&[&arguments[..], &["-o", path]].concat());
        if let Some(disk) = disk {
            disk.hold(&mut command);
        }
        (done(&mut command), file)
    };
    let folder = tempfile::tempdir().expect("a folder");
    let disk = Disk::new(folder.path());
    pull(folder.path(), Some(&disk)).0.success();
    disk.mark("done");
    let operations = disk.operations();
    let mut random = obeya_testkit::rng();
    let mut resumed = 0;
    cut_power(Replay::new(), &operations, cuts(20), &mut random, |cut| {
        let file = cut.folder.path().join(&name);
        if file.exists() {
            assert!(content(&file) == whole, "{cut}: half a file");
        } else {
            assert!(cut.marks.is_empty(), "{cut}: the file is gone");
        }
        if cut.is_at_rest {
            // What is removed may come back, but not the file be another.
            let is_part = |path: &String| path.starts_with(&format!("{name}.part"));
            assert!(cut.unsettled.iter().all(is_part), "{:?}", cut.unsettled);
        }
        resumed += usize::from(cut.folder.path().join(format!("{name}.part.json")).exists());
        let (done, file) = pull(cut.folder.path(), None);
        assert_eq!(done.code(), Some(0), "{cut}: {}", done.err());
        assert!(
            content(&file) == whole,
            "{cut}: the next run makes another file"
        );
        let left = std::fs::read_dir(cut.folder.path())
            .expect("a folder")
            .count();
        assert!(
            left <= 2,
            "{cut}: only the file, and a state that was not renamed"
        );
    });
    println!("{} operations, {resumed} pulls resumed", operations.len());
    assert!(resumed > 0);
}

#[test]
fn a_csv_file_is_whole_or_goes_on() {
    cut_pull("csv", &[]);
}

#[test]
fn a_parquet_file_is_whole_or_goes_on() {
    cut_pull("parquet", &["--row-group", "1000"]);
}

#[test]
fn an_arrow_file_is_whole_or_goes_on() {
    cut_pull("arrow", &[]);
}
