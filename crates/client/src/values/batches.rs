//! Values as record batches: requested as Arrow, with JSON as fallback.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, TimestampMicrosecondType};
use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use bytes::Bytes;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use obeya_api::call::ListDatasourceValuesV1Raw;

use super::Values;
use super::list::PageEncoding;
use crate::arrow::{self, Decoded};
use crate::consistent::{Intake, NumberedPage, Snapshot};
use crate::decode::DecodeMismatch;
use crate::error::Result;
use crate::executor;
use crate::limit::Portion;
use crate::paged::Paged;
use crate::prefetch::{self, Concurrency, Extent};
use crate::runtime;
use crate::value_position::ValuePosition;

/// Bodies up to this size are decoded inline; larger ones would block the runtime for milliseconds.
const DECODE_IN_PLACE_BYTES: usize = 64 << 10;

const ARROW: &str = "application/vnd.apache.arrow.stream";
const JSON: &str = "application/json";
/// A service without Arrow responds with JSON.
const EITHER: &str = "application/vnd.apache.arrow.stream, application/json;q=0.9";

/// Headers with the properties of an Arrow page; a JSON page has them in its body.
const PAGE_SIZE: &str = "obeya-page-size";
const COUNT: &str = "obeya-count";

/// A page of a list as Arrow columns.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ArrowPage {
    /// The records: values by [`value_schema`](crate::value_schema), others by the list's `arrow_schema`.
    pub batch: RecordBatch,
    /// The total number of matching records, if the service sends it.
    pub count: Option<i32>,
    /// For values: the state of the datasource's values, if the service sends it; see
    /// [`ValuePage::state`](crate::ValuePage).
    pub state: Option<String>,
    /// For values: the position after the last one; see [`ValuePage::position`](crate::ValuePage).
    pub position: Option<ValuePosition>,
}

/// A decoded page with its state.
struct PageWithState {
    page: Decoded,
    state: Option<String>,
    /// The position after each batch; empty until the cursor has moved over them.
    positions: Vec<Option<ValuePosition>>,
}

impl Values {
    /// Requests JSON instead of Arrow: slower, but readable for debugging.
    pub fn as_json(mut self) -> Self {
        self.json = true;
        self
    }

    /// All values as record batches of [`value_schema`](crate::value_schema), at least one.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn to_arrow(self) -> Result<Vec<RecordBatch>> {
        self.arrow_stream().all().await
    }

    /// All values as a stream of record batches, in order and at least one, with the guarantees of
    /// [`stream`](Self::stream). At most [`prefetch`](Self::prefetch) pages are in memory.
    pub fn arrow_stream(self) -> Paged<RecordBatch> {
        Paged::new(self.arrow_pages().map_ok(|page| page.batch))
    }

    /// Like [`arrow_stream`](Self::arrow_stream), with the position after each batch, and the number of
    /// matching values: after a concurrent change, of the remaining ones.
    pub fn arrow_pages(self) -> Paged<ArrowPage> {
        Paged::new(flatten(self.consistent_pages()))
    }

    fn numbered_batches(
        self,
        portion: Portion,
        concurrency: Concurrency,
    ) -> impl futures_core::Stream<Item = Result<PageWithState>> + Send + 'static {
        let refused = Arc::new(AtomicBool::new(false));
        let fetch = move |number| self.clone().arrow_page(number, Arc::clone(&refused));
        prefetch::pages(concurrency, portion, fetch, PageWithState::extent)
    }

    /// A page in the best format that the service supports. `refused` caches that it responds 406 to requests
    /// for Arrow.
    async fn arrow_page(self, number: i32, refused: Arc<AtomicBool>) -> Result<PageWithState> {
        if self.json || refused.load(Ordering::Relaxed) {
            return self.page_as(number, JSON).await;
        }
        match self.page_as(number, EITHER).await {
            Err(error) if error.status() == Some(406) => {
                refused.store(true, Ordering::Relaxed);
                self.page_as(number, JSON).await
            }
            outcome => outcome,
        }
    }

    async fn page_as(&self, number: i32, accept: &'static str) -> Result<PageWithState> {
        let operation = ListDatasourceValuesV1Raw::OPERATION;
        self.words.finish(operation.id())?;
        let call = ListDatasourceValuesV1Raw {
            from: self.from.as_ref(),
            to: self.to.as_ref(),
            filter: self.filter.as_deref(),
            orderby: self.orderby.as_deref(),
            page: Some(number),
            page_size: self.page_size,
            accept: Some(accept),
            ..ListDatasourceValuesV1Raw::new(self.id)
        };
        let reply = executor::finish_reply(operation, call.send(self.client.api()).await)?;
        let asked = self.page_size.unwrap_or(0);
        let form = Encoding::of(reply.headers(), asked);
        let state = super::state(reply.headers());
        let body = reply.into_inner();
        let page = if body.len() <= DECODE_IN_PLACE_BYTES {
            form.decode(body)
        } else {
            runtime::compute(move || form.decode(body)).await
        };
        let page = page.map_err(|mismatch| mismatch.into_error(operation.id()))?;
        Ok(PageWithState {
            page,
            state,
            positions: Vec::new(),
        })
    }
}

