//! The two stages of every read: what [`prepare`](super) gives, and what [`run`] makes of it.
//!
//! Whatever a request can say wrong was refused when a [`Prepared`] is made, and no connection was needed for it. [`run`]
//! needs a session and nothing of the request.

use super::ReadCaches;
use super::error::ReadError;
use super::list::{CountRead, ListRead, Next};
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

/// What a read found.
pub enum Found {
    /// One record, which is the whole answer.
    Record,
    /// A navigation that leads nowhere: there is no answer.
    Nothing,
    /// A page of a list, which is open: [`super::end_list`] ends it.
    OpenList(Option<Next>),
    /// What the bytes say, and nothing beside them.
    Whole,
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

/// Runs a read in one snapshot: its statements, and the bytes of their rows into `sink`. Without caches it neither asks what
/// earlier reads found nor leaves anything behind. Stops without an error when the sink wants no more.
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
