//! The number of rows of a listing, by partitions of time.
//!
//! Counting the matches of a filter reads all rows, so several readers may do it together, each taking the
//! next partition. The counts by partition are cached: a page is then looked for only in its partitions. No
//! statement runs here.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use obeya_store::StoreError;

/// A span of time in ticks, including both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeSpan {
    /// Its first instant.
    pub first: i64,
    /// Its last instant.
    pub last: i64,
}

impl TimeSpan {
    /// Splits the span into so many parts of the same length, in order; fewer if it is shorter than that.
    pub fn split(self, partitions: i64) -> Vec<Self> {
        let (first, last) = (i128::from(self.first), i128::from(self.last));
        let partitions = i128::from(partitions).clamp(1, (last - first + 1).max(1));
        let start = |index: i128| first + (last - first + 1) * index / partitions;
        // A point between two instants is an instant.
        let instant = |ticks: i128| i64::try_from(ticks).unwrap_or(self.last);
        (0..partitions)
            .map(|index| Self {
                first: instant(start(index)),
                last: instant(start(index + 1) - 1),
            })
            .collect()
    }
}

/// The number of rows of a listing, by consecutive partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartitionedCount {
    partitions: Vec<(TimeSpan, u64)>,
}

impl PartitionedCount {
    /// Takes partitions in the order of time, with the number of rows of each.
    pub fn new(partitions: Vec<(TimeSpan, u64)>) -> Self {
        Self { partitions }
    }

    /// The number of all rows.
    pub fn total(&self) -> u64 {
        self.partitions.iter().map(|(_, rows)| rows).sum()
    }

    /// The shortest span that contains the rows from number `first` on, at most `size` of them, and the
    /// number of rows before that span; `None` if there are no such rows.
    pub fn find(&self, first: u64, size: u64) -> Option<(u64, TimeSpan)> {
        let end = first.saturating_add(size);
        let mut before = 0;
        let mut found: Option<(u64, TimeSpan)> = None;
        for &(span, rows) in self.partitions.iter().filter(|(_, rows)| *rows > 0) {
            if before < end && before + rows > first {
                let (skipped, from) = found.map_or((before, span), |found| found);
                let first = from.first;
                let last = span.last;
                found = Some((skipped, TimeSpan { first, last }));
            }
            before += rows;
        }
        found
    }
}

/// A count in progress, shared by its readers.
#[derive(Debug)]
pub(crate) struct Counting {
    spans: Vec<TimeSpan>,
    /// After this no partition is started.
    deadline: Instant,
    state: Mutex<Progress>,
    released: Condvar,
}

#[derive(Debug, Default)]
struct Progress {
    /// The next partition to count.
    next: usize,
    /// The results.
    rows: Vec<Option<u64>>,
    /// The number of partitions that are being counted.
    busy: usize,
}

impl Counting {
    /// A count of these partitions, none of which is started after `deadline`.
    pub fn new(spans: Vec<TimeSpan>, deadline: Instant) -> Self {
        let rows = vec![None; spans.len()];
        Self {
            spans,
            deadline,
            state: Mutex::new(Progress {
                rows,
                ..Progress::default()
            }),
            released: Condvar::new(),
        }
    }

    /// Counts partitions until all are taken. A partition whose count fails is left to [`Counting::finish`].
    pub fn help(
        &self,
        mut count: impl FnMut(TimeSpan) -> Result<u64, StoreError>,
    ) -> Result<(), StoreError> {
        while let Some(claim) = self.claim()? {
            let rows = count(self.spans[claim.index])?;
            self.lock().rows[claim.index] = Some(rows);
        }
        Ok(())
    }

    /// The same; then waits for the helpers and counts the partitions that they left.
    pub fn finish(
        &self,
        mut count: impl FnMut(TimeSpan) -> Result<u64, StoreError>,
    ) -> Result<PartitionedCount, StoreError> {
        if let Err(error) = self.help(&mut count) {
            // Stops the helpers.
            self.lock().next = self.spans.len();
            return Err(error);
        }
        let mut state = self.lock();
        while state.busy > 0 {
            state = self
                .released
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let rows = std::mem::take(&mut state.rows);
        drop(state);
        let partitions = self.spans.iter().zip(rows).map(|(&span, rows)| {
            let rows = match rows {
                Some(rows) => rows,
                None => self.check_deadline().and_then(|()| count(span))?,
            };
            Ok((span, rows))
        });
        Ok(PartitionedCount::new(
            partitions.collect::<Result<_, StoreError>>()?,
        ))
    }

    fn check_deadline(&self) -> Result<(), StoreError> {
        if Instant::now() > self.deadline {
            return Err(StoreError::Timeout);
        }
        Ok(())
    }

    fn claim(&self) -> Result<Option<Claim<'_>>, StoreError> {
        let mut state = self.lock();
        let index = state.next;
        if index == self.spans.len() {
            return Ok(None);
        }
        self.check_deadline()?;
        state.next += 1;
        state.busy += 1;
        Ok(Some(Claim {
            counting: self,
            index,
        }))
    }

