//! The audit log: one entry for each accepted write, appended in the transaction of that write.
//!
//! The entries are a chain. The hash of an entry is the SHA-256 of the hash before it (in hexadecimal; empty
//! for the first one) and of the digest of the entry: SHA-256, in hexadecimal, of the compact JSON array
//! `[at, client, address, operation, record, request, digest]`. There `digest` is the SHA-256 of salt and
//! change, and not the change itself: the text of a change can be erased, and the chain can still be
//! verified. The engine computes the hash in the statement that appends entries, so no writer waits for the
//! hash before its own; the writer lock makes the order total. This module knows no HTTP and no resource.

mod diff;
mod read;
mod retention;
mod verify;

use serde::Serialize;

use crate::random::random;
use crate::sha256;
use crate::{Session, StoreError};

pub use diff::Diff;
pub(crate) use diff::Form;
pub use read::{Entry, Filter, read};
pub use retention::{EXPIRE, expire, expire_confirmed, expire_some, retention_guard};
pub use verify::{Fault, FaultKind, Verified, verify};

/// The source of a change. Empty where the command line or the service itself makes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The client.
    pub client_id: Option<String>,
    /// The remote address.
    pub address: Option<String>,
    /// The id of the request.
    pub request_id: Option<String>,
}

/// What a write changed.
#[derive(Debug)]
pub struct Change {
    /// The path of the record or of the set, such as `incidents/17`; `None` where there is no single one.
    record: Option<String>,
    content: ChangeContent,
}

/// The content of a change, and its digest. A write that knows it before its transaction makes it there,
/// which relieves the writer. A copy has the same salt: it is for a repetition of that write, not for another
/// entry.
#[derive(Debug, Clone)]
pub struct ChangeContent {
    /// JSON.
    text: String,
    /// Random text that is digested before the other.
    salt: String,
    /// SHA-256, in hexadecimal.
    digest: String,
}

impl ChangeContent {
    fn new(text: String) -> Self {
        let salt = random::<12>();
        let digest = digest(&salt, &text);
        Self { text, salt, digest }
    }
}

impl From<Diff> for ChangeContent {
    fn from(diff: Diff) -> Self {
        Self::new(diff.finish())
    }
}

impl Change {
    /// A change of one record, or of the records of one set.
    pub fn of(record: impl Into<String>, content: impl Into<ChangeContent>) -> Self {
        Self {
            record: Some(record.into()),
            content: content.into(),
        }
    }

    /// A change of many records of a set, as an object with their number and a digest of their content.
    pub fn many(record: impl Into<String>, summary: &impl Serialize) -> Self {
        Self {
            record: Some(record.into()),
            ..Self::summary(summary)
        }
    }

    /// A change of records of several sets, as an object with their numbers.
    pub fn summary(summary: &impl Serialize) -> Self {
        Self {
            record: None,
            content: ChangeContent::new(json(summary)),
        }
    }
}

/// Appends the entry of a change made at this time (ticks) by an operation. Call it in the transaction of the
/// change.
///
/// # Errors
/// The engine fails.
pub fn append(
    session: &mut dyn Session,
    at: i64,
    origin: &Origin,
    operation: &str,
    change: &Change,
) -> Result<(), StoreError> {
    let ChangeContent { text, salt, digest } = &change.content;
    let entry = entry_digest(&Hashed {
        at,
        client_id: origin.client_id.as_deref(),
        address: origin.address.as_deref(),
        operation,
        record: change.record.as_deref(),
        request_id: origin.request_id.as_deref(),
        digest: Some(digest),
    });
    let binds = [
        at.into(),
        origin.client_id.as_deref().into(),
        origin.address.as_deref().into(),
        operation.into(),
        change.record.as_deref().into(),
        origin.request_id.as_deref().into(),
        text.into(),
        salt.into(),
        digest.into(),
        (&entry).into(),
    ];
    session.append_audit_entry(&binds)
}

/// The parts of an entry that its hash covers, in their order.
struct Hashed<'a> {
    at: i64,
    client_id: Option<&'a str>,
    address: Option<&'a str>,
    operation: &'a str,
    record: Option<&'a str>,
    request_id: Option<&'a str>,
    digest: Option<&'a str>,
}

/// Bytes for the parts of an ordinary entry.
const ENTRY: usize = 512;

/// The digest of an entry, in hexadecimal.
fn entry_digest(entry: &Hashed<'_>) -> String {
    let mut text = Vec::with_capacity(ENTRY);
    let parts = (
        entry.at,
        entry.client_id,
        entry.address,
        entry.operation,
        entry.record,
        entry.request_id,
        entry.digest,
    );
    diff::write_json(&mut text, &parts);
    sha256::hex(&[&text])
}

/// The digest of a change, in hexadecimal.
fn digest(salt: &str, change: &str) -> String {
    sha256::hex(&[salt.as_bytes(), change.as_bytes()])
}

/// The hash of an entry, from the hash before it and the digest of the entry. The statement that appends an
/// entry calls it on SQLite; that of PostgreSQL computes the same.
pub(crate) fn hash(previous: &str, entry: &str) -> String {
    sha256::hex(&[previous.as_bytes(), entry.as_bytes()])
}

/// Compact JSON.
fn json(value: &(impl Serialize + ?Sized)) -> String {
    // Every value here is made of texts, numbers and maps with text keys.
    serde_json::to_string(value).unwrap_or_default()
}
