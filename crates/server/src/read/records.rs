//! The lists of v1: a page of whole records, with the number of all that match.
//!
//! A record is written by the read engine and has the bytes that a write of it answers with; a test holds one to the other. The page is found by its first row
//! and then read in stretches, each going on where the one before ended: what is in memory at a time is bounded, however large records are, and all of it is
//! one view of the data.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use obeya_model::Date;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Predicate, Scope};
use obeya_odata::{Bound, OptionName, Options, Parameters};

use super::list::keys_of;
use super::shape::Shape;
use super::stream::{self, Feed};
use super::{bounds, count, json, level, options};
use crate::http::call::Call;
use crate::http::extract;
use crate::http::problem::Problem;
use crate::store::engine::Session;

/// Records read at a time.
const STRETCH: u64 = 500;
/// What a record takes of the room for pages, in values of datasources: it is larger by as much, roughly.
const WEIGHT: u32 = 8;
/// Of the rows before a page only the place of the last one is looked at.
const KEY: &str = "$select=id";
const TICKS_PER_DAY: i64 = 864_000_000_000;

/// How the records of an entity are written.
#[derive(Debug)]
pub(crate) struct Form {
    /// The entity.
    pub(crate) entity: &'static EntityType,
    /// `$expand` for what belongs to each record, and the member it comes after.
    pub(crate) parts: Option<(&'static str, &'static str)>,
}

/// A page of records to read.
pub(crate) struct Records {
    form: &'static Form,
    query: Bound,
    keys: Bound,
    parameters: Parameters,
    predicates: Vec<Predicate>,
    page: u32,
    page_size: u32,
}

impl Records {
    /// The page that a request asks for.
    pub(crate) fn new(call: &Call, form: &'static Form) -> Result<Self, Problem> {
        let offered = [OptionName::Filter, OptionName::OrderBy];
        let (mut options, parameters) = options::written(call, &offered)?;
        let limits = &call.app.config.limits.query;
        let fixed = |text: &str, name| Ok::<_, Problem>(Options::parse(text, &[name], limits)?.0);
        let now = call.now();
        let query = {
            let mut options = options.clone();
            if let Some((parts, _)) = form.parts {
                options.expand = fixed(parts, OptionName::Expand)?.expand;
            }
            options::bind(call, &options, form.entity, now)?
        };
        options.select = fixed(KEY, OptionName::Select)?.select;
        let keys = options::bind(call, &options, form.entity, now)?;
        let (page, page_size) = bounds::page(&parameters)?;
        Ok(Self {
            form,
            query,
            keys,
            parameters,
            predicates: Vec::new(),
            page,
            page_size,
        })
    }

    /// Only rows that hold to this as well.
    pub(crate) fn only(mut self, predicate: Predicate) -> Self {
        self.predicates.push(predicate);
        self
    }

    /// Only rows with this id in a column, if the parameter is given.
    pub(crate) fn with_id(self, name: &str, column: &str) -> Result<Self, Problem> {
        let Some(text) = bounds::single(&self.parameters, name)? else {
            return Ok(self);
        };
        let id = extract::int32(text).ok_or_else(|| {
            let found = extract::quoted(text);
            Problem::invalid_query(
                name,
                format!("found {found}, expected an integer of 32 bits"),
            )
        })?;
        Ok(self.only(Predicate::new(
            format!("{{t}}.{column} = ?"),
            [sql::Value::Int(id.into())],
        )))
    }

    /// Only rows whose column of instants lies between the two parameters, as far as they are given.
    pub(crate) fn in_period(self, names: [&str; 2], column: &str) -> Result<Self, Problem> {
        let (from, to) = bounds::period(&self.parameters, names, bounds::instant)?;
        Ok(self.between(from, to, column))
    }

    /// The same for a column of days. A day is its first instant.
    pub(crate) fn in_period_of_days(self, names: [&str; 2], column: &str) -> Result<Self, Problem> {
        let (from, to) = bounds::period(&self.parameters, names, instant_or_day)?;
        let from = from.map(|ticks| ticks.div_euclid(TICKS_PER_DAY));
        let to = to.map(|ticks| -(-ticks).div_euclid(TICKS_PER_DAY));
        Ok(self.between(from, to, column))
    }

    fn between(mut self, from: Option<i64>, to: Option<i64>, column: &str) -> Self {
        for (bound, sign) in [(from, '>'), (to, '<')] {
            if let Some(bound) = bound {
                let sql = format!("{{t}}.{column} {sign} ?");
                self = self.only(Predicate::new(sql, [sql::Value::Int(bound)]));
            }
        }
        self
    }

