//! The order in which a pull writes, syncs and renames: the state must not count rows that a power failure
//! can still lose.

use std::fs;

use obeya::model::Board;
use serde_json::json;

use super::super::encode::Encoder;
use super::super::query::Selection;
use super::super::record_key::RecordKey;
use super::*;
use crate::durable::calls;

const STATE: &str = "sync out.part.json.new, rename to out.part.json";
const STATE_REMOVED: &str = "remove out.part.json";

/// A resumable file `out` for a pull of boards, and a piece for it.
fn resumable(folder: &Path, format: Format) -> (ResumableFile, Piece) {
    ordered(folder, format, None)
}

/// The same for a pull in this order.
fn ordered(folder: &Path, format: Format, order: Option<&str>) -> (ResumableFile, Piece) {
    let query = query(format, order);
    let file = ResumableFile::open(&folder.join("out"), &query, false, 1).unwrap();
    (file, row(&query))
}

/// A piece of one row.
fn row(query: &PullQuery) -> Piece {
    let board: Board = serde_json::from_value(json!({"id": 7})).unwrap();
    Piece {
        content: Encoder::new::<Board>(query).piece(&[board]).unwrap(),
        rows: 1,
        after: Some(ResumeAfter::Id(RecordKey::Number(7))),
    }
}

fn query(format: Format, order: Option<&str>) -> PullQuery {
    PullQuery {
        service: String::new(),
        records: Selection::Boards,
        condition: None,
        order: order.map(str::to_owned),
        top: None,
        format,
        guard_formulas: false,
    }
}

fn open(folder: &Path, format: Format, restart: bool) -> Result<ResumableFile> {
    ResumableFile::open(&folder.join("out"), &query(format, None), restart, 1)
}

fn recorded_calls() -> String {
    calls::take().join(", ")
}

#[test]
fn rows_are_on_disk_before_the_state_tells_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, piece) = resumable(folder.path(), Format::Csv);
    assert_eq!(recorded_calls(), STATE);
    make_commit_due(&mut file);
    file.take(piece).unwrap();
    assert_eq!(recorded_calls(), format!("sync out.part, {STATE}"));
    file.finish().unwrap();
    let named = named(folder.path());
    // The last rows, then the end of the stream.
    assert_eq!(
        recorded_calls(),
        format!("sync out.part, {STATE}, sync out.part, {STATE}, {named}, {STATE_REMOVED}")
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
        // The first segment is gone for good before the others are removed.
        format!(
            "{STATE}, {STATE}, sync whole, {named}, remove 000001.parquet, sync folder out.part, {STATE_REMOVED}"
        )
    );
}

/// Lets the time pass after which rows are committed.
fn make_commit_due(file: &mut ResumableFile) {
    file.committed_at = Instant::now().checked_sub(COMMIT_INTERVAL).unwrap();
}

#[test]
fn a_suspended_pull_commits_its_rows_and_the_next_one_cuts_off_what_follows_them() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, piece) = resumable(folder.path(), Format::Csv);
    file.take(piece).unwrap();
    assert_eq!(file.suspend().unwrap(), 1);
    let part = folder.path().join("out.part");
    let kept = fs::read(&part).unwrap();
    // Longer than what the next pull writes.
    fs::write(&part, [&kept[..], b"8,\"half a row"].concat()).unwrap();
    let (file, _) = resumable(folder.path(), Format::Csv);
    assert_eq!(fs::read(&part).unwrap(), kept);
    assert_eq!(file.finish().unwrap(), 1);
    assert_eq!(fs::read(folder.path().join("out")).unwrap(), kept);
}

/// Nothing is asked for then: rows that follow would be of no use.
#[test]
fn a_pull_does_not_go_on_without_one_of_its_segments() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, piece) = resumable(folder.path(), Format::Parquet);
    file.take(piece).unwrap();
    drop(file);
    let (mut file, piece) = resumable(folder.path(), Format::Parquet);
    file.take(piece).unwrap();
    assert_eq!(file.suspend().unwrap(), 2);
    fs::remove_file(folder.path().join("out.part/000002.parquet")).unwrap();
    let Err(error) = open(folder.path(), Format::Parquet, false) else {
        panic!("it went on");
    };
    let missing = "000002.parquet is missing; --restart starts over";
    assert!(error.to_string().contains(missing), "{error}");
}

