//! A page of the values of a datasource.
//!
//! The page is found by keyset, not by an offset over the pages before it: see [`super::seek_cache`] and
//! [`super::partitioned_count`]. Its rows are written in pieces while they are read, in the negotiated
//! format: see [`super::page_encoder`].

use std::ops::ControlFlow;
use std::sync::Arc;

use obeya_odata::sql::{self, Scope, Statement};
use obeya_odata::{Bound, OptionName, Options};

use super::error::ReadError;
use super::outcome::ReadOutcome;
use super::page_encoder::{PageEncoder, PageFormat, PageHeader};
use super::page_parameters::PageParameters;
use super::partitioned_count::PartitionedCount;
use super::request::ReadRequest;
use super::seek_cache::{Listing, SeekCache, SeekKey, SeekPosition};
use super::series::{DatasourceState, Series, Start};
use super::sink::Sink;
use super::{ReadCaches, binds};
use obeya_store::engine::{Row, Session, StoreError};
use obeya_store::entities::DATASOURCE_VALUE;

/// Bytes of the first piece of the body: small, so that sending begins early.
const FIRST_PIECE_BYTES: usize = 64 << 10;
/// Bytes of each further piece: large, because handing one over wakes the connection's task, which takes
/// processor time from the reader.
const PIECE_BYTES: usize = 256 << 10;
/// Extra capacity for the row that fills a piece.
const SPARE_BYTES: usize = 16 << 10;
/// The most rows between two cached positions on the way to a page that was not read before.
const MAX_STRIDE: u64 = 50_000;
/// The fewest rows for a statement that only seeks: the page's own statement skips fewer rows at less cost.
const MIN_STRIDE: u64 = 1_000;
/// Rows between two checks whether the client still waits, while no piece is sent.
const ROWS_BETWEEN_CHECKS: u32 = 1_024;
/// The columns of a seek position.
const KEY_COLUMNS: &str = "$select=valueDate,id";

/// A prepared page of values.
pub struct ValuePage {
    series: Arc<Series>,
    page_parameters: PageParameters,
    format: PageFormat,
    /// The same query with the order keys alone: an engine whose index has them skips rows without reading
    /// them.
    keys: Bound,
    /// The query string without page and period. Together with them it identifies the listing.
    other_parameters: String,
    /// Whether the rows are ordered by date and id, the order in which positions are cached.
    in_order: bool,
    /// Whether a `$filter` narrows the values.
    filtered: bool,
}

impl ValuePage {
    /// Prepares the page of a datasource that a request asks for.
    pub fn prepare(request: &ReadRequest<'_>, datasource: i32) -> Result<Self, ReadError> {
        let offered = [OptionName::Filter, OptionName::OrderBy];
        let (mut options, parameters) = request.options(&offered)?;
        let query = request.bind(&options, &DATASOURCE_VALUE)?;
        options.select = Options::parse(KEY_COLUMNS, &[OptionName::Select], &request.limits)?
            .0
            .select;
        let keys = request.bind(&options, &DATASOURCE_VALUE)?;
        let is_ours = |part: &&str| {
            PageParameters::NAMES.iter().any(|name| {
                part.split('=')
                    .next()
                    .is_some_and(|found| found.eq_ignore_ascii_case(name))
            })
        };
        let other_parameters: Vec<&str> = request
            .query
            .split('&')
            .filter(|part| !part.is_empty() && !is_ours(part))
            .collect();
        let page_parameters = PageParameters::of(&parameters)?;
        Ok(Self {
            series: Arc::new(Series {
                datasource: datasource.into(),
                from: page_parameters.from,
                to: page_parameters.to,
                query,
                readers: Some(request.store.clone()),
            }),
            page_parameters,
            format: PageFormat::of(request.media),
            keys,
            other_parameters: other_parameters.join("&"),
            in_order: is_in_order(&options),
            filtered: options.filter.is_some(),
        })
    }

    /// The id of the datasource.
    pub fn datasource(&self) -> i64 {
        self.series.datasource
    }

