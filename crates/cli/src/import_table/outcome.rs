//! What a sink did with the records, for the report.

use super::faults::Fault;

/// The result of storing records.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Records that were stored; in a trial, that would be.
    pub(crate) stored: u64,
    /// Records that were there already.
    pub(crate) present: u64,
    /// Records that the service refused.
    pub(crate) refused: Vec<Fault>,
    /// Why it ended before its end, after some records were stored.
    pub(crate) ended: Option<String>,
}
