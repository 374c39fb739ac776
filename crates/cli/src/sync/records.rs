//! Incidents and improvements: what changed since the last run, by their stamps, and what is gone.
//!
//! A record gets a new stamp with every change, and none comes into sight with an earlier one than any that
//! was seen (`docs/sync.md`). So the copy has all that the service has up to its mark, and perhaps more; when
//! the newest record of the service is not beyond the mark and both have as many, they are the same.

use std::collections::{BTreeSet, HashSet};
use std::future::Future;

use anyhow::{Result, bail};
use obeya::Client;
use obeya::model::{
    CategoryReference, CauseReference, Improvement, Incident, IncidentConsequence,
    IncidentCustomField, Timestamp,
};
use obeya::tables::{Tabular as _, scalars};

use super::context::SyncContext;
use super::report::Line;
use super::row::{Group, Rows, row};
use super::schema;
use super::state::{Mark, State};
use super::target::{Counts, Scope};

/// How often what changed meanwhile is asked for before a run says that it was not exact.
pub(super) const ROUNDS: usize = 5;

/// Records to a page where nobody asks for another number: some megabytes.
const PAGE: i32 = 2_000;

/// A range of this many ids is read and not halved any more.
const RANGE: usize = 1_000;

/// What is asked of a list.
#[derive(Default)]
pub(super) struct Ask {
    after: Option<Timestamp>,
    filter: Option<String>,
    orderby: Option<&'static str>,
    size: i32,
}

impl Ask {
    fn of<T: obeya::Record>(self, list: obeya::Records<T>) -> obeya::Records<T> {
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

/// A kind of record that is known by its stamps.
pub(super) trait Stamped: Sized + Send + 'static {
    const NAME: &'static str;

    /// How many there are, and some of them.
    fn page(client: &Client, ask: Ask) -> impl Future<Output = Result<(u64, Vec<Self>)>> + Send;

    /// Ids of records deleted since, as far as the service tells.
    fn deleted(
        client: &Client,
        since: Timestamp,
    ) -> impl Future<Output = Result<BTreeSet<i32>>> + Send;

    fn mark(&self) -> Mark;

    fn group(state: &State) -> Group;

    /// Takes note of the columns that these need; tells whether one was new.
    fn learn(records: &[Self], state: &mut State) -> bool;

    /// Their rows in the tables of the group.
    fn rows(records: &[Self], state: &State) -> Rows;

    /// Takes note of records that change in the copy or leave it, for whatever hangs on them.
    fn touch(_state: &mut State, _ids: &BTreeSet<i32>) {}

    /// Takes note that all are read and nobody knows which of them changed.
    fn touch_all(_state: &mut State) {}
}

/// Brings a kind of record up to date. `since`, where it is given, is the mark to go on from after everything
/// was read; what hangs on the records was then read after it.
pub(super) async fn sync<T: Stamped>(
    context: &mut SyncContext<'_>,
    anew: bool,
    since: Option<Mark>,
) -> Result<Line> {
    let mut work = Work::<T>::begin(context)?;
    if anew || !work.context.state.records.contains_key(T::NAME) {
        let since = match since {
            Some(since) => since,
            None => {
                T::touch_all(&mut work.context.state);
                latest::<T>(work.context.client).await?.1
            }
        };
        work.everything(since).await?;
    }
    let mut is_exact = false;
    for _ in 0..ROUNDS {
        work.changes().await?;
        is_exact = work.settle().await?;
        if is_exact {
            break;
        }
    }
    Ok(Line {
        rows: work.ids.len() as u64,
        counts: work.counts,
        is_exact,
    })
}

/// How many records there are, and the last of them in the order of changes.
pub(super) async fn latest<T: Stamped>(client: &Client) -> Result<(u64, Mark)> {
    let ask = Ask {
        orderby: Some("lastModified desc,id desc"),
        size: 1,
        ..Ask::default()
    };
    let (total, records) = T::page(client, ask).await?;
    match &records[..] {
        [] => Ok((total, Mark::START)),
        [last] => Ok((total, last.mark())),
        more => bail!(
            "the service answered {} {} where one was asked for: it does not page this list, and a copy of it cannot be kept",
            more.len(),
            T::NAME
        ),
    }
}

struct Work<'a, 'b, T> {
    context: &'a mut SyncContext<'b>,
    /// What the copy has.
    ids: BTreeSet<i32>,
    counts: Counts,
    changed: HashSet<i32>,
    kind: std::marker::PhantomData<T>,
}

impl<'a, 'b, T: Stamped> Work<'a, 'b, T> {
    fn begin(context: &'a mut SyncContext<'b>) -> Result<Self> {
        let group = T::group(&context.state);
        let ids = tokio::task::block_in_place(|| context.target.ids(&group))?;
        Ok(Work {
            context,
            ids: ids.into_iter().collect(),
            counts: Counts::default(),
            changed: HashSet::new(),
            kind: std::marker::PhantomData,
        })
    }

