//! Where a stream of values in the order of their dates can be continued later, by another process too.

use obeya_model::Timestamp;
use serde::{Deserialize, Serialize};

/// A position in a stream of values in the order of their dates; see [`Values::after`](crate::Values::after).
///
/// It is a date and the values yielded at it, not a number: insertions and deletions do not move it. It can
/// be stored: its form in serde does not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuePosition {
    /// The date of the last value, in whole microseconds: Arrow columns show no more.
    pub(crate) date: Timestamp,
    /// The ids yielded at that date.
    pub(crate) ids: Vec<i32>,
}
