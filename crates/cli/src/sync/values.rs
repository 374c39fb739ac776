//! Values of datasources: copies values registered since the last run, and months whose number of values
//! differs.
//!
//! Every change gives a value a later registration date, and no value becomes visible with an earlier one
//! than a value that was visible before. So the copy has all values up to its watermark, and perhaps some
//! deleted ones. If the service's newest value is not past the watermark and both have the same number of
//! values, they are equal. The request for the newest value is conditional on the tag of its last answer, so
//! an unchanged datasource costs little. If values are missing, the copy may have lost whole months: the
//! periods between those that it has are compared too.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use anyhow::Result;
use obeya::model::bounds::operations::list_datasource_values_v1::page_size;
use obeya::model::{DatasourceValue, DatasourceValuePage, Timestamp};
use obeya::tables::Tabular as _;
use obeya::{Client, Tag, Values};

use super::Dataset;
use super::context::SyncContext;
use super::month::Month;
use super::records::MAX_ROUNDS;
use super::report::TableReport;
use super::row::{GroupRows, TableGroup, TableRow, to_row};
use super::schema;
use super::state::{NewestValue, Series, Watermark};
use super::target::{Counts, Scope};

/// The default number of values per page, the maximum of the interface.
const PAGE_SIZE: i32 = *page_size::RANGE.end();

/// How many pages are requested before they are written.
const PREFETCHED_PAGES: usize = 2;

/// Copies the values of the selected datasources.
pub(super) async fn sync(context: &mut SyncContext<'_>) -> Result<()> {
    if !context.args.wants(Dataset::Values) {
        if context.args.wants(Dataset::Datasources) {
            let done = super::lists::datasources(context).await;
            return done
                .map(drop)
                .or_else(|error| context.record_outcome("datasources", Err(error)));
        }
        return Ok(());
    }
    let wanted = match &context.args.datasource[..] {
        [] => match super::lists::datasources(context).await {
            Ok(ids) => ids,
            Err(error) => return context.record_outcome("values", Err(error)),
        },
        ids => ids.iter().copied().collect(),
    };
    let mut all = TableReport {
        is_exact: true,
        ..TableReport::default()
    };
    if context.args.datasource.is_empty() {
        let known: Vec<i32> = context.state.values.keys().copied().collect();
        for datasource in known.into_iter().filter(|id| !wanted.contains(id)) {
            all.counts.deleted += remove_datasource(context, datasource)?;
        }
    }
    for datasource in wanted {
        match sync_datasource(context, datasource).await {
            Ok(line) => {
                all.rows += line.rows;
                all.counts += line.counts;
                all.is_exact &= line.is_exact;
            }
            Err(error) => return context.record_outcome("values", Err(error)),
        }
    }
    context.record_outcome("values", Ok(all))
}

fn remove_datasource(context: &mut SyncContext<'_>, datasource: i32) -> Result<u64> {
    context.state.values.remove(&datasource);
    let group = schema::values();
    tokio::task::block_in_place(|| {
        context
            .target
            .delete_values(&group, datasource, &context.state)
    })
}

async fn sync_datasource(context: &mut SyncContext<'_>, datasource: i32) -> Result<TableReport> {
    let mut sync = ValueSync {
        group: schema::values(),
        values: context
            .client
            .datasources()
            .values(datasource)
            .page_size(context.page_size(PAGE_SIZE))
            .prefetch(PREFETCHED_PAGES),
        datasource,
        counts: Counts::default(),
        context,
    };
    sync.prepare().await?;
    sync.read_all_months().await?;
    let (rows, is_exact) = sync.converge().await?;
    Ok(TableReport {
        rows,
        counts: sync.counts,
        is_exact,
    })
}

struct ValueSync<'a, 'b> {
    context: &'a mut SyncContext<'b>,
    group: TableGroup,
    datasource: i32,
    /// The request for all values of the datasource.
    values: Values,
    counts: Counts,
}

impl ValueSync<'_, '_> {
    fn series(&mut self) -> &mut Series {
        self.context
            .state
            .values
            .entry(self.datasource)
            .or_insert(Series {
                watermark: Watermark::START,
                next_month: Some(Month::FIRST),
                newest: None,
            })
    }

    /// Sets the watermark before anything is read, so that changes meanwhile are found by the next request.
    async fn prepare(&mut self) -> Result<()> {
        let is_known = self.context.state.values.contains_key(&self.datasource);
        if is_known && !self.context.args.full {
            return Ok(());
        }
        let newest = self.newest(None).await?;
        *self.series() = Series {
            watermark: newest.last,
            next_month: Some(Month::FIRST),
            newest: Some(newest),
        };
        tokio::task::block_in_place(|| self.context.target.save(&self.context.state))
    }

