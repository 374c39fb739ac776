//! The schema, one file of statements for each version; a file that was released is never edited again.
//!
//! The files are written in the words of SQLite. [`postgres`] says the same in those of PostgreSQL, so that nobody writes a table down twice.

mod postgres;
mod words;

use std::borrow::Cow;

use super::{Dialect, Session, StoreError, search};

/// Version 1 first, as SQLite takes them.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("0001_domain.sql"),
    include_str!("0002_auth.sql"),
    include_str!("0003_secrets.sql"),
    include_str!("0004_comment_parts.sql"),
    include_str!("0005_answers.sql"),
    include_str!("0006_counters.sql"),
    include_str!("0007_given_stamps.sql"),
    include_str!("0008_lists.sql"),
    include_str!("0009_incidents_v2.sql"),
    include_str!("0010_idempotency_records.sql"),
];

/// The version that first had words of incident types.
const TYPES_SEARCHED: i64 = 9;

/// What the versions after `found`, up to `reached`, want done besides their statements, which cannot cut words; in the same transaction, once those have run.
pub(super) fn complete(
    session: &mut dyn Session,
    found: i64,
    reached: i64,
) -> Result<(), StoreError> {
    if (found + 1..=reached).contains(&TYPES_SEARCHED) {
        search::fill_incident_types(session)?;
    }
    Ok(())
}

/// Each version's statements in the words of an engine, version 1 first.
pub(super) fn migrations(dialect: Dialect) -> impl Iterator<Item = Cow<'static, str>> {
    let mut translator = postgres::Translator::default();
    MIGRATIONS.iter().map(move |text| match dialect {
        Dialect::Sqlite => Cow::Borrowed(*text),
        Dialect::Postgres => Cow::Owned(
            translator
                .translate(text)
                .expect("a test translates every file, so none is here that cannot be"),
        ),
    })
}
