//! Fetches records and sends them as pieces of a file.
//!
//! Each piece carries the position after which a later pull resumes. Writing is not done here.

use anyhow::{Result, bail};
use arrow_array::RecordBatch;
use obeya::fields::Entity;
use obeya::model::{DatasourceValue, Timestamp};
use obeya::{
    ArrowPage, Client, List, Paged, Resource, ValuePage, ValuePosition, Values, ValuesByPeriod,
    WholeList,
};
use tokio::sync::mpsc::Sender;
use tokio::task::block_in_place;

use super::encode::{Encoder, PieceContent, Record};
use super::format::Format;
use super::query::{Aggregate, PullQuery, Selection};
use super::record_key::RecordKey;
use super::resume_state::ResumeAfter;

/// The number of records in a piece of a list.
const PIECE_RECORDS: usize = 1_000;

const OUT_OF_ORDER: &str = "the service sent values out of order, expected them by valueDate; --order-by accepts them in any order";

/// Some rows, in order.
pub(crate) struct Piece {
    pub(crate) content: PieceContent,
    pub(crate) rows: u64,
    /// The position of its last record; `None` if the order does not allow resuming.
    pub(crate) after: Option<ResumeAfter>,
}

/// Which records of the query are to be fetched.
pub(crate) struct Start {
    /// Those after this position.
    pub(crate) after: Option<ResumeAfter>,
    /// At most so many of them.
    pub(crate) top: Option<u32>,
}

/// The service and the query.
pub(crate) struct Source {
    pub(crate) client: Client,
    pub(crate) query: PullQuery,
    /// Values per request; only for values.
    pub(crate) page_size: Option<i32>,
}

impl Source {
    /// Sends the query's records from the start on. Ends early, without an error, if the receiver is dropped.
    pub(crate) async fn send(&self, start: &Start, out: Sender<Piece>) -> Result<()> {
        let fetcher = Fetcher { source: self, out };
        let client = &self.client;
        match self.query.records {
            Selection::Values { .. } => fetcher.fetch_values(start).await,
            Selection::Periods { .. } => fetcher.fetch_periods(start).await,
            Selection::Incidents => {
                fetcher
                    .fetch_v1_list(client.incidents().list(), start)
                    .await
            }
            Selection::Improvements => {
                fetcher
                    .fetch_v1_list(client.improvements().list(), start)
                    .await
            }
            Selection::Comments => fetcher.fetch_v2_list(client.comments().list(), start).await,
            Selection::Boards => fetcher.fetch_v2_list(client.boards().list(), start).await,
            Selection::Groups => fetcher.fetch_v2_list(client.groups().list(), start).await,
            Selection::Areas => fetcher.fetch_v2_list(client.areas().list(), start).await,
            Selection::Tasks => fetcher.fetch_v2_list(client.tasks().list(), start).await,
            Selection::TaskComments => {
                fetcher
                    .fetch_v2_list(client.tasks().comments(), start)
                    .await
            }
            Selection::Users => fetcher.fetch_v2_list(client.users().list(), start).await,
            Selection::DataLists => {
                fetcher
                    .fetch_whole_list(client.data_lists().list(), start)
                    .await
            }
            Selection::Projects => {
                fetcher
                    .fetch_whole_list(client.projects().list(), start)
                    .await
            }
        }
    }

    /// The number of those records.
    pub(crate) async fn count(&self, start: &Start) -> Result<u64> {
        let client = &self.client;
        let count = match self.query.records {
            Selection::Values { .. } => {
                let values = self.values(start).page_size(1).prefetch(1);
                let first = values.pages_with_position().next().await.transpose()?;
                first.map_or(0, |first| first.page.count.into())
            }
            Selection::Periods { .. } => self.periods().count().await?,
            Selection::Incidents => {
                let list = self.v1_list(client.incidents().list(), start);
                list.page_size(1).await?.total.into()
            }
            Selection::Improvements => {
                let list = self.v1_list(client.improvements().list(), start);
                list.page_size(1).await?.total.into()
            }
            Selection::Comments => count_of(self.v2_list(client.comments().list(), start)).await?,
            Selection::Boards => count_of(self.v2_list(client.boards().list(), start)).await?,
            Selection::Groups => count_of(self.v2_list(client.groups().list(), start)).await?,
            Selection::Areas => count_of(self.v2_list(client.areas().list(), start)).await?,
            Selection::Tasks => count_of(self.v2_list(client.tasks().list(), start)).await?,
            Selection::TaskComments => {
                count_of(self.v2_list(client.tasks().comments(), start)).await?
            }
            Selection::Users => count_of(self.v2_list(client.users().list(), start)).await?,
            Selection::DataLists => {
                let list = self.whole_list(client.data_lists().list(), start);
                length(&list.await?)
            }
            Selection::Projects => {
                let list = self.whole_list(client.projects().list(), start);
                length(&list.await?)
            }
        };
        let count = count.unsigned_abs();
        Ok(start.top.map_or(count, |top| count.min(top.into())))
    }

