//! A page of the values of a datasource.
//!
//! The page is found by seeking, not by stepping over the pages before it: see [`super::seek_cache`] and [`super::partitioned_count`]. Its rows are written as they are read,
//! in pieces, in the form that the caller takes: see [`super::page_encoder`].

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::header::{ETAG, VARY};
use http::{HeaderName, HeaderValue};
use obeya_odata::sql::{self, Scope, Statement};
use obeya_odata::{Bound, OptionName, Options};

use super::bounds::Bounds;
use super::page_encoder::{Form, Heading, PageEncoder};
use super::partitioned_count::PartitionedCount;
use super::seek_cache::{Listing, Place, SeekKey};
use super::series::{Series, Start, State};
use super::tags::{self, Tags};
use super::{ReadCaches, binds, options};
use crate::app::App;
use crate::entities::DATASOURCE_VALUE;
use crate::http::body_sender::{self, BodySender as Feed, Head};
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::store::engine::{Dialect, Row, Session, StoreError};

/// Bytes of the first piece of the body: small, so that sending begins early.
const FIRST_PIECE_BYTES: usize = 64 << 10;
/// Bytes of each further piece: large, as handing one over wakes the connection's task, which takes a processor's time from the reading.
const PIECE_BYTES: usize = 256 << 10;
/// Room for the row that fills a piece, and some.
const BEYOND: usize = 16 << 10;
/// Rows stepped over at most between two remembered places on the way to a page nobody asked for before.
const STRIDE: u64 = 50_000;
/// Rows from which a step is made: the page's own statement steps over fewer at less cost than another statement has.
const STEP: u64 = 1_000;
/// Rows after which it is looked whether anybody still listens, where no piece tells.
const LISTEN: u32 = 1_024;
/// Names the state of the datasource that a page shows, for who puts pages together.
const STATE: HeaderName = HeaderName::from_static("obeya-state");
/// Page size, page number and count of all values, for forms that have no place for them.
const PAGE_SIZE: HeaderName = HeaderName::from_static("obeya-page-size");
const PAGE_NO: HeaderName = HeaderName::from_static("obeya-page-no");
const COUNT: HeaderName = HeaderName::from_static("obeya-count");
const VARIES: HeaderValue = HeaderValue::from_static("accept");
/// What a place is made from.
const KEYS: &str = "$select=valueDate,id";

/// A page to read.
pub(crate) struct Page {
    series: Arc<Series>,
    bounds: Bounds,
    form: Form,
    /// The same query for the order keys alone: an engine whose index holds them steps over rows without reading them.
    keys: Bound,
    /// The query string without page and period: with them it says which listing this is.
    rest: String,
    /// Whether the rows come by date and id, the order in which places are remembered.
    in_order: bool,
    /// Whether a `$filter` narrows the values.
    filtered: bool,
    tags: Tags,
}

impl Page {
    /// Answers with the page that the request asks for.
    pub(crate) async fn answer(call: Call) -> Result<Response, Problem> {
        let page = Self::of(&call)?;
        let app = Arc::clone(&call.app);
        let room = app.memory.pages.take(page.bounds.page_size).await?;
        let (feed, mut stream) = body_sender::channel(room);
        let (bounds, tags, datasource) = (page.bounds, page.tags.clone(), page.series.datasource);
        // A task of its own, as the reading goes on after the head of the answer is sent. It ends by itself: when all is read, or with its client.
        tokio::spawn(async move {
            let feed = Arc::new(feed);
            let sink = Arc::clone(&feed);
            let shared = Arc::clone(&app);
            let outcome = app
                .store
                .read(move |session| page.write(session, &shared, &sink))
                .await;
            feed.end(outcome);
            feed.guard(app.config.limits.request).await;
        });
        let whole = stream.start().await?;
        let head = stream.head();
        let tag = head.and_then(|head| tags.of(head.version));
        let is_known = head.is_some_and(|head| head.is_known);
        let mut response = match whole {
            _ if is_known => tags::not_modified(),
            Some(whole) => call.reply(whole),
            None => call.reply_stream(Body::new(stream)),
        };
        let headers = response.headers_mut();
        headers.insert(VARY, VARIES);
        if let Some(tag) = tag {
            headers.insert(ETAG, tag.header());
        }
        if let Some(Head { version, .. }) = head {
            headers.insert(STATE, tags::state(datasource, version));
        }
        if let Some(Head { count, .. }) = head.filter(|_| !is_known) {
            headers.insert(PAGE_SIZE, bounds.page_size.into());
            headers.insert(PAGE_NO, bounds.page.into());
            headers.insert(COUNT, HeaderValue::from(count));
        }
        Ok(response)
    }

