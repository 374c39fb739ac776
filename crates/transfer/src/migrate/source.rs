//! The source: read in one snapshot, table by table, as the target requests them.

use std::sync::mpsc::{self, Receiver, Sender, SyncSender, sync_channel};

use super::digest::{Sum, Summing};
use super::error::{MigrateError, Side};
use super::progress::Progress;
use super::rows::{self, Batch};
use super::session::lift_time_limits;
use super::tables::{SEQUENCED_TABLES, TABLES};
use obeya_store::table::Table;
use obeya_store::{Session, StoreError, Value, sequences};

/// The capacity of the channel, in batches.
const CHANNEL_BATCHES: usize = 4;

/// Facts about the source in the snapshot.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    /// The last stamp it issued, in ticks.
    pub(super) stamp: i64,
    /// Rows of all tables, one of which always exists.
    pub(super) rows: u64,
    /// The highest id issued, for each table of [`SEQUENCED_TABLES`].
    pub(super) ids: [i64; SEQUENCED_TABLES.len()],
}

/// The two ends of the channel between source and target.
pub(super) fn channel() -> (SourceClient, SourceServer) {
    let (ask, asked) = mpsc::channel();
    let (answer, answers) = sync_channel(CHANNEL_BATCHES);
    (
        SourceClient { ask, answers },
        SourceServer { asked, answer },
    )
}

/// The target's end. When it is dropped, the source ends.
pub(super) struct SourceClient {
    ask: Sender<Request>,
    answers: Receiver<Answer>,
}

/// The source's end.
pub(super) struct SourceServer {
    asked: Receiver<Request>,
    answer: SyncSender<Answer>,
}

enum Request {
    Snapshot,
    Rows(&'static Table),
    Sum(&'static Table),
}

enum Answer {
    Snapshot(Snapshot),
    Rows(Batch),
    Sum(Sum),
}

/// The other side has ended and returns the error.
#[derive(Debug)]
pub(super) struct Disconnected;

/// Why reading the source ended. Errors of the store are attributed to the source.
#[derive(Debug)]
pub(super) struct Ended(pub(super) MigrateError);

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Ended(MigrateError::store(Side::Source, error))
    }
}

impl From<MigrateError> for Ended {
    fn from(error: MigrateError) -> Self {
        Ended(error)
    }
}

impl Snapshot {
    /// Whether the source never stored anything.
    pub(super) fn is_new(&self) -> bool {
        self.stamp == 0 && self.rows <= 1
    }

    /// When the last record was changed; `None` if none ever was.
    pub(super) fn last_stamp(&self) -> Option<jiff::Timestamp> {
        instant(self.stamp)
    }
}

impl SourceClient {
    /// Waits for the facts about the source.
    pub(super) fn snapshot(&self) -> Result<Snapshot, Disconnected> {
        self.ask(Request::Snapshot)?;
        match self.answers.recv() {
            Ok(Answer::Snapshot(snapshot)) => Ok(snapshot),
            _ => Err(Disconnected),
        }
    }

    /// Requests the rows of a table, which [`Self::next`] returns.
    pub(super) fn rows(&self, table: &'static Table) -> Result<(), Disconnected> {
        self.ask(Request::Rows(table))
    }

    /// Requests the digest of a table, which [`Self::next`] returns; it is computed meanwhile.
    pub(super) fn sum(&self, table: &'static Table) -> Result<(), Disconnected> {
        self.ask(Request::Sum(table))
    }

    /// The next rows of the requested table, or last the digest of all of them.
    pub(super) fn next(&self) -> Result<Part, Disconnected> {
        match self.answers.recv() {
            Ok(Answer::Rows(batch)) => Ok(Part::Rows(batch)),
            Ok(Answer::Sum(sum)) => Ok(Part::Sum(sum)),
            _ => Err(Disconnected),
        }
    }

    fn ask(&self, request: Request) -> Result<(), Disconnected> {
        self.ask.send(request).map_err(|_| Disconnected)
    }
}

/// Part of a table.
pub(super) enum Part {
    Rows(Batch),
    Sum(Sum),
}