    /// A v2 list from the start on.
    fn v2_list<T: Resource>(&self, mut list: List<T>, start: &Start) -> List<T> {
        if let Some(top) = start.top {
            // The most that the option allows is an `i32`.
            list = list.top(i32::try_from(top).unwrap_or(i32::MAX));
        }
        match self.query.condition_after(resume_id(start)) {
            Some(condition) => list.filter(condition),
            None => list,
        }
    }

    /// A v1 list from the start on.
    fn v1_list<T: obeya::Record>(
        &self,
        mut list: obeya::Records<T>,
        start: &Start,
    ) -> obeya::Records<T> {
        if let Some(top) = start.top {
            list = list.top(top);
        }
        match self.query.condition_after(resume_id(start)) {
            Some(condition) => list.filter(condition),
            None => list,
        }
    }

    /// A v1 list in one response, from the position of the start on: its limit is left to the caller.
    fn whole_list<T: Entity>(&self, list: WholeList<T>, start: &Start) -> WholeList<T> {
        match self.query.condition_after(resume_id(start)) {
            Some(condition) => list.filter(condition),
            None => list,
        }
    }

    /// The periods of the query.
    fn periods(&self) -> ValuesByPeriod {
        let Selection::Periods {
            datasource,
            from,
            to,
            by,
            aggregate,
            zone,
        } = &self.query.records
        else {
            unreachable!("called for periods only");
        };
        let mut values = self.client.datasources().values(*datasource);
        if let Some(to) = to {
            values = values.to(*to);
        }
        if let Some(condition) = &self.query.condition {
            values = values.filter(condition.as_str());
        }
        let values = match aggregate {
            Aggregate::Mean => values.mean(),
            Aggregate::Sum => values.sum(),
            Aggregate::Min => values.min(),
            Aggregate::Max => values.max(),
        };
        let mut periods = values.by(by.bin_size());
        if let Some(zone) = zone {
            periods = periods.in_zone(zone);
        }
        match from {
            Some(from) => periods.since(*from),
            None => periods,
        }
    }

    /// The values from the start on.
    fn values(&self, start: &Start) -> Values {
        let Selection::Values {
            datasource,
            from,
            to,
        } = self.query.records
        else {
            unreachable!("called for values only");
        };
        let order = self.query.order.as_deref().unwrap_or("valueDate,id");
        let mut values = self.client.datasources().values(datasource).orderby(order);
        if let Some(page_size) = self.page_size {
            values = values.page_size(page_size);
        }
        // The service excludes the bound itself. Below the first instant there is nothing to exclude.
        if let Some(bound) = from.and_then(|from| Timestamp::from_ticks(from.ticks() - 1)) {
            values = values.from(bound);
        }
        if let Some(to) = to {
            values = values.to(to);
        }
        if let Some(top) = start.top {
            values = values.top(top);
        }
        if let Some(ResumeAfter::Date(position)) = &start.after {
            values = values.after(position.clone());
        }
        match &self.query.condition {
            Some(condition) => values.filter(condition),
            None => values,
        }
    }
}

async fn count_of<T: Resource>(list: List<T>) -> Result<i64> {
    let page = list.top(1).count(true).await?;
    Ok(page.count.unwrap_or_default())
}

fn length<T>(records: &[T]) -> i64 {
    i64::try_from(records.len()).unwrap_or(i64::MAX)
}

fn resume_id(start: &Start) -> Option<&RecordKey> {
    match &start.after {
        Some(ResumeAfter::Id(id)) => Some(id),
        _ => None,
    }
}

/// Fetches from a source and sends the pieces to the writer.
struct Fetcher<'a> {
    source: &'a Source,
    out: Sender<Piece>,
}

/// The receiver of the pieces was dropped.
struct ReceiverDropped;

