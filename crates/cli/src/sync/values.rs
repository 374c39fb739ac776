//! Values of datasources: what was registered since the last run, and months that have another number of
//! values than the copy.
//!
//! A value is registered anew with every change, and none comes into sight with an earlier registration than
//! any that was seen. So the copy has all values up to its mark, and perhaps more; when the newest value of
//! the service is not beyond the mark and both have as many, they are the same. A service that gives tags is
//! asked for the newest value by the tag of its last answer, and reads nothing where nothing changed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use anyhow::Result;
use obeya::model::{DatasourceValue, DatasourceValuePage, Timestamp};
use obeya::tables::Tabular as _;
use obeya::{Client, Tag, Values};
use tokio::sync::mpsc;

use super::What;
use super::context::SyncContext;
use super::month::Month;
use super::records::ROUNDS;
use super::report::Line;
use super::row::{Group, Row, Rows, row};
use super::schema;
use super::state::{Mark, Newest, Series};
use super::target::{Counts, Scope};

/// Values to a page where nobody asks for another number: what the interface allows.
const PAGE: i32 = 10_000;

/// Pages that are read ahead of what is written.
const AHEAD: usize = 2;

/// Values of all datasources that are wanted.
pub(super) async fn sync(context: &mut SyncContext<'_>) -> Result<()> {
    if !context.args.wants(What::Values) {
        if context.args.wants(What::Datasources) {
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
    let mut all = Line {
        is_exact: true,
        ..Line::default()
    };
    if context.args.datasource.is_empty() {
        let known: Vec<i32> = context.state.values.keys().copied().collect();
        for datasource in known.into_iter().filter(|id| !wanted.contains(id)) {
            all.counts.deleted += drop_values(context, datasource)?;
        }
    }
    for datasource in wanted {
        match one(context, datasource).await {
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

fn drop_values(context: &mut SyncContext<'_>, datasource: i32) -> Result<u64> {
    context.state.values.remove(&datasource);
    let group = schema::values();
    tokio::task::block_in_place(|| {
        context
            .target
            .drop_values(&group, datasource, &context.state)
    })
}

async fn one(context: &mut SyncContext<'_>, datasource: i32) -> Result<Line> {
    let mut work = Work {
        group: schema::values(),
        values: context
            .client
            .datasources()
            .values(datasource)
            .page_size(context.page_size(PAGE)),
        datasource,
        counts: Counts::default(),
        context,
    };
    work.prepare().await?;
    work.walk().await?;
    let (rows, is_exact) = work.follow().await?;
    Ok(Line {
        rows,
        counts: work.counts,
        is_exact,
    })
}

struct Work<'a, 'b> {
    context: &'a mut SyncContext<'b>,
    group: Group,
    datasource: i32,
    /// The request for all of them.
    values: Values,
    counts: Counts,
}

impl Work<'_, '_> {
    fn series(&mut self) -> &mut Series {
        self.context
            .state
            .values
            .entry(self.datasource)
            .or_insert(Series {
                mark: Mark::START,
                walk: Some(Month::FIRST),
                newest: None,
            })
    }

    /// The mark is noted before anything is read, so that what changes meanwhile is seen as a change.
    async fn prepare(&mut self) -> Result<()> {
        let is_known = self.context.state.values.contains_key(&self.datasource);
        if is_known && !self.context.args.full {
            return Ok(());
        }
        let newest = self.newest(None).await?;
        *self.series() = Series {
            mark: newest.last,
            walk: Some(Month::FIRST),
            newest: Some(newest),
        };
        tokio::task::block_in_place(|| self.context.target.save(&self.context.state))
    }

    /// How many values there are, and the last of them in the order of registration.
    async fn latest(&mut self) -> Result<(u64, Mark)> {
        let kept = self.series().newest.clone();
        let newest = self.newest(kept).await?;
        let latest = (newest.count, newest.last);
        self.series().newest = Some(newest);
        Ok(latest)
    }

    /// The same from the service, which looks for it only if it is no longer what is known.
    async fn newest(&self, known: Option<Newest>) -> Result<Newest> {
        let datasource = self.datasource;
        let ask = |client: Client| async move {
            let newest = client.datasources().values(datasource);
            let newest = newest.orderby("registrationDate desc,id desc");
            newest.page_size(1).page(1).await
        };
        let tag = known.as_ref().and_then(|known| known.tag.as_deref());
        let tag = tag.map(Tag::new);
        let found = self.context.client.tagged_unless(tag.as_ref(), ask).await?;
        match (found, known) {
            (Some(found), _) => Ok(Newest {
                count: u64::try_from(found.value.count)?,
                last: found.value.values.first().map_or(Mark::START, mark),
                tag: found.tag.map(|tag| tag.to_string()),
            }),
            (None, Some(known)) => Ok(known),
            (None, None) => unreachable!("without a tag there is an answer"),
        }
    }

    /// Reads all values that were not yet read, month by month.
    async fn walk(&mut self) -> Result<()> {
        let Some(begin) = self.series().walk else {
            return Ok(());
        };
        let there = self.months()?;
        let mut left: BTreeSet<Month> = there.into_keys().filter(|month| *month >= begin).collect();
        let mut pages = read(self.values.clone(), begin.before(), None);
        let mut open: Option<OpenMonth> = None;
        while let Some(page) = pages.recv().await {
            for value in page? {
                let month = Month::of(value.value_date);
                if open.as_ref().is_none_or(|open| open.month != month) {
                    self.close(open.take())?;
                    left.remove(&month);
                    self.context
                        .begin(Scope::Month(&self.group, self.datasource, month))?;
                    open = Some(OpenMonth::new(month));
                }
                let Some(open) = &mut open else { continue };
                if let Some(rows) = open.take(&value) {
                    self.context.push(rows)?;
                }
            }
        }
        self.close(open)?;
        // Of a run before this one, or of one that was ended in the middle of a month that is empty by now.
        for month in left {
            self.context
                .begin(Scope::Month(&self.group, self.datasource, month))?;
            self.counts += self.context.finish()?;
        }
        self.series().walk = None;
        tokio::task::block_in_place(|| self.context.target.save(&self.context.state))
    }

    fn close(&mut self, open: Option<OpenMonth>) -> Result<()> {
        let Some(open) = open else { return Ok(()) };
        self.context.push(open.rest())?;
        self.series().walk = open.month.next();
        self.counts += self.context.finish()?;
        Ok(())
    }

    /// Takes over what changed, and what is gone, until nothing differs. Gives how many values the copy has.
    async fn follow(&mut self) -> Result<(u64, bool)> {
        let mut rows = 0;
        for round in 1..=ROUNDS {
            let (mut count, mut last) = self.latest().await?;
            if last > self.series().mark {
                self.changes().await?;
                // Only now is the count of what the mark says.
                (count, last) = self.latest().await?;
            }
            let there = tokio::task::block_in_place(|| {
                self.context.target.count(&self.group, self.datasource)
            })?;
            rows = there.unwrap_or(rows);
            if last <= self.series().mark && there == Some(count) {
                return Ok((rows, true));
            }
            // More has changed: that first. The last round counts nevertheless, since what is gone is found
            // in no other way.
            if last > self.series().mark && round < ROUNDS {
                continue;
            }
            let months = self.months()?;
            self.recount(&months).await?;
            tokio::task::block_in_place(|| self.context.target.save(&self.context.state))?;
        }
        Ok((rows, false))
    }

    /// Values registered since the mark.
    async fn changes(&mut self) -> Result<()> {
        let mut stale = BTreeSet::new();
        let mut mark = self.series().mark;
        loop {
            let (stamp, id) = (mark.stamp, mark.id);
            let filter = match mark {
                Mark::START => None,
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
            mark = self::mark(end);
            let rows: Vec<Row> = page
                .values
                .iter()
                .map(|value| row(None, DatasourceValue::columns(), value))
                .collect();
            let before = std::mem::replace(&mut self.series().mark, mark);
            match self
                .context
                .put_values(&self.group, self.datasource, &rows)?
            {
                Some(counts) => self.counts += counts,
                None => {
                    // Not in the copy yet, so the mark may not be kept.
                    self.series().mark = before;
                    stale.extend(page.values.iter().map(|value| Month::of(value.value_date)));
                }
            }
            if is_last(&page) {
                break;
            }
        }
        self.renew(&stale).await?;
        self.series().mark = mark;
        tokio::task::block_in_place(|| self.context.target.save(&self.context.state))
    }

    /// Reads the months anew of which the service has another number of values.
    async fn recount(&mut self, months: &BTreeMap<Month, Option<u64>>) -> Result<()> {
        let mut stale = BTreeSet::new();
        for (month, there) in months {
            let page = within(self.values.clone(), *month).page_size(1).page(1);
            if *there != u64::try_from(page.await?.count).ok() {
                stale.insert(*month);
            }
        }
        self.renew(&stale).await
    }

    async fn renew(&mut self, months: &BTreeSet<Month>) -> Result<()> {
        if !months.is_empty() {
            tokio::task::block_in_place(|| self.context.target.renew(self.datasource, months))?;
        }
        for month in months {
            self.month(*month).await?;
        }
        Ok(())
    }

    /// Reads a month and puts it in the place of what the copy has of it.
    async fn month(&mut self, month: Month) -> Result<()> {
        self.context
            .begin(Scope::Month(&self.group, self.datasource, month))?;
        let mut pages = read(self.values.clone(), month.before(), month.after());
        let mut open = OpenMonth::new(month);
        while let Some(page) = pages.recv().await {
            for value in page? {
                if let Some(rows) = open.take(&value) {
                    self.context.push(rows)?;
                }
            }
        }
        self.context.push(open.rest())?;
        self.counts += self.context.finish()?;
        Ok(())
    }

    fn months(&mut self) -> Result<BTreeMap<Month, Option<u64>>> {
        tokio::task::block_in_place(|| self.context.target.months(&self.group, self.datasource))
    }
}

/// A month that is being read.
struct OpenMonth {
    month: Month,
    /// A value that is moved ahead while its month is read is met twice there.
    ids: HashSet<i32>,
    rows: Vec<Row>,
}

impl OpenMonth {
    fn new(month: Month) -> Self {
        OpenMonth {
            month,
            ids: HashSet::new(),
            rows: Vec::new(),
        }
    }

    /// Takes a value along; gives rows when there are enough.
    fn take(&mut self, value: &DatasourceValue) -> Option<Rows> {
        if self.ids.insert(value.id) {
            self.rows.push(row(None, DatasourceValue::columns(), value));
        }
        let is_enough = self.rows.len() >= PAGE as usize;
        is_enough.then(|| Rows(vec![std::mem::take(&mut self.rows)]))
    }

    fn rest(&self) -> Rows {
        Rows(vec![self.rows.clone()])
    }
}

fn mark(value: &DatasourceValue) -> Mark {
    Mark {
        stamp: value.registration_date,
        id: value.id,
    }
}

fn within(values: Values, month: Month) -> Values {
    between(values, month.before(), month.after())
}

fn between(values: Values, from: Option<Timestamp>, to: Option<Timestamp>) -> Values {
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

/// Reads values between two instants in the order of their dates, ahead of whoever takes them.
///
/// A page begins where the one before ended, by date and id and not by its number: what comes and goes
/// meanwhile makes no other value be left out.
fn read(
    values: Values,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
) -> mpsc::Receiver<obeya::Result<Vec<DatasourceValue>>> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        let mut place = Place { from, last: None };
        loop {
            let page = place.next(&values, to).await;
            let is_end = match &page {
                Ok((_, is_last)) => *is_last,
                Err(_) => true,
            };
            // Nobody there any more: then nothing more is wanted.
            if sender.send(page.map(|(values, _)| values)).await.is_err() || is_end {
                return;
            }
        }
    });
    receiver
}

/// Where reading is.
struct Place {
    from: Option<Timestamp>,
    last: Option<(Timestamp, i32)>,
}

impl Place {
    /// The next values, and whether they are the last.
    async fn next(
        &mut self,
        values: &Values,
        to: Option<Timestamp>,
    ) -> obeya::Result<(Vec<DatasourceValue>, bool)> {
        let mut page = between(values.clone(), self.from, to).page(1).await?;
        let mut is_last = is_last(&page);
        if let Some(last) = self.last {
            page.values
                .retain(|value| (value.value_date, value.id) > last);
            if page.values.is_empty() && !is_last {
                // More values of one instant than fit on a page: only here the number of those to come is
                // counted by their ids.
                let (date, id) = last;
                let rest = between(values.clone(), self.from, to);
                let rest = rest.filter(format!("valueDate gt {date} or id gt {id}"));
                page = rest.page(1).await?;
                is_last = self::is_last(&page);
            }
        }
        if let Some(end) = page.values.last() {
            self.last = Some((end.value_date, end.id));
            // Excluded itself, so that others of the same instant come once more.
            self.from = Timestamp::from_ticks(end.value_date.ticks() - 1);
        }
        Ok((page.values, is_last))
    }
}
