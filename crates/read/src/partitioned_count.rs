//! How many rows a listing has, by stretches of its time.
//!
//! To count what a filter lets through is to read all there is, so several readers may do it together, each
//! taking the next stretch. What each stretch holds is kept: a page is then looked for only where it is.
//! Nothing here runs a statement.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use obeya_store::StoreError;

/// A stretch of time in ticks, both ends within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// Its first instant.
    pub first: i64,
    /// Its last instant.
    pub last: i64,
}

impl Span {
    /// So many stretches of the same length, one after the other; fewer when it is shorter than that.
    pub fn cut(self, stretches: i64) -> Vec<Self> {
        let (first, last) = (i128::from(self.first), i128::from(self.last));
        let stretches = i128::from(stretches).clamp(1, (last - first + 1).max(1));
        let start = |index: i128| first + (last - first + 1) * index / stretches;
        // What lies between two instants is an instant.
        let instant = |ticks: i128| i64::try_from(ticks).unwrap_or(self.last);
        (0..stretches)
            .map(|index| Self {
                first: instant(start(index)),
                last: instant(start(index + 1) - 1),
            })
            .collect()
    }
}

/// The rows of a listing, by stretches that follow one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartitionedCount {
    stretches: Vec<(Span, u64)>,
}

impl PartitionedCount {
    /// Stretches in the order of time, with the rows of each.
    pub fn new(stretches: Vec<(Span, u64)>) -> Self {
        Self { stretches }
    }

    /// All rows.
    pub fn total(&self) -> u64 {
        self.stretches.iter().map(|(_, rows)| rows).sum()
    }

    /// The shortest time that is known to hold the rows from number `first` on, `size` of them at most, and
    /// how many rows come before that time; `None` when there are no such rows.
    pub fn find(&self, first: u64, size: u64) -> Option<(u64, Span)> {
        let end = first.saturating_add(size);
        let mut before = 0;
        let mut found: Option<(u64, Span)> = None;
        for &(span, rows) in self.stretches.iter().filter(|(_, rows)| *rows > 0) {
            if before < end && before + rows > first {
                let (skipped, from) = found.map_or((before, span), |found| found);
                let first = from.first;
                let last = span.last;
                found = Some((skipped, Span { first, last }));
            }
            before += rows;
        }
        found
    }
}

/// A count under way, shared by those who do it.
#[derive(Debug)]
pub(crate) struct Counting {
    spans: Vec<Span>,
    /// After this nobody takes another stretch.
    deadline: Instant,
    state: Mutex<State>,
    settled: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The stretch to take next.
    next: usize,
    /// What was counted.
    rows: Vec<Option<u64>>,
    /// Stretches being counted.
    busy: usize,
}

impl Counting {
    /// A count of these stretches, none of which is begun after `deadline`.
    pub fn new(spans: Vec<Span>, deadline: Instant) -> Self {
        let rows = vec![None; spans.len()];
        Self {
            spans,
            deadline,
            state: Mutex::new(State {
                rows,
                ..State::default()
            }),
            settled: Condvar::new(),
        }
    }

    /// Counts the next stretch, and the next, until all are taken. A stretch whose count fails is left to
    /// [`Counting::finish`].
    pub fn help(
        &self,
        mut count: impl FnMut(Span) -> Result<u64, StoreError>,
    ) -> Result<(), StoreError> {
        while let Some(taken) = self.take()? {
            let rows = count(self.spans[taken.index])?;
            self.lock().rows[taken.index] = Some(rows);
        }
        Ok(())
    }

    /// The same, and waits for those who help; what they left is counted here.
    pub fn finish(
        &self,
        mut count: impl FnMut(Span) -> Result<u64, StoreError>,
    ) -> Result<PartitionedCount, StoreError> {
        if let Err(error) = self.help(&mut count) {
            // The others have nothing to count for any more.
            self.lock().next = self.spans.len();
            return Err(error);
        }
        let mut state = self.lock();
        while state.busy > 0 {
            state = self
                .settled
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let rows = std::mem::take(&mut state.rows);
        drop(state);
        let stretches = self.spans.iter().zip(rows).map(|(&span, rows)| {
            let rows = match rows {
                Some(rows) => rows,
                None => self.in_time().and_then(|()| count(span))?,
            };
            Ok((span, rows))
        });
        Ok(PartitionedCount::new(
            stretches.collect::<Result<_, StoreError>>()?,
        ))
    }

    fn in_time(&self) -> Result<(), StoreError> {
        if Instant::now() > self.deadline {
            return Err(StoreError::Timeout);
        }
        Ok(())
    }

    fn take(&self) -> Result<Option<Taken<'_>>, StoreError> {
        let mut state = self.lock();
        let index = state.next;
        if index == self.spans.len() {
            return Ok(None);
        }
        self.in_time()?;
        state.next += 1;
        state.busy += 1;
        Ok(Some(Taken {
            counting: self,
            index,
        }))
    }

    /// A count whose holder panicked is still right: each change is one assignment.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stretch that is being counted, whatever becomes of who does it.
struct Taken<'c> {
    counting: &'c Counting,
    index: usize,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.counting.lock().busy -= 1;
        self.counting.settled.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    fn span(first: i64, last: i64) -> Span {
        Span { first, last }
    }

    fn counting(stretches: i64) -> Counting {
        let deadline = Instant::now() + Duration::from_secs(60);
        Counting::new(span(0, 99).cut(stretches), deadline)
    }

    /// A row at every instant.
    fn each(span: Span) -> u64 {
        (span.last - span.first + 1).unsigned_abs()
    }

    #[test]
    fn stretches_follow_one_another_without_a_gap() {
        for (whole, stretches) in [
            (span(0, 99), 7),
            (span(-5, -5), 64),
            (span(i64::MIN, i64::MAX), 64),
            (span(0, 9), 0),
        ] {
            let cut = whole.cut(stretches);
            assert_eq!(
                (cut[0].first, cut[cut.len() - 1].last),
                (whole.first, whole.last)
            );
            assert!(cut.windows(2).all(|pair| pair[0].last + 1 == pair[1].first));
            assert!(cut.iter().all(|span| span.first <= span.last));
            assert!(cut.len() <= usize::try_from(stretches.max(1)).unwrap());
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
        // Its own first, then what the two began and left.
        assert_eq!(counted, [75, 25, 50]);
    }

    #[test]
    fn many_count_each_stretch_once() {
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
        let late = Counting::new(span(0, 9).cut(2), Instant::now() - Duration::from_millis(1));
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
