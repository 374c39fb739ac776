//! Lists that have no stamps: they are read as a whole, and what differs is put into the copy.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use obeya::model::{
    Area, Board, Datasource, Group as GroupRecord, IncidentComment, IncidentTypeSummary,
};
use obeya::tables::{Column, Tabular};
use obeya::{List, Resource};

use super::What;
use super::context::SyncContext;
use super::report::Line;
use super::row::{Group, Row, Rows, row};
use super::schema;
use super::target::{Counts, Scope};

/// Incidents whose comments are asked for at a time.
const INCIDENTS: usize = 100;

/// Boards, groups, areas and what else is small. Gives a digest of those whose names stand in records, where
/// all of them are wanted and the client may read any.
pub(super) async fn organisation(context: &mut SyncContext<'_>) -> Result<Option<u64>> {
    let client = context.client.clone();
    let mut digest = Digest::default();
    if context.args.wants(What::Groups) {
        let list = client.groups().list();
        let done = whole::<GroupRecord>(
            context,
            list,
            schema::groups(),
            GroupRecord::columns(),
            &mut digest,
        )
        .await;
        context.record_outcome("groups", done)?;
    }
    if context.args.wants(What::Types) {
        let found = client.incidents().types().await;
        let done = array(
            context,
            found,
            &schema::types(),
            IncidentTypeSummary::columns(),
            &mut digest,
        );
        context.record_outcome("incident_types", done)?;
    }
    let mut unused = Digest::default();
    if context.args.wants(What::Areas) {
        let list = client.areas().list();
        let done =
            whole::<Area>(context, list, schema::areas(), Area::columns(), &mut unused).await;
        context.record_outcome("areas", done)?;
    }
    if context.args.wants(What::Boards) {
        let list = client.boards().list();
        let done = whole::<Board>(
            context,
            list,
            schema::boards(),
            Board::columns(),
            &mut unused,
        )
        .await;
        context.record_outcome("boards", done)?;
    }
    // Of one list alone it would be a digest of something else.
    let is_whole = context.args.wants(What::Groups) && context.args.wants(What::Types);
    Ok((is_whole && digest.is_of_something).then_some(digest.sum))
}

/// The datasources. Gives their ids.
pub(super) async fn datasources(context: &mut SyncContext<'_>) -> Result<BTreeSet<i32>> {
    let found = context.client.datasources().list().await?;
    let ids = found.iter().map(|datasource| datasource.id).collect();
    if context.args.wants(What::Datasources) {
        let mut unused = Digest::default();
        let done = array(
            context,
            Ok(found),
            &schema::datasources(),
            Datasource::columns(),
            &mut unused,
        );
        context.record_outcome("datasources", done)?;
    }
    Ok(ids)
}

/// Comments on incidents, all of them.
pub(super) async fn comments(context: &mut SyncContext<'_>) -> Result<Line> {
    let list = context.client.comments().list();
    let mut unused = Digest::default();
    // What was to be read anew is read with all of them, and kept so together with them.
    context.state.comments = Some(BTreeSet::new());
    let done = whole::<IncidentComment>(
        context,
        list,
        schema::comments(),
        IncidentComment::columns(),
        &mut unused,
    )
    .await;
    if done.is_err() {
        context.state.comments = None;
    }
    done
}

/// Whether the service has as many comments as the copy.
pub(super) async fn has_all_comments(context: &mut SyncContext<'_>) -> Result<bool> {
    let one = context.client.comments().list().top(1).count(true);
    let there = one.send().await?.count;
    Ok(there == i64::try_from(context.comments()?).ok())
}

/// Puts the comments that some incidents have now in the place of those that the copy has on them.
pub(super) async fn comments_of(
    context: &mut SyncContext<'_>,
    incidents: BTreeSet<i32>,
) -> Result<Counts> {
    let group = schema::comments();
    let owner = group.main.place("incident_id");
    let ids: Vec<String> = incidents.iter().map(ToString::to_string).collect();
    // A comment that moves between two requests, from an incident of one to an incident of the other, comes
    // with both.
    let mut rows = BTreeMap::new();
    for some in ids.chunks(INCIDENTS) {
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
            .map(|comment| row(None, IncidentComment::columns(), comment));
        rows.extend(found.map(|row| (row[0].id(), row)));
    }
    let rows = rows.into_values().collect();
    context.state.comments = Some(BTreeSet::new());
    context.exchange(&group, owner, &incidents, Rows(vec![rows]))
}

async fn whole<T: Resource>(
    context: &mut SyncContext<'_>,
    list: List<T>,
    group: Group,
    columns: &'static [Column<T>],
    digest: &mut Digest,
) -> Result<Line> {
    let mut pages = list.orderby("id").pages();
    // Before anything is begun: it may be that the client may not read this.
    let Some(first) = pages.next().await else {
        return Ok(Line::default());
    };
    let mut page = first?;
    let mut total = 0;
    context.begin(Scope::All(&group))?;
    loop {
        let rows = page.items.iter().map(|record| row(None, columns, record));
        let rows: Vec<Row> = rows.collect();
        total += rows.len() as u64;
        rows.iter().for_each(|row| digest.take(row));
        context.push(Rows(vec![rows]))?;
        match pages.next().await {
            Some(next) => page = next?,
            None => break,
        }
    }
    digest.is_of_something = true;
    Ok(Line {
        rows: total,
        counts: context.finish()?,
        is_exact: true,
    })
}

/// A list that comes at once.
fn array<T>(
    context: &mut SyncContext<'_>,
    found: obeya::Result<Vec<T>>,
    group: &Group,
    columns: &'static [Column<T>],
    digest: &mut Digest,
) -> Result<Line> {
    let mut rows: Vec<Row> = found?
        .iter()
        .map(|record| row(None, columns, record))
        .collect();
    rows.sort_by_key(|row| row[0].id());
    rows.iter().for_each(|row| digest.take(row));
    digest.is_of_something = true;
    let total = rows.len() as u64;
    context.begin(Scope::All(group))?;
    context.push(Rows(vec![rows]))?;
    Ok(Line {
        rows: total,
        counts: context.finish()?,
        is_exact: true,
    })
}

/// A sum of rows by which two runs see whether they read the same.
struct Digest {
    sum: u64,
    is_of_something: bool,
}

impl Default for Digest {
    fn default() -> Self {
        Digest {
            sum: 0xcbf2_9ce4_8422_2325,
            is_of_something: false,
        }
    }
}

impl Digest {
    /// FNV-1a: equal on every machine and in every build, unlike the standard library's.
    fn take(&mut self, row: &Row) {
        for byte in format!("{row:?}").bytes() {
            self.sum = (self.sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