    fn mark(&self) -> Mark {
        let mark = self.context.state.records.get(T::NAME);
        mark.copied().unwrap_or(Mark::START)
    }

    /// Reads all records in the order of their ids, and puts them in the place of what there was.
    async fn everything(&mut self, since: Mark) -> Result<()> {
        while !self.walk(since).await? {
            // A field was seen that has no column yet: once more, with one.
        }
        Ok(())
    }

    /// Tells whether it came to the end.
    async fn walk(&mut self, since: Mark) -> Result<bool> {
        let group = T::group(&self.context.state);
        self.context.begin(Scope::All(&group))?;
        let mut ids = BTreeSet::new();
        let mut last = i32::MIN;
        loop {
            let ask = Ask {
                filter: Some(format!("id gt {last}")),
                orderby: Some("id"),
                size: self.context.page_size(PAGE),
                ..Ask::default()
            };
            let (left, records) = T::page(self.context.client, ask).await?;
            if T::learn(&records, &mut self.context.state) {
                tokio::task::block_in_place(|| self.context.target.abandon())?;
                return Ok(false);
            }
            let Some(end) = records.last() else {
                break;
            };
            last = end.mark().id;
            ids.extend(records.iter().map(|record| record.mark().id));
            let rows = T::rows(&records, &self.context.state);
            self.context.push(rows)?;
            if left <= records.len() as u64 {
                break;
            }
        }
        self.context.state.records.insert(T::NAME.to_owned(), since);
        self.counts = self.context.finish()?;
        self.ids = ids;
        Ok(true)
    }

    /// Takes over what changed since the mark.
    async fn changes(&mut self) -> Result<()> {
        loop {
            let mark = self.mark();
            let ask = Ask {
                after: Timestamp::from_ticks(mark.stamp.ticks() - 1),
                filter: (mark != Mark::START)
                    .then(|| format!("lastModified gt {} or id gt {}", mark.stamp, mark.id)),
                orderby: Some("lastModified,id"),
                size: self.context.page_size(PAGE),
            };
            let (left, records) = T::page(self.context.client, ask).await?;
            let Some(end) = records.last() else {
                return Ok(());
            };
            let end = end.mark();
            T::learn(&records, &mut self.context.state);
            let ids: BTreeSet<i32> = records.iter().map(|record| record.mark().id).collect();
            for id in &ids {
                if self.ids.insert(*id) {
                    self.counts.added += 1;
                } else if self.changed.insert(*id) {
                    self.counts.changed += 1;
                }
            }
            T::touch(&mut self.context.state, &ids);
            let group = T::group(&self.context.state);
            let rows = T::rows(&records, &self.context.state);
            self.context.state.records.insert(T::NAME.to_owned(), end);
            self.context.exchange(&group, 0, &ids, rows)?;
            if left <= records.len() as u64 {
                return Ok(());
            }
        }
    }

    /// Removes what the service has no longer. Tells whether the copy then was exact.
    async fn settle(&mut self) -> Result<bool> {
        let mark = self.mark();
        let is_exact = |(total, last): (u64, Mark), ids: &BTreeSet<i32>| {
            (last <= mark, total == ids.len() as u64)
        };
        let found = latest::<T>(self.context.client).await?;
        match is_exact(found, &self.ids) {
            (true, true) => return self.settled(),
            (true, false) => {}
            // More has changed: that first.
            (false, _) => return Ok(false),
        }
        let since = self.context.state.settled.get(T::NAME).copied();
        if let Some(since) = since {
            let deleted = T::deleted(self.context.client, since.stamp).await?;
            self.remove(deleted)?;
            let found = latest::<T>(self.context.client).await?;
            if is_exact(found, &self.ids) == (true, true) {
                return self.settled();
            }
        }
        let gone = self.search().await?;
        self.remove(gone)?;
        let found = latest::<T>(self.context.client).await?;
        if is_exact(found, &self.ids) == (true, true) {
            return self.settled();
        }
        Ok(false)
    }

    /// Everything that was deleted up to here is known.
    fn settled(&mut self) -> Result<bool> {
        let mark = self.mark();
        let before = self.context.state.settled.insert(T::NAME.to_owned(), mark);
        if before != Some(mark) {
            tokio::task::block_in_place(|| self.context.target.save(&self.context.state))?;
        }
        Ok(true)
    }

