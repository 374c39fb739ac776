//! Values by date: none that was there all the time under its date is missing, and none comes twice, while
//! others come, go and move.
//!
//! Pages go by number, and each is as of its own moment. A page fits to those before it only where the
//! datasource is in the same state, by the name that the service gives its state, or, where it gives none,
//! where as many values match. What a page that does not fit holds is not looked at: another round of pages
//! goes on from the last value that is sure. The first page of a round begins there and fits whatever has
//! happened, so that each round comes further, and a datasource that changes with every page is pulled page
//! by page.

use anyhow::{Result, bail};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, TimestampMicrosecondType};
use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use obeya::model::DatasourceValue;
use obeya::{ArrowPage, Paged, ValuePage, Values};
use tokio::task::block_in_place;

use super::encode::{Content, Encoder};
use super::fetch::Flow;
use super::format::Format;
use super::place::{Place, Step, micros};

const OUT_OF_ORDER: &str = "the service gave values out of order, expected them by valueDate; --order-by takes them as they come";

impl Flow<'_> {
    /// Sends the values after a place.
    pub(super) async fn by_date(&self, mut place: Place) -> Result<()> {
        let mut encoder = Encoder::new::<DatasourceValue>(self.source.query.format);
        loop {
            let ended = match self.round(&mut encoder, &mut place).await? {
                // A whole page of values of one instant, all of which have been there: by date there is no
                // coming past them.
                Ended::Moved { came: false } => self.instant(&mut encoder, &mut place).await?,
                ended => ended,
            };
            match ended {
                Ended::Whole | Ended::Gone => return Ok(()),
                Ended::Moved { .. } => {}
            }
        }
    }

    /// Page after page from a place on, as long as they fit together.
    async fn round(&self, encoder: &mut Encoder, place: &mut Place) -> Result<Ended> {
        let query = &self.source.query;
        // What such a condition matches is another from moment to moment, without a change of the datasource.
        let is_fleeting = query.asks_the_time();
        let mut pages = Pages::of(self.source.values(place), query.format);
        let mut first = None;
        let mut came = false;
        while let Some(page) = pages.next().await {
            let (sight, rows) = page?;
            let is_first = first.is_none();
            if *first.get_or_insert_with(|| sight.clone()) != sight || (is_fleeting && !is_first) {
                return Ok(Ended::Moved { came });
            }
            match self.give(rows, encoder, place).await? {
                Given::Back if is_first => bail!(OUT_OF_ORDER),
                Given::Back => return Ok(Ended::Moved { came }),
                Given::ToNobody => return Ok(Ended::Gone),
                Given::Rows(rows) => came |= rows > 0,
            }
            if is_fleeting && came {
                return Ok(Ended::Moved { came });
            }
        }
        Ok(Ended::Whole)
    }

    /// All values of the place's microsecond, by their ids: each page begins after the last id, so that it
    /// fits whatever has happened. Within the microsecond it is not their order by date, which columns do not
    /// show.
    async fn instant(&self, encoder: &mut Encoder, place: &mut Place) -> Result<Ended> {
        let mut last = None;
        loop {
            let request = self.source.values_of_instant(place, last);
            let mut pages = Pages::of(request, self.source.query.format);
            let Some(page) = pages.next().await else {
                break;
            };
            let (_, rows) = page?;
            let Some(id) = rows.last_id() else {
                break;
            };
            if last.replace(id) >= Some(id) {
                bail!("the service gave values out of order, expected them by id");
            }
            match self.give(rows, encoder, place).await? {
                Given::Back => bail!(OUT_OF_ORDER),
                Given::ToNobody => return Ok(Ended::Gone),
                Given::Rows(_) => {}
            }
        }
        place.pass();
        Ok(Ended::Moved { came: true })
    }

    /// Sends what comes next of a page.
    async fn give(&self, rows: Rows, encoder: &mut Encoder, place: &mut Place) -> Result<Given> {
        let next = block_in_place(|| rows.next(encoder, place))?;
        let Some((content, rows)) = next else {
            return Ok(Given::Back);
        };
        if rows > 0 && self.send(content, rows, place.after()).await.is_err() {
            return Ok(Given::ToNobody);
        }
        Ok(Given::Rows(rows))
    }
}

