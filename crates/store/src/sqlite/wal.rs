//! Reads a write-ahead log (WAL): its length, and the links of its commits.
//!
//! It reads the file directly, because opening the database with SQLite would apply the WAL. The format is
//! documented in SQLite's `fileformat2.html`, section 4. A frame counts as it does in SQLite's recovery:
//! its salts are the header's, its checksum goes on from the frame before, and a commit follows.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::link::{self, Link};

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// The magic number of a WAL with checksums over little-endian words; plus 1 means big-endian.
const MAGIC: u32 = 0x377f_0682;
const PAGE_BYTES: std::ops::RangeInclusive<usize> = 512..=65_536;

/// The commits of a WAL that recovery would apply.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wal {
    /// Frames up to the last commit.
    pub(super) frames: u64,
    /// The link that each commit wrote, with the number of its page. Commits of other programs write none.
    pub(super) links: Vec<(u32, Link)>,
}

impl Wal {
    /// Reads the WAL at `path`; a missing one is empty.
    pub(super) fn read(path: &Path) -> io::Result<Wal> {
        match File::open(path) {
            Ok(file) => scan(BufReader::with_capacity(1 << 20, file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Wal::default()),
            Err(error) => Err(error),
        }
    }

    /// Whether recovery would apply nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.frames == 0
    }
}

fn scan(mut file: impl Read) -> io::Result<Wal> {
    let mut log = Wal::default();
    let mut header = [0; HEADER_BYTES];
    if !fill(&mut file, &mut header)? {
        return Ok(log);
    }
    let magic = word(&header, 0);
    let page_bytes = usize::try_from(word(&header, 8)).unwrap_or(0);
    let is_page = PAGE_BYTES.contains(&page_bytes) && page_bytes.is_power_of_two();
    if magic & !1 != MAGIC || !is_page {
        return Ok(log);
    }
    let mut sum = Checksum {
        is_big_endian: magic & 1 == 1,
        sums: (0, 0),
    };
    sum.add(&header[..24]);
    if !sum.is(&header[24..]) {
        return Ok(log);
    }
    let mut frame = vec![0; FRAME_HEADER_BYTES + page_bytes];
    let (mut frames, mut link) = (0, None);
    while fill(&mut file, &mut frame)? {
        let (head, page) = frame.split_at(FRAME_HEADER_BYTES);
        let number = word(head, 0);
        sum.add(&head[..8]);
        sum.add(page);
        if number == 0 || head[8..16] != header[16..24] || !sum.is(&head[16..]) {
            break;
        }
        frames += 1;
        if let Some(found) = link::of_page(page) {
            link = Some((number, found));
        }
        let is_commit = word(head, 4) != 0;
        if is_commit {
            log.frames = frames;
            log.links.extend(link.take());
        }
    }
    Ok(log)
}

/// Fills the buffer; false at the end of the file.
fn fill(file: &mut impl Read, room: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(room) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4]
        .iter()
        .fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// The running checksum of a WAL.
struct Checksum {
    is_big_endian: bool,
    sums: (u32, u32),
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let word = |at: usize| {
            let word = word(bytes, at);
            if self.is_big_endian {
                word
            } else {
                word.swap_bytes()
            }
        };
        let (mut first, mut second) = self.sums;
        for at in (0..bytes.len()).step_by(8) {
            first = first.wrapping_add(word(at)).wrapping_add(second);
            second = second.wrapping_add(word(at + 4)).wrapping_add(first);
        }
        self.sums = (first, second);
    }

    /// Whether it equals the stored checksum.
    fn is(&self, written: &[u8]) -> bool {
        self.sums == (word(written, 0), word(written, 4))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use rusqlite::Connection;

    use super::*;
    use crate::StoreOptions;
    use crate::connect::Connection as _;
    use crate::sqlite::connection::{SqliteConnection, open_writer, prepare_writer};
    use crate::sqlite::migrate;

    fn database(path: &Path) -> SqliteConnection {
        let options = StoreOptions::default();
        let mut database = open_writer(path, &options, None).expect("a file");
        prepare_writer(&database, &options).expect("a log");
        migrate::run(&mut database, path).expect("a schema");
        database
    }

    /// Frames in the WAL, as SQLite counts them.
    fn frames(connection: &Connection) -> u64 {
        let sql = "PRAGMA wal_checkpoint(NOOP)";
        let frames: i64 = connection
            .query_row(sql, [], |row| row.get(1))
            .expect("asked");
        frames.unsigned_abs()
    }

    fn link(connection: &Connection) -> Link {
        let sql =
            "SELECT substr(link, 9, 8), substr(link, 17, 8), length(link) FROM obeya_log_link";
        let read = connection.query_row(sql, [], |row| {
            assert_eq!(row.get::<_, u8>(2)?, 24);
            Ok(Link {
                parent: row.get(0)?,
                id: row.get(1)?,
            })
        });
        read.expect("a link")
    }

    #[test]
    fn frames_and_links_are_those_that_sqlite_sees() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("plant.db");
        let log = folder.path().join("plant.db-wal");
        let mut database = database(&path);
        // Small, so that a large transaction spills into the WAL before its commit or rollback.
        database
            .control("PRAGMA cache_size = 10")
            .expect("a small cache");
        let mut links = vec![link(&database.connection)];
        for round in 0..40 {
            let rows = if round % 4 == 3 { 3000 } else { round };
            let sql = format!(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
                 INSERT INTO areas (name) SELECT 'Press ' || i FROM n"
            );
            database.begin_write().expect("begun");
            database.connection.execute_batch(&sql).expect("rows");
            if round % 5 == 4 {
                database.roll_back().expect("undone");
            } else {
                database.commit().expect("committed");
                links.push(link(&database.connection));
            }
            if round == 20 {
                // The next commit restarts the WAL.
                database
                    .connection
                    .execute_batch("PRAGMA wal_checkpoint(RESTART)")
                    .expect("a checkpoint");
                links.clear();
                continue;
            }
            let found = Wal::read(&log).expect("read");
            assert_eq!(found.frames, frames(&database.connection), "{round}");
            let found: Vec<Link> = found.links.into_iter().map(|(_, link)| link).collect();
            assert!(
                found.ends_with(&links[links.len().saturating_sub(found.len())..]),
                "{round}"
            );
            assert!(
                found.windows(2).all(|two| two[1].parent == two[0].id),
                "{round}"
            );
            assert_eq!(found.last(), Some(&link(&database.connection)), "{round}");
        }
    }

    #[test]
    fn a_commit_that_is_not_whole_does_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("plant.db");
        let mut database = database(&path);
        link::renew(&mut database).expect("links");
        let bytes = std::fs::read(folder.path().join("plant.db-wal")).expect("a log");
        let whole = scan(Cursor::new(&bytes)).expect("read");
        assert!(!whole.is_empty());
        for at in 0..bytes.len().min(40_000) {
            if at % 97 != 0 {
                continue;
            }
            let cut = scan(Cursor::new(&bytes[..at])).expect("read");
            assert!(cut.frames <= whole.frames && whole.links.starts_with(&cut.links));
            let mut spoilt = bytes.clone();
            spoilt[at] ^= 0x40;
            let spoilt = scan(Cursor::new(&spoilt)).expect("read");
            assert!(
                spoilt.frames < whole.frames || at >= HEADER_BYTES + 8232 * usize_of(whole.frames),
                "{at}"
            );
        }
        assert!(scan(Cursor::new(b"no log")).expect("read").is_empty());
    }

    fn usize_of(frames: u64) -> usize {
        usize::try_from(frames).expect("few")
    }
}
