//! The order in which a pull writes, syncs and renames: the state must not count rows that a power failure
//! can still lose.

use obeya::model::Board;
use serde_json::json;

use super::super::encode::Encoder;
use super::super::query::Selection;
use super::super::record_key::RecordKey;
use super::*;
use crate::durable::calls;

const STATE: &str = "sync out.part.json.new, rename to out.part.json";

/// A resumable file `out` for a pull of boards, and a piece for it.
fn resumable(folder: &Path, format: Format) -> (ResumableFile, Piece) {
    let query = PullQuery {
        service: String::new(),
        records: Selection::Boards,
        condition: None,
        order: None,
        top: None,
        format,
        guard_formulas: false,
    };
    let file = ResumableFile::open(&folder.join("out"), &query, false, 1).unwrap();
    let board: Board = serde_json::from_value(json!({"id": 7})).unwrap();
    let piece = Piece {
        content: Encoder::new::<Board>(&query).piece(&[board]).unwrap(),
        rows: 1,
        after: Some(ResumeAfter::Id(RecordKey::Number(7))),
    };
    (file, piece)
}

fn recorded_calls() -> String {
    calls::take().join(", ")
}

#[test]
fn rows_are_on_disk_before_the_state_tells_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, piece) = resumable(folder.path(), Format::Csv);
    assert_eq!(recorded_calls(), STATE);
    file.committed_at = Instant::now().checked_sub(COMMIT_INTERVAL).unwrap();
    file.take(piece).unwrap();
    assert_eq!(recorded_calls(), format!("sync out.part, {STATE}"));
    file.finish().unwrap();
    let named = named(folder.path());
    // The last rows, then the end of the stream.
    assert_eq!(
        recorded_calls(),
        format!("sync out.part, {STATE}, sync out.part, {STATE}, {named}")
    );
}

#[test]
fn segments_are_on_disk_before_the_state_tells_of_them_and_the_whole_before_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, piece) = resumable(folder.path(), Format::Parquet);
    assert_eq!(recorded_calls(), STATE);
    // A row group of one row.
    file.take(piece).unwrap();
    assert_eq!(
        recorded_calls(),
        format!("sync 000001.parquet, sync folder out.part, {STATE}")
    );
    file.finish().unwrap();
    let named = named(folder.path());
    assert_eq!(
        recorded_calls(),
        // The last: the first segment is gone for good before the others are removed.
        format!("{STATE}, {STATE}, sync whole, {named}, sync folder out.part")
    );
}

fn named(folder: &Path) -> String {
    let name = folder.file_name().unwrap().display();
    format!("rename to out, sync folder {name}")
}

#[cfg(unix)]
#[test]
fn what_a_pull_makes_is_its_owners_alone_and_a_widened_file_stays_so() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for format in [Format::Csv, Format::Parquet] {
        let folder = tempfile::tempdir().unwrap();
        let made: &[&str] = match format {
            Format::Parquet => &["out.part/000001.parquet", "out.part/lock"],
            _ => &["out.part"],
        };
        for expected in [0o600, 0o640] {
            let (mut file, piece) = resumable(folder.path(), format);
            file.take(piece).unwrap();
            for name in made.iter().chain(&["out.part.json"]) {
                assert_eq!(mode(&folder.path().join(name)), 0o600, "{name}");
            }
            file.finish().unwrap();
            let out = folder.path().join("out");
            assert_eq!(mode(&out), expected);
            fs::set_permissions(out, fs::Permissions::from_mode(0o640)).unwrap();
        }
    }
}
