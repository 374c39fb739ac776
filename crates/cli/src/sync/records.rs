//! Incidents and improvements: copies what changed since the last run, by stamp, and removes what was
//! deleted.
//!
//! Every change gives a record a later stamp, and no record becomes visible with an earlier stamp than one
//! that was visible before (`crates/cli/docs/sync.md`). So the copy has every record of the service up to its
//! watermark, and perhaps some deleted ones. If the service's newest record is not past the watermark and
//! both have the same number of records, they are equal.

use std::collections::{BTreeSet, HashSet};
use std::future::Future;

use anyhow::{Result, bail};
use obeya::model::{
    CategoryReference, CauseReference, Improvement, IncidentConsequence, IncidentCustomField,
    IncidentV1, Timestamp,
};
use obeya::tables::{Tabular as _, scalars};
use obeya::{Client, Paged};

use super::context::SyncContext;
use super::report::TableReport;
use super::row::{GroupRows, TableGroup, to_row};
use super::schema;
use super::state::{State, Watermark};
use super::target::{Counts, Scope};

/// How often a run repeats for concurrent changes before it reports that the copy is not exact.
pub(super) const MAX_ROUNDS: usize = 5;

/// The default number of records per page: some megabytes.
const PAGE_SIZE: i32 = 2_000;

/// By default, a range of at most this many ids is read instead of halved.
const MAX_READ_RANGE: i32 = 1_000;

/// The options of a list request.
#[derive(Default)]
pub(super) struct ListRequest {
    after: Option<Timestamp>,
    filter: Option<String>,
    orderby: Option<&'static str>,
    size: i32,
}

impl ListRequest {
    fn apply<T: obeya::Record>(self, list: obeya::Records<T>) -> obeya::Records<T> {
        let mut list = list.page_size(self.size);
        if let Some(after) = self.after {
            list = list.modified_from(after);
        }
        if let Some(filter) = self.filter {
            list = list.filter(filter);
        }
        if let Some(orderby) = self.orderby {
            list = list.orderby(orderby);
        }
        list
    }
}

/// A record type whose changes are found by stamp.
pub(super) trait Stamped: Sized + Send + 'static {
    const NAME: &'static str;

    /// All records, in the order of their ids.
    fn all(client: &Client, page_size: i32) -> Paged<Self>;

    /// The number of matching records, and a page of them.
    fn page(
        client: &Client,
        request: ListRequest,
    ) -> impl Future<Output = Result<(u64, Vec<Self>)>> + Send;

    /// The ids of records deleted since then, as far as the service lists them.
    fn deleted(
        client: &Client,
        since: Timestamp,
    ) -> impl Future<Output = Result<BTreeSet<i32>>> + Send;

    fn watermark(&self) -> Watermark;

    fn group(state: &State) -> TableGroup;

    /// Assigns columns to the custom fields of these records; returns whether one was new.
    fn register_fields(records: &[Self], state: &mut State) -> bool;

    /// The rows of the records, for the tables of the group.
    fn rows(records: &[Self], state: &State) -> GroupRows;

    /// Marks the dependents of changed or removed records as stale.
    fn mark_dependents_stale(_state: &mut State, _ids: &BTreeSet<i32>) {}

    /// Marks the dependents of all records as stale.
    fn mark_all_dependents_stale(_state: &mut State) {}
}

/// Updates the records of one type. `since` is the watermark to set after a full read, if the records'
/// dependents were read after it.
pub(super) async fn sync<T: Stamped>(
    context: &mut SyncContext<'_>,
    read_all: bool,
    since: Option<Watermark>,
) -> Result<TableReport> {
    let mut sync = RecordSync::<T>::begin(context)?;
    if read_all || !sync.context.state.watermarks.contains_key(T::NAME) {
        let since = match since {
            Some(since) => since,
            None => {
                T::mark_all_dependents_stale(&mut sync.context.state);
                latest::<T>(sync.context.client).await?.1
            }
        };
        sync.read_all(since).await?;
    }
    let mut is_exact = false;
    for _ in 0..MAX_ROUNDS {
        sync.apply_changes().await?;
        is_exact = sync.remove_deleted().await?;
        if is_exact {
            break;
        }
    }
    Ok(TableReport {
        rows: sync.ids.len() as u64,
        counts: sync.counts,
        is_exact,
    })
}

