//! Why a unit of work ended without a change: the store failed, or the domain refused.

use super::StoreError;
use crate::domain::fault::Fault;

/// The error of the units of work that change the domain's records.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The store failed.
    Store(StoreError),
    /// A rule refused.
    Fault(Fault),
    /// There is no such record: what it is, and the id that was asked for.
    Missing(&'static str, i32),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Refusal::Store(error)
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Refusal::Fault(fault)
    }
}