    /// Finds what is gone by counting: a range of ids in which the service has as many as the copy has lost
    /// nothing.
    async fn search(&self) -> Result<BTreeSet<i32>> {
        let ids: Vec<i32> = self.ids.iter().copied().collect();
        let mut gone = BTreeSet::new();
        let mut ranges = Vec::from([(0, ids.len())]);
        while let Some((begin, end)) = ranges.pop() {
            let range = &ids[begin..end];
            let (Some(first), Some(last)) = (range.first(), range.last()) else {
                continue;
            };
            let is_small = range.len() <= RANGE;
            let ask = Ask {
                filter: Some(format!("id ge {first} and id le {last}")),
                orderby: Some("id"),
                size: if is_small { RANGE as i32 } else { 1 },
                ..Ask::default()
            };
            let (total, records) = T::page(self.context.client, ask).await?;
            if total == range.len() as u64 {
                continue;
            }
            // One that came meanwhile may fill a page so that the last of the range are not on it.
            if is_small && total <= records.len() as u64 {
                let there: HashSet<i32> = records.iter().map(|record| record.mark().id).collect();
                gone.extend(range.iter().filter(|id| !there.contains(id)));
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
        T::touch(&mut self.context.state, &gone);
        let group = T::group(&self.context.state);
        let rows = Rows::none(&group);
        self.context.exchange(&group, 0, &gone, rows)?;
        Ok(())
    }
}

impl Stamped for Incident {
    const NAME: &'static str = "incidents";

    async fn page(client: &Client, ask: Ask) -> Result<(u64, Vec<Self>)> {
        let page = ask.of(client.incidents().list()).send().await?;
        Ok((u64::try_from(page.total)?, page.values))
    }

    async fn deleted(client: &Client, since: Timestamp) -> Result<BTreeSet<i32>> {
        let filter = format!("lastModified gt {since}");
        let page = client.incidents().trash().filter(filter).await?;
        Ok(page.values.iter().map(|incident| incident.id).collect())
    }

    fn mark(&self) -> Mark {
        Mark {
            stamp: self.last_modified,
            id: self.id,
        }
    }

    fn group(state: &State) -> Group {
        schema::incidents(state)
    }

    fn learn(records: &[Self], state: &mut State) -> bool {
        let unknown = |incident: &&Incident| !state.fields.know(&incident.custom_fields);
        if !records.iter().any(|incident| unknown(&incident)) {
            return false;
        }
        let fields = records.iter().flat_map(|incident| &incident.custom_fields);
        let fields = fields.map(|field| (field.id, field.label.clone()));
        state.fields.see(fields, &schema::own_columns())
    }

    fn rows(records: &[Self], state: &State) -> Rows {
        let mut all = Rows(vec![Vec::new(); 5]);
        for incident in records {
            let mut main = row(None, scalars::<Incident>(), incident);
            let fields = state.fields.values(&incident.custom_fields);
            main.extend(fields.map(super::row::Value::text));
            let owner = Some(incident.id);
            let [incidents, consequences, categories, causes, fields] = &mut all.0[..] else {
                unreachable!("made above")
            };
            incidents.push(main);
            consequences.extend(
                incident
                    .consequences
                    .iter()
                    .map(|part| row(owner, IncidentConsequence::columns(), part)),
            );
            categories.extend(
                incident
                    .categories
                    .iter()
                    .map(|part| row(owner, CategoryReference::columns(), part)),
            );
            causes.extend(
                incident
                    .causes
                    .iter()
                    .map(|part| row(owner, CauseReference::columns(), part)),
            );
            fields.extend(
                incident
                    .custom_fields
                    .iter()
                    .map(|part| row(owner, IncidentCustomField::columns(), part)),
            );
        }
        all
    }

    fn touch(state: &mut State, ids: &BTreeSet<i32>) {
        state.touch(ids);
    }

    fn touch_all(state: &mut State) {
        state.comments = None;
    }
}

impl Stamped for Improvement {
    const NAME: &'static str = "improvements";

    async fn page(client: &Client, ask: Ask) -> Result<(u64, Vec<Self>)> {
        let page = ask.of(client.improvements().list()).send().await?;
        Ok((u64::try_from(page.total)?, page.values))
    }

    async fn deleted(_: &Client, _: Timestamp) -> Result<BTreeSet<i32>> {
        // Improvements have no trash.
        Ok(BTreeSet::new())
    }

    fn mark(&self) -> Mark {
        Mark {
            stamp: self.last_modified,
            id: self.id,
        }
    }

    fn group(_: &State) -> Group {
        schema::improvements()
    }

    fn learn(_: &[Self], _: &mut State) -> bool {
        false
    }

    fn rows(records: &[Self], _: &State) -> Rows {
        let row = |improvement| row(None, Improvement::columns(), improvement);
        Rows(vec![records.iter().map(row).collect()])
    }
}
