//! The hourly rollups of values: each is that of its values.

use std::collections::BTreeSet;

use super::CheckError;
use super::report::{Findings, Rule};
use crate::migrate::{Progress, key};
use obeya_model::Timestamp;
use obeya_store::values::rollups;
use obeya_store::{Session, Store, StoreError, StoreOptions, Value};

const TABLE: &str = "value_rollups";

/// Drops the rollups of these datasources in the database at `url`. A service makes them again in the next
/// minutes, and until then reads the values.
///
/// # Errors
/// The database cannot be opened or written; nothing was dropped.
pub async fn drop_rollups(url: &str, datasources: &BTreeSet<i32>) -> Result<(), StoreError> {
    let store = Store::open(url, &StoreOptions::default()).await?;
    let datasources = datasources.clone();
    let dropped = store.write(move |session| {
        let mut all = datasources.iter();
        all.try_for_each(|datasource| rollups::drop_all(session, *datasource))
    });
    let dropped = dropped.await;
    store.close().await;
    dropped
}

/// Compares every rollup with its values; returns the datasources with a wrong one.
pub(super) fn run(
    session: &mut dyn Session,
    findings: &mut Findings,
    progress: &dyn Progress,
) -> Result<BTreeSet<i32>, CheckError> {
    if !progress.should_continue() {
        return Err(CheckError::Stopped);
    }
    progress.table(TABLE);
    let mut wrong = BTreeSet::new();
    let read = rollups::find_wrong(session, &mut |datasource, hour| {
        let place = key(&[Value::from(datasource), Value::Int(hour)]);
        let begins = Timestamp::from_ticks(hour).map_or_else(String::new, |at| format!(" ({at})"));
        let text = format!("the rollup of this hour{begins} is not that of its values");
        findings.add(Rule::Count, Some(TABLE), Some(place), text);
        wrong.insert(datasource);
    });
    findings.guard(Rule::File, TABLE, || Ok(read?))?;
    progress.advance(1);
    Ok(wrong)
}
