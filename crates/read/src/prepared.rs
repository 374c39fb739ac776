//! The two stages of every read: what the `prepare` of a kind of read gives, and what [`run`] makes of it.
//!
//! Whatever a request can say wrong was refused when a [`Prepared`] is made, and no connection was needed for
//! it. [`run`] needs a session and nothing of the request.

use super::ReadCaches;
use super::error::ReadError;
use super::found::Found;
use super::list::{CountRead, ListRead};
use super::page::ValuePage;
use super::point::RecordRead;
use super::records::Records;
use super::sink::Sink;
use obeya_store::engine::Session;

/// A read that can run.
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

/// What a read costs, which decides where it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// One look-up by a primary key.
    LookUp,
    /// Mostly little.
    Small,
    /// Whatever so many records of v1 cost, whose answer is sent while it is read.
    Records(u32),
    /// Whatever so many values cost, whose answer is sent while it is read.
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
    /// What it costs.
    pub fn cost(&self) -> Cost {
        match self {
            Self::Record(record) if record.is_look_up() => Cost::LookUp,
            Self::Record(_) | Self::List(_) | Self::Count(_) => Cost::Small,
            Self::Records(records) => Cost::Records(records.most()),
            Self::Values(page) => Cost::Values(page.size()),
        }
    }
}

/// Runs a read in one snapshot: its statements, and the bytes of their rows into `sink`. Without caches it
/// neither asks what earlier reads found nor leaves anything behind. Stops without an error when the sink
/// wants no more.
pub fn run(
    session: &mut dyn Session,
    prepared: &Prepared,
    caches: Option<&ReadCaches>,
    sink: &mut dyn Sink,
) -> Result<Found, ReadError> {
    match prepared {
        Prepared::Record(record) => record.run(session, sink),
        Prepared::List(list) => list.run(session, sink),
        Prepared::Count(count) => count.run(session, sink),
        Prepared::Records(records) => records.run(session, sink),
        Prepared::Values(page) => page.run(session, caches, sink),
    }
}
