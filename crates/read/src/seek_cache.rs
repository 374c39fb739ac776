//! Cached keyset positions and counts of the pages of values.
//!
//! `page=90` by `OFFSET` skips 89 pages of rows each time. The cache turns it into a seek: for a listing (a
//! datasource at one state of its data, one period, one filter) it has the order keys at some row numbers,
//! and the number of rows by partitions of time. An entry is never wrong: any change of the datasource
//! changes its counter, and with it the cache key. No statement runs here.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::partitioned_count::PartitionedCount;

/// The most cached listings; the least recently used one is evicted first.
const MAX_LISTINGS: usize = 256;
/// The most cached positions of one listing. When they are reached, every other one is dropped and the
/// spacing doubles.
const MAX_POSITIONS: usize = 2_000;
/// The fewest rows between two cached positions: skipping fewer costs less than caching each.
const MIN_SPACING: u64 = 1_000;
/// The longest filter text that is cached, in bytes: it bounds the memory that one client can use.
const MAX_FILTER: usize = 1024;

/// The key of a listing: equal listings have equal rows.
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
    /// The rest of the query string, exactly as the client sent it.
    pub filter: Option<String>,
    /// Whether the filter or the order depends on the current time.
    pub asks_the_time: bool,
}

impl Listing {
    /// Whether the listing has the same rows later and is short enough to be cached.
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

/// A position in a listing, by row number and key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeekPosition {
    /// The number of rows before this position.
    pub rows: u64,
    /// The key of the last of those rows; `None` at the start.
    pub after: Option<SeekKey>,
}

/// The cached listings, shared by all requests.
#[derive(Debug, Default)]
pub(crate) struct SeekCache {
    cached: Mutex<CachedListings>,
}

#[derive(Debug, Default)]
struct CachedListings {
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
    /// The nearest cached position at or before row number `rows`.
    pub(crate) fn nearest(&self, listing: &Listing, rows: u64) -> SeekPosition {
        let mut cached = self.lock();
        let position = cached
            .touch(listing)
            .and_then(|entry| entry.positions.range(..=rows).next_back());
        match position {
            Some((&rows, &key)) => SeekPosition {
                rows,
                after: Some(key),
            },
            None => SeekPosition {
                rows: 0,
                after: None,
            },
        }
    }

    /// The cached count of the listing.
    pub fn count(&self, listing: &Listing) -> Option<Arc<PartitionedCount>> {
        self.lock()
            .touch(listing)
            .and_then(|entry| entry.count.clone())
    }

    /// Caches the key of row number `rows`.
    pub fn insert(&self, listing: &Listing, rows: u64, key: SeekKey) {
        if listing.is_lasting() {
            let mut cached = self.lock();
            cached.entry(listing).insert(rows, key);
        }
    }

    /// Caches the count of the listing.
    pub(crate) fn insert_count(&self, listing: &Listing, count: &Arc<PartitionedCount>) {
        if listing.is_lasting() {
            self.lock().entry(listing).count = Some(Arc::clone(count));
        }
    }

    /// Each change is one insertion, so a panic of another thread leaves the cache valid.
    fn lock(&self) -> MutexGuard<'_, CachedListings> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
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

impl CachedListings {
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

    /// Scans all entries for the oldest: a few hundred, and only when a new listing is added to a full cache.
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
    use crate::partitioned_count::TimeSpan;

    fn count(rows: u64) -> Arc<PartitionedCount> {
        Arc::new(PartitionedCount::new(vec![(
            TimeSpan { first: 0, last: 9 },
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
        cache.insert(
            &listing(1),
            1000,
            SeekKey {
                value_date: 10,
                id: 1,
            },
        );
        cache.insert(
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
    fn small_pages_do_not_crowd_the_positions() {
        let cache = SeekCache::default();
        let many = 3 * u64::try_from(MAX_POSITIONS).unwrap() * MIN_SPACING;
        for rows in (0..many).step_by(100) {
            cache.insert(
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
            let position = cache.nearest(&listing(1), wanted);
            assert!(
                position.rows <= wanted && wanted - position.rows <= 8 * MIN_SPACING,
                "{wanted}: {position:?}"
            );
        }
    }

    #[test]
    fn a_change_of_the_data_forgets_positions_and_totals() {
        let cache = SeekCache::default();
        cache.insert(
            &listing(1),
            1000,
            SeekKey {
                value_date: 10,
                id: 1,
            },
        );
        cache.insert_count(&listing(1), &count(5000));
        assert_eq!(cache.count(&listing(1)), Some(count(5000)));
        assert_eq!(cache.count(&listing(2)), None);
        assert_eq!(
            cache.nearest(&listing(2), 5000),
            SeekPosition {
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
        cache.insert_count(&moving, &count(7));
        assert_eq!(cache.count(&moving), None);
    }

    #[test]
    fn the_cache_is_bounded_and_keeps_what_is_used() {
        let cache = SeekCache::default();
        cache.insert_count(&listing(0), &count(1));
        for version in 1..=2 * i64::try_from(MAX_LISTINGS).unwrap() {
            cache.insert_count(&listing(version), &count(2));
            assert_eq!(cache.count(&listing(0)), Some(count(1)));
        }
        assert_eq!(cache.lock().listings.len(), MAX_LISTINGS);
    }
}