/// The number of records, and the watermark of the last change.
pub(super) async fn latest<T: Stamped>(client: &Client) -> Result<(u64, Watermark)> {
    let request = ListRequest {
        orderby: Some("lastModified desc,id desc"),
        size: 1,
        ..ListRequest::default()
    };
    let (total, records) = T::page(client, request).await?;
    match &records[..] {
        [] => Ok((total, Watermark::START)),
        [last] => Ok((total, last.watermark())),
        more => bail!(
            "the service returned {} {} for a page of one: it does not page this list, so it cannot be copied",
            more.len(),
            T::NAME
        ),
    }
}

struct RecordSync<'a, 'b, T> {
    context: &'a mut SyncContext<'b>,
    /// The ids in the copy.
    ids: BTreeSet<i32>,
    counts: Counts,
    changed: HashSet<i32>,
    kind: std::marker::PhantomData<T>,
}

impl<'a, 'b, T: Stamped> RecordSync<'a, 'b, T> {
    fn begin(context: &'a mut SyncContext<'b>) -> Result<Self> {
        let group = T::group(&context.state);
        let ids = tokio::task::block_in_place(|| context.target.ids(&group))?;
        Ok(RecordSync {
            context,
            ids: ids.into_iter().collect(),
            counts: Counts::default(),
            changed: HashSet::new(),
            kind: std::marker::PhantomData,
        })
    }

    fn watermark(&self) -> Watermark {
        let watermark = self.context.state.watermarks.get(T::NAME);
        watermark.copied().unwrap_or(Watermark::START)
    }

    /// Reads all records in the order of their ids, and replaces the copy's.
    async fn read_all(&mut self, since: Watermark) -> Result<()> {
        while !self.try_read_all(since).await? {
            // A custom field had no column yet: start again, now with one.
        }
        Ok(())
    }

    /// Returns false if a new column requires a restart.
    async fn try_read_all(&mut self, since: Watermark) -> Result<bool> {
        let group = T::group(&self.context.state);
        self.context.begin(Scope::All(&group))?;
        let mut ids = BTreeSet::new();
        let page_size = self.context.page_size(PAGE_SIZE);
        let mut all = T::all(self.context.client, page_size);
        loop {
            let mut records = Vec::new();
            while records.len() < page_size as usize
                && let Some(record) = all.next().await
            {
                records.push(record?);
            }
            if records.is_empty() {
                break;
            }
            if T::register_fields(&records, &mut self.context.state) {
                tokio::task::block_in_place(|| self.context.target.abandon())?;
                return Ok(false);
            }
            ids.extend(records.iter().map(|record| record.watermark().id));
            let rows = T::rows(&records, &self.context.state);
            self.context.push(rows)?;
        }
        self.context
            .state
            .watermarks
            .insert(T::NAME.to_owned(), since);
        self.counts = self.context.finish()?;
        self.ids = ids;
        Ok(true)
    }

    /// Copies the changes since the watermark.
    async fn apply_changes(&mut self) -> Result<()> {
        loop {
            let watermark = self.watermark();
            let request = ListRequest {
                after: Timestamp::from_ticks(watermark.stamp.ticks() - 1),
                filter: (watermark != Watermark::START).then(|| {
                    format!(
                        "lastModified gt {} or id gt {}",
                        watermark.stamp, watermark.id
                    )
                }),
                orderby: Some("lastModified,id"),
                size: self.context.page_size(PAGE_SIZE),
            };
            let (left, records) = T::page(self.context.client, request).await?;
            let Some(end) = records.last() else {
                return Ok(());
            };
            let end = end.watermark();
            T::register_fields(&records, &mut self.context.state);
            let ids: BTreeSet<i32> = records.iter().map(|record| record.watermark().id).collect();
            for id in &ids {
                if self.ids.insert(*id) {
                    self.counts.added += 1;
                } else if self.changed.insert(*id) {
                    self.counts.changed += 1;
                }
            }
            T::mark_dependents_stale(&mut self.context.state, &ids);
            let group = T::group(&self.context.state);
            let rows = T::rows(&records, &self.context.state);
            self.context
                .state
                .watermarks
                .insert(T::NAME.to_owned(), end);
            self.context.update_rows(&group, 0, &ids, rows)?;
            if left <= records.len() as u64 {
                return Ok(());
            }
        }
    }

