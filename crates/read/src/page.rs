//! A page of the values of a datasource.
//!
//! The page is found by seeking, not by stepping over the pages before it: see [`super::seek_cache`] and
//! [`super::partitioned_count`]. Its rows are written as they are read, in pieces, in the form that the
//! caller takes: see [`super::page_encoder`].

use std::ops::ControlFlow;
use std::sync::Arc;

use obeya_odata::sql::{self, Scope, Statement};
use obeya_odata::{Bound, OptionName, Options};

use super::bounds::Bounds;
use super::error::ReadError;
use super::found::Found;
use super::page_encoder::{Form, Heading, PageEncoder};
use super::partitioned_count::PartitionedCount;
use super::request::ReadRequest;
use super::seek_cache::{Listing, Place, SeekCache, SeekKey};
use super::series::{Series, Start, State};
use super::sink::Sink;
use super::{ReadCaches, binds};
use obeya_store::engine::{Row, Session, StoreError};
use obeya_store::entities::DATASOURCE_VALUE;

/// Bytes of the first piece of the body: small, so that sending begins early.
const FIRST_PIECE_BYTES: usize = 64 << 10;
/// Bytes of each further piece: large, as handing one over wakes the connection's task, which takes a
/// processor's time from the reading.
const PIECE_BYTES: usize = 256 << 10;
/// Room for the row that fills a piece, and some.
const BEYOND: usize = 16 << 10;
/// Rows stepped over at most between two remembered places on the way to a page nobody asked for before.
const STRIDE: u64 = 50_000;
/// Rows from which a step is made: the page's own statement steps over fewer at less cost than another
/// statement has.
const STEP: u64 = 1_000;
/// Rows after which it is looked whether anybody still listens, where no piece tells.
const LISTEN: u32 = 1_024;
/// What a place is made from.
const KEYS: &str = "$select=valueDate,id";

/// A page of values, ready to be read.
pub struct ValuePage {
    series: Arc<Series>,
    bounds: Bounds,
    form: Form,
    /// The same query for the order keys alone: an engine whose index holds them steps over rows without
    /// reading them.
    keys: Bound,
    /// The query string without page and period: with them it says which listing this is.
    rest: String,
    /// Whether the rows come by date and id, the order in which positions are cached.
    in_order: bool,
    /// Whether a `$filter` narrows the values.
    filtered: bool,
}

impl ValuePage {
    /// The page of a datasource that a request asks for.
    pub fn prepare(request: &ReadRequest<'_>, datasource: i32) -> Result<Self, ReadError> {
        let offered = [OptionName::Filter, OptionName::OrderBy];
        let (mut options, parameters) = request.options(&offered)?;
        let query = request.bind(&options, &DATASOURCE_VALUE)?;
        options.select = Options::parse(KEYS, &[OptionName::Select], &request.limits)?
            .0
            .select;
        let keys = request.bind(&options, &DATASOURCE_VALUE)?;
        let is_ours = |part: &&str| {
            Bounds::NAMES.iter().any(|name| {
                part.split('=')
                    .next()
                    .is_some_and(|found| found.eq_ignore_ascii_case(name))
            })
        };
        let rest: Vec<&str> = request
            .query
            .split('&')
            .filter(|part| !part.is_empty() && !is_ours(part))
            .collect();
        let bounds = Bounds::of(&parameters)?;
        Ok(Self {
            series: Arc::new(Series {
                datasource: datasource.into(),
                from: bounds.from,
                to: bounds.to,
                query,
                readers: Some(request.store.clone()),
            }),
            bounds,
            form: Form::of(request.media),
            keys,
            rest: rest.join("&"),
            in_order: is_in_order(&options),
            filtered: options.filter.is_some(),
        })
    }

    /// The datasource.
    pub fn datasource(&self) -> i64 {
        self.series.datasource
    }

    /// The number of the page, from 1.
    pub fn number(&self) -> u32 {
        self.bounds.page
    }

    /// Values of a full page.
    pub fn size(&self) -> u32 {
        self.bounds.page_size
    }

    /// Whether the same request may show something else though no value changed.
    pub fn asks_the_time(&self) -> bool {
        self.query().asks_the_time()
    }

    /// Reads the page, piece by piece. Tells the sink the version of the datasource and the number of values
    /// before them.
    pub(super) fn run(
        &self,
        session: &mut dyn Session,
        caches: Option<&ReadCaches>,
        sink: &mut dyn Sink,
    ) -> Result<Found, ReadError> {
        let cache = caches.map(|caches| &caches.seek);
        let state = self.series.state(session)?;
        if sink.begin(state.version).is_break() {
            return Ok(Found::Whole);
        }
        let Bounds {
            from,
            to,
            page,
            page_size,
        } = self.bounds;
        let filter = (!self.rest.is_empty()).then(|| self.rest.clone());
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
        let heading = Heading {
            page_size,
            page,
            count: total,
        };
        let mut encoder = self
            .form
            .encoder(self.query(), self.series.datasource, heading)?;
        let mut out = Vec::with_capacity(FIRST_PIECE_BYTES + BEYOND);
        encoder.begin(&mut out);
        if heading.rows() > 0 {
            let start = self.seek(session, cache, &listing, partitions.as_deref(), first)?;
            let rows = Rows {
                encoder: encoder.as_mut(),
                out: &mut out,
                sink,
            };
            if !self.rows(session, cache, &listing, start, first, rows)? {
                return Ok(Found::Whole);
            }
        }
        encoder.end(&mut out)?;
        sink.last(out);
        Ok(Found::Whole)
    }

