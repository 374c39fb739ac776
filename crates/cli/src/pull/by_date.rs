//! Pulls values in the order of their dates, exactly once each, while the datasource changes.
//!
//! Pages are numbered, and each is a snapshot of its own. A page is consistent with those before it if the
//! datasource is in the same state: the state header is equal or, from a service without that header, the
//! number of matching values is equal. An inconsistent page is dropped, and a new pass starts at the last
//! value that was sent. The first page of a pass is always usable, so every pass makes progress, and a
//! datasource that changes with every page is pulled page by page. A value that exists throughout and keeps
//! its date is neither lost nor repeated.

use anyhow::{Result, bail};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, TimestampMicrosecondType};
use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use obeya::model::DatasourceValue;
use obeya::{ArrowPage, Paged, ValuePage, Values};
use tokio::task::block_in_place;

use super::cursor::{DateCursor, Step, micros};
use super::encode::{Encoder, PieceContent};
use super::fetch::Fetcher;
use super::format::Format;
use super::record_key::RecordKey;

const OUT_OF_ORDER: &str = "the service sent values out of order, expected them by valueDate; --order-by accepts them in any order";

impl Fetcher<'_> {
    /// Sends the values after the cursor.
    pub(super) async fn by_date(&self, mut cursor: DateCursor) -> Result<()> {
        let mut encoder = Encoder::new::<DatasourceValue>(&self.source.query);
        loop {
            let ended = match self.read_pass(&mut encoder, &mut cursor).await? {
                // A whole page of values of one instant, all sent before: a request by date cannot get past
                // them.
                PassEnd::Changed { progressed: false } => {
                    self.read_instant(&mut encoder, &mut cursor).await?
                }
                ended => ended,
            };
            match ended {
                PassEnd::Complete | PassEnd::ReceiverDropped => return Ok(()),
                PassEnd::Changed { .. } => {}
            }
        }
    }

    /// Reads pages from the cursor on, as long as they are consistent.
    async fn read_pass(&self, encoder: &mut Encoder, cursor: &mut DateCursor) -> Result<PassEnd> {
        let query = &self.source.query;
        // The result of such a condition changes with time, without a change of the datasource.
        let depends_on_now = query.depends_on_now();
        let mut pages = PageStream::of(self.source.values(cursor), query.format);
        let mut first = None;
        let mut progressed = false;
        while let Some(page) = pages.next().await {
            let (version, rows) = page?;
            let is_first = first.is_none();
            if *first.get_or_insert_with(|| version.clone()) != version
                || (depends_on_now && !is_first)
            {
                return Ok(PassEnd::Changed { progressed });
            }
            match self.send_new_rows(rows, encoder, cursor).await? {
                PageOutcome::OutOfOrder if is_first => bail!(OUT_OF_ORDER),
                PageOutcome::OutOfOrder => return Ok(PassEnd::Changed { progressed }),
                PageOutcome::ReceiverDropped => return Ok(PassEnd::ReceiverDropped),
                PageOutcome::Sent(rows) => progressed |= rows > 0,
            }
            if depends_on_now && progressed {
                return Ok(PassEnd::Changed { progressed });
            }
        }
        Ok(PassEnd::Complete)
    }

    /// Reads all values of the cursor's microsecond in the order of their ids. Each page begins after the
    /// last id, so it is consistent with any change. This is not their order by date within the microsecond,
    /// which columns cannot show.
    async fn read_instant(
        &self,
        encoder: &mut Encoder,
        cursor: &mut DateCursor,
    ) -> Result<PassEnd> {
        let mut last = None;
        loop {
            let key = last.map(RecordKey::Number);
            let request = self.source.values_of_instant(cursor, key.as_ref());
            let mut pages = PageStream::of(request, self.source.query.format);
            let Some(page) = pages.next().await else {
                break;
            };
            let (_, rows) = page?;
            let Some(id) = rows.last_id() else {
                break;
            };
            if last.replace(id) >= Some(id) {
                bail!("the service sent values out of order, expected them by id");
            }
            match self.send_new_rows(rows, encoder, cursor).await? {
                PageOutcome::OutOfOrder => bail!(OUT_OF_ORDER),
                PageOutcome::ReceiverDropped => return Ok(PassEnd::ReceiverDropped),
                PageOutcome::Sent(_) => {}
            }
        }
        cursor.skip_instant();
        Ok(PassEnd::Changed { progressed: true })
    }

    /// Sends the rows of a page that were not sent before.
    async fn send_new_rows(
        &self,
        rows: PageRows,
        encoder: &mut Encoder,
        cursor: &mut DateCursor,
    ) -> Result<PageOutcome> {
        let next = block_in_place(|| rows.into_new(encoder, cursor))?;
        let Some((content, rows)) = next else {
            return Ok(PageOutcome::OutOfOrder);
        };
        if rows > 0
            && self
                .send(content, rows, cursor.resume_after())
                .await
                .is_err()
        {
            return Ok(PageOutcome::ReceiverDropped);
        }
        Ok(PageOutcome::Sent(rows))
    }
}

