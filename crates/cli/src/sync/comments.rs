//! Comments on incidents: all of them, or those on incidents that changed. They have no stamps of their own.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use obeya::model::IncidentCommentV2;

use super::context::SyncContext;
use super::listed::Listed as _;
use super::lists;
use super::report::TableReport;
use super::row::GroupRows;
use super::target::Counts;

/// The number of incidents whose comments one request reads.
const INCIDENTS_PER_REQUEST: usize = 100;

/// Copies all comments.
pub(super) async fn all(context: &mut SyncContext<'_>) -> Result<TableReport> {
    let list = context.client.comments().list();
    // Reading all comments includes the stale ones; the state is saved in the same step.
    context.state.stale_comments = Some(BTreeSet::new());
    let done = lists::copy_all(context, list.into(), None).await;
    if done.is_err() {
        context.state.stale_comments = None;
    }
    done
}

/// The number of comments in the copy.
pub(super) fn copied(context: &mut SyncContext<'_>) -> Result<u64> {
    tokio::task::block_in_place(|| context.target.rows(&IncidentCommentV2::group()))
}

/// Whether the service has as many comments as the copy.
pub(super) async fn has_all(context: &mut SyncContext<'_>) -> Result<bool> {
    let one = context.client.comments().list().top(1).count(true);
    let total = one.send().await?.count;
    Ok(total == i64::try_from(copied(context)?).ok())
}

/// Replaces the comments on these incidents by the current ones.
pub(super) async fn of_incidents(
    context: &mut SyncContext<'_>,
    incidents: BTreeSet<i32>,
) -> Result<Counts> {
    let group = IncidentCommentV2::group();
    let owner_column = group.main.column_index("incident_id");
    let ids: Vec<String> = incidents.iter().map(ToString::to_string).collect();
    // A comment that is moved between two incidents while they are read can be in both answers.
    let mut rows = BTreeMap::new();
    for some in ids.chunks(INCIDENTS_PER_REQUEST) {
        let filter = format!("incidentId in ({})", some.join(","));
        let list = context
            .client
            .comments()
            .list()
            .filter(filter)
            .orderby("id");
        let found = list.stream().all().await?;
        let GroupRows(tables) = IncidentCommentV2::rows(&found);
        let found = tables.into_iter().flatten();
        rows.extend(found.map(|row| (row[0].id(), row)));
    }
    let rows = rows.into_values().collect();
    context.state.stale_comments = Some(BTreeSet::new());
    context.update_rows(&group, owner_column, &incidents, GroupRows(vec![rows]))
}