/// Serves the requests of the target until there are no more.
pub(super) fn serve(
    session: &mut dyn Session,
    server: &SourceServer,
    progress: &dyn Progress,
) -> Result<(), Ended> {
    lift_time_limits(session)?;
    for request in &server.asked {
        let answer = match request {
            Request::Snapshot => Answer::Snapshot(snapshot(session, progress)?),
            Request::Rows(table) => Answer::Sum(send(session, table, &server.answer, progress)?),
            Request::Sum(table) => {
                let mut sum = Summing::default();
                rows::read(session, Side::Source, table, progress, |row| {
                    sum.add(row);
                    Ok(())
                })?;
                Answer::Sum(sum.end())
            }
        };
        if server.answer.send(answer).is_err() {
            break;
        }
    }
    Ok(())
}

/// The first row with a dangling reference.
pub(super) fn dangling(session: &mut dyn Session) -> Result<Option<MigrateError>, StoreError> {
    for table in TABLES {
        for column in table.columns {
            let Some(referred) = column.refers_to else {
                continue;
            };
            let keys: Vec<String> = table
                .key()
                .iter()
                .map(|key| format!("a.{}", key.name))
                .collect();
            let (keys, name) = (keys.join(", "), column.name);
            let sql = format!(
                "SELECT {keys}, a.{name} FROM {} AS a \
                 WHERE a.{name} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {referred} AS b WHERE b.id = a.{name}) ORDER BY {keys} LIMIT 1",
                table.name
            );
            let found = session.first(&sql, &[], |row| {
                let values = (0..=table.keys).map(|place| row.value(place));
                let values: Vec<Value<'_>> = values.collect::<Result<_, _>>()?;
                let (found, key) = values.split_last().unwrap_or((&Value::Null, &[]));
                Ok(MigrateError::Dangling {
                    table: table.name,
                    key: rows::key(key),
                    column: name,
                    found: rows::key(&[*found]),
                    referred,
                })
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// The last stamp that a database issued, in ticks; 0 before the first.
pub(crate) fn last_stamp(session: &mut dyn Session) -> Result<i64, StoreError> {
    let sql = "SELECT last FROM stamps WHERE id = 1";
    let stamp = session.first(sql, &[], |row| row.int(0))?;
    Ok(stamp.flatten().unwrap_or_default())
}

/// The instant of a stamp; `None` for 0, which no record has.
pub(crate) fn instant(stamp: i64) -> Option<jiff::Timestamp> {
    let nanoseconds = i128::from(stamp) * 100;
    let at = jiff::Timestamp::from_nanosecond(nanoseconds).ok();
    at.filter(|_| stamp != 0)
}

/// The rows of all tables.
pub(crate) fn count_rows(
    session: &mut dyn Session,
    progress: &dyn Progress,
) -> Result<u64, MigrateError> {
    let mut rows = 0;
    for table in TABLES {
        if !progress.should_continue() {
            return Err(MigrateError::Stopped);
        }
        let sql = format!("SELECT count(*) FROM {}", table.name);
        let count = session.first(&sql, &[], |row| row.int(0));
        let count = count.map_err(|error| MigrateError::of(Side::Source, table.name, error))?;
        rows += count.flatten().unwrap_or_default().unsigned_abs();
    }
    Ok(rows)
}

fn snapshot(session: &mut dyn Session, progress: &dyn Progress) -> Result<Snapshot, Ended> {
    let stamp = last_stamp(session)?;
    let rows = count_rows(session, progress)?;
    let mut ids = [0; SEQUENCED_TABLES.len()];
    for (last, table) in ids.iter_mut().zip(SEQUENCED_TABLES) {
        *last = sequences::last(session, table)
            .map_err(|error| MigrateError::of(Side::Source, table, error))?;
    }
    Ok(Snapshot { stamp, rows, ids })
}

/// Sends the rows of a table; returns their digest.
fn send(
    session: &mut dyn Session,
    table: &'static Table,
    answer: &SyncSender<Answer>,
    progress: &dyn Progress,
) -> Result<Sum, MigrateError> {
    let mut sum = Summing::default();
    let mut batch = Batch::default();
    // The source stops when the target has ended; the target returns the error.
    let gone = |_| MigrateError::Stopped;
    rows::read(session, Side::Source, table, progress, |row| {
        sum.add(row);
        batch.push(row);
        if batch.is_full() {
            answer
                .send(Answer::Rows(std::mem::take(&mut batch)))
                .map_err(gone)?;
        }
        Ok(())
    })?;
    if batch.rows() > 0 {
        answer.send(Answer::Rows(batch)).map_err(gone)?;
    }
    Ok(sum.end())
}