    /// The number of the page, from 1.
    pub fn number(&self) -> u32 {
        self.page_parameters.page
    }

    /// The page size.
    pub fn size(&self) -> u32 {
        self.page_parameters.page_size
    }

    /// Whether the answer depends on the current time.
    pub fn asks_the_time(&self) -> bool {
        self.query().asks_the_time()
    }

    /// Reads the page, piece by piece. First passes the version of the datasource and the number of values to
    /// the sink.
    pub(super) fn run(
        &self,
        session: &mut dyn Session,
        caches: Option<&ReadCaches>,
        sink: &mut dyn Sink,
    ) -> Result<ReadOutcome, ReadError> {
        let cache = caches.map(|caches| &caches.seek);
        let state = self.series.state(session)?;
        if sink.begin(state.version).is_break() {
            return Ok(ReadOutcome::Complete);
        }
        let PageParameters {
            from,
            to,
            page,
            page_size,
        } = self.page_parameters;
        let filter = (!self.other_parameters.is_empty()).then(|| self.other_parameters.clone());
        let listing = Listing {
            datasource: self.series.datasource,
            version: state.version,
            from,
            to,
            filter,
            asks_the_time: self.asks_the_time(),
        };
        let narrowed = self.filtered || from.is_some() || to.is_some();
        let partitions = narrowed
            .then(|| self.partitioned_count(session, cache, &listing, state))
            .transpose()?;
        let total = partitions
            .as_ref()
            .map_or(state.values.unsigned_abs(), |partitions| partitions.total());
        sink.counted(total);

        let first = u64::from(page - 1) * u64::from(page_size);
        let heading = PageHeader {
            page_size,
            page,
            count: total,
        };
        let mut encoder = self
            .format
            .encoder(self.query(), self.series.datasource, heading)?;
        let mut out = Vec::with_capacity(FIRST_PIECE_BYTES + SPARE_BYTES);
        encoder.begin(&mut out);
        if heading.rows() > 0 {
            let start = self.seek(session, cache, &listing, partitions.as_deref(), first)?;
            let rows = PageOutput {
                encoder: encoder.as_mut(),
                out: &mut out,
                sink,
            };
            if !self.rows(session, cache, &listing, start, first, rows)? {
                return Ok(ReadOutcome::Complete);
            }
        }
        encoder.end(&mut out)?;
        sink.last(out);
        Ok(ReadOutcome::Complete)
    }

    fn partitioned_count(
        &self,
        session: &mut dyn Session,
        cache: Option<&SeekCache>,
        listing: &Listing,
        state: DatasourceState,
    ) -> Result<Arc<PartitionedCount>, StoreError> {
        if let Some(partitions) = cache.and_then(|cache| cache.count(listing)) {
            return Ok(partitions);
        }
        let partitions = Arc::new(self.series.partitioned_count(session, state)?);
        if let Some(cache) = cache {
            cache.insert_count(listing, &partitions);
        }
        Ok(partitions)
    }

    /// The nearest start at or before row number `first` from which the page can be read. Without a near
    /// position it steps over the rows and caches a position for each step, so that a far page is expensive
    /// only once; the last step ends where the page begins.
    fn seek(
        &self,
        session: &mut dyn Session,
        cache: Option<&SeekCache>,
        listing: &Listing,
        partitions: Option<&PartitionedCount>,
        first: u64,
    ) -> Result<Start, StoreError> {
        if !self.in_order {
            // The rows may be in any partition that has some.
            let found = partitions.and_then(|partitions| partitions.find(0, u64::MAX));
            return Ok(Start {
                span: found.map(|(_, span)| span),
                ..Start::BEGINNING
            });
        }
        let found = partitions
            .and_then(|partitions| partitions.find(first, self.page_parameters.page_size.into()));
        let mut start = Start {
            position: SeekPosition {
                rows: found.map_or(0, |(before, _)| before),
                after: None,
            },
            span: found.map(|(_, span)| span),
        };
        let nearest = cache.map(|cache| cache.nearest(listing, first));
        if let Some(nearest) = nearest
            && nearest.rows > start.position.rows
        {
            start.position = nearest;
        }
        let columns = SeekKeyColumns::in_rows_of(&self.keys);
        while first - start.position.rows >= MIN_STRIDE {
            let stride = (first - start.position.rows).min(MAX_STRIDE);
            let scope = Scope {
                limit: Some(1),
                offset: stride - 1,
                ..self.series.scope(start, session)
            };
            let statement = sql::select(&self.keys, session.dialect().of_queries(), &scope);
            let Some(key) =
                session.first(&statement.sql, &binds(&statement), |row| columns.of(row))?
            else {
                break;
            };
            start.position = SeekPosition {
                rows: start.position.rows + stride,
                after: Some(key),
            };
            if let Some(cache) = cache {
                cache.insert(listing, start.position.rows, key);
            }
        }
        Ok(start)
    }

