//! The plans of repeated lists: statements and row encoder by query string, made once and cached.
//!
//! Clients repeat the same lists, and parsing, binding and rendering their options costs as much as a small
//! answer. Rows are never cached, and the cache is bounded. No statement runs here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use obeya_odata::Bound;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Page, Scope};

use super::cached_count::CachedCount;
use super::count_statement;
use super::row_encoder::RowEncoder;

/// The most query strings cached for one entity; the least recently used one is evicted first.
const MAX_QUERIES: usize = 128;
/// The longest query string that is cached, in bytes. Its plan takes some fifty bytes for each.
const MAX_QUERY: usize = 512;

/// The plan of a list.
#[derive(Debug)]
pub(super) struct ListPlan {
    /// The bound query.
    pub(super) query: Bound,
    /// The options that identify the list without the page: see [`obeya_odata::Options::listing`].
    pub(super) listing: String,
    /// The statements for the rows of the page and one more row, which shows that there is a next page.
    pub(super) rows: Page,
    /// The number of all rows.
    pub(super) count: CachedCount,
    /// Writes a row.
    pub(super) encoder: RowEncoder,
    /// Writes a row of an answer with `@odata.context`, if it is another one there.
    pub(super) annotated: Option<RowEncoder>,
    /// The size of the page.
    pub(super) window: Window,
}

/// The size of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// The most records of the page.
    pub(super) limit: u64,
    /// The records that `$top` still allows, including this page.
    pub(super) left: Option<u64>,
    /// The page size that the client prefers, if it is not the default.
    pub(super) preferred: Option<u32>,
    /// The value of `now()` for this page and all that follow.
    pub(super) now: i64,
}

impl Window {
    /// The rows to read: those of the page and one more, which shows that there is a next page.
    pub(super) fn rows(self) -> u64 {
        let more = self.limit + 1;
        self.left.map_or(more, |left| left.min(more))
    }
}

impl ListPlan {
    /// The plan of a query in `scope`, for the rows after a position if there is one; `None` if the position
    /// does not fit the order of the query.
    pub(super) fn new(
        query: Bound,
        listing: String,
        dialect: &dyn sql::Dialect,
        scope: Scope<'_>,
        after: Option<&[sql::Value]>,
        window: Window,
    ) -> Option<Self> {
        let count = count_statement(&query, dialect, &scope);
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
            encoder: match query.result() {
                None => RowEncoder::of(&query),
                Some(result) => RowEncoder::of_result(&query, result, false),
            },
            annotated: query
                .result()
                .map(|result| RowEncoder::of_result(&query, result, true)),
            query,
            window,
        })
    }
}

/// The cached plans of each entity, by the query string as it arrived and what the caller is restricted to.
#[derive(Debug, Default)]
pub(super) struct QueryCache {
    cached: Mutex<CachedQueries>,
}

#[derive(Debug, Default)]
struct CachedQueries {
    entities: HashMap<&'static str, HashMap<String, Entry>>,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    plan: Arc<ListPlan>,
    used: u64,
}

impl QueryCache {
    /// The cached plan of a key: a query string, after the grants and a space if there are grants.
    pub(super) fn find(&self, entity: &EntityType, key: &str) -> Option<Arc<ListPlan>> {
        self.change(|cached| cached.find(entity, key))
    }

    /// Caches the plan of a key if the query string is short; grants have a limit of their own. The plan must
    /// not depend on the time.
    pub(super) fn insert(&self, entity: &EntityType, key: &str, plan: &Arc<ListPlan>) {
        let query = key.rsplit_once(' ').map_or(key, |(_, query)| query);
        if query.len() <= MAX_QUERY {
            self.change(|cached| cached.insert(entity, key, plan));
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut CachedQueries) -> T) -> T {
        // Each change of the maps is complete in itself, so a panic of another thread leaves them valid.
        change(&mut self.cached.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl CachedQueries {
    fn find(&mut self, entity: &EntityType, query: &str) -> Option<Arc<ListPlan>> {
        self.clock += 1;
        let entry = self.entities.get_mut(entity.name)?.get_mut(query)?;
        entry.used = self.clock;
        Some(Arc::clone(&entry.plan))
    }

    fn insert(&mut self, entity: &EntityType, query: &str, plan: &Arc<ListPlan>) {
        let queries = self.entities.entry(entity.name).or_default();
        if queries.len() >= MAX_QUERIES {
            let oldest = queries.iter().min_by_key(|(_, entry)| entry.used);
            if let Some(oldest) = oldest.map(|(query, _)| query.clone()) {
                queries.remove(&oldest);
            }
        }
        let entry = Entry {
            plan: Arc::clone(plan),
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

    /// Looks up a query and caches it; returns whether it was cached before.
    fn is_cached(queries: &QueryCache, entity: &'static EntityType, query: &str) -> bool {
        is_cached_for(queries, entity, "", query)
    }

    /// The same for a client with grants, which end with a space.
    fn is_cached_for(
        queries: &QueryCache,
        entity: &'static EntityType,
        grants: &str,
        query: &str,
    ) -> bool {
        let key = format!("{grants}{query}");
        if let Some(plan) = queries.find(entity, &key) {
            assert_eq!(plan.query.entity().name, entity.name);
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
        let plan = ListPlan::new(bound, String::new(), &sql::Sqlite, scope, None, window).unwrap();
        queries.insert(entity, &key, &Arc::new(plan));
        false
    }

    #[test]
    fn a_query_is_made_once_for_each_entity() {
        let queries = QueryCache::default();
        for entity in [&AREA, &GROUP] {
            assert!(!is_cached(&queries, entity, "$top=5"));
            assert!(is_cached(&queries, entity, "$top=5"));
            assert!(!is_cached(&queries, entity, "$top=6"));
        }
    }

    #[test]
    fn what_is_long_is_made_anew() {
        let queries = QueryCache::default();
        let long = format!("$top=5&x={}", "y".repeat(MAX_QUERY));
        assert!(!is_cached(&queries, &AREA, &long));
        assert!(!is_cached(&queries, &AREA, &long));
    }

    #[test]
    fn clients_with_other_grants_have_other_plans_however_many_grants_they_have() {
        let queries = QueryCache::default();
        let many = "incident-type=1000000000 ".repeat(200);
        for grants in ["", "area=3 ", "area=3 area=4 ", &many] {
            assert!(!is_cached_for(&queries, &AREA, grants, "$top=5"));
            assert!(is_cached_for(&queries, &AREA, grants, "$top=5"));
        }
    }

    #[test]
    fn what_is_remembered_is_bounded_and_the_oldest_goes() {
        let queries = QueryCache::default();
        for top in 0..MAX_QUERIES {
            is_cached(&queries, &AREA, &format!("$top={top}"));
        }
        assert!(is_cached(&queries, &AREA, "$top=0"));
        assert!(!is_cached(&queries, &AREA, "$skip=1"));
        assert!(is_cached(&queries, &AREA, "$top=0"));
        assert!(!is_cached(&queries, &AREA, "$top=1"));
        assert_eq!(
            queries.change(|cached| cached.entities["Area"].len()),
            MAX_QUERIES
        );
    }
}
