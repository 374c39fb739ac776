//! Fetches records and sends them as pieces of a file.
//!
//! Each piece carries the position after which a later pull resumes. Writing is not done here.

use anyhow::{Result, bail};
use arrow_array::RecordBatch;
use obeya::fields::Entity;
use obeya::model::{DatasourceValue, Timestamp};
use obeya::{
    ArrowPage, Client, List, Paged, Resource, ValuePage, ValuePosition, Values, WholeList,
};
use tokio::sync::mpsc::Sender;
use tokio::task::block_in_place;

use super::encode::{Encoder, PieceContent, Record};
use super::format::Format;
use super::query::{PullQuery, Selection};
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

/// The service and the query.
pub(crate) struct Source {
    pub(crate) client: Client,
    pub(crate) query: PullQuery,
    /// Values per request; only for values.
    pub(crate) page_size: Option<i32>,
}

impl Source {
    /// Sends the query's records after `after`. Ends early, without an error, if the receiver is dropped.
    pub(crate) async fn send(&self, after: Option<ResumeAfter>, out: Sender<Piece>) -> Result<()> {
        let fetcher = Fetcher { source: self, out };
        let client = &self.client;
        match self.query.records {
            Selection::Values { .. } => fetcher.fetch_values(after.as_ref()).await,
            Selection::Incidents => {
                fetcher
                    .fetch_v1_list(client.incidents().list(), after)
                    .await
            }
            Selection::Improvements => {
                fetcher
                    .fetch_v1_list(client.improvements().list(), after)
                    .await
            }
            Selection::Comments => fetcher.fetch_v2_list(client.comments().list(), after).await,
            Selection::Boards => fetcher.fetch_v2_list(client.boards().list(), after).await,
            Selection::Groups => fetcher.fetch_v2_list(client.groups().list(), after).await,
            Selection::Areas => fetcher.fetch_v2_list(client.areas().list(), after).await,
            Selection::Tasks => fetcher.fetch_v2_list(client.tasks().list(), after).await,
            Selection::TaskComments => {
                fetcher
                    .fetch_v2_list(client.tasks().comments(), after)
                    .await
            }
            Selection::Users => fetcher.fetch_v2_list(client.users().list(), after).await,
            Selection::DataLists => {
                fetcher
                    .fetch_whole_list(client.data_lists().list(), after)
                    .await
            }
            Selection::Projects => {
                fetcher
                    .fetch_whole_list(client.projects().list(), after)
                    .await
            }
        }
    }

    /// The number of records after `after`.
    pub(crate) async fn count(&self, after: Option<&ResumeAfter>) -> Result<u64> {
        let client = &self.client;
        let count = match self.query.records {
            Selection::Values { .. } => {
                let values = self.values(after).page_size(1).prefetch(1);
                let first = values.pages_with_position().next().await.transpose()?;
                first.map_or(0, |first| first.page.count.into())
            }
            Selection::Incidents => {
                let list = self.v1_list(client.incidents().list(), after);
                list.page_size(1).await?.total.into()
            }
            Selection::Improvements => {
                let list = self.v1_list(client.improvements().list(), after);
                list.page_size(1).await?.total.into()
            }
            Selection::Comments => count_of(self.v2_list(client.comments().list(), after)).await?,
            Selection::Boards => count_of(self.v2_list(client.boards().list(), after)).await?,
            Selection::Groups => count_of(self.v2_list(client.groups().list(), after)).await?,
            Selection::Areas => count_of(self.v2_list(client.areas().list(), after)).await?,
            Selection::Tasks => count_of(self.v2_list(client.tasks().list(), after)).await?,
            Selection::TaskComments => {
                count_of(self.v2_list(client.tasks().comments(), after)).await?
            }
            Selection::Users => count_of(self.v2_list(client.users().list(), after)).await?,
            Selection::DataLists => {
                let list = self.whole_list(client.data_lists().list(), after);
                length(&list.await?)
            }
            Selection::Projects => {
                let list = self.whole_list(client.projects().list(), after);
                length(&list.await?)
            }
        };
        Ok(count.unsigned_abs())
    }

    /// A v2 list after a position.
    fn v2_list<T: Resource>(&self, list: List<T>, after: Option<&ResumeAfter>) -> List<T> {
        match self.query.condition_after(resume_id(after)) {
            Some(condition) => list.filter(condition),
            None => list,
        }
    }

    /// A v1 list after a position.
    fn v1_list<T: obeya::Record>(
        &self,
        list: obeya::Records<T>,
        after: Option<&ResumeAfter>,
    ) -> obeya::Records<T> {
        match self.query.condition_after(resume_id(after)) {
            Some(condition) => list.filter(condition),
            None => list,
        }
    }

    /// A v1 list in one response, after a position.
    fn whole_list<T: Entity>(
        &self,
        list: WholeList<T>,
        after: Option<&ResumeAfter>,
    ) -> WholeList<T> {
        match self.query.condition_after(resume_id(after)) {
            Some(condition) => list.filter(condition),
            None => list,
        }
    }

    /// The values after a position.
    fn values(&self, after: Option<&ResumeAfter>) -> Values {
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
        if let Some(ResumeAfter::Date(position)) = after {
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

fn resume_id(after: Option<&ResumeAfter>) -> Option<&RecordKey> {
    match after {
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
        after: Option<ResumeAfter>,
    ) -> Result<()> {
        let list = self.source.v2_list(list, after.as_ref());
        let order = self.source.query.order.as_deref().unwrap_or("id");
        let mut records = list.orderby(order).stream();
        self.fetch_records(async || records.next().await).await
    }

    async fn fetch_whole_list<T: Record + Entity>(
        &self,
        list: WholeList<T>,
        after: Option<ResumeAfter>,
    ) -> Result<()> {
        let list = self.source.whole_list(list, after.as_ref());
        let list = match &self.source.query.order {
            None => list,
            Some(order) => list.orderby(order),
        };
        let mut records = list.send().await?.into_iter();
        self.fetch_records(async || records.next().map(Ok)).await
    }

    async fn fetch_v1_list<T: Record + obeya::Record>(
        &self,
        list: obeya::Records<T>,
        after: Option<ResumeAfter>,
    ) -> Result<()> {
        let list = self.source.v1_list(list, after.as_ref());
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
                if self.source.query.order.is_none() {
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

    /// Sends values: by date, or in the order the user gave.
    async fn fetch_values(&self, after: Option<&ResumeAfter>) -> Result<()> {
        let query = &self.source.query;
        let mut encoder = Encoder::new::<DatasourceValue>(query);
        let mut pages = PageStream::of(self.source.values(after), query.format);
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