/// How a round of pages ended.
enum Ended {
    /// With the last of them.
    Whole,
    /// Before a page that may not be where it was, and whether anything came before that.
    Moved { came: bool },
    /// Nobody takes them any more.
    Gone,
}

/// What became of a page.
enum Given {
    /// So many rows of it came next.
    Rows(usize),
    /// It begins before the place.
    Back,
    /// Nobody takes it any more.
    ToNobody,
}

/// What pages have in common that fit together.
#[derive(Clone, PartialEq)]
struct Sight {
    /// The state of the datasource, where the service names it.
    state: Option<String>,
    /// How many values match, where the service says so.
    count: Option<i32>,
}

/// Pages in the form that is made into pieces with the least work.
enum Pages {
    Batches(Paged<ArrowPage>),
    Values(Paged<ValuePage>),
}

impl Pages {
    fn of(request: Values, format: Format) -> Self {
        match format.is_columnar() {
            true => Self::Batches(request.arrow_pages_with_state()),
            false => Self::Values(request.pages_with_state()),
        }
    }

    async fn next(&mut self) -> Option<obeya::Result<(Sight, Rows)>> {
        match self {
            Self::Batches(pages) => pages.next().await.map(|page| {
                page.map(|page| {
                    let (state, count) = (page.state, page.count);
                    (Sight { state, count }, Rows::Batch(page.batch))
                })
            }),
            Self::Values(pages) => pages.next().await.map(|page| {
                page.map(|ValuePage { page, state, .. }| {
                    let count = Some(page.count);
                    (Sight { state, count }, Rows::Values(page.values))
                })
            }),
        }
    }
}

/// The rows of a page.
enum Rows {
    Batch(RecordBatch),
    Values(Vec<DatasourceValue>),
}

impl Rows {
    fn last_id(&self) -> Option<i32> {
        match self {
            Self::Batch(batch) => {
                let ids = batch.column_by_name("id")?.as_primitive::<Int32Type>();
                ids.values().last().copied()
            }
            Self::Values(values) => values.last().map(|value| value.id),
        }
    }

    /// Those that come next, as a piece; `None` when the page begins before the place.
    fn next(self, encoder: &mut Encoder, place: &mut Place) -> Result<Option<(Content, usize)>> {
        match self {
            Self::Batch(batch) => {
                let next = next_of(batch, place)?;
                Ok(next.map(|batch| {
                    let rows = batch.num_rows();
                    (Content::Batch(batch), rows)
                }))
            }
            Self::Values(mut values) => {
                let keys = values
                    .iter()
                    .map(|value| (micros(value.value_date), value.id));
                let Some(is_next) = next_rows(keys, place)? else {
                    return Ok(None);
                };
                let mut is_next = is_next.into_iter();
                values.retain(|_| is_next.next() == Some(true));
                Ok(Some((encoder.piece(&values)?, values.len())))
            }
        }
    }
}

/// The rows of a batch that come next; `None` when it begins before the place.
fn next_of(batch: RecordBatch, place: &mut Place) -> Result<Option<RecordBatch>> {
    let (Some(dates), Some(ids)) = (
        batch.column_by_name("valueDate"),
        batch.column_by_name("id"),
    ) else {
        bail!("found values without valueDate or id");
    };
    let dates = dates.as_primitive::<TimestampMicrosecondType>().values();
    let ids = ids.as_primitive::<Int32Type>().values();
    let keys = dates.iter().copied().zip(ids.iter().copied());
    let Some(is_next) = next_rows(keys, place)? else {
        return Ok(None);
    };
    if is_next.iter().all(|is_next| *is_next) {
        return Ok(Some(batch));
    }
    let is_next = BooleanArray::from(is_next);
    Ok(Some(filter_record_batch(&batch, &is_next)?))
}

/// Which rows of a page come next; `None` when it begins before the place.
///
/// # Errors
/// When they are not by date: to go on after the latest would lose the others.
fn next_rows(
    keys: impl Iterator<Item = (i64, i32)>,
    place: &mut Place,
) -> Result<Option<Vec<bool>>> {
    let mut is_next = Vec::new();
    for (row, (date, id)) in keys.enumerate() {
        match place.step(date, id) {
            Step::Back if row == 0 => return Ok(None),
            Step::Back => bail!(OUT_OF_ORDER),
            step => is_next.push(step == Step::Next),
        }
    }
    Ok(Some(is_next))
}