    /// Each change is one assignment, so a panic of another thread leaves the state valid.
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A claim on a partition. Released on drop, even if the reader fails or panics.
struct Claim<'c> {
    counting: &'c Counting,
    index: usize,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.counting.lock().busy -= 1;
        self.counting.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    fn span(first: i64, last: i64) -> TimeSpan {
        TimeSpan { first, last }
    }

    fn counting(partitions: i64) -> Counting {
        let deadline = Instant::now() + Duration::from_secs(60);
        Counting::new(span(0, 99).split(partitions), deadline)
    }

    /// A row at every instant.
    fn each(span: TimeSpan) -> u64 {
        (span.last - span.first + 1).unsigned_abs()
    }

    #[test]
    fn partitions_follow_one_another_without_a_gap() {
        for (whole, partitions) in [
            (span(0, 99), 7),
            (span(-5, -5), 64),
            (span(i64::MIN, i64::MAX), 64),
            (span(0, 9), 0),
        ] {
            let split = whole.split(partitions);
            assert_eq!(
                (split[0].first, split[split.len() - 1].last),
                (whole.first, whole.last)
            );
            assert!(
                split
                    .windows(2)
                    .all(|pair| pair[0].last + 1 == pair[1].first)
            );
            assert!(split.iter().all(|span| span.first <= span.last));
            assert!(split.len() <= usize::try_from(partitions.max(1)).unwrap());
        }
    }

    #[test]
    fn rows_are_looked_for_where_they_are() {
        let count = PartitionedCount::new(vec![
            (span(0, 9), 0),
            (span(10, 19), 5),
            (span(20, 29), 0),
            (span(30, 39), 2),
            (span(40, 49), 0),
        ]);
        assert_eq!(count.total(), 7);
        for (first, size, found) in [
            (0, 5, Some((0, span(10, 19)))),
            (0, 6, Some((0, span(10, 39)))),
            (0, u64::MAX, Some((0, span(10, 39)))),
            (4, 1, Some((0, span(10, 19)))),
            (5, 9, Some((5, span(30, 39)))),
            (6, 1, Some((5, span(30, 39)))),
            (7, 1, None),
        ] {
            assert_eq!(count.find(first, size), found, "{first} {size}");
        }
    }

    #[test]
    fn what_a_helper_leaves_is_counted_by_who_finishes() {
        let counting = Arc::new(counting(4));
        let helper = Arc::clone(&counting);
        let mut left = 1;
        let failed = helper.help(|span| {
            left -= 1;
            if left < 0 {
                return Err(StoreError::Timeout);
            }
            Ok(each(span))
        });
        assert!(failed.is_err());
        let other = Arc::clone(&counting);
        let panicked = std::thread::spawn(move || other.help(|_| panic!("a helper"))).join();
        assert!(panicked.is_err());
        let mut counted = Vec::new();
        let count = counting.finish(|span| {
            counted.push(span.first);
            Ok(each(span))
        });
        assert_eq!(count.unwrap().total(), 100);
        // Its own partition first, then those that the two helpers left.
        assert_eq!(counted, [75, 25, 50]);
    }

    #[test]
    fn many_count_each_partition_once() {
        let counting = Arc::new(counting(64));
        let helpers: Vec<_> = (0..3)
            .map(|_| {
                let counting = Arc::clone(&counting);
                std::thread::spawn(move || counting.help(|span| Ok(each(span))))
            })
            .collect();
        assert_eq!(counting.finish(|span| Ok(each(span))).unwrap().total(), 100);
        for helper in helpers {
            helper.join().unwrap().unwrap();
        }
    }

    #[test]
    fn a_count_ends_with_its_time_and_with_its_first_fault() {
        let late = Counting::new(
            span(0, 9).split(2),
            Instant::now() - Duration::from_millis(1),
        );
        assert!(matches!(late.finish(|_| Ok(0)), Err(StoreError::Timeout)));
        let mut left = counting(1);
        assert!(left.help(|_| Err(StoreError::Timeout)).is_err());
        left.deadline = Instant::now() - Duration::from_millis(1);
        assert!(matches!(left.finish(|_| Ok(0)), Err(StoreError::Timeout)));
        let counting = counting(4);
        let fault = || Err(StoreError::Data("a division by zero".into()));
        assert!(matches!(
            counting.finish(|_| fault()),
            Err(StoreError::Data(_))
        ));
        let mut asked = 0;
        let helped = counting.help(|_| {
            asked += 1;
            Ok(0)
        });
        assert!(helped.is_ok());
        assert_eq!(asked, 0);
    }
}
