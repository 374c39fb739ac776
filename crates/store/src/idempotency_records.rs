//! Idempotency records: requests that had an `Idempotency-Key` and were carried out. Statements only:
//! `ops/writing.rs` of the server decides what a repeated request means.

use super::engine::{Session, StoreError, present};
use super::{RecordId, Store, Value};

/// How long a record is retained, in ticks of 100 ns: a day.
pub const RETENTION_TICKS: i64 = 86_400 * 10_000_000;

/// Rows that one write removes, so that other writes do not wait for long.
const PER_TURN: i64 = 1_000;

/// Identifies a request: the caller's key, which is unique for a client and an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The client.
    pub client_id: String,
    /// The operation.
    pub operation: &'static str,
    /// The `Idempotency-Key` of the request.
    pub key: String,
}

/// A request that was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// Digest of the request.
    pub fingerprint: String,
    /// Its answer.
    pub answer: StoredAnswer,
}

/// What is stored of an answer. It has no content of a record, which may change, or become anonymous, while
/// the key is retained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredAnswer {
    /// The record with this id.
    Record(RecordId),
    /// This text, which has no content of a record, such as a count.
    Text(String),
    /// No body.
    Nothing,
}

/// How many keys a client has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyCount {
    /// An upper bound: expired keys that are not purged yet count too.
    pub at_most: i64,
    /// The ordinal of the next one.
    pub next: i64,
}

const FIND: &str = "SELECT fingerprint, record_id, body FROM answers
    WHERE client_id = ?1 AND operation = ?2 AND key = ?3 AND answered_at > ?4";
/// The first and the last entry of an index: the cost does not depend on how many there are between them.
const COUNT: &str =
    "SELECT (SELECT ordinal FROM answers WHERE client_id = ?1 ORDER BY ordinal LIMIT 1),
    (SELECT ordinal FROM answers WHERE client_id = ?1 ORDER BY ordinal DESC LIMIT 1)";

impl IdempotencyKey {
    fn binds(&self, now: i64) -> [Value<'_>; 4] {
        [
            (&self.client_id).into(),
            self.operation.into(),
            (&self.key).into(),
            expired_until(now).into(),
        ]
    }
}

/// Records answered at this time or before have expired.
fn expired_until(now: i64) -> i64 {
    now.saturating_sub(RETENTION_TICKS)
}

/// Prefetches what [`find`] and [`count`] read.
pub fn prefetch(
    session: &mut dyn Session,
    key: &IdempotencyKey,
    now: i64,
) -> Result<(), StoreError> {
    session.prefetch(FIND, &key.binds(now))?;
    session.prefetch(COUNT, &[(&key.client_id).into()])
}

/// The record of the request, if it was carried out during the day before `now` (ticks). An older one is not
/// returned, purged or not.
pub fn find(
    session: &mut dyn Session,
    key: &IdempotencyKey,
    now: i64,
) -> Result<Option<IdempotencyRecord>, StoreError> {
    session.first(FIND, &key.binds(now), |row| {
        let answer = match (row.int(1)?, row.string(2)?) {
            (Some(id), _) => StoredAnswer::Record(id.into()),
            (None, Some(text)) => stored(text),
            (None, None) => StoredAnswer::Nothing,
        };
        Ok(IdempotencyRecord {
            fingerprint: present(row.string(0)?)?,
            answer,
        })
    })
}

/// An id that is a text is stored as a JSON string, which no other stored text is.
fn stored(body: String) -> StoredAnswer {
    match serde_json::from_str::<String>(&body) {
        Ok(id) => StoredAnswer::Record(id.into()),
        Err(_) => StoredAnswer::Text(body),
    }
}

fn body_of(id: &str) -> String {
    serde_json::Value::from(id).to_string()
}

/// Removes every record whose answer is the record with this id, for its erasure.
pub(super) fn erase(session: &mut dyn Session, id: &str) -> Result<(), StoreError> {
    session.execute_deferred(
        "DELETE FROM answers WHERE body = ?1",
        &[(&body_of(id)).into()],
    )
}

/// How many keys the client has.
pub fn count(session: &mut dyn Session, key: &IdempotencyKey) -> Result<KeyCount, StoreError> {
    let ends = session.first(COUNT, &[(&key.client_id).into()], |row| {
        Ok(row.int(0)?.zip(row.int(1)?))
    })?;
    Ok(match ends.flatten() {
        Some((first, last)) => KeyCount {
            at_most: last - first + 1,
            next: last + 1,
        },
        None => KeyCount::default(),
    })
}

/// The oldest key of the client that has not expired at `now`: its ordinal, and when it was used (ticks). It
/// reads every expired key that is not purged yet, so it is only for clients for which [`count`] is not
/// precise enough.
pub fn oldest(
    session: &mut dyn Session,
    key: &IdempotencyKey,
    now: i64,
) -> Result<Option<(i64, i64)>, StoreError> {
    let sql = "SELECT ordinal, answered_at FROM answers WHERE client_id = ?1 AND answered_at > ?2 ORDER BY ordinal LIMIT 1";
    let binds = [(&key.client_id).into(), expired_until(now).into()];
    session.first(sql, &binds, |row| {
        Ok((present(row.int(0)?)?, present(row.int(1)?)?))
    })
}

/// Stores the record of a request that is carried out `now`; it replaces an expired one.
pub fn put(
    session: &mut dyn Session,
    key: &IdempotencyKey,
    record: &IdempotencyRecord,
    ordinal: i64,
    now: i64,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO answers (client_id, operation, key, fingerprint, record_id, body, ordinal, answered_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT (client_id, operation, key) DO UPDATE SET fingerprint = excluded.fingerprint, record_id = excluded.record_id,
            body = excluded.body, ordinal = excluded.ordinal, answered_at = excluded.answered_at";
    let (record_id, body) = match &record.answer {
        StoredAnswer::Record(RecordId::Number(id)) => (Some(*id), None),
        StoredAnswer::Record(RecordId::Text(id)) => (None, Some(body_of(id))),
        StoredAnswer::Text(text) => (None, Some(text.clone())),
        StoredAnswer::Nothing => (None, None),
    };
    let binds = [
        (&key.client_id).into(),
        key.operation.into(),
        (&key.key).into(),
        (&record.fingerprint).into(),
        record_id.into(),
        body.as_deref().into(),
        ordinal.into(),
        now.into(),
    ];
    session.execute_deferred(sql, &binds)
}

/// Removes every request that has expired at `now` (ticks); how many.
pub async fn purge(store: &Store, now: i64) -> Result<u64, StoreError> {
    let some = move |session: &mut dyn Session| purge_some(session, now, PER_TURN);
    store.write_in_turns(PER_TURN.unsigned_abs(), some).await
}

fn purge_some(session: &mut dyn Session, now: i64, limit: i64) -> Result<u64, StoreError> {
    // Records of one instant are removed together: the limit only selects the latest instant.
    let sql = "SELECT max(answered_at) FROM (SELECT answered_at FROM answers WHERE answered_at <= ?1 ORDER BY answered_at LIMIT ?2) AS oldest";
    let binds = [expired_until(now).into(), limit.into()];
    let last = session.first(sql, &binds, |row| row.int(0))?;
    let Some(last) = last.flatten() else {
        return Ok(0);
    };
    session.execute(
        "DELETE FROM answers WHERE answered_at <= ?1",
        &[last.into()],
    )
}
