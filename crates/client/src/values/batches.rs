//! Values as record batches: asked for as Arrow, taken as JSON from a service that knows nothing else.

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
use obeya_api::call::ListDatasourceValuesRaw;

use super::Values;
use super::list::Form;
use crate::arrow::{self, Decoded};
use crate::bridge;
use crate::consistent::{NumberedPage, Snapshot};
use crate::decode::Misfit;
use crate::error::Result;
use crate::paged::Paged;
use crate::prefetch::{self, Extent};

/// Bodies up to this size are decoded where they arrive; larger ones would hold up other work for
/// milliseconds.
const DECODE_IN_PLACE_BYTES: usize = 64 << 10;

const ARROW: &str = "application/vnd.apache.arrow.stream";
const JSON: &str = "application/json";
/// A service that knows only JSON answers JSON.
const EITHER: &str = "application/vnd.apache.arrow.stream, application/json;q=0.9";

/// What a page in Arrow says of itself; a JSON page has it inside.
const PAGE_SIZE: &str = "obeya-page-size";
const COUNT: &str = "obeya-count";

/// A page of a list as Arrow columns.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ArrowPage {
    /// The records: values by [`value_schema`](crate::value_schema), others by the list's `arrow_schema`.
    pub batch: RecordBatch,
    /// How many match in all, where the service says so.
    pub count: Option<i32>,
    /// For values: the state of the datasource's values, where the service names it; see
    /// [`ValuePage::state`](crate::ValuePage).
    pub state: Option<String>,
}

/// A decoded page with the state that it shows.
struct Stated {
    page: Decoded,
    state: Option<String>,
}

impl Values {
    /// Has record batches made from JSON, as they are from a service that knows nothing else: slower, and
    /// readable for whoever watches what is sent.
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

    /// All values as a stream of record batches, in order and at least one, with what
    /// [`stream`](Self::stream) says of them. How much is in memory is bounded by
    /// [`prefetch`](Self::prefetch) pages.
    pub fn arrow_stream(self) -> Paged<RecordBatch> {
        Paged::new(self.arrow_pages().map_ok(|page| page.batch))
    }

    /// The same with the number of values beside each batch. After a change, that is the number of those that
    /// were left to read.
    pub fn arrow_pages(self) -> Paged<ArrowPage> {
        Paged::new(flatten(self.consistent_pages()))
    }

    /// All pages by their number, each with the state that it shows: [`pages_with_state`](Self::pages_with_state) as
    /// record batches.
    pub fn arrow_pages_with_state(self) -> Paged<ArrowPage> {
        Paged::new(flatten(self.numbered_batches()))
    }

    fn numbered_batches(self) -> impl futures_core::Stream<Item = Result<Stated>> + Send + 'static {
        let ahead = self.prefetch;
        let request = self.for_stream();
        let refused = Arc::new(AtomicBool::new(false));
        let fetch = move |number| request.clone().arrow_page(number, Arc::clone(&refused));
        prefetch::pages(ahead, fetch, Stated::extent)
    }

    /// A page in the best form that the service has. `refused` remembers that it answers 406 to whoever names
    /// Arrow.
    async fn arrow_page(self, number: i32, refused: Arc<AtomicBool>) -> Result<Stated> {
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

    async fn page_as(&self, number: i32, accept: &'static str) -> Result<Stated> {
        let operation = ListDatasourceValuesRaw::OPERATION;
        let call = ListDatasourceValuesRaw {
            from: self.from.as_ref(),
            to: self.to.as_ref(),
            filter: self.filter.as_deref(),
            orderby: self.orderby.as_deref(),
            page: Some(number),
            page_size: self.page_size,
            accept: Some(accept),
            ..ListDatasourceValuesRaw::new(self.id)
        };
        let reply = bridge::finish_reply(operation, call.send(self.client.api()).await)?;
        let asked = self.page_size.unwrap_or(0);
        let form = Encoding::of(reply.headers(), asked);
        let state = super::state(reply.headers());
        let body = reply.into_inner();
        let page = if body.len() <= DECODE_IN_PLACE_BYTES {
            form.decode(body)
        } else {
            match tokio::task::spawn_blocking(move || form.decode(body)).await {
                Ok(page) => page,
                // Nothing aborts it; a panic belongs to the caller.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            }
        };
        let page = page.map_err(|misfit| misfit.into_error(operation.id()))?;
        Ok(Stated { page, state })
    }
}

/// The batches of pages.
fn flatten(
    pages: impl futures_core::Stream<Item = Result<Stated>> + Send + 'static,
) -> impl futures_core::Stream<Item = Result<ArrowPage>> + Send + 'static {
    pages
        .map_ok(|Stated { page, state }| {
            let count = page.count;
            let batches = page.batches.into_iter();
            stream::iter(batches.map(move |batch| {
                let state = state.clone();
                Ok(ArrowPage {
                    batch,
                    count,
                    state,
                })
            }))
        })
        .try_flatten()
}

impl NumberedPage for Stated {
    fn extent(&self) -> Extent {
        Extent {
            len: self.page.batches.iter().map(RecordBatch::num_rows).sum(),
            page_size: self.page.page_size,
            // Nothing is fetched ahead where nobody says that there is more.
            count: self.page.count.unwrap_or(0),
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: self.state.clone(),
            count: self.page.count,
        }
    }

    fn retain(&mut self, keep: &mut dyn FnMut(i64, i32) -> bool) {
        for batch in &mut self.page.batches {
            let dates = batch["valueDate"].as_primitive::<TimestampMicrosecondType>();
            let ids = batch["id"].as_primitive::<Int32Type>();
            let rows = dates.values().iter().zip(ids.values());
            let kept: Vec<bool> = rows.map(|(date, id)| keep(*date, *id)).collect();
            if kept.contains(&false) {
                *batch = filter_record_batch(batch, &BooleanArray::from(kept))
                    .expect("the mask has an entry for each row");
            }
        }
    }
}

impl Form for Stated {
    fn numbered(values: Values) -> BoxStream<'static, Result<Self>> {
        values.numbered_batches().boxed()
    }
}

/// In which form a page came.
enum Encoding {
    /// With what the headers say of it.
    Arrow { page_size: i32, count: Option<i32> },
    /// With how many rows to expect.
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
                // A proxy may have taken the headers away.
                page_size: number(PAGE_SIZE).unwrap_or(asked),
                count: number(COUNT),
            }
        } else {
            Self::Json(usize::try_from(asked).unwrap_or(0))
        }
    }

    fn decode(self, body: Bytes) -> Result<Decoded, Misfit> {
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
