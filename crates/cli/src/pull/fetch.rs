//! Fetches records and sends them as pieces of a file.
//!
//! Each piece carries the position after which a later pull resumes. Writing is not done here;
//! [`super::by_date`] keeps pages of values consistent.

use anyhow::{Result, bail};
use obeya::fields::Entity;
use obeya::model::DatasourceValue;
use obeya::{Client, List, Resource, Values, WholeList};
use tokio::sync::mpsc::Sender;
use tokio::task::block_in_place;

use super::cursor::DateCursor;
use super::encode::{Encoder, PieceContent, Record};
use super::query::{PullQuery, Selection};
use super::record_key::RecordKey;
use super::resume_state::ResumeAfter;

/// The number of records in a piece of a list.
const PIECE_RECORDS: usize = 1_000;

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
            Selection::Values { .. } if self.query.order.is_some() => {
                fetcher.values_in_given_order().await
            }
            Selection::Values { .. } => {
                fetcher
                    .by_date(DateCursor::from_resume(after.as_ref()))
                    .await
            }
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
                let values = self.values(&DateCursor::from_resume(after)).page_size(1);
                values.page(1).await?.count.into()
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

    /// The values after the cursor.
    pub(super) fn values(&self, cursor: &DateCursor) -> Values {
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
        if let Some(bound) = cursor.lower_bound(from) {
            values = values.from(bound);
        }
        if let Some(to) = to {
            values = values.to(to);
        }
        match &self.query.condition {
            Some(condition) => values.filter(condition),
            None => values,
        }
    }

    /// The values of the cursor's microsecond, ordered by id, after the given id.
    pub(super) fn values_of_instant(
        &self,
        cursor: &DateCursor,
        after: Option<&RecordKey>,
    ) -> Values {
        let mut values = self.values(cursor).orderby("id");
        if let Some(condition) = self.query.condition_after(after) {
            values = values.filter(condition);
        }
        let Selection::Values { to, .. } = self.query.records else {
            return values;
        };
        let ends = to.into_iter().chain(cursor.next_instant());
        match ends.min() {
            Some(end) => values.to(end),
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
pub(super) struct Fetcher<'a> {
    pub(super) source: &'a Source,
    out: Sender<Piece>,
}

/// The receiver of the pieces was dropped.
pub(super) struct ReceiverDropped;

impl Fetcher<'_> {
    pub(super) async fn send(
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

    /// Sends values in the order the user gave.
    async fn values_in_given_order(&self) -> Result<()> {
        let values = self.source.values(&DateCursor::default());
        if self.source.query.format.is_columnar() {
            let mut batches = values.arrow_stream();
            while let Some(batch) = batches.next().await {
                let batch = batch?;
                let rows = batch.num_rows();
                if self
                    .send(PieceContent::Batch(batch), rows, None)
                    .await
                    .is_err()
                {
                    return Ok(());
                }
            }
            return Ok(());
        }
        let mut encoder = Encoder::new::<DatasourceValue>(&self.source.query);
        let mut pages = values.pages();
        while let Some(page) = pages.next().await {
            let page = page?.values;
            let content = block_in_place(|| encoder.piece(&page))?;
            if self.send(content, page.len(), None).await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}
