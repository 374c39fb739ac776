//! A page of the values of a datasource.
//!
//! The page is found by seeking, not by stepping over the pages before it: see [`super::anchors`]. Its rows are written as they are read, in pieces.

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use obeya_odata::sql::{self, Direction, Predicate, Scope, Statement};
use obeya_odata::{Bound, OptionName};

use super::anchors::{Anchor, Listing, Place};
use super::bounds::Bounds;
use super::shape::Shape;
use super::stream::{self, Feed};
use super::time::Clockwork;
use super::{DIALECT, Memory, binds, json, options};
use crate::entities::DATASOURCE_VALUE;
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::store::engine::{Row, Session, StoreError, Value};

/// Bytes of the first piece of the body: small, so that sending begins early.
const FIRST_PIECE_BYTES: usize = 64 << 10;
/// Bytes of each further piece: large, as handing one over wakes the connection's task, which takes a processor's time from the reading.
const PIECE_BYTES: usize = 256 << 10;
/// Room for the row that fills a piece, and some.
const BEYOND: usize = 16 << 10;
/// Rows stepped over at most between two remembered places on the way to a page nobody asked for before.
const STRIDE: u64 = 50_000;
/// The order in which places are remembered; the id breaks ties.
const ORDER: &[(&str, Direction)] = &[("valueDate", Direction::Ascending)];
const DATASOURCE: &str = "SELECT value_count, change_counter FROM datasources WHERE id = ?1";

/// A page to read.
pub(crate) struct Page {
    datasource: i64,
    bounds: Bounds,
    query: Bound,
    /// The query string without page and period: with them it says which listing this is.
    rest: String,
    /// Whether the rows come in [`ORDER`], in which places are remembered.
    in_order: bool,
    /// Whether a `$filter` narrows the values.
    filtered: bool,
}

impl Page {
    /// Answers with the page that the request asks for.
    pub(crate) async fn answer(call: Call) -> Result<Response, Problem> {
        let page = Self::of(&call)?;
        let app = Arc::clone(&call.app);
        let room = app.memory.room.take(page.bounds.page_size).await?;
        let (feed, mut stream) = stream::body(room);
        // A task of its own, as the reading goes on after the head of the answer is sent. It ends by itself: when all is read, or with its client.
        tokio::spawn(async move {
            let feed = Arc::new(feed);
            let sink = Arc::clone(&feed);
            let shared = Arc::clone(&app);
            let outcome = app
                .store
                .read(move |session| page.write(session, &shared.memory, &sink))
                .await;
            feed.end(outcome);
            feed.guard(app.config.limits.request).await;
        });
        Ok(match stream.start().await? {
            Some(whole) => call.reply(whole),
            None => call.reply_stream(Body::new(stream)),
        })
    }

    fn of(call: &Call) -> Result<Self, Problem> {
        let datasource = call.id()?.into();
        let (options, query, parameters) = options::parsed(
            call,
            &DATASOURCE_VALUE,
            &[OptionName::Filter, OptionName::OrderBy],
        )?;
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
        Ok(Self {
            datasource,
            bounds: Bounds::of(&parameters)?,
            query,
            rest: rest.join("&"),
            in_order: options.orderby.is_none(),
            filtered: options.filter.is_some(),
        })
    }

    /// Writes the page into `feed`, piece by piece. Stops without a word when nobody listens any more.
    fn write(
        &self,
        session: &mut dyn Session,
        memory: &Memory,
        feed: &Feed,
    ) -> Result<(), Problem> {
        let found = session.first(DATASOURCE, &[Value::Int(self.datasource)], |row| {
            Ok((row.int(0)?, row.int(1)?))
        })?;
        let (values, version) =
            found.ok_or_else(|| Problem::not_found("datasource", self.datasource))?;
        let Bounds {
            from,
            to,
            page,
            page_size,
        } = self.bounds;
        let filter = (!self.rest.is_empty()).then(|| self.rest.clone());
        let listing = Listing {
            datasource: self.datasource,
            version: version.unwrap_or_default(),
            from,
            to,
            filter,
        };
        let total = match values {
            Some(values) if !self.filtered && from.is_none() && to.is_none() => values,
            _ => self.count(session, memory, &listing)?,
        };

        let mut out = Vec::with_capacity(FIRST_PIECE_BYTES + BEYOND);
        out.extend_from_slice(b"{\"pageSize\":");
        json::int(&mut out, page_size.into());
        out.extend_from_slice(b",\"pageNo\":");
        json::int(&mut out, page.into());
        out.extend_from_slice(b",\"count\":");
        json::int(&mut out, total);
        out.extend_from_slice(b",\"values\":[");

        let first = u64::from(page - 1) * u64::from(page_size);
        if first < total.unsigned_abs() {
            let place = self.seek(session, memory, &listing, first)?;
            if !self.rows(session, memory, &listing, place, first, &mut out, feed)? {
                return Ok(());
            }
        }
        out.extend_from_slice(b"]}");
        feed.push(out);
        Ok(())
    }