/// The next pull would begin anew after them, as there is no record to go on after.
#[test]
fn of_a_pull_in_an_order_of_its_own_no_rows_are_kept() {
    for format in [Format::Csv, Format::Parquet] {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, mut piece) = ordered(folder.path(), format, Some("name"));
        piece.after = None;
        recorded_calls();
        make_commit_due(&mut file);
        file.take(piece).unwrap();
        assert_eq!(recorded_calls(), "");
        assert_eq!(file.suspend().unwrap(), 0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_file_of_an_earlier_pull_does_not_stand_for_rows_that_were_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (out, part) = (folder.path().join("out"), folder.path().join("out.part"));
    fs::write(&out, "older").unwrap();
    let (mut file, piece) = resumable(folder.path(), Format::Csv);
    make_commit_due(&mut file);
    file.take(piece).unwrap();
    let other = File::options().write(true).open(part).unwrap();
    other.set_len(0).unwrap();
    let error = file.finish().unwrap_err().to_string();
    assert!(error.contains("was changed by another program"), "{error}");
    assert_eq!(fs::read(out).unwrap(), b"older");
    // Nor does it in the next run.
    let Err(error) = open(folder.path(), Format::Csv, false) else {
        panic!("it went on");
    };
    assert!(
        error.to_string().contains("--restart starts over"),
        "{error}"
    );
}

#[test]
fn a_part_in_another_format_is_discarded_by_a_pull_that_starts_over_alone() {
    let parts = [
        (Format::Csv, Format::Parquet, "out.part"),
        (Format::Parquet, Format::Csv, "out.part/000001.parquet"),
    ];
    for ((before, after, part), is_killed) in
        parts.into_iter().flat_map(|p| [(p, false), (p, true)])
    {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, piece) = resumable(folder.path(), before);
        file.take(piece).unwrap();
        assert_eq!(file.suspend().unwrap(), 1);
        let written = fs::read(folder.path().join(part)).unwrap();
        let Err(error) = open(folder.path(), after, false) else {
            panic!("it discarded the part");
        };
        assert!(error.to_string().contains("with another query"), "{error}");
        assert_eq!(fs::read(folder.path().join(part)).unwrap(), written);
        // It may have been killed after it saved its state.
        if is_killed {
            let state = folder.path().join("out.part.json");
            ResumeState::new(&query(after, None)).save(&state).unwrap();
        }
        let mut file = open(folder.path(), after, !is_killed).unwrap();
        file.take(row(&query(after, None))).unwrap();
        assert_eq!(file.finish().unwrap(), 1);
        assert!(folder.path().join("out").is_file());
    }
}

#[test]
fn an_ordered_pull_that_was_killed_before_it_was_complete_begins_again() {
    for format in [Format::Csv, Format::Parquet] {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, piece) = ordered(folder.path(), format, Some("name"));
        file.take(piece).unwrap();
        // The first step of the end.
        file.commit().unwrap();
        drop(file);
        let (mut file, piece) = ordered(folder.path(), format, Some("name"));
        assert_eq!(file.rows(), 0);
        file.take(piece).unwrap();
        assert_eq!(file.finish().unwrap(), 1);
        let out = fs::read(folder.path().join("out")).unwrap();
        if format == Format::Csv {
            let lines = out
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty());
            assert_eq!(lines.count(), 2, "{}", String::from_utf8_lossy(&out));
        }
    }
}

#[test]
fn files_of_another_program_are_left_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("out.part/photo.jpg");
    fs::create_dir(folder.path().join("out.part")).unwrap();
    fs::write(&foreign, "a photo").unwrap();
    for format in [Format::Csv, Format::Parquet] {
        let opened = open(folder.path(), format, true);
        let error = match opened {
            Ok(file) => file.finish().unwrap_err(),
            Err(error) => error,
        };
        assert!(
            error.to_string().contains("out.part cannot be removed"),
            "{error}"
        );
        assert_eq!(fs::read(&foreign).unwrap(), b"a photo");
    }
}

#[test]
fn a_pull_that_is_refused_does_not_make_a_part_of_another_form() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, piece) = resumable(folder.path(), Format::Parquet);
    file.take(piece).unwrap();
    file.state.is_complete = true;
    file.state.save(&file.state_file).unwrap();
    fs::write(folder.path().join("out"), "its rows").unwrap();
    // The part was renamed and removed, and the state not yet.
    fs::remove_dir_all(folder.path().join("out.part")).unwrap();
    assert!(open(folder.path(), Format::Csv, false).is_err());
    let file = open(folder.path(), Format::Parquet, false).unwrap();
    assert_eq!(file.finish().unwrap(), 1);
    assert_eq!(fs::read(folder.path().join("out")).unwrap(), b"its rows");
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

/// A flush that failed may succeed when it is repeated, though what it was to flush is lost.
#[test]
fn rows_of_a_segment_that_could_not_be_completed_are_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, piece) = resumable(folder.path(), Format::Parquet);
    file.row_group = 2;
    file.take(piece).unwrap();
    // The segment is open, and its folder is not where it was.
    let [part, other] = ["out.part", "other"].map(|name| folder.path().join(name));
    fs::rename(&part, other).unwrap();
    file.commit().unwrap_err();
    assert_eq!(file.suspend().unwrap(), 0);
    assert!(!folder.path().join("out.part.json").exists());
}

/// A pull was killed before its first segment was complete, and then there are no rows any more.
#[test]
fn a_segment_that_was_never_complete_does_not_keep_an_empty_file_from_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, piece) = resumable(folder.path(), Format::Parquet);
    file.row_group = 2;
    file.take(piece).unwrap();
    drop(file);
    assert!(folder.path().join("out.part/000001.parquet").exists());
    let (file, _) = resumable(folder.path(), Format::Parquet);
    assert_eq!(file.finish().unwrap(), 0);
    assert!(folder.path().join("out").exists());
}
