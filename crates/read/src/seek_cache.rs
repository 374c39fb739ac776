//! Where pages start: remembered seek positions and totals of the pages of values.
//!
//! `page=90` by `OFFSET` steps over 89 pages of rows each time. What is remembered here turns it into a seek:
//! for a listing (a datasource at one state of its data, one period, one filter) the order keys found at some
//! row numbers, and the number of all rows by stretches of time. An entry is never wrong, only unused: any
//! change of the datasource changes its counter, and with it the key. Nothing here runs a statement.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::partitioned_count::PartitionedCount;

/// Listings remembered at most; the least recently used one goes first.
const MAX_LISTINGS: usize = 256;
/// Positions remembered for one listing at most; then every other one goes, and from there on they lie twice
/// as far apart.
const MAX_POSITIONS: usize = 2_000;
/// Rows between two remembered positions at least: stepping over fewer costs less than remembering each.
const MIN_SPACING: u64 = 1_000;
/// The longest filter text that is worth remembering, in bytes: it bounds what one client can make the cache
/// hold.
const MAX_FILTER: usize = 1024;

/// What a listing is: equal listings give equal rows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Listing {
    /// The datasource.
    pub datasource: i64,
    /// The datasource's change counter, read in the same snapshot as the rows.
    pub version: i64,
    /// The exclusive lower bound on the value's instant, in ticks.
    pub from: Option<i64>,
    /// The exclusive upper bound on the value's instant, in ticks.
    pub to: Option<i64>,
    /// The filter's text, exactly as the client sent it, with whatever else the query string held.
    pub filter: Option<String>,
    /// Whether the filter or the order asks for the current time.
    pub asks_the_time: bool,
}

impl Listing {
    /// Whether the same listing gives the same rows later, and is short enough to be worth remembering.
    fn is_lasting(&self) -> bool {
        let length = self.filter.as_ref().map_or(0, String::len);
        length <= MAX_FILTER && !self.asks_the_time
    }
}

/// The order keys of a row: a page continues after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeekKey {
    /// The value's instant, in ticks.
    pub value_date: i64,
    /// The value's id.
    pub id: i64,
}

/// A place in a listing: `rows` rows come up to and including the key's row; without a key it is the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// How many rows lie before this place.
    pub rows: u64,
    /// The last of those rows; `None` at the start.
    pub after: Option<SeekKey>,
}

/// The remembered listings, shared by all requests.
#[derive(Debug, Default)]
pub(crate) struct SeekCache {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    listings: HashMap<Listing, Entry>,
    clock: u64,
}

#[derive(Debug, Default)]
struct Entry {
    used: u64,
    count: Option<Arc<PartitionedCount>>,
    positions: BTreeMap<u64, SeekKey>,
    thinned: u32,
}

impl SeekCache {
    /// The nearest known place at or before row number `rows`.
    pub(crate) fn nearest(&self, listing: &Listing, rows: u64) -> Place {
        let mut known = self.lock();
        let place = known
            .touch(listing)
            .and_then(|entry| entry.positions.range(..=rows).next_back());
        match place {
            Some((&rows, &key)) => Place {
                rows,
                after: Some(key),
            },
            None => Place {
                rows: 0,
                after: None,
            },
        }
    }

    /// The rows of the listing, if they were counted.
    pub fn count(&self, listing: &Listing) -> Option<Arc<PartitionedCount>> {
        self.lock()
            .touch(listing)
            .and_then(|entry| entry.count.clone())
    }

    /// Remembers the row that completes the first `rows` rows.
    pub fn remember(&self, listing: &Listing, rows: u64, key: SeekKey) {
        if listing.is_lasting() {
            let mut known = self.lock();
            known.entry(listing).insert(rows, key);
        }
    }

    /// Remembers the rows of the listing.
    pub(crate) fn remember_count(&self, listing: &Listing, count: &Arc<PartitionedCount>) {
        if listing.is_lasting() {
            self.lock().entry(listing).count = Some(Arc::clone(count));
        }
    }

    /// A cache that a panicking thread held is still right: each change is one insertion.
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn insert(&mut self, rows: u64, key: SeekKey) {
        let spacing = MIN_SPACING << self.thinned;
        let close = self
            .positions
            .range(rows.saturating_sub(spacing - 1)..rows.saturating_add(spacing))
            .next()
            .is_some();
        if rows < spacing || close {
            return;
        }
        if self.positions.len() >= MAX_POSITIONS {
            let mut keep = false;
            self.positions.retain(|_, _| {
                keep = !keep;
                keep
            });
            self.thinned += 1;
        }
        self.positions.insert(rows, key);
    }
}

