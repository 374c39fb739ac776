//! Checks a whole database: the file and the schema as the engine finds them, and the model, from the tables
//! themselves: references, trees, counts, sequences, stamps, enumerations, contents of attachments, rollups
//! of values, search indexes and the chain of the audit log.
//!
//! Everything is read in one snapshot while a service may run; nothing is written or repaired, unless wrong
//! rollups are dropped afterwards ([`drop_rollups`]). The memory it takes does not depend on the size of the
//! database: a rule is one query whose rows are findings, and search indexes are compared by sums of hashes.
//! Rules are what the service and an import both guarantee.

mod contents;
mod report;
mod rollups;
mod rules;
mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use report::Findings;
pub use report::{CheckReport, Finding, Rule};
pub use rollups::drop_rollups;

use crate::migrate::{MigrateError, Phase, Progress, count_rows, lift_time_limits};
use obeya_store::inspection::{Fault, Inspection, newest_schema_version};
use obeya_store::search::INDEXES;
use obeya_store::{Session, StoreError, audit};

/// Why a check has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The database cannot be opened, or the connection was lost.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The rows cannot be counted.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// The caller stopped it.
    #[error("stopped; the check is not complete")]
    Stopped,
}

/// Checks the database at `url`, which is only read.
///
/// # Errors
/// [`CheckError`] when there is no result. A fault of the database is a [`Finding`].
pub async fn check(url: &str, progress: Arc<dyn Progress>) -> Result<CheckReport, CheckError> {
    let url = url.to_owned();
    let checked = tokio::task::spawn_blocking(move || {
        let mut database = Inspection::open(&url)?;
        run(&mut database, progress.as_ref())
    });
    checked
        .await
        .map_err(|failure| StoreError::Engine(Box::new(failure)))?
}

fn run(database: &mut Inspection, progress: &dyn Progress) -> Result<CheckReport, CheckError> {
    let started = Instant::now();
    let mut findings = Findings::default();
    lift_time_limits(database.session())?;
    progress.begin(Phase::Check, rules::COUNT + INDEXES.len() as u64 + 5);
    progress.table("file and schema");
    for fault in database.faults()? {
        match fault {
            Fault::File(text) => findings.add(Rule::File, None, None, text),
            Fault::Schema(text) => findings.add(Rule::Schema, None, None, text),
            Fault::Table(table, text) => findings.add(Rule::File, Some(table), None, text),
        }
    }
    progress.advance(1);
    let (mut rows, mut wrong_rollups) = (None, BTreeSet::new());
    if database.is_current() {
        let session = database.session();
        rows = findings.guard(Rule::File, "the tables", || {
            Ok(count_rows(session, progress)?)
        })?;
        wrong_rollups = model(session, &mut findings, progress)?;
    } else {
        let text = format!(
            "version {} is older than this program's, {}, so only the file was checked: start a service of this version \
             once, or check with the program of that version",
            database.schema_version(),
            newest_schema_version()
        );
        findings.add(Rule::Schema, None, None, text);
    }
    Ok(CheckReport {
        schema_version: database.schema_version(),
        rows,
        findings: findings.end(),
        wrong_rollups,
        elapsed: started.elapsed(),
    })
}

/// Checks the model; returns the datasources with a wrong rollup.
fn model(
    session: &mut dyn Session,
    findings: &mut Findings,
    progress: &dyn Progress,
) -> Result<BTreeSet<i32>, CheckError> {
    rules::run(session, findings, progress)?;
    contents::run(session, findings, progress)?;
    let wrong_rollups = rollups::run(session, findings, progress)?;
    for index in INDEXES {
        progress.table(index.name);
        search::words(session, &index, findings, progress)?;
        progress.advance(1);
    }
    progress.table(obeya_store::search::PARTS_INDEX);
    search::parts(session, findings, progress)?;
    progress.advance(1);
    audit_log(session, findings, progress)?;
    Ok(wrong_rollups)
}

/// Verifies the chain of the audit log, as `obeya audit --verify` does.
fn audit_log(
    session: &mut dyn Session,
    findings: &mut Findings,
    progress: &dyn Progress,
) -> Result<(), CheckError> {
    progress.table("audit_entries");
    let verified = findings.guard(Rule::Audit, "the audit log", || {
        Ok(audit::verify(session, None)?)
    })?;
    if let Some(fault) = verified.and_then(|verified| verified.fault) {
        let key = Some(fault.number.to_string());
        findings.add(Rule::Audit, None, key, fault.to_string());
    }
    progress.advance(1);
    Ok(())
}
