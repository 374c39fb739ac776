//! What a list's query string comes to: its statements and the shape of its rows, made once and remembered.
//!
//! Clients ask the same lists again and again; reading, binding and rendering their options then costs as much as a small answer. Rows are never remembered,
//! and what is kept is bounded, whatever clients ask. Nothing here runs a statement.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use obeya_odata::Bound;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Page, Scope};

use super::DIALECT;
use super::counted::Counted;
use super::shape::Shape;
use crate::http::problem::Problem;

/// Query strings remembered for one entity at most; the least recently used one goes first.
const MAX_QUERIES: usize = 128;
/// The longest query string that is worth remembering, in bytes. What it comes to grows with it, at some fifty bytes for each.
const MAX_QUERY: usize = 512;

/// A list's query, ready to run.
#[derive(Debug)]
pub(super) struct Compiled {
    /// What was asked for.
    pub(super) query: Bound,
    /// The list itself, whichever page of it: see [`obeya_odata::Options::listing`].
    pub(super) listing: String,
    /// The rows of the page, and one more to know whether there are any.
    pub(super) rows: Page,
    /// The number of all rows.
    pub(super) count: Counted,
    /// How a row is written.
    pub(super) shape: Shape,
    /// Which page.
    pub(super) window: Window,
}

/// The size of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// Records of the page at most.
    pub(super) limit: u64,
    /// Records that `$top` still lets through, this page's among them.
    pub(super) left: Option<u64>,
    /// The size the caller prefers for every page, if it is another than usual.
    pub(super) preferred: Option<u32>,
    /// What `now()` means, on this page and all that follow.
    pub(super) now: i64,
}

impl Window {
    /// Rows to read: those of the page, and one more to know whether there are any.
    pub(super) fn rows(self) -> u64 {
        let more = self.limit + 1;
        self.left.map_or(more, |left| left.min(more))
    }
}

impl Compiled {
    /// The statements of a query in `scope`, for the rows that come after a place if there is one; `None` when it can be no place in this order.
    pub(super) fn new(
        query: Bound,
        listing: String,
        scope: Scope<'_>,
        after: Option<&[sql::Value]>,
        window: Window,
    ) -> Option<Self> {
        let count = sql::count(&query, DIALECT, &scope);
        let scope = Scope {
            limit: Some(window.rows()),
            ..scope
        };
        let rows = match after {
            None => sql::page(&query, DIALECT, &scope),
            Some(values) => sql::page_after(&query, DIALECT, &scope, values)?,
        };
        Some(Self {
            rows,
            listing,
            count: Counted::new(count),
            shape: Shape::of(&query),
            query,
            window,
        })
    }
}

/// The remembered queries of each entity, by query string as it arrived.
#[derive(Debug, Default)]
pub(super) struct Queries {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    entities: HashMap<&'static str, HashMap<String, Entry>>,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    compiled: Arc<Compiled>,
    used: u64,
}

