//! Ended between its last row and its end, a pull is brought to its end by the next one: the states that a
//! kill can leave there, made by hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::plant::{DATASOURCE, Plant, beside};
use super::read::content;

/// The first instant of each segment after the first.
const BOUNDS: [&str; 2] = ["2023-11-15T00:00:00Z", "2023-11-16T00:00:00Z"];

/// What there is of the file itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    /// Nothing, as it has no name yet.
    Missing,
    /// A file of an earlier pull.
    Older,
    /// The whole file.
    Given,
}

/// A plant, what a pull of it comes to, and a place for one that was ended.
struct Ended {
    plant: Plant,
    whole: PathBuf,
    file: PathBuf,
    part: PathBuf,
    state: PathBuf,
}

impl Ended {
    fn new(ending: &str) -> Self {
        let plant = Plant::with_values(3_000);
        let file = plant.file(&format!("ended.{ending}"));
        Ended {
            whole: plant.pulled(&["values", DATASOURCE], &format!("whole.{ending}")),
            part: beside(&file, ".part"),
            state: beside(&file, ".part.json"),
            file,
            plant,
        }
    }

    /// The state that a pull leaves behind which has all rows on disk.
    fn leave(&self, written: u64, name: Name) {
        let ending = self.file.extension().and_then(|ending| ending.to_str());
        let state = json!({
            "version": 1, "rows": 3000, "after": null, "isComplete": true, "written": written,
            "query": {
                "service": self.plant.serving.url, "records": {"values": {"datasource": 13, "from": null, "to": null}},
                "condition": null, "order": null, "format": ending,
            },
        });
        fs::write(&self.state, state.to_string()).expect("written");
        match name {
            Name::Missing => assert!(!self.file.exists()),
            Name::Older => fs::write(&self.file, "older").expect("written"),
            Name::Given => {
                fs::copy(&self.whole, &self.file).expect("copied");
            }
        }
    }

    /// The next pull completes the file and leaves no other.
    #[track_caller]
    fn ends(&self, what: &str) {
        let path = self.file.to_str().expect("UTF-8");
        let summary = self
            .plant
            .run(&["values", DATASOURCE, "-o", path])
            .success();
        assert!(
            summary.starts_with("3\u{2009}000 rows in "),
            "{what}: {summary}"
        );
        assert!(content(&self.file) == content(&self.whole), "{what}");
        assert!(!self.part.exists() && !self.state.exists(), "{what}");
        fs::remove_file(&self.file).expect("removed");
    }

    /// The next pull reports that the rows are gone, and --restart starts over.
    #[track_caller]
    fn is_refused(&self, what: &str) {
        let path = self.file.to_str().expect("UTF-8");
        let arguments = ["values", DATASOURCE, "-o", path];
        let err = self.plant.run(&arguments).failure(1);
        assert!(
            err.contains("was changed by another program; --restart starts over"),
            "{what}: {err}"
        );
        let anew = [&arguments[..], &["--restart"]].concat();
        self.plant.run(&anew).success();
        assert!(content(&self.file) == content(&self.whole), "{what}");
        fs::remove_file(&self.file).expect("removed");
    }
}

#[test]
fn a_file_that_grows_at_its_end_gets_its_name() {
    for ending in ["csv", "arrow"] {
        let ended = Ended::new(ending);
        let bytes = ended.whole.metadata().expect("a file").len();
        for name in [Name::Missing, Name::Older] {
            fs::copy(&ended.whole, &ended.part).expect("copied");
            ended.leave(bytes, name);
            ended.ends(&format!("{ending}, {name:?}"));
        }
        ended.leave(bytes, Name::Given);
        ended.ends(&format!("{ending} with its name"));
        // Made by the lock of one that was ended too.
        fs::write(&ended.part, "").expect("written");
        ended.leave(bytes, Name::Given);
        ended.ends(&format!("{ending} with its name and a lock"));

        ended.leave(bytes, Name::Missing);
        ended.is_refused(&format!("{ending}, gone"));
        fs::write(&ended.part, "id").expect("written");
        ended.leave(bytes, Name::Older);
        ended.is_refused(&format!("{ending}, cut"));
    }
}

/// The segments of the whole, each a pull of its own.
fn segments(plant: &Plant) -> Vec<PathBuf> {
    let [first, second] = BOUNDS;
    let bounds = [
        &["--to", first][..],
        &["--from", first, "--to", second],
        &["--from", second],
    ];
    let pulled = bounds.iter().enumerate().map(|(place, bounds)| {
        let arguments = [&["values", DATASOURCE], *bounds].concat();
        plant.pulled(&arguments, &format!("segment{place}.parquet"))
    });
    pulled.collect()
}

/// Puts some of the segments where they were written.
fn put(segments: &[PathBuf], numbers: &[usize], part: &Path) {
    fs::create_dir(part).expect("made");
    for number in numbers {
        let file = part.join(format!("{number:06}.parquet"));
        fs::copy(&segments[number - 1], file).expect("copied");
    }
}

#[test]
fn segments_become_one_file_or_are_tidied_up_after_it() {
    let ended = Ended::new("parquet");
    let segments = segments(&ended.plant);
    let part = &ended.part;
    // Before it has its name: joined not at all, half, and wholly.
    for name in [Name::Missing, Name::Older] {
        put(&segments, &[1, 2, 3], part);
        ended.leave(3, name);
        ended.ends(&format!("segments, {name:?}"));
        for joined in [&b"PAR1"[..], &fs::read(&ended.whole).expect("read")] {
            put(&segments, &[1, 2, 3], part);
            fs::write(part.join("whole"), joined).expect("written");
            ended.leave(3, name);
            ended.ends(&format!("{} bytes joined, {name:?}", joined.len()));
        }
    }
    // With its name: the first segment goes before the others, and those in any order.
    for there in [&[1, 2, 3][..], &[2, 3], &[3], &[2], &[]] {
        put(&segments, there, part);
        fs::write(part.join("lock"), "").expect("written");
        ended.leave(3, Name::Given);
        ended.ends(&format!("with its name and {there:?}"));
    }
    ended.leave(3, Name::Given);
    ended.ends("with its name and no folder");

    put(&segments, &[2, 3], part);
    ended.leave(3, Name::Missing);
    ended.is_refused("without its name and its first segment");
}