/// The batches of pages.
fn flatten(
    pages: impl futures_core::Stream<Item = Result<PageWithState>> + Send + 'static,
) -> impl futures_core::Stream<Item = Result<ArrowPage>> + Send + 'static {
    pages
        .map_ok(
            |PageWithState {
                 page,
                 state,
                 positions,
             }| {
                let count = page.count;
                let batches = page.batches.into_iter().zip(positions);
                stream::iter(batches.map(move |(batch, position)| {
                    let state = state.clone();
                    Ok(ArrowPage {
                        batch,
                        count,
                        state,
                        position,
                    })
                }))
            },
        )
        .try_flatten()
}

impl NumberedPage for PageWithState {
    fn extent(&self) -> Extent {
        Extent {
            len: self.page.batches.iter().map(RecordBatch::num_rows).sum(),
            page_size: self.page.page_size,
            // Without a total, do not prefetch.
            count: self.page.count.unwrap_or(0),
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: self.state.clone(),
            count: self.page.count,
        }
    }

    fn retain_new(&mut self, intake: &mut Intake<'_>) {
        for batch in &mut self.page.batches {
            let dates = batch["valueDate"].as_primitive::<TimestampMicrosecondType>();
            let ids = batch["id"].as_primitive::<Int32Type>();
            let rows = dates.values().iter().zip(ids.values());
            let mask: Vec<bool> = rows.map(|(date, id)| intake.take(*date, *id)).collect();
            self.positions.push(intake.cursor.position());
            if mask.contains(&false) {
                *batch = filter_record_batch(batch, &BooleanArray::from(mask))
                    .expect("the mask has an entry for each row");
            }
        }
    }
}

impl PageEncoding for PageWithState {
    fn numbered(
        values: Values,
        portion: Portion,
        concurrency: Concurrency,
    ) -> BoxStream<'static, Result<Self>> {
        values.numbered_batches(portion, concurrency).boxed()
    }
}

/// The format of a page.
enum Encoding {
    /// With the properties from the headers.
    Arrow { page_size: i32, count: Option<i32> },
    /// With the expected number of rows.
    Json(usize),
}

impl Encoding {
    fn of(headers: &HeaderMap, asked: i32) -> Self {
        let text = |name| headers.get(name)?.to_str().ok();
        let number = |name| text(name)?.parse().ok();
        let essence = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok()?.split(';').next());
        if essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(ARROW)) {
            Self::Arrow {
                // A proxy may have removed the headers.
                page_size: number(PAGE_SIZE).unwrap_or(asked),
                count: number(COUNT),
            }
        } else {
            Self::Json(usize::try_from(asked).unwrap_or(0))
        }
    }

    fn decode(self, body: Bytes) -> Result<Decoded, DecodeMismatch> {
        match self {
            Self::Json(rows) => arrow::decode(&body, rows),
            Self::Arrow { page_size, count } => Ok(Decoded {
                page_size,
                count,
                batches: arrow::decode_stream(body)?,
            }),
        }
    }
}