    /// The number of values, and the watermark of the last registration.
    async fn latest(&mut self) -> Result<(u64, Watermark)> {
        let known = self.series().newest.clone();
        let newest = self.newest(known).await?;
        let latest = (newest.count, newest.last);
        self.series().newest = Some(newest);
        Ok(latest)
    }

    /// Asks the service for both, conditional on the tag of the known answer.
    async fn newest(&self, known: Option<NewestValue>) -> Result<NewestValue> {
        let datasource = self.datasource;
        let request = |client: Client| async move {
            let newest = client.datasources().values(datasource);
            let newest = newest.orderby("registrationDate desc,id desc");
            newest.page_size(1).page(1).await
        };
        let tag = known.as_ref().and_then(|known| known.tag.as_deref());
        let tag = tag.map(Tag::new);
        let found = self
            .context
            .client
            .tagged_unless(tag.as_ref(), request)
            .await?;
        match (found, known) {
            (Some(found), _) => Ok(NewestValue {
                count: u64::try_from(found.value.count)?,
                last: found
                    .value
                    .values
                    .first()
                    .map_or(Watermark::START, watermark_of),
                tag: found.tag.map(|tag| tag.to_string()),
            }),
            (None, Some(known)) => Ok(known),
            (None, None) => unreachable!("an unconditional request has an answer"),
        }
    }

    /// Reads all values for the first time, month by month.
    async fn read_all_months(&mut self) -> Result<()> {
        let Some(begin) = self.series().next_month else {
            return Ok(());
        };
        let copied = self.months()?;
        let mut left: BTreeSet<Month> =
            copied.into_keys().filter(|month| *month >= begin).collect();
        let page_size = self.context.page_size(PAGE_SIZE);
        let mut pages = values_between(self.values.clone(), begin.before(), None).pages();
        let mut open: Option<MonthReader> = None;
        while let Some(page) = pages.next().await {
            for value in page?.values {
                let month = Month::of(value.value_date);
                if open.as_ref().is_none_or(|open| open.month != month) {
                    self.close(open.take())?;
                    left.remove(&month);
                    self.context
                        .begin(Scope::Month(&self.group, self.datasource, month))?;
                    open = Some(MonthReader::new(month, page_size));
                }
                let Some(open) = &mut open else { continue };
                if let Some(rows) = open.take(&value) {
                    self.context.push(rows)?;
                }
            }
        }
        self.close(open)?;
        // Months that the copy has from an earlier run and that are empty now.
        for month in left {
            self.context
                .begin(Scope::Month(&self.group, self.datasource, month))?;
            self.counts += self.context.finish()?;
        }
        self.series().next_month = None;
        tokio::task::block_in_place(|| self.context.target.save(&self.context.state))
    }

    fn close(&mut self, open: Option<MonthReader>) -> Result<()> {
        let Some(open) = open else { return Ok(()) };
        self.context.push(open.remaining())?;
        self.series().next_month = open.month.next();
        self.counts += self.context.finish()?;
        Ok(())
    }

    /// Copies changes and removes deleted values until nothing differs. Returns how many values the copy has,
    /// and whether it is exact.
    async fn converge(&mut self) -> Result<(u64, bool)> {
        let mut rows = 0;
        for round in 1..=MAX_ROUNDS {
            let (mut count, mut last) = self.latest().await?;
            if last > self.series().watermark {
                self.apply_changes().await?;
                // Ask again, so that count and watermark belong together.
                (count, last) = self.latest().await?;
            }
            let copied = tokio::task::block_in_place(|| {
                self.context.target.count(&self.group, self.datasource)
            })?;
            rows = copied.unwrap_or(rows);
            if last <= self.series().watermark && copied == Some(count) {
                return Ok((rows, true));
            }
            // There are more changes: copy them first. The last round compares months anyway, since deleted
            // values are found in no other way.
            if last > self.series().watermark && round < MAX_ROUNDS {
                continue;
            }
            let months = self.months()?;
            let mut stale = self.differing_months(&months).await?;
            if copied.is_some_and(|copied| copied < count) {
                stale.extend(self.missing_months(&months).await?);
            }
            self.reread_months(&stale).await?;
            tokio::task::block_in_place(|| self.context.target.save(&self.context.state))?;
        }
        Ok((rows, false))
    }