    /// Removes records that the service no longer has. Returns whether the copy is exact.
    async fn remove_deleted(&mut self) -> Result<bool> {
        let watermark = self.watermark();
        let is_exact = |(total, last): (u64, Watermark), ids: &BTreeSet<i32>| {
            (last <= watermark, total == ids.len() as u64)
        };
        let found = latest::<T>(self.context.client).await?;
        match is_exact(found, &self.ids) {
            (true, true) => return self.record_exact(),
            (true, false) => {}
            // There are more changes: copy them first.
            (false, _) => return Ok(false),
        }
        let since = self.context.state.exact_at.get(T::NAME).copied();
        if let Some(since) = since {
            let deleted = T::deleted(self.context.client, since.stamp).await?;
            self.remove(deleted)?;
            let found = latest::<T>(self.context.client).await?;
            if is_exact(found, &self.ids) == (true, true) {
                return self.record_exact();
            }
        }
        let gone = self.find_deleted().await?;
        self.remove(gone)?;
        let found = latest::<T>(self.context.client).await?;
        if is_exact(found, &self.ids) == (true, true) {
            return self.record_exact();
        }
        Ok(false)
    }

    /// Records that the copy is exact at its watermark, so that later runs look only for later deletions.
    fn record_exact(&mut self) -> Result<bool> {
        let watermark = self.watermark();
        let before = self
            .context
            .state
            .exact_at
            .insert(T::NAME.to_owned(), watermark);
        if before != Some(watermark) {
            tokio::task::block_in_place(|| self.context.target.save(&self.context.state))?;
        }
        Ok(true)
    }

    /// Finds deleted records by counting: halves ranges of ids in which the service has fewer records than
    /// the copy.
    async fn find_deleted(&self) -> Result<BTreeSet<i32>> {
        let ids: Vec<i32> = self.ids.iter().copied().collect();
        let mut gone = BTreeSet::new();
        let page_size = self.context.page_size(MAX_READ_RANGE);
        let mut ranges = Vec::from([(0, ids.len())]);
        while let Some((begin, end)) = ranges.pop() {
            let range = &ids[begin..end];
            let (Some(first), Some(last)) = (range.first(), range.last()) else {
                continue;
            };
            let is_small = range.len() <= page_size as usize;
            let request = ListRequest {
                filter: Some(format!("id ge {first} and id le {last}")),
                orderby: Some("id"),
                size: if is_small { page_size } else { 1 },
                ..ListRequest::default()
            };
            let (total, records) = T::page(self.context.client, request).await?;
            if total == range.len() as u64 {
                continue;
            }
            // A record inserted meanwhile may push the last ones of the range off the page.
            if is_small && total <= records.len() as u64 {
                let remaining: HashSet<i32> =
                    records.iter().map(|record| record.watermark().id).collect();
                gone.extend(range.iter().filter(|id| !remaining.contains(id)));
                continue;
            }
            if range.len() == 1 {
                continue;
            }
            let middle = begin + range.len() / 2;
            ranges.push((begin, middle));
            ranges.push((middle, end));
        }
        Ok(gone)
    }

    fn remove(&mut self, mut gone: BTreeSet<i32>) -> Result<()> {
        gone.retain(|id| self.ids.remove(id));
        if gone.is_empty() {
            return Ok(());
        }
        self.counts.deleted += gone.len() as u64;
        T::mark_dependents_stale(&mut self.context.state, &gone);
        let group = T::group(&self.context.state);
        let rows = GroupRows::none(&group);
        self.context.update_rows(&group, 0, &gone, rows)?;
        Ok(())
    }
}