    /// Writes the rows of the page. Returns false if the client no longer waits.
    fn rows(
        &self,
        session: &mut dyn Session,
        cache: Option<&SeekCache>,
        listing: &Listing,
        start: Start,
        first: u64,
        rows: PageOutput<'_>,
    ) -> Result<bool, StoreError> {
        let PageOutput { encoder, out, sink } = rows;
        let statement = self.statement(session, start, first);
        let columns = SeekKeyColumns::in_rows_of(self.query());
        let mut read: u32 = 0;
        let mut is_wanted = true;
        let mut piece_bytes = FIRST_PIECE_BYTES;
        session.query(&statement.sql, &binds(&statement), &mut |row| {
            encoder.row(out, row)?;
            read += 1;
            if read == self.page_parameters.page_size
                && self.in_order
                && let Some(cache) = cache
            {
                cache.insert(listing, first + u64::from(read), columns.of(row)?);
            }
            if out.len() >= piece_bytes {
                let piece = std::mem::replace(out, Vec::with_capacity(PIECE_BYTES + SPARE_BYTES));
                is_wanted = sink.piece(piece).is_continue();
                piece_bytes = PIECE_BYTES;
            } else if read.is_multiple_of(ROWS_BETWEEN_CHECKS) {
                is_wanted = sink.is_wanted();
            }
            Ok(if is_wanted {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        Ok(is_wanted)
    }

    fn statement(&self, session: &dyn Session, start: Start, first: u64) -> Statement {
        let scope = Scope {
            limit: Some(self.page_parameters.page_size.into()),
            offset: first - start.position.rows,
            ..self.series.scope(start, session)
        };
        sql::select(self.query(), session.dialect().of_queries(), &scope)
    }

    fn query(&self) -> &Bound {
        &self.series.query
    }
}

/// The output of a page.
struct PageOutput<'a> {
    encoder: &'a mut dyn PageEncoder,
    out: &'a mut Vec<u8>,
    sink: &'a mut dyn Sink,
}

/// Whether the requested order is the default order of values.
fn is_in_order(options: &Options) -> bool {
    let Some(order) = &options.orderby else {
        return true;
    };
    let keys: Vec<String> = order.iter().map(ToString::to_string).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    matches!(keys[..], ["valueDate"] | ["valueDate", "id"])
}

/// The columns of a row that hold its order keys.
#[derive(Debug, Clone, Copy)]
struct SeekKeyColumns {
    value_date: usize,
    id: usize,
}

impl SeekKeyColumns {
    fn in_rows_of(query: &Bound) -> Self {
        // Both queries have these columns.
        let column = |name| {
            let mut columns = query.columns().iter();
            columns
                .position(|column| column.name == name)
                .unwrap_or_default()
        };
        Self {
            value_date: column("valueDate"),
            id: column("id"),
        }
    }

    fn of(self, row: &dyn Row) -> Result<SeekKey, StoreError> {
        Ok(SeekKey {
            value_date: row.int(self.value_date)?.unwrap_or_default(),
            id: row.int(self.id)?.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests;