    /// Answers with the page.
    pub(crate) async fn respond(self, call: Call) -> Result<Response, Problem> {
        let app = Arc::clone(&call.app);
        let room = app
            .memory
            .room
            .take(self.page_size.saturating_mul(WEIGHT))
            .await?;
        let (feed, mut stream) = stream::body(room);
        // A task of its own, as the reading goes on after the head of the answer is sent. It ends by itself: when all is read, or with its client.
        tokio::spawn(async move {
            let feed = Arc::new(feed);
            let sink = Arc::clone(&feed);
            let outcome = app
                .store
                .read(move |session| self.write(session, &sink))
                .await;
            feed.end(outcome);
            feed.guard(app.config.limits.request).await;
        });
        Ok(match stream.start().await? {
            Some(whole) => call.reply(whole),
            None => call.reply_stream(Body::new(stream)),
        })
    }

    /// Writes the page into `feed`, piece by piece. Stops without a word when nobody listens any more.
    fn write(&self, session: &mut dyn Session, feed: &Feed) -> Result<(), Problem> {
        let dialect = session.dialect().of_queries();
        let total = count(session, &sql::count(&self.query, dialect, &self.scope()))?;
        let mut out = b"{\"total\":".to_vec();
        json::int(&mut out, total);
        out.extend_from_slice(b",\"page\":");
        json::int(&mut out, self.page.into());
        out.extend_from_slice(b",\"values\":[");
        let before = u64::from(self.page - 1) * u64::from(self.page_size);
        if before < total.unsigned_abs() && !self.rows(session, before, &mut out, feed)? {
            return Ok(());
        }
        out.extend_from_slice(b"]}");
        feed.push(out);
        Ok(())
    }

    /// Writes the rows of the page, which come after so many; false when nobody listens any more.
    fn rows(
        &self,
        session: &mut dyn Session,
        before: u64,
        out: &mut Vec<u8>,
        feed: &Feed,
    ) -> Result<bool, Problem> {
        let mut after = match before {
            0 => None,
            _ => match self.last_of(session, before)? {
                None => return Ok(true),
                found => found,
            },
        };
        let shape = self.shape();
        let mut left = u64::from(self.page_size);
        loop {
            let wanted = left.min(STRETCH);
            let Some(page) = self.stretch(session, wanted, after.as_deref()) else {
                return Ok(true);
            };
            let start = out.len();
            if after.is_some() && left < u64::from(self.page_size) {
                out.push(b',');
            }
            let opened = out.len();
            let size = usize::try_from(wanted).unwrap_or(usize::MAX);
            let rows = level::Rows {
                query: &self.query,
                shape: &shape,
                statements: &page.statements,
                keys: &page.keys,
                limit: size,
                read: size,
            };
            let found = level::write_rows(session, rows, level::Room::PARTS, out)?;
            if out.len() == opened {
                out.truncate(start);
            }
            left -= wanted;
            if found.rows < size || left == 0 {
                return Ok(true);
            }
            if !feed.push(std::mem::take(out)) {
                return Ok(false);
            }
            after = Some(found.last);
        }
    }

    /// The place of the last of so many rows; `None` when there are not as many.
    fn last_of(
        &self,
        session: &mut dyn Session,
        rows: u64,
    ) -> Result<Option<Vec<sql::Value>>, Problem> {
        let scope = Scope {
            limit: Some(1),
            offset: rows - 1,
            ..self.scope()
        };
        let page = sql::page(&self.keys, session.dialect().of_queries(), &scope);
        Ok(keys_of(session, &page)?)
    }

    /// The statements for so many rows after a place.
    fn stretch(
        &self,
        session: &mut dyn Session,
        rows: u64,
        after: Option<&[sql::Value]>,
    ) -> Option<sql::Page> {
        let scope = Scope {
            limit: Some(rows),
            ..self.scope()
        };
        let dialect = session.dialect().of_queries();
        match after {
            None => Some(sql::page(&self.query, dialect, &scope)),
            Some(values) => sql::page_after(&self.query, dialect, &scope, values),
        }
    }

    fn shape(&self) -> Shape {
        let shape = Shape::of(&self.query);
        match self.form.parts {
            Some((_, member)) => shape.with_expanded_after(&self.query, member),
            None => shape,
        }
    }

    fn scope(&self) -> Scope<'static> {
        Scope {
            predicates: self.predicates.clone(),
            ..Scope::default()
        }
    }
}

/// An instant, or a day, which is its first one.
fn instant_or_day(name: &str, text: &str) -> Result<i64, Problem> {
    match text.parse::<Date>() {
        Ok(day) => Ok(i64::from(day.days()) * TICKS_PER_DAY),
        Err(_) => bounds::instant(name, text),
    }
}