/// How a pass over the pages ended.
enum PassEnd {
    /// All pages were read.
    Complete,
    /// At a page that is inconsistent with those before it; `progressed` if the pass sent any row.
    Changed { progressed: bool },
    /// The writer stopped.
    ReceiverDropped,
}

/// The outcome of sending a page.
enum PageOutcome {
    /// This many new rows were sent.
    Sent(usize),
    /// The page begins before the cursor.
    OutOfOrder,
    /// The writer stopped.
    ReceiverDropped,
}

/// The version of the datasource a page shows: equal for consistent pages.
#[derive(Clone, PartialEq)]
struct PageVersion {
    /// The state header, if the service sends one.
    state: Option<String>,
    /// How many values match, if the service sends it.
    count: Option<i32>,
}

/// Pages in the encoding that is the cheapest to convert to the file's format.
enum PageStream {
    Batches(Paged<ArrowPage>),
    Values(Paged<ValuePage>),
}

impl PageStream {
    fn of(request: Values, format: Format) -> Self {
        match format.is_columnar() {
            true => Self::Batches(request.arrow_pages_with_state()),
            false => Self::Values(request.pages_with_state()),
        }
    }

    async fn next(&mut self) -> Option<obeya::Result<(PageVersion, PageRows)>> {
        match self {
            Self::Batches(pages) => pages.next().await.map(|page| {
                page.map(|page| {
                    let (state, count) = (page.state, page.count);
                    (PageVersion { state, count }, PageRows::Batch(page.batch))
                })
            }),
            Self::Values(pages) => pages.next().await.map(|page| {
                page.map(|ValuePage { page, state, .. }| {
                    let count = Some(page.count);
                    (PageVersion { state, count }, PageRows::Values(page.values))
                })
            }),
        }
    }
}

/// The rows of a page.
enum PageRows {
    Batch(RecordBatch),
    Values(Vec<DatasourceValue>),
}

impl PageRows {
    fn last_id(&self) -> Option<i32> {
        match self {
            Self::Batch(batch) => {
                let ids = batch.column_by_name("id")?.as_primitive::<Int32Type>();
                ids.values().last().copied()
            }
            Self::Values(values) => values.last().map(|value| value.id),
        }
    }

    /// The rows that were not sent before, as a piece; `None` if the page begins before the cursor.
    fn into_new(
        self,
        encoder: &mut Encoder,
        cursor: &mut DateCursor,
    ) -> Result<Option<(PieceContent, usize)>> {
        match self {
            Self::Batch(batch) => {
                let next = new_rows_of(batch, cursor)?;
                Ok(next.map(|batch| {
                    let rows = batch.num_rows();
                    (PieceContent::Batch(batch), rows)
                }))
            }
            Self::Values(mut values) => {
                let keys = values
                    .iter()
                    .map(|value| (micros(value.value_date), value.id));
                let Some(is_new) = new_row_mask(keys, cursor)? else {
                    return Ok(None);
                };
                let mut is_new = is_new.into_iter();
                values.retain(|_| is_new.next() == Some(true));
                Ok(Some((encoder.piece(&values)?, values.len())))
            }
        }
    }
}

/// The rows of a batch that were not sent before; `None` if the batch begins before the cursor.
fn new_rows_of(batch: RecordBatch, cursor: &mut DateCursor) -> Result<Option<RecordBatch>> {
    let (Some(dates), Some(ids)) = (
        batch.column_by_name("valueDate"),
        batch.column_by_name("id"),
    ) else {
        bail!("found values without valueDate or id");
    };
    let dates = dates.as_primitive::<TimestampMicrosecondType>().values();
    let ids = ids.as_primitive::<Int32Type>().values();
    let keys = dates.iter().copied().zip(ids.iter().copied());
    let Some(is_new) = new_row_mask(keys, cursor)? else {
        return Ok(None);
    };
    if is_new.iter().all(|is_new| *is_new) {
        return Ok(Some(batch));
    }
    let is_new = BooleanArray::from(is_new);
    Ok(Some(filter_record_batch(&batch, &is_new)?))
}

/// Which rows of a page were not sent before; `None` if the page begins before the cursor.
///
/// # Errors
/// When the rows are not ordered by date: continuing after the latest would lose the others.
fn new_row_mask(
    keys: impl Iterator<Item = (i64, i32)>,
    cursor: &mut DateCursor,
) -> Result<Option<Vec<bool>>> {
    let mut is_new = Vec::new();
    for (row, (date, id)) in keys.enumerate() {
        match cursor.advance(date, id) {
            Step::OutOfOrder if row == 0 => return Ok(None),
            Step::OutOfOrder => bail!(OUT_OF_ORDER),
            step => is_new.push(step == Step::New),
        }
    }
    Ok(Some(is_new))
}
