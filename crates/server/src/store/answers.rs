//! Answers kept for requests that are sent again. Statements only: what a repeated request means is decided in `ops/writing.rs`.

use super::engine::{Session, StoreError, present};
use super::{Store, Value};

/// How long an answer is kept, in ticks of 100 ns: a day.
pub(crate) const RETENTION_TICKS: i64 = 86_400 * 10_000_000;

/// Answers removed in one turn of the writer, so that others are not held up.
const PER_TURN: i64 = 1_000;

/// Which request it is: the caller's name for it, and who and what gives that name a meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) client_id: String,
    pub(crate) operation: &'static str,
    pub(crate) key: String,
}

/// An answer as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    /// What was asked, as a digest.
    pub(crate) fingerprint: String,
    /// `None` where the answer has no body.
    pub(crate) body: Option<String>,
}

const FIND: &str = "SELECT fingerprint, body FROM answers
    WHERE client_id = ?1 AND operation = ?2 AND key = ?3 AND answered_at > ?4";

impl Key {
    fn binds(&self, now: i64) -> [Value<'_>; 4] {
        let since = now.saturating_sub(RETENTION_TICKS);
        [
            (&self.client_id).into(),
            self.operation.into(),
            (&self.key).into(),
            since.into(),
        ]
    }
}

/// Says that the answer will be looked up ([`find`]).
pub(crate) fn announce(session: &mut dyn Session, key: &Key, now: i64) -> Result<(), StoreError> {
    session.announce(FIND, &key.binds(now))
}

/// The answer to the request, if it was answered during the day before `now` (ticks). One that is older is not there, purged or not.
pub(crate) fn find(
    session: &mut dyn Session,
    key: &Key,
    now: i64,
) -> Result<Option<Kept>, StoreError> {
    session.first(FIND, &key.binds(now), |row| {
        Ok(Kept {
            fingerprint: present(row.string(0)?)?,
            body: row.string(1)?,
        })
    })
}

/// Keeps an answer; one that has had its day makes room for it.
pub(crate) fn keep(
    session: &mut dyn Session,
    key: &Key,
    kept: &Kept,
    now: i64,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO answers (client_id, operation, key, fingerprint, body, answered_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (client_id, operation, key)
        DO UPDATE SET fingerprint = excluded.fingerprint, body = excluded.body, answered_at = excluded.answered_at";
    let binds = [
        (&key.client_id).into(),
        key.operation.into(),
        (&key.key).into(),
        (&kept.fingerprint).into(),
        kept.body.as_deref().into(),
        now.into(),
    ];
    session.send(sql, &binds)
}

/// Removes every answer that has had its day at `now` (ticks); how many.
pub(crate) async fn purge(store: &Store, now: i64) -> Result<u64, StoreError> {
    let some = move |session: &mut dyn Session| purge_some(session, now, PER_TURN);
    store.write_in_turns(PER_TURN.unsigned_abs(), some).await
}

fn purge_some(session: &mut dyn Session, now: i64, limit: i64) -> Result<u64, StoreError> {
    let until = now.saturating_sub(RETENTION_TICKS);
    // Those of one instant go together, which no limit needs to tell apart: the last of a turn decides up to when.
    let sql = "SELECT max(answered_at) FROM (SELECT answered_at FROM answers WHERE answered_at <= ?1 ORDER BY answered_at LIMIT ?2) AS oldest";
    let last = session.first(sql, &[until.into(), limit.into()], |row| row.int(0))?;
    let Some(last) = last.flatten() else {
        return Ok(0);
    };
    session.execute(
        "DELETE FROM answers WHERE answered_at <= ?1",
        &[last.into()],
    )
}
