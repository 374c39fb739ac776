//! From the service to pieces of a file.
//!
//! Each piece knows where a later pull would go on after it. What is written, and when, is not looked at
//! here, and how values by date are held together is in [`super::by_date`].

use anyhow::{Result, bail};
use obeya::model::DatasourceValue;
use obeya::{Client, List, Paged, Resource, Values};
use tokio::sync::mpsc::Sender;
use tokio::task::block_in_place;

use super::encode::{Content, Encoder, Record};
use super::place::Place;
use super::query::{Query, Records};
use super::state::After;

/// Records of a list in one piece.
const PIECE_RECORDS: usize = 1_000;

/// Some rows, in order.
pub(crate) struct Piece {
    pub(crate) content: Content,
    pub(crate) rows: u64,
    /// The last record of it; `None` where the order does not say what follows.
    pub(crate) after: Option<After>,
}

/// Where the pieces come from.
pub(crate) struct Source {
    pub(crate) client: Client,
    pub(crate) query: Query,
    /// Values to a request, where values are asked for.
    pub(crate) page_size: Option<i32>,
}

impl Source {
    /// Sends all that the query asks for and comes after `after`. Ends early, without a word, when nobody
    /// takes the pieces.
    pub(crate) async fn send(&self, after: Option<After>, out: Sender<Piece>) -> Result<()> {
        let flow = Flow { source: self, out };
        let client = &self.client;
        match self.query.records {
            Records::Values { .. } if self.query.order.is_some() => flow.in_own_order().await,
            Records::Values { .. } => flow.by_date(Place::of(after.as_ref())).await,
            Records::Incidents => flow.numbered(client.incidents().list(), after).await,
            Records::Improvements => flow.numbered(client.improvements().list(), after).await,
            Records::Comments => flow.list(client.comments().list(), after).await,
            Records::Boards => flow.list(client.boards().list(), after).await,
            Records::Groups => flow.list(client.groups().list(), after).await,
            Records::Areas => flow.list(client.areas().list(), after).await,
        }
    }

    /// How many records will come.
    pub(crate) async fn count(&self, after: Option<&After>) -> Result<u64> {
        let client = &self.client;
        let count = match self.query.records {
            Records::Values { .. } => {
                let values = self.values(&Place::of(after)).page_size(1);
                values.page(1).await?.count.into()
            }
            Records::Incidents => {
                let list = self.numbered(client.incidents().list(), after);
                list.page_size(1).await?.total.into()
            }
            Records::Improvements => {
                let list = self.numbered(client.improvements().list(), after);
                list.page_size(1).await?.total.into()
            }
            Records::Comments => counted(self.list(client.comments().list(), after)).await?,
            Records::Boards => counted(self.list(client.boards().list(), after)).await?,
            Records::Groups => counted(self.list(client.groups().list(), after)).await?,
            Records::Areas => counted(self.list(client.areas().list(), after)).await?,
        };
        Ok(count.unsigned_abs())
    }

    /// A list of v2 from a place on.
    fn list<T: Resource>(&self, list: List<T>, after: Option<&After>) -> List<T> {
        match self.query.condition_after(id(after)) {
            Some(condition) => list.filter(condition),
            None => list,
        }
    }

    /// A list of v1 from a place on.
    fn numbered<T: obeya::Record>(
        &self,
        list: obeya::Records<T>,
        after: Option<&After>,
    ) -> obeya::Records<T> {
        match self.query.condition_after(id(after)) {
            Some(condition) => list.filter(condition),
            None => list,
        }
    }

    /// The values from a place on.
    pub(super) fn values(&self, place: &Place) -> Values {
        let Records::Values {
            datasource,
            from,
            to,
        } = self.query.records
        else {
            unreachable!("asked for where it is values");
        };
        let order = self.query.order.as_deref().unwrap_or("valueDate,id");
        let mut values = self.client.datasources().values(datasource).orderby(order);
        if let Some(page_size) = self.page_size {
            values = values.page_size(page_size);
        }
        if let Some(bound) = place.bound(from) {
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

    /// The values of the microsecond that a place is in, by their ids, from one on.
    pub(super) fn values_of_instant(&self, place: &Place, after: Option<i32>) -> Values {
        let mut values = self.values(place).orderby("id");
        if let Some(condition) = self.query.condition_after(after) {
            values = values.filter(condition);
        }
        let Records::Values { to, .. } = self.query.records else {
            return values;
        };
        let ends = to.into_iter().chain(place.end());
        match ends.min() {
            Some(end) => values.to(end),
            None => values,
        }
    }
}

async fn counted<T: Resource>(list: List<T>) -> Result<i64> {
    let page = list.top(1).count(true).await?;
    Ok(page.count.unwrap_or_default())
}

fn id(after: Option<&After>) -> Option<i32> {
    match after {
        Some(After::Id(id)) => Some(*id),
        _ => None,
    }
}

/// A source, and where its pieces go.
pub(super) struct Flow<'a> {
    pub(super) source: &'a Source,
    out: Sender<Piece>,
}

/// Nobody takes pieces any more.
pub(super) struct Gone;

impl Flow<'_> {
    pub(super) async fn send(
        &self,
        content: Content,
        rows: usize,
        after: Option<After>,
    ) -> Result<(), Gone> {
        let piece = Piece {
            content,
            rows: rows as u64,
            after,
        };
        self.out.send(piece).await.map_err(|_| Gone)
    }

    async fn list<T: Record + Resource>(&self, list: List<T>, after: Option<After>) -> Result<()> {
        let list = self.source.list(list, after.as_ref());
        let order = self.source.query.order.as_deref().unwrap_or("id");
        self.records(list.orderby(order).stream()).await
    }

    async fn numbered<T: Record + obeya::Record>(
        &self,
        list: obeya::Records<T>,
        after: Option<After>,
    ) -> Result<()> {
        let list = self.source.numbered(list, after.as_ref());
        let list = match &self.source.query.order {
            // Without an order it goes by id, page after page: records that come and go meanwhile move none.
            None => list,
            Some(order) => list.orderby(order),
        };
        self.records(list.stream()).await
    }

    /// Records of a list, as they come.
    async fn records<T: Record>(&self, mut records: Paged<T>) -> Result<()> {
        let mut encoder = Encoder::new::<T>(self.source.query.format);
        let mut some = Vec::with_capacity(PIECE_RECORDS);
        let mut last = None;
        loop {
            let record = records.next().await.transpose()?;
            let is_end = record.is_none();
            if let Some(record) = record {
                let id = record.id();
                if self.source.query.order.is_none() {
                    if id <= last {
                        // Going on after the largest id would lose what such a service has not given yet.
                        bail!(
                            "the service gave record {id:?} after {last:?}, expected them by id; --order-by takes them as they come"
                        );
                    }
                    last = id;
                }
                some.push(record);
            }
            if some.len() == PIECE_RECORDS || (is_end && !some.is_empty()) {
                let content = block_in_place(|| encoder.piece(&some))?;
                if self
                    .send(content, some.len(), last.map(After::Id))
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

    /// Values in an order of the caller's.
    async fn in_own_order(&self) -> Result<()> {
        let values = self.source.values(&Place::default());
        if self.source.query.format.is_columnar() {
            let mut batches = values.arrow_stream();
            while let Some(batch) = batches.next().await {
                let batch = batch?;
                let rows = batch.num_rows();
                if self.send(Content::Batch(batch), rows, None).await.is_err() {
                    return Ok(());
                }
            }
            return Ok(());
        }
        let mut encoder = Encoder::new::<DatasourceValue>(self.source.query.format);
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
