//! Lists without stamps: they are read completely, and the differences are written to the copy.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use obeya::model::{
    Area, Board, Datasource, GroupV2 as GroupRecord, IncidentCommentV2, IncidentTypeSummary,
};
use obeya::tables::{Column, Tabular};
use obeya::{List, Resource};

use super::Dataset;
use super::context::SyncContext;
use super::report::TableReport;
use super::row::{GroupRows, TableGroup, TableRow, to_row};
use super::schema;
use super::target::{Counts, Scope};

/// The number of incidents whose comments one request reads.
const INCIDENTS_PER_REQUEST: usize = 100;

/// Copies boards, groups, areas and incident types. Returns a digest of the lists whose names records contain
/// (groups and types), if both are wanted and the client may read at least one.
pub(super) async fn organisation(context: &mut SyncContext<'_>) -> Result<Option<u64>> {
    let client = context.client.clone();
    let mut digest = ListDigest::default();
    if context.args.wants(Dataset::Groups) {
        let list = client.groups().list();
        let done = sync_list::<GroupRecord>(
            context,
            list,
            schema::groups(),
            GroupRecord::columns(),
            &mut digest,
        )
        .await;
        context.record_outcome("groups", done)?;
    }
    if context.args.wants(Dataset::Types) {
        let found = client.incidents().types().await;
        let done = sync_array(
            context,
            found,
            &schema::types(),
            IncidentTypeSummary::columns(),
            &mut digest,
        );
        context.record_outcome("incident_types", done)?;
    }
    let mut ignored = ListDigest::default();
    if context.args.wants(Dataset::Areas) {
        let list = client.areas().list();
        let done = sync_list::<Area>(
            context,
            list,
            schema::areas(),
            Area::columns(),
            &mut ignored,
        )
        .await;
        context.record_outcome("areas", done)?;
    }
    if context.args.wants(Dataset::Boards) {
        let list = client.boards().list();
        let done = sync_list::<Board>(
            context,
            list,
            schema::boards(),
            Board::columns(),
            &mut ignored,
        )
        .await;
        context.record_outcome("boards", done)?;
    }
    // A digest of one list alone could not be compared with a digest of both.
    let is_whole = context.args.wants(Dataset::Groups) && context.args.wants(Dataset::Types);
    Ok((is_whole && digest.is_set).then_some(digest.sum))
}

/// Copies the datasources. Returns their ids.
pub(super) async fn datasources(context: &mut SyncContext<'_>) -> Result<BTreeSet<i32>> {
    let found = context.client.datasources().list().await?;
    let ids = found.iter().map(|datasource| datasource.id).collect();
    if context.args.wants(Dataset::Datasources) {
        let mut ignored = ListDigest::default();
        let done = sync_array(
            context,
            Ok(found),
            &schema::datasources(),
            Datasource::columns(),
            &mut ignored,
        );
        context.record_outcome("datasources", done)?;
    }
    Ok(ids)
}

/// Copies all comments on incidents.
pub(super) async fn comments(context: &mut SyncContext<'_>) -> Result<TableReport> {
    let list = context.client.comments().list();
    let mut ignored = ListDigest::default();
    // Reading all comments includes the stale ones; the state is saved in the same step.
    context.state.stale_comments = Some(BTreeSet::new());
    let done = sync_list::<IncidentCommentV2>(
        context,
        list,
        schema::comments(),
        IncidentCommentV2::columns(),
        &mut ignored,
    )
    .await;
    if done.is_err() {
        context.state.stale_comments = None;
    }
    done
}

/// Whether the service has as many comments as the copy.
pub(super) async fn has_all_comments(context: &mut SyncContext<'_>) -> Result<bool> {
    let one = context.client.comments().list().top(1).count(true);
    let total = one.send().await?.count;
    Ok(total == i64::try_from(context.comments()?).ok())
}

/// Replaces the comments on these incidents by the current ones.
pub(super) async fn comments_of(
    context: &mut SyncContext<'_>,
    incidents: BTreeSet<i32>,
) -> Result<Counts> {
    let group = schema::comments();
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
        let found = found
            .iter()
            .map(|comment| to_row(None, IncidentCommentV2::columns(), comment));
        rows.extend(found.map(|row| (row[0].id(), row)));
    }
    let rows = rows.into_values().collect();
    context.state.stale_comments = Some(BTreeSet::new());
    context.update_rows(&group, owner_column, &incidents, GroupRows(vec![rows]))
}

async fn sync_list<T: Resource>(
    context: &mut SyncContext<'_>,
    list: List<T>,
    group: TableGroup,
    columns: &'static [Column<T>],
    digest: &mut ListDigest,
) -> Result<TableReport> {
    let mut pages = list.orderby("id").pages();
    // Request the first page before the target starts: the client may lack the scope.
    let Some(first) = pages.next().await else {
        return Ok(TableReport::default());
    };
    let mut page = first?;
    let mut total = 0;
    context.begin(Scope::All(&group))?;
    loop {
        let rows = page
            .items
            .iter()
            .map(|record| to_row(None, columns, record));
        let rows: Vec<TableRow> = rows.collect();
        total += rows.len() as u64;
        rows.iter().for_each(|row| digest.add(row));
        context.push(GroupRows(vec![rows]))?;
        match pages.next().await {
            Some(next) => page = next?,
            None => break,
        }
    }
    digest.is_set = true;
    Ok(TableReport {
        rows: total,
        counts: context.finish()?,
        is_exact: true,
    })
}

/// Copies a list that is not paged.
fn sync_array<T>(
    context: &mut SyncContext<'_>,
    found: obeya::Result<Vec<T>>,
    group: &TableGroup,
    columns: &'static [Column<T>],
    digest: &mut ListDigest,
) -> Result<TableReport> {
    let mut rows: Vec<TableRow> = found?
        .iter()
        .map(|record| to_row(None, columns, record))
        .collect();
    rows.sort_by_key(|row| row[0].id());
    rows.iter().for_each(|row| digest.add(row));
    digest.is_set = true;
    let total = rows.len() as u64;
    context.begin(Scope::All(group))?;
    context.push(GroupRows(vec![rows]))?;
    Ok(TableReport {
        rows: total,
        counts: context.finish()?,
        is_exact: true,
    })
}

/// A digest of rows, to find out whether a list changed between two runs.
struct ListDigest {
    sum: u64,
    is_set: bool,
}

impl Default for ListDigest {
    fn default() -> Self {
        ListDigest {
            sum: 0xcbf2_9ce4_8422_2325,
            is_set: false,
        }
    }
}

impl ListDigest {
    /// FNV-1a: the same on every machine and in every build, unlike the standard library's hasher.
    fn add(&mut self, row: &TableRow) {
        for byte in format!("{row:?}").bytes() {
            self.sum = (self.sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
