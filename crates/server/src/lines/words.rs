//! The words of the wire that a line may hold: those of the domain, and two smaller sets. `Activated` is missing from the
//! improvement's status: it asks for a change and is never stored.

use super::field::WordSet;
use crate::domain::words::{self as domain, Word, without};

pub(crate) use crate::domain::words::{
    BoardType, ElementKind, Evaluation, GroupType, IncidentStatus, Priority, Severity,
};

impl<T: Word> WordSet for T {
    const WORDS: &'static [&'static str] = T::WORDS;
}

/// Status of an improvement as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImprovementStatus;

impl WordSet for ImprovementStatus {
    const WORDS: &'static [&'static str] = &without::<7>(STATUS, &["Activated"]);
}

/// Stage that an archived improvement goes back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stage;

impl WordSet for Stage {
    const WORDS: &'static [&'static str] = &without::<6>(STATUS, &["Activated", "Archived"]);
}

const STATUS: &[&str] = <domain::ImprovementStatus as Word>::WORDS;
