//! Refused token requests and refused access tokens, counted by address and minute. The table is bounded by
//! age and by rows; it is no part of the audit log, as anybody can fill it.

use std::collections::HashMap;

use super::engine::{Session, StoreError, Value, present};

/// How long a count is kept, in minutes: 30 days.
pub const RETENTION_MINUTES: i64 = 30 * 24 * 60;
/// Most counts that are kept; the oldest go first.
pub const MOST_ROWS: i64 = 100_000;

/// What was refused in one minute to one address.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Token requests.
    pub requests: i64,
    /// Requests with an access token that is not accepted.
    pub tokens: i64,
}

/// The counts of one address in one minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Minutes since 1970-01-01T00:00Z.
    pub minute: i64,
    /// The address.
    pub address: String,
    /// What was refused.
    pub counts: Counts,
}

/// Adds counts, by minute and address, and removes what is too old or too much.
///
/// # Errors
/// The engine fails.
pub fn add(
    session: &mut dyn Session,
    counted: &HashMap<(i64, String), Counts>,
    now: i64,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO refused_tokens (minute, address, requests, tokens) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (minute, address) DO UPDATE SET requests = refused_tokens.requests + excluded.requests,
            tokens = refused_tokens.tokens + excluded.tokens";
    for ((minute, address), counts) in counted {
        let binds = [
            (*minute).into(),
            address.into(),
            counts.requests.into(),
            counts.tokens.into(),
        ];
        session.execute_deferred(sql, &binds)?;
    }
    session.execute_deferred(
        "DELETE FROM refused_tokens WHERE minute < ?1",
        &[(now - RETENTION_MINUTES).into()],
    )?;
    // Whole minutes: the limit only selects the last one to remove.
    session.execute_deferred(
        "DELETE FROM refused_tokens WHERE minute <= (SELECT minute FROM refused_tokens ORDER BY minute DESC LIMIT 1 OFFSET ?1)",
        &[MOST_ROWS.into()],
    )
}

/// The counts from a minute on, oldest first.
///
/// # Errors
/// The engine fails.
pub fn list(session: &mut dyn Session, since: i64) -> Result<Vec<Refused>, StoreError> {
    let sql = "SELECT minute, address, requests, tokens FROM refused_tokens WHERE minute >= ?1 ORDER BY minute, address";
    session.all(sql, &[Value::Int(since)], |row| {
        Ok(Refused {
            minute: present(row.int(0)?)?,
            address: present(row.string(1)?)?,
            counts: Counts {
                requests: present(row.int(2)?)?,
                tokens: present(row.int(3)?)?,
            },
        })
    })
}