impl Queries {
    /// What a query that [is lasting](is_lasting) comes to for the entity: remembered, or made now. It must depend on nothing else.
    pub(super) fn get(
        &self,
        entity: &'static EntityType,
        query: &str,
        make: impl FnOnce() -> Result<Compiled, Problem>,
    ) -> Result<Arc<Compiled>, Problem> {
        if let Some(compiled) = self.change(|known| known.find(entity, query)) {
            return Ok(compiled);
        }
        // Made outside the lock: others need not wait for it, and two that make the same make no harm.
        let compiled = Arc::new(make()?);
        self.change(|known| known.remember(entity, query, &compiled));
        Ok(compiled)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        // The maps are whole after every change, so a panic elsewhere leaves nothing to mend.
        change(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Known {
    fn find(&mut self, entity: &EntityType, query: &str) -> Option<Arc<Compiled>> {
        self.clock += 1;
        let entry = self.entities.get_mut(entity.name)?.get_mut(query)?;
        entry.used = self.clock;
        Some(Arc::clone(&entry.compiled))
    }

    fn remember(&mut self, entity: &EntityType, query: &str, compiled: &Arc<Compiled>) {
        let queries = self.entities.entry(entity.name).or_default();
        if queries.len() >= MAX_QUERIES {
            let oldest = queries.iter().min_by_key(|(_, entry)| entry.used);
            if let Some(oldest) = oldest.map(|(query, _)| query.clone()) {
                queries.remove(&oldest);
            }
        }
        let entry = Entry {
            compiled: Arc::clone(compiled),
            used: self.clock,
        };
        queries.insert(query.to_owned(), entry);
    }
}

/// Whether a query string, still percent-encoded, comes to the same each time, and is short enough to be worth remembering. One that goes on after a page is
/// seldom asked for again.
pub(super) fn is_lasting(query: &str) -> bool {
    query.len() <= MAX_QUERY && !may_hold(query, "now") && !may_hold(query, "skiptoken")
}

/// Whether a query string, still percent-encoded, may hold a word. One with percent-encoded ASCII letters might.
pub(super) fn may_hold(query: &str, word: &str) -> bool {
    let query = query.to_ascii_lowercase();
    [word, "%4", "%5", "%6", "%7"]
        .iter()
        .any(|sign| query.contains(sign))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use obeya_odata::{Context, Limits, OptionName, Options};

    use super::*;
    use crate::entities::{AREA, GROUP};

    /// Asks for a query; whether it was remembered.
    fn is_known(queries: &Queries, entity: &'static EntityType, query: &str) -> bool {
        let made = Cell::new(false);
        let compiled = queries.get(entity, query, || {
            made.set(true);
            let limits = Limits::default();
            let (options, _) = Options::parse(query, OptionName::PAGED, &limits)?;
            let bound = options.bind(entity, &Context { now: 0, limits })?;
            let window = Window {
                limit: 10,
                left: None,
                preferred: None,
                now: 0,
            };
            let scope = Scope::default();
            Ok(Compiled::new(bound, String::new(), scope, None, window).unwrap())
        });
        assert_eq!(compiled.unwrap().query.entity().name, entity.name);
        !made.get()
    }

    #[test]
    fn a_query_is_made_once_for_each_entity() {
        let queries = Queries::default();
        for entity in [&AREA, &GROUP] {
            assert!(!is_known(&queries, entity, "$top=5"));
            assert!(is_known(&queries, entity, "$top=5"));
            assert!(!is_known(&queries, entity, "$top=6"));
        }
    }

    #[test]
    fn what_asks_the_time_or_goes_on_or_is_long_does_not_last() {
        assert!(is_lasting("$top=5&$filter=name%20eq%20'a'"));
        let long = format!("$top=5&x={}", "y".repeat(MAX_QUERY));
        for query in [
            "$filter=year(NOW()) gt id",
            "$filter=year(n%6Fw()) gt id",
            "$skiptoken=AQ",
            "%24SkipToken=AQ",
            "ski%70token=AQ",
            &long,
        ] {
            assert!(!is_lasting(query), "{query}");
        }
    }

    #[test]
    fn what_is_remembered_is_bounded_and_the_oldest_goes() {
        let queries = Queries::default();
        for top in 0..MAX_QUERIES {
            is_known(&queries, &AREA, &format!("$top={top}"));
        }
        assert!(is_known(&queries, &AREA, "$top=0"));
        assert!(!is_known(&queries, &AREA, "$skip=1"));
        assert!(is_known(&queries, &AREA, "$top=0"));
        assert!(!is_known(&queries, &AREA, "$top=1"));
        assert_eq!(
            queries.change(|known| known.entities["Area"].len()),
            MAX_QUERIES
        );
    }

    #[test]
    fn a_fault_is_told_each_time() {
        let queries = Queries::default();
        for _ in 0..2 {
            let fault = || Err(Problem::timeout());
            assert!(queries.get(&AREA, "$top=x", fault).is_err());
        }
    }
}