    fn count(
        &self,
        session: &mut dyn Session,
        memory: &Memory,
        listing: &Listing,
    ) -> Result<i64, StoreError> {
        if let Some(total) = memory.anchors.total(listing) {
            return Ok(total);
        }
        let statement = sql::count(&self.query, DIALECT, &self.scope(None));
        let total = session
            .first(&statement.sql, &binds(&statement), |row| row.int(0))?
            .flatten()
            .unwrap_or_default();
        memory.anchors.remember_total(listing, total);
        Ok(total)
    }

    /// The place nearest before row number `first` from which the page can start. Where none is known, strides over the rows and remembers each step, so that
    /// a far page is dear once and not again.
    fn seek(
        &self,
        session: &mut dyn Session,
        memory: &Memory,
        listing: &Listing,
        first: u64,
    ) -> Result<Place, StoreError> {
        let mut place = Place {
            rows: 0,
            after: None,
        };
        if !self.in_order {
            return Ok(place);
        }
        place = memory.anchors.nearest(listing, first);
        while first - place.rows > STRIDE {
            let scope = Scope {
                limit: Some(1),
                offset: STRIDE - 1,
                ..self.scope(place.after)
            };
            let statement = sql::select(&self.query, DIALECT, &scope);
            let columns = self.anchor_columns();
            let Some(anchor) =
                session.first(&statement.sql, &binds(&statement), |row| columns.of(row))?
            else {
                break;
            };
            place = Place {
                rows: place.rows + STRIDE,
                after: Some(anchor),
            };
            memory.anchors.remember(listing, place.rows, anchor);
        }
        Ok(place)
    }

    /// Writes the rows of the page; false when nobody listens any more.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is one thing the rows need, and there is one caller"
    )]
    fn rows(
        &self,
        session: &mut dyn Session,
        memory: &Memory,
        listing: &Listing,
        place: Place,
        first: u64,
        out: &mut Vec<u8>,
        feed: &Feed,
    ) -> Result<bool, StoreError> {
        let statement = self.statement(place, first);
        let shape =
            Shape::of(&self.query).with_constant(&self.query, "dataSourceId", self.datasource);
        let columns = self.anchor_columns();
        let mut clockwork = Clockwork::new();
        let mut read: u32 = 0;
        let mut listened = true;
        let mut piece_bytes = FIRST_PIECE_BYTES;
        session.query(&statement.sql, &binds(&statement), &mut |row| {
            out.extend_from_slice(if read == 0 { b"{" } else { b",{" });
            shape.write(out, row, &mut clockwork)?;
            out.push(b'}');
            read += 1;
            if read == self.bounds.page_size && self.in_order {
                memory
                    .anchors
                    .remember(listing, first + u64::from(read), columns.of(row)?);
            }
            if out.len() >= piece_bytes {
                let piece = std::mem::replace(out, Vec::with_capacity(PIECE_BYTES + BEYOND));
                listened = feed.push(piece);
                piece_bytes = PIECE_BYTES;
            }
            Ok(if listened {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        Ok(listened)
    }

    fn statement(&self, place: Place, first: u64) -> Statement {
        let scope = Scope {
            limit: Some(self.bounds.page_size.into()),
            offset: first - place.rows,
            ..self.scope(place.after)
        };
        sql::select(&self.query, DIALECT, &scope)
    }

    fn scope(&self, after: Option<Anchor>) -> Scope<'static> {
        let mut predicates = vec![Predicate::new(
            "{t}.datasource_id = ?",
            [sql::Value::Int(self.datasource)],
        )];
        match (after, self.bounds.from) {
            // A row after the anchor is after `from` as well: one lower bound is enough, and an engine seeks by one only.
            (Some(anchor), _) => {
                let keys = [
                    sql::Value::Int(anchor.value_date),
                    sql::Value::Int(anchor.id),
                ];
                predicates.push(Predicate::new("({t}.value_date, {t}.id) > (?, ?)", keys));
            }
            (None, Some(from)) => predicates.push(Predicate::new(
                "{t}.value_date > ?",
                [sql::Value::Int(from)],
            )),
            (None, None) => {}
        }
        if let Some(to) = self.bounds.to {
            predicates.push(Predicate::new("{t}.value_date < ?", [sql::Value::Int(to)]));
        }
        Scope {
            predicates,
            default_order: ORDER,
            ..Scope::default()
        }
    }

    fn anchor_columns(&self) -> AnchorColumns {
        // Without `$select` every property is a column.
        let column = |name| {
            self.query
                .columns()
                .iter()
                .position(|column| column.name == name)
                .unwrap_or_default()
        };
        AnchorColumns {
            value_date: column("valueDate"),
            id: column("id"),
        }
    }
}

/// Where a row holds its order keys.
#[derive(Debug, Clone, Copy)]
struct AnchorColumns {
    value_date: usize,
    id: usize,
}

impl AnchorColumns {
    fn of(self, row: &dyn Row) -> Result<Anchor, StoreError> {
        Ok(Anchor {
            value_date: row.int(self.value_date)?.unwrap_or_default(),
            id: row.int(self.id)?.unwrap_or_default(),
        })
    }
}