impl Known {
    fn touch(&mut self, listing: &Listing) -> Option<&Entry> {
        self.clock += 1;
        let entry = self.listings.get_mut(listing)?;
        entry.used = self.clock;
        Some(entry)
    }

    fn entry(&mut self, listing: &Listing) -> &mut Entry {
        self.clock += 1;
        if self.listings.len() >= MAX_LISTINGS && !self.listings.contains_key(listing) {
            self.forget_one();
        }
        let entry = self.listings.entry(listing.clone()).or_default();
        entry.used = self.clock;
        entry
    }

    /// Scans for the oldest: a few hundred entries, and only when a new listing comes to a full cache.
    fn forget_one(&mut self) {
        let oldest = self
            .listings
            .iter()
            .min_by_key(|(_, entry)| entry.used)
            .map(|(listing, _)| listing.clone());
        if let Some(listing) = oldest {
            self.listings.remove(&listing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partitioned_count::Span;

    fn count(rows: u64) -> Arc<PartitionedCount> {
        Arc::new(PartitionedCount::new(vec![(
            Span { first: 0, last: 9 },
            rows,
        )]))
    }

    fn listing(version: i64) -> Listing {
        Listing {
            datasource: 1,
            version,
            from: None,
            to: None,
            filter: None,
            asks_the_time: false,
        }
    }

    #[test]
    fn the_nearest_place_is_never_after_the_row_asked_for() {
        let cache = SeekCache::default();
        cache.remember(
            &listing(1),
            1000,
            SeekKey {
                value_date: 10,
                id: 1,
            },
        );
        cache.remember(
            &listing(1),
            3000,
            SeekKey {
                value_date: 30,
                id: 3,
            },
        );
        let rows = |wanted| cache.nearest(&listing(1), wanted).rows;
        assert_eq!(
            [
                rows(0),
                rows(999),
                rows(1000),
                rows(2999),
                rows(3000),
                rows(9999)
            ],
            [0, 0, 1000, 1000, 3000, 3000]
        );
        assert_eq!(
            cache.nearest(&listing(1), 2000).after,
            Some(SeekKey {
                value_date: 10,
                id: 1
            })
        );
    }

    #[test]
    fn small_pages_do_not_crowd_the_places() {
        let cache = SeekCache::default();
        let many = 3 * u64::try_from(MAX_POSITIONS).unwrap() * MIN_SPACING;
        for rows in (0..many).step_by(100) {
            cache.remember(
                &listing(1),
                rows,
                SeekKey {
                    value_date: 0,
                    id: i64::try_from(rows).unwrap(),
                },
            );
        }
        assert!(cache.lock().listings[&listing(1)].positions.len() <= MAX_POSITIONS);
        for wanted in [5_500, many / 2, many] {
            let place = cache.nearest(&listing(1), wanted);
            assert!(
                place.rows <= wanted && wanted - place.rows <= 8 * MIN_SPACING,
                "{wanted}: {place:?}"
            );
        }
    }

    #[test]
    fn a_change_of_the_data_forgets_places_and_totals() {
        let cache = SeekCache::default();
        cache.remember(
            &listing(1),
            1000,
            SeekKey {
                value_date: 10,
                id: 1,
            },
        );
        cache.remember_count(&listing(1), &count(5000));
        assert_eq!(cache.count(&listing(1)), Some(count(5000)));
        assert_eq!(cache.count(&listing(2)), None);
        assert_eq!(
            cache.nearest(&listing(2), 5000),
            Place {
                rows: 0,
                after: None
            }
        );
    }

    #[test]
    fn a_filter_on_the_current_time_is_not_remembered() {
        let cache = SeekCache::default();
        let moving = Listing {
            filter: Some("valueDate lt now()".into()),
            asks_the_time: true,
            ..listing(1)
        };
        cache.remember_count(&moving, &count(7));
        assert_eq!(cache.count(&moving), None);
    }

    #[test]
    fn the_cache_is_bounded_and_keeps_what_is_used() {
        let cache = SeekCache::default();
        cache.remember_count(&listing(0), &count(1));
        for version in 1..=2 * i64::try_from(MAX_LISTINGS).unwrap() {
            cache.remember_count(&listing(version), &count(2));
            assert_eq!(cache.count(&listing(0)), Some(count(1)));
        }
        assert_eq!(cache.lock().listings.len(), MAX_LISTINGS);
    }
}