    fn partitioned_count(
        &self,
        session: &mut dyn Session,
        cache: Option<&SeekCache>,
        listing: &Listing,
        state: State,
    ) -> Result<Arc<PartitionedCount>, StoreError> {
        if let Some(partitions) = cache.and_then(|cache| cache.count(listing)) {
            return Ok(partitions);
        }
        let partitions = Arc::new(self.series.partitioned_count(session, state)?);
        if let Some(cache) = cache {
            cache.remember_count(listing, &partitions);
        }
        Ok(partitions)
    }

    /// The start nearest before row number `first` from which the page can be read. Where none is known,
    /// strides over the rows and remembers each step, so that a far page is dear once and not again; the last
    /// step ends where the page begins.
    fn seek(
        &self,
        session: &mut dyn Session,
        cache: Option<&SeekCache>,
        listing: &Listing,
        partitions: Option<&PartitionedCount>,
        first: u64,
    ) -> Result<Start, StoreError> {
        if !self.in_order {
            // The rows may be anywhere, but for where there are none.
            let found = partitions.and_then(|partitions| partitions.find(0, u64::MAX));
            return Ok(Start {
                span: found.map(|(_, span)| span),
                ..Start::BEGINNING
            });
        }
        let found =
            partitions.and_then(|partitions| partitions.find(first, self.bounds.page_size.into()));
        let mut start = Start {
            place: Place {
                rows: found.map_or(0, |(before, _)| before),
                after: None,
            },
            span: found.map(|(_, span)| span),
        };
        let nearest = cache.map(|cache| cache.nearest(listing, first));
        if let Some(nearest) = nearest
            && nearest.rows > start.place.rows
        {
            start.place = nearest;
        }
        let columns = SeekKeyColumns::in_rows_of(&self.keys);
        while first - start.place.rows >= STEP {
            let stride = (first - start.place.rows).min(STRIDE);
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
            start.place = Place {
                rows: start.place.rows + stride,
                after: Some(key),
            };
            if let Some(cache) = cache {
                cache.remember(listing, start.place.rows, key);
            }
        }
        Ok(start)
    }

    /// Writes the rows of the page; false when nobody listens any more.
    fn rows(
        &self,
        session: &mut dyn Session,
        cache: Option<&SeekCache>,
        listing: &Listing,
        start: Start,
        first: u64,
        rows: Rows<'_>,
    ) -> Result<bool, StoreError> {
        let Rows { encoder, out, sink } = rows;
        let statement = self.statement(session, start, first);
        let columns = SeekKeyColumns::in_rows_of(self.query());
        let mut read: u32 = 0;
        let mut listened = true;
        let mut piece_bytes = FIRST_PIECE_BYTES;
        session.query(&statement.sql, &binds(&statement), &mut |row| {
            encoder.row(out, row)?;
            read += 1;
            if read == self.bounds.page_size
                && self.in_order
                && let Some(cache) = cache
            {
                cache.remember(listing, first + u64::from(read), columns.of(row)?);
            }
            if out.len() >= piece_bytes {
                let piece = std::mem::replace(out, Vec::with_capacity(PIECE_BYTES + BEYOND));
                listened = sink.piece(piece).is_continue();
                piece_bytes = PIECE_BYTES;
            } else if read.is_multiple_of(LISTEN) {
                listened = sink.is_wanted();
            }
            Ok(if listened {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        Ok(listened)
    }

    fn statement(&self, session: &dyn Session, start: Start, first: u64) -> Statement {
        let scope = Scope {
            limit: Some(self.bounds.page_size.into()),
            offset: first - start.place.rows,
            ..self.series.scope(start, session)
        };
        sql::select(self.query(), session.dialect().of_queries(), &scope)
    }

    fn query(&self) -> &Bound {
        &self.series.query
    }
}

/// Where rows go.
struct Rows<'a> {
    encoder: &'a mut dyn PageEncoder,
    out: &'a mut Vec<u8>,
    sink: &'a mut dyn Sink,
}

/// Whether the order asked for is the one that values have anyway.
fn is_in_order(options: &Options) -> bool {
    let Some(order) = &options.orderby else {
        return true;
    };
    let keys: Vec<String> = order.iter().map(ToString::to_string).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    matches!(keys[..], ["valueDate"] | ["valueDate", "id"])
}

/// Where a row holds its order keys.
#[derive(Debug, Clone, Copy)]
struct SeekKeyColumns {
    value_date: usize,
    id: usize,
}

impl SeekKeyColumns {
    fn in_rows_of(query: &Bound) -> Self {
        // Neither query leaves them out.
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
