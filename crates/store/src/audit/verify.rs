//! Verifies the chain: computes every hash again, from the first entry to the last.
//!
//! A log that retention has shortened begins at a later entry. The last entry of the operation that shortens
//! it ([`super::EXPIRE`]) says up to which entry and hash it removed; the chain itself protects that
//! statement.

use std::fmt;
use std::ops::ControlFlow;

use serde::Deserialize;

use super::retention::{EXPIRE, Removed};
use super::{Entry, Filter, Hashed, digest, entry_digest, hash, read};
use crate::{Session, StoreError};

/// What was verified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many entries there are.
    pub entries: u64,
    /// How many of them have no text any more.
    pub erased: u64,
    /// The number of the first entry, if there is one.
    pub first: Option<i64>,
    /// The number and the hash of the last entry, if there is one.
    pub last: Option<(i64, String)>,
    /// The first fault. The entries after it were not verified.
    pub fault: Option<Fault>,
}

/// An entry that is not what was appended, or that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its number.
    pub number: i64,
    /// What is wrong.
    pub kind: FaultKind,
}

/// What is wrong with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// It is missing, and retention did not remove it.
    Missing,
    /// Its text does not match its digest.
    Text,
    /// Its hash does not match its content and the hash before it.
    Hash,
    /// It does not have the hash that was noted earlier.
    Other,
    /// Retention removed it after it was noted, so nothing is left to compare the note with.
    Expired,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            FaultKind::Missing => "is missing",
            FaultKind::Text => "has another text than was recorded",
            FaultKind::Hash => "was changed, or the entry before it was changed or removed",
            FaultKind::Other => "does not have the hash that was noted",
            FaultKind::Expired => {
                "was noted and then removed by retention: it cannot be compared, so note a later one"
            }
        };
        write!(f, "entry {} {kind}", self.number)
    }
}

/// Verifies the whole log. `noted` is the number and the hash of an entry as an earlier run returned it:
/// without that nobody can see that the last entries were removed, or that the whole chain was computed anew.
///
/// # Errors
/// The engine fails.
pub fn verify(
    session: &mut dyn Session,
    noted: Option<&(i64, String)>,
) -> Result<Verified, StoreError> {
    let mut verified = Verified::default();
    let mut chain = Chain::default();
    read(session, &Filter::default(), &mut |entry| {
        verified.first.get_or_insert(entry.number);
        if let Some(kind) = chain.follow(&entry) {
            let number = match kind {
                FaultKind::Missing => chain.expected,
                _ => entry.number,
            };
            verified.fault = Some(Fault { number, kind });
            return Ok(ControlFlow::Break(()));
        }
        if let Some((number, hash)) = noted
            && *number == entry.number
            && *hash != entry.hash
        {
            let kind = FaultKind::Other;
            verified.fault = Some(Fault {
                number: *number,
                kind,
            });
            return Ok(ControlFlow::Break(()));
        }
        verified.entries += 1;
        verified.erased += u64::from(entry.change.is_none() && entry.digest.is_some());
        verified.last = Some((entry.number, entry.hash));
        Ok(ControlFlow::Continue(()))
    })?;
    if verified.fault.is_none() {
        let last = verified.last.as_ref().map_or(0, |(number, _)| *number);
        verified.fault = chain
            .missing_before(verified.first)
            .or_else(|| chain.fault_of_noted(noted?, verified.first, last));
    }
    Ok(verified)
}

/// The state of the verification.
#[derive(Default)]
struct Chain {
    /// The number of the next entry; 0 before the first.
    expected: i64,
    /// The hash of the entry before.
    previous: String,
    /// What the first entry follows, which only retention may have removed.
    start: Option<Start>,
    /// The last statement of retention.
    removed: Option<Removed>,
}

/// The digest of the first entry, to be compared once the statement of retention is known.
struct Start {
    entry: String,
    hash: String,
}

impl Chain {
    /// The next entry; what is wrong with it.
    fn follow(&mut self, entry: &Entry) -> Option<FaultKind> {
        if let (Some(change), Some(salt)) = (&entry.change, &entry.salt)
            && entry.digest.as_deref() != Some(&digest(salt, change))
        {
            return Some(FaultKind::Text);
        }
        // A text without its salt, or without its digest, was never appended.
        if entry.change.is_some() && (entry.salt.is_none() || entry.digest.is_none()) {
            return Some(FaultKind::Text);
        }
        let own = entry_digest(&Hashed {
            at: entry.at,
            client_id: entry.origin.client_id.as_deref(),
            address: entry.origin.address.as_deref(),
            operation: &entry.operation,
            record: entry.record.as_deref(),
            request_id: entry.origin.request_id.as_deref(),
            digest: entry.digest.as_deref(),
        });
        if self.expected == 0 && entry.number != 1 {
            self.start = Some(Start {
                entry: own,
                hash: entry.hash.clone(),
            });
        } else {
            self.expected = self.expected.max(1);
            if entry.number != self.expected {
                return Some(FaultKind::Missing);
            }
            if entry.hash != hash(&self.previous, &own) {
                return Some(FaultKind::Hash);
            }
        }
        if entry.operation == EXPIRE
            && let Some(removed) = entry.change.as_deref().and_then(removed)
        {
            self.removed = Some(removed);
        }
        self.expected = entry.number + 1;
        self.previous.clone_from(&entry.hash);
        None
    }

    /// What is wrong with a noted entry that is not in the log, which has entries from `first` to `last`.
    fn fault_of_noted(
        &self,
        (noted, hash): &(i64, String),
        first: Option<i64>,
        last: i64,
    ) -> Option<Fault> {
        if *noted > last {
            return Some(Fault {
                number: last + 1,
                kind: FaultKind::Missing,
            });
        }
        if first.is_none_or(|first| *noted >= first) {
            return None;
        }
        // Of the removed entries the statement of retention names the last one only.
        let kind = match &self.removed {
            Some(removed) if removed.through == *noted => {
                if removed.hash == *hash {
                    return None;
                }
                FaultKind::Other
            }
            _ => FaultKind::Expired,
        };
        Some(Fault {
            number: *noted,
            kind,
        })
    }

    /// The first entry, if it does not follow what retention says it removed.
    fn missing_before(&self, first: Option<i64>) -> Option<Fault> {
        let (start, number) = (self.start.as_ref()?, first?);
        let Some(removed) = self.removed.as_ref() else {
            let kind = FaultKind::Missing;
            return Some(Fault {
                number: number - 1,
                kind,
            });
        };
        if removed.through != number - 1 {
            let kind = FaultKind::Missing;
            return Some(Fault {
                number: number - 1,
                kind,
            });
        }
        let kind = FaultKind::Hash;
        (start.hash != hash(&removed.hash, &start.entry)).then_some(Fault { number, kind })
    }
}

/// The statement in an entry of retention.
fn removed(change: &str) -> Option<Removed> {
    #[derive(Deserialize)]
    struct Statement {
        removed: Removed,
    }
    let statement: Statement = serde_json::from_str(change).ok()?;
    Some(statement.removed)
}
