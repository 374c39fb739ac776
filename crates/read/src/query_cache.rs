//! What a list's query string comes to: its statements and the encoder of its rows, made once and remembered.
//!
//! Clients ask the same lists again and again; reading, binding and rendering their options then costs as
//! much as a small answer. Rows are never remembered, and what is kept is bounded, whatever clients ask.
//! Nothing here runs a statement.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use obeya_odata::Bound;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Page, Scope};

use super::cached_count::CachedCount;
use super::counting;
use super::row_encoder::RowEncoder;

/// Query strings remembered for one entity at most; the least recently used one goes first.
const MAX_QUERIES: usize = 128;
/// The longest query string that is worth remembering, in bytes. What it comes to grows with it, at some
/// fifty bytes for each.
const MAX_QUERY: usize = 512;

/// A list's query, ready to run.
#[derive(Debug)]
pub(super) struct ListPlan {
    /// What was asked for.
    pub(super) query: Bound,
    /// The list itself, whichever page of it: see [`obeya_odata::Options::listing`].
    pub(super) listing: String,
    /// The rows of the page, and one more to know whether there are any.
    pub(super) rows: Page,
    /// The number of all rows.
    pub(super) count: CachedCount,
    /// How a row is written.
    pub(super) encoder: RowEncoder,
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

impl ListPlan {
    /// The statements of a query in `scope`, for the rows that come after a place if there is one; `None`
    /// when it can be no place in this order.
    pub(super) fn new(
        query: Bound,
        listing: String,
        dialect: &dyn sql::Dialect,
        scope: Scope<'_>,
        after: Option<&[sql::Value]>,
        window: Window,
    ) -> Option<Self> {
        let count = counting(&query, dialect, &scope);
        let scope = Scope {
            limit: Some(window.rows()),
            ..scope
        };
        let rows = match after {
            None => sql::page(&query, dialect, &scope),
            Some(values) => sql::page_after(&query, dialect, &scope, values)?,
        };
        Some(Self {
            rows,
            listing,
            count: CachedCount::new(count),
            encoder: RowEncoder::of(&query),
            query,
            window,
        })
    }
}

/// The remembered queries of each entity, by query string as it arrived.
#[derive(Debug, Default)]
pub(super) struct QueryCache {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    entities: HashMap<&'static str, HashMap<String, Entry>>,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    compiled: Arc<ListPlan>,
    used: u64,
}

impl QueryCache {
    /// What a query came to before, if it is remembered.
    pub(super) fn find(&self, entity: &EntityType, query: &str) -> Option<Arc<ListPlan>> {
        self.change(|known| known.find(entity, query))
    }

    /// Remembers what a query comes to, if it is short enough to be worth it. It must come to the same each
    /// time.
    pub(super) fn remember(&self, entity: &EntityType, query: &str, compiled: &Arc<ListPlan>) {
        if query.len() <= MAX_QUERY {
            self.change(|known| known.remember(entity, query, compiled));
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        // The maps are whole after every change, so a panic elsewhere leaves nothing to mend.
        change(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Known {
    fn find(&mut self, entity: &EntityType, query: &str) -> Option<Arc<ListPlan>> {
        self.clock += 1;
        let entry = self.entities.get_mut(entity.name)?.get_mut(query)?;
        entry.used = self.clock;
        Some(Arc::clone(&entry.compiled))
    }

    fn remember(&mut self, entity: &EntityType, query: &str, compiled: &Arc<ListPlan>) {
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

#[cfg(test)]
mod tests {
    use obeya_odata::{Context, Limits, OptionName, Options};

    use super::*;
    use obeya_store::entities::{AREA, GROUP};

    /// Asks for a query, and remembers it; whether it was remembered before.
    fn is_known(queries: &QueryCache, entity: &'static EntityType, query: &str) -> bool {
        if let Some(compiled) = queries.find(entity, query) {
            assert_eq!(compiled.query.entity().name, entity.name);
            return true;
        }
        let limits = Limits::default();
        let (options, _) = Options::parse(query, OptionName::PAGED, &limits).unwrap();
        let bound = options.bind(entity, &Context { now: 0, limits }).unwrap();
        let window = Window {
            limit: 10,
            left: None,
            preferred: None,
            now: 0,
        };
        let scope = Scope::default();
        let compiled =
            ListPlan::new(bound, String::new(), &sql::Sqlite, scope, None, window).unwrap();
        queries.remember(entity, query, &Arc::new(compiled));
        false
    }

    #[test]
    fn a_query_is_made_once_for_each_entity() {
        let queries = QueryCache::default();
        for entity in [&AREA, &GROUP] {
            assert!(!is_known(&queries, entity, "$top=5"));
            assert!(is_known(&queries, entity, "$top=5"));
            assert!(!is_known(&queries, entity, "$top=6"));
        }
    }

    #[test]
    fn what_is_long_is_made_anew() {
        let queries = QueryCache::default();
        let long = format!("$top=5&x={}", "y".repeat(MAX_QUERY));
        assert!(!is_known(&queries, &AREA, &long));
        assert!(!is_known(&queries, &AREA, &long));
    }

    #[test]
    fn what_is_remembered_is_bounded_and_the_oldest_goes() {
        let queries = QueryCache::default();
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
}