    /// Copies the values registered since the watermark.
    async fn apply_changes(&mut self) -> Result<()> {
        let mut stale = BTreeSet::new();
        let mut watermark = self.series().watermark;
        loop {
            let (stamp, id) = (watermark.stamp, watermark.id);
            let filter = match watermark {
                Watermark::START => None,
                _ => Some(format!(
                    "registrationDate gt {stamp} or (registrationDate eq {stamp} and id gt {id})"
                )),
            };
            let mut changed = self.values.clone().orderby("registrationDate,id");
            if let Some(filter) = filter {
                changed = changed.filter(filter);
            }
            let page = changed.page(1).await?;
            let Some(end) = page.values.last() else { break };
            watermark = watermark_of(end);
            let rows: Vec<TableRow> = page
                .values
                .iter()
                .map(|value| to_row(None, DatasourceValue::columns(), value))
                .collect();
            let before = std::mem::replace(&mut self.series().watermark, watermark);
            match self
                .context
                .put_values(&self.group, self.datasource, &rows)?
            {
                Some(counts) => self.counts += counts,
                None => {
                    // These values are not in the copy yet, so the watermark must not move.
                    self.series().watermark = before;
                    stale.extend(page.values.iter().map(|value| Month::of(value.value_date)));
                }
            }
            if is_last(&page) {
                break;
            }
        }
        self.reread_months(&stale).await?;
        self.series().watermark = watermark;
        tokio::task::block_in_place(|| self.context.target.save(&self.context.state))
    }

    /// The months whose number of values differs from the service's.
    async fn differing_months(
        &self,
        months: &BTreeMap<Month, Option<u64>>,
    ) -> Result<BTreeSet<Month>> {
        let mut differing = BTreeSet::new();
        for (month, copied) in months {
            let page = values_of_month(self.values.clone(), *month)
                .page_size(1)
                .page(1);
            if *copied != u64::try_from(page.await?.count).ok() {
                differing.insert(*month);
            }
        }
        Ok(differing)
    }

    /// The months in which the service has values and the copy has none.
    async fn missing_months(
        &self,
        months: &BTreeMap<Month, Option<u64>>,
    ) -> Result<BTreeSet<Month>> {
        let mut missing = BTreeSet::new();
        for (first, end) in Month::gaps(months.keys().copied()) {
            let end = end.map(Month::start);
            let mut begin = Some(first);
            while let Some(month) = begin {
                let rest = values_between(self.values.clone(), month.before(), end);
                let page = rest.page_size(1).page(1).await?;
                let earliest = page.values.first();
                let found = earliest.map(|value| Month::of(value.value_date));
                missing.extend(found);
                begin = found.and_then(Month::next);
            }
        }
        Ok(missing)
    }

    async fn reread_months(&mut self, months: &BTreeSet<Month>) -> Result<()> {
        if !months.is_empty() {
            tokio::task::block_in_place(|| {
                self.context
                    .target
                    .mark_months_stale(self.datasource, months)
            })?;
        }
        for month in months {
            self.reread_month(*month).await?;
        }
        Ok(())
    }

    /// Reads a month and replaces it in the copy.
    async fn reread_month(&mut self, month: Month) -> Result<()> {
        self.context
            .begin(Scope::Month(&self.group, self.datasource, month))?;
        let mut pages = values_of_month(self.values.clone(), month).pages();
        let mut open = MonthReader::new(month, self.context.page_size(PAGE_SIZE));
        while let Some(page) = pages.next().await {
            for value in page?.values {
                if let Some(rows) = open.take(&value) {
                    self.context.push(rows)?;
                }
            }
        }
        self.context.push(open.remaining())?;
        self.counts += self.context.finish()?;
        Ok(())
    }

    fn months(&mut self) -> Result<BTreeMap<Month, Option<u64>>> {
        tokio::task::block_in_place(|| self.context.target.months(&self.group, self.datasource))
    }
}

/// Collects the values of the month that is being read.
struct MonthReader {
    month: Month,
    /// A value that is moved to a later date while its month is read is met twice.
    ids: HashSet<i32>,
    rows: Vec<TableRow>,
    /// The number of rows in a batch.
    batch: usize,
}

impl MonthReader {
    fn new(month: Month, page_size: i32) -> Self {
        MonthReader {
            month,
            batch: page_size as usize,
            ids: HashSet::new(),
            rows: Vec::new(),
        }
    }

    /// Adds a value; returns a batch of rows when it is full.
    fn take(&mut self, value: &DatasourceValue) -> Option<GroupRows> {
        if self.ids.insert(value.id) {
            self.rows
                .push(to_row(None, DatasourceValue::columns(), value));
        }
        let is_enough = self.rows.len() >= self.batch;
        is_enough.then(|| GroupRows(vec![std::mem::take(&mut self.rows)]))
    }

    fn remaining(&self) -> GroupRows {
        GroupRows(vec![self.rows.clone()])
    }
}

fn watermark_of(value: &DatasourceValue) -> Watermark {
    Watermark {
        stamp: value.registration_date,
        id: value.id,
    }
}

fn values_of_month(values: Values, month: Month) -> Values {
    values_between(values, month.before(), month.after())
}

fn values_between(values: Values, from: Option<Timestamp>, to: Option<Timestamp>) -> Values {
    let values = match from {
        Some(from) => values.from(from),
        None => values,
    };
    match to {
        Some(to) => values.to(to),
        None => values,
    }
}

fn is_last(page: &DatasourceValuePage) -> bool {
    page.values.len() < usize::try_from(page.page_size).unwrap_or(usize::MAX)
}