impl Fetcher<'_> {
    async fn send(
        &self,
        content: PieceContent,
        rows: usize,
        after: Option<ResumeAfter>,
    ) -> Result<(), ReceiverDropped> {
        let piece = Piece {
            content,
            rows: rows as u64,
            after,
        };
        self.out.send(piece).await.map_err(|_| ReceiverDropped)
    }

    async fn fetch_v2_list<T: Record + Resource>(
        &self,
        list: List<T>,
        start: &Start,
    ) -> Result<()> {
        let list = self.source.v2_list(list, start);
        let order = self.source.query.order.as_deref().unwrap_or("id");
        let mut records = list.orderby(order).stream();
        self.fetch_records(async || records.next().await).await
    }

    async fn fetch_whole_list<T: Record + Entity>(
        &self,
        list: WholeList<T>,
        start: &Start,
    ) -> Result<()> {
        let list = self.source.whole_list(list, start);
        let list = match &self.source.query.order {
            None => list,
            Some(order) => list.orderby(order),
        };
        let top = start.top.and_then(|top| usize::try_from(top).ok());
        let records = list.send().await?.into_iter();
        let mut records = records.take(top.unwrap_or(usize::MAX));
        self.fetch_records(async || records.next().map(Ok)).await
    }

    async fn fetch_v1_list<T: Record + obeya::Record>(
        &self,
        list: obeya::Records<T>,
        start: &Start,
    ) -> Result<()> {
        let list = self.source.v1_list(list, start);
        let list = match &self.source.query.order {
            // Without an order the list is paged by id (keyset), so concurrent changes do not shift pages.
            None => list,
            Some(order) => list.orderby(order),
        };
        let mut records = list.stream();
        self.fetch_records(async || records.next().await).await
    }

    /// Sends the records of a list, which `next` returns one by one.
    async fn fetch_records<T: Record>(
        &self,
        mut next: impl AsyncFnMut() -> Option<obeya::Result<T>>,
    ) -> Result<()> {
        let mut encoder = Encoder::new::<T>(&self.source.query);
        let mut some = Vec::with_capacity(PIECE_RECORDS);
        let mut last = None;
        loop {
            let record = next().await.transpose()?;
            let is_end = record.is_none();
            if let Some(record) = record {
                let id = record.id();
                if self.source.query.is_resumable() {
                    if id <= last {
                        // Resuming after the largest id would lose records that such a service has not sent
                        // yet.
                        bail!(
                            "the service sent record {id:?} after {last:?}, expected them by id; --order-by accepts them in any order"
                        );
                    }
                    last = id;
                }
                some.push(record);
            }
            if some.len() == PIECE_RECORDS || (is_end && !some.is_empty()) {
                let content = block_in_place(|| encoder.piece(&some))?;
                if self
                    .send(content, some.len(), last.clone().map(ResumeAfter::Id))
                    .await
                    .is_err()
                {
                    return Ok(());
                }
                some.clear();
            }
            if is_end {
                return Ok(());
            }
        }
    }

    /// Sends periods, by their start.
    async fn fetch_periods(&self, start: &Start) -> Result<()> {
        let mut periods = self.source.periods().stream();
        let mut left = start.top;
        self.fetch_records(async || {
            match &mut left {
                Some(0) => return None,
                Some(left) => *left -= 1,
                None => {}
            }
            periods.next().await
        })
        .await
    }

    /// Sends values: by date, or in the order the user gave.
    async fn fetch_values(&self, start: &Start) -> Result<()> {
        let query = &self.source.query;
        let mut encoder = Encoder::new::<DatasourceValue>(query);
        let mut pages = PageStream::of(self.source.values(start), query.format);
        while let Some(page) = pages.next().await {
            let (rows, position) = match page {
                // By date only the order can be the cause: every change leaves a position.
                Err(obeya::Error::Changed { .. }) if query.order.is_none() => bail!(OUT_OF_ORDER),
                page => page?,
            };
            let count = rows.len();
            if count == 0 {
                continue;
            }
            let after = match position {
                _ if query.order.is_some() => None,
                Some(position) => Some(ResumeAfter::Date(position)),
                // Resuming after the latest would lose the others.
                None => bail!(OUT_OF_ORDER),
            };
            let content = match rows {
                PageRows::Batch(batch) => PieceContent::Batch(batch),
                PageRows::Values(values) => block_in_place(|| encoder.piece(&values))?,
            };
            if self.send(content, count, after).await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Pages of values in the encoding that is the cheapest to convert to the file's format.
enum PageStream {
    Batches(Paged<ArrowPage>),
    Values(Paged<ValuePage>),
}

/// The rows of a page.
enum PageRows {
    Batch(RecordBatch),
    Values(Vec<DatasourceValue>),
}

impl PageStream {
    fn of(request: Values, format: Format) -> Self {
        match format.is_columnar() {
            true => Self::Batches(request.arrow_pages()),
            false => Self::Values(request.pages_with_position()),
        }
    }

    /// The next rows, and the position after them.
    async fn next(&mut self) -> Option<obeya::Result<(PageRows, Option<ValuePosition>)>> {
        match self {
            Self::Batches(pages) => {
                let page = pages.next().await?;
                Some(page.map(|page| (PageRows::Batch(page.batch), page.position)))
            }
            Self::Values(pages) => {
                let page = pages.next().await?;
                Some(page.map(|page| (PageRows::Values(page.page.values), page.position)))
            }
        }
    }
}

impl PageRows {
    fn len(&self) -> usize {
        match self {
            Self::Batch(batch) => batch.num_rows(),
            Self::Values(values) => values.len(),
        }
    }
}
