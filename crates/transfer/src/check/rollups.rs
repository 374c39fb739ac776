//! The rollups of values: each hourly one is that of its values, and each daily one that of its hours.

use std::collections::BTreeSet;

use super::CheckError;
use super::report::{Findings, Rule};
use crate::migrate::{Progress, key};
use obeya_model::Timestamp;
use obeya_store::values::rollups::{self, Period};
use obeya_store::{Session, Store, StoreError, StoreOptions, Value};

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

/// Compares every rollup with what it is made from; returns the datasources with a wrong one.
pub(super) fn run(
    session: &mut dyn Session,
    findings: &mut Findings,
    progress: &dyn Progress,
) -> Result<BTreeSet<i32>, CheckError> {
    if !progress.should_continue() {
        return Err(CheckError::Stopped);
    }
    let mut wrong = BTreeSet::new();
    for (period, table, name, parts) in [
        (Period::Hour, "value_rollups", "hour", "values"),
        (Period::Day, "value_day_rollups", "day", "hours"),
    ] {
        progress.table(table);
        let read = rollups::find_wrong(session, period, &mut |datasource, start| {
            let place = key(&[Value::from(datasource), Value::Int(start)]);
            let begins =
                Timestamp::from_ticks(start).map_or_else(String::new, |at| format!(" ({at})"));
            let text = format!("the rollup of this {name}{begins} is not that of its {parts}");
            findings.add(Rule::Count, Some(table), Some(place), text);
            wrong.insert(datasource);
        });
        findings.guard(Rule::File, table, || Ok(read?))?;
        progress.advance(1);
    }
    Ok(wrong)
}
