//! The two stages of every read: each kind of read has a `prepare` that returns a [`Prepared`], and [`run`]
//! runs it.
//!
//! Preparing needs no connection and finds every error of the request itself. [`run`] needs a session and
//! nothing of the request. It refuses what depends on the data: a record that does not exist, or a skip token
//! whose row was deleted or changed.

use super::ReadCaches;
use super::error::ReadError;
use super::list::{CountRead, ListRead};
use super::outcome::ReadOutcome;
use super::page::ValuePage;
use super::point_query::{LookUp, RecordRead};
use super::records::Records;
use super::sink::Sink;
use obeya_store::engine::Session;

/// A prepared read.
pub enum Prepared {
    /// One record.
    Record(RecordRead),
    /// A page of a v2 list, or the trash.
    List(Box<ListRead>),
    /// The number of records in a list.
    Count(Box<CountRead>),
    /// Records of v1.
    Records(Box<Records>),
    /// A page of the values of a datasource.
    Values(Box<ValuePage>),
}

/// The cost of a read, which decides where it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// One look-up by the primary key.
    LookUp,
    /// Usually small.
    Small,
    /// At most this many records of v1, sent while they are read.
    Records(u32),
    /// At most this many values, sent while they are read.
    Values(u32),
}

impl From<RecordRead> for Prepared {
    fn from(read: RecordRead) -> Self {
        Self::Record(read)
    }
}

impl From<ListRead> for Prepared {
    fn from(read: ListRead) -> Self {
        Self::List(Box::new(read))
    }
}

impl From<CountRead> for Prepared {
    fn from(read: CountRead) -> Self {
        Self::Count(Box::new(read))
    }
}

impl From<Records> for Prepared {
    fn from(read: Records) -> Self {
        Self::Records(Box::new(read))
    }
}

impl From<ValuePage> for Prepared {
    fn from(read: ValuePage) -> Self {
        Self::Values(Box::new(read))
    }
}

impl Prepared {
    /// The read as one look-up by primary key, which needs no session, if it is one.
    pub fn look_up(&self) -> Option<LookUp<'_>> {
        match self {
            Self::Record(record) => record.look_up(),
            _ => None,
        }
    }

    /// The cost of the read.
    pub fn cost(&self) -> Cost {
        match self {
            Self::Record(record) if record.look_up().is_some() => Cost::LookUp,
            Self::Record(_) | Self::List(_) | Self::Count(_) => Cost::Small,
            Self::Records(records) => Cost::Records(records.max_records()),
            Self::Values(page) => Cost::Values(page.size()),
        }
    }
}

/// Runs a read in one snapshot: executes its statements and writes their rows into `sink`. Without caches it
/// neither uses nor stores results of other reads. Stops without an error when the sink wants no more.
pub fn run(
    session: &mut dyn Session,
    prepared: &Prepared,
    caches: Option<&ReadCaches>,
    sink: &mut dyn Sink,
) -> Result<ReadOutcome, ReadError> {
    match prepared {
        Prepared::Record(record) => record.run(session, sink),
        Prepared::List(list) => list.run(session, sink),
        Prepared::Count(count) => count.run(session, sink),
        Prepared::Records(records) => records.run(session, sink),
        Prepared::Values(page) => page.run(session, caches, sink),
    }
}