    fn of(call: &Call) -> Result<Self, Problem> {
        let datasource = call.id()?.into();
        let (mut options, parameters) =
            options::written(call, &[OptionName::Filter, OptionName::OrderBy])?;
        let query = options::bind(call, &options, &DATASOURCE_VALUE, call.now())?;
        let limits = &call.app.config.limits.query;
        options.select = Options::parse(KEYS, &[OptionName::Select], limits)?
            .0
            .select;
        let keys = options::bind(call, &options, &DATASOURCE_VALUE, call.now())?;
        let is_ours = |part: &&str| {
            Bounds::NAMES.iter().any(|name| {
                part.split('=')
                    .next()
                    .is_some_and(|found| found.eq_ignore_ascii_case(name))
            })
        };
        let rest: Vec<&str> = call
            .query()
            .split('&')
            .filter(|part| !part.is_empty() && !is_ours(part))
            .collect();
        let bounds = Bounds::of(&parameters)?;
        let tags = Tags::of_answers_to(call, query.asks_the_time());
        Ok(Self {
            series: Arc::new(Series {
                datasource,
                from: bounds.from,
                to: bounds.to,
                query,
            }),
            bounds,
            form: Form::of(call.media()),
            keys,
            rest: rest.join("&"),
            in_order: is_in_order(&options),
            filtered: options.filter.is_some(),
            tags,
        })
    }

    /// Writes the page into `feed`, piece by piece. Stops without a word when nobody listens any more.
    fn write(&self, session: &mut dyn Session, app: &App, feed: &Feed) -> Result<(), Problem> {
        let caches = &app.caches;
        let state = self.series.state(session)?;
        let version = state.version;
        if self.tags.is_known(version) {
            feed.head(Head {
                count: 0,
                version,
                is_known: true,
            });
            return Ok(());
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
            asks_the_time: self.query().asks_the_time(),
        };
        let narrowed = self.filtered || from.is_some() || to.is_some();
        let partitions = narrowed
            .then(|| self.partitioned_count(session, app, &listing, state))
            .transpose()?;
        let total = partitions
            .as_ref()
            .map_or(state.values.unsigned_abs(), |partitions| partitions.total());

        feed.head(Head {
            count: total,
            version,
            is_known: false,
        });

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
            let start = self.seek(session, caches, &listing, partitions.as_deref(), first)?;
            let rows = Rows {
                encoder: encoder.as_mut(),
                out: &mut out,
                feed,
            };
            if !self.rows(session, caches, &listing, start, first, rows)? {
                return Ok(());
            }
        }
        encoder.end(&mut out)?;
        feed.push_last(out);
        Ok(())
    }

    fn partitioned_count(
        &self,
        session: &mut dyn Session,
        app: &App,
        listing: &Listing,
        state: State,
    ) -> Result<Arc<PartitionedCount>, StoreError> {
        let cache = &app.caches.seek;
        if let Some(partitions) = cache.count(listing) {
            return Ok(partitions);
        }
        let partitions = Arc::new(self.series.partitioned_count(session, &app.store, state)?);
        cache.remember_count(listing, &partitions);
        Ok(partitions)
    }

    /// The start nearest before row number `first` from which the page can be read. Where none is known, strides over the rows and remembers each step, so that
    /// a far page is dear once and not again; the last step ends where the page begins.
    fn seek(
        &self,
        session: &mut dyn Session,
        caches: &ReadCaches,
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
        let nearest = caches.seek.nearest(listing, first);
        if nearest.rows > start.place.rows {
            start.place = nearest;
        }
        let columns = SeekKeyColumns::in_rows_of(&self.keys);
        while first - start.place.rows >= STEP {
            let stride = (first - start.place.rows).min(STRIDE);
            let scope = Scope {
                limit: Some(1),
                offset: stride - 1,
                ..self.series.scope(start, session.dialect())
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
            caches.seek.remember(listing, start.place.rows, key);
        }
        Ok(start)
    }

    /// Writes the rows of the page; false when nobody listens any more.
    fn rows(
        &self,
        session: &mut dyn Session,
        caches: &ReadCaches,
        listing: &Listing,
        start: Start,
        first: u64,
        rows: Rows<'_>,
    ) -> Result<bool, StoreError> {
        let Rows { encoder, out, feed } = rows;
        let statement = self.statement(session.dialect(), start, first);
        let columns = SeekKeyColumns::in_rows_of(self.query());
        let mut read: u32 = 0;
        let mut listened = true;
        let mut piece_bytes = FIRST_PIECE_BYTES;
        session.query(&statement.sql, &binds(&statement), &mut |row| {
            encoder.row(out, row)?;
            read += 1;
            if read == self.bounds.page_size && self.in_order {
                caches
                    .seek
                    .remember(listing, first + u64::from(read), columns.of(row)?);
            }
            if out.len() >= piece_bytes {
                let piece = std::mem::replace(out, Vec::with_capacity(PIECE_BYTES + BEYOND));
                listened = feed.push(piece);
                piece_bytes = PIECE_BYTES;
            } else if read.is_multiple_of(LISTEN) {
                listened = feed.is_wanted();
            }
            Ok(if listened {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        Ok(listened)
    }

    fn statement(&self, dialect: Dialect, start: Start, first: u64) -> Statement {
        let scope = Scope {
            limit: Some(self.bounds.page_size.into()),
            offset: first - start.place.rows,
            ..self.series.scope(start, dialect)
        };
        sql::select(self.query(), dialect.of_queries(), &scope)
    }

    fn query(&self) -> &Bound {
        &self.series.query
    }
}

/// Where rows go.
struct Rows<'a> {
    encoder: &'a mut dyn PageEncoder,
    out: &'a mut Vec<u8>,
    feed: &'a Feed,
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