impl Stamped for IncidentV1 {
    const NAME: &'static str = "incidents";

    fn all(client: &Client, page_size: i32) -> Paged<Self> {
        client.incidents().list().page_size(page_size).stream()
    }

    async fn page(client: &Client, request: ListRequest) -> Result<(u64, Vec<Self>)> {
        let page = request.apply(client.incidents().list()).send().await?;
        Ok((u64::try_from(page.total)?, page.values))
    }

    async fn deleted(client: &Client, since: Timestamp) -> Result<BTreeSet<i32>> {
        let filter = format!("lastModified gt {since}");
        let page = client.incidents().trash().filter(filter).await?;
        Ok(page.values.iter().map(|incident| incident.id).collect())
    }

    fn watermark(&self) -> Watermark {
        Watermark {
            stamp: self.last_modified,
            id: self.id,
        }
    }

    fn group(state: &State) -> TableGroup {
        schema::incidents(state)
    }

    fn register_fields(records: &[Self], state: &mut State) -> bool {
        let unknown =
            |incident: &&IncidentV1| !state.custom_fields.contains_all(&incident.custom_fields);
        if !records.iter().any(|incident| unknown(&incident)) {
            return false;
        }
        let fields = records.iter().flat_map(|incident| &incident.custom_fields);
        let fields = fields.map(|field| (field.id, field.label.clone()));
        state
            .custom_fields
            .register(fields, &schema::incident_column_names())
    }

    fn rows(records: &[Self], state: &State) -> GroupRows {
        let mut all = GroupRows(vec![Vec::new(); 5]);
        for incident in records {
            let mut main = to_row(None, scalars::<IncidentV1>(), incident);
            let fields = state.custom_fields.values(&incident.custom_fields);
            main.extend(fields.map(super::row::CellValue::text));
            let owner = Some(incident.id);
            let [incidents, consequences, categories, causes, fields] = &mut all.0[..] else {
                unreachable!("made above")
            };
            incidents.push(main);
            consequences.extend(
                incident
                    .consequences
                    .iter()
                    .map(|part| to_row(owner, IncidentConsequence::columns(), part)),
            );
            categories.extend(
                incident
                    .categories
                    .iter()
                    .map(|part| to_row(owner, CategoryReference::columns(), part)),
            );
            causes.extend(
                incident
                    .causes
                    .iter()
                    .map(|part| to_row(owner, CauseReference::columns(), part)),
            );
            fields.extend(
                incident
                    .custom_fields
                    .iter()
                    .map(|part| to_row(owner, IncidentCustomField::columns(), part)),
            );
        }
        all
    }

    fn mark_dependents_stale(state: &mut State, ids: &BTreeSet<i32>) {
        state.mark_comments_stale(ids);
    }

    fn mark_all_dependents_stale(state: &mut State) {
        state.stale_comments = None;
    }
}

impl Stamped for Improvement {
    const NAME: &'static str = "improvements";

    fn all(client: &Client, page_size: i32) -> Paged<Self> {
        client.improvements().list().page_size(page_size).stream()
    }

    async fn page(client: &Client, request: ListRequest) -> Result<(u64, Vec<Self>)> {
        let page = request.apply(client.improvements().list()).send().await?;
        Ok((u64::try_from(page.total)?, page.values))
    }

    async fn deleted(_: &Client, _: Timestamp) -> Result<BTreeSet<i32>> {
        // Improvements have no trash.
        Ok(BTreeSet::new())
    }

    fn watermark(&self) -> Watermark {
        Watermark {
            stamp: self.last_modified,
            id: self.id,
        }
    }

    fn group(_: &State) -> TableGroup {
        schema::improvements()
    }

    fn register_fields(_: &[Self], _: &mut State) -> bool {
        false
    }

    fn rows(records: &[Self], _: &State) -> GroupRows {
        let row = |improvement| to_row(None, Improvement::columns(), improvement);
        GroupRows(vec![records.iter().map(row).collect()])
    }
}
