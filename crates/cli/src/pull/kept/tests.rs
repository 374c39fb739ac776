//! In which order a pull writes, syncs and renames: a state must not tell of rows that a power failure may
//! still take.

use obeya::model::Board;
use serde_json::json;

use super::super::encode::Encoder;
use super::super::query::Records;
use super::*;
use crate::durable::calls;

const STATE: &str = "sync out.part.json.new, rename to out.part.json";

/// A pull of boards into the file `out`, and one of its pieces.
fn pull(folder: &Path, format: Format) -> (Kept, Piece) {
    let query = Query {
        service: String::new(),
        records: Records::Boards,
        condition: None,
        order: None,
        format,
    };
    let kept = Kept::open(&folder.join("out"), &query, false, 1).unwrap();
    let board: Board = serde_json::from_value(json!({"id": 7})).unwrap();
    let piece = Piece {
        content: Encoder::new::<Board>(format).piece(&[board]).unwrap(),
        rows: 1,
        after: Some(After::Id(7)),
    };
    (kept, piece)
}

fn made() -> String {
    calls::take().join(", ")
}

#[test]
fn rows_are_on_disk_before_the_state_tells_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let (mut kept, piece) = pull(folder.path(), Format::Csv);
    assert_eq!(made(), STATE);
    kept.settled = Instant::now().checked_sub(SETTLE_TIME).unwrap();
    kept.take(piece).unwrap();
    assert_eq!(made(), format!("sync out.part, {STATE}"));
    kept.finish().unwrap();
    let named = named(folder.path());
    // The last rows, then the end of the stream.
    assert_eq!(
        made(),
        format!("sync out.part, {STATE}, sync out.part, {STATE}, {named}")
    );
}

#[test]
fn segments_are_on_disk_before_the_state_tells_of_them_and_the_whole_before_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (mut kept, piece) = pull(folder.path(), Format::Parquet);
    assert_eq!(made(), STATE);
    // A row group of one row.
    kept.take(piece).unwrap();
    assert_eq!(made(), format!("sync 000001.parquet, {STATE}"));
    kept.finish().unwrap();
    let named = named(folder.path());
    assert_eq!(made(), format!("{STATE}, {STATE}, sync whole, {named}"));
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
            let (mut kept, piece) = pull(folder.path(), format);
            kept.take(piece).unwrap();
            for name in made.iter().chain(&["out.part.json"]) {
                assert_eq!(mode(&folder.path().join(name)), 0o600, "{name}");
            }
            kept.finish().unwrap();
            let out = folder.path().join("out");
            assert_eq!(mode(&out), expected);
            fs::set_permissions(out, fs::Permissions::from_mode(0o640)).unwrap();
        }
    }
}
