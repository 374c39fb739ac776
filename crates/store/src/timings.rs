//! How long the store's own work takes: commits, and waits for a turn.
//!
//! Counted in atomics, without locks; whoever shows the figures reads them when asked. Nothing here knows a
//! format of metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::connect::Work;

/// The upper bounds of the buckets: from a commit without a flush of the disk to the longest wait.
pub const BOUNDS: [Duration; 12] = [
    Duration::from_micros(100),
    Duration::from_micros(250),
    Duration::from_micros(500),
    Duration::from_millis(1),
    Duration::from_micros(2500),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(2),
    Duration::from_secs(10),
];

/// Durations by bucket.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// The last one has no bound.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    nanos: AtomicU64,
}

impl Histogram {
    pub(crate) fn observe(&self, took: Duration) {
        let bucket = BOUNDS.partition_point(|&bound| bound < took);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        // 584 years until it overflows.
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    fn read(&self) -> Durations {
        Durations {
            buckets: self
                .buckets
                .each_ref()
                .map(|count| count.load(Ordering::Relaxed)),
            sum: Duration::from_nanos(self.nanos.load(Ordering::Relaxed)),
        }
    }
}

/// What the writer measures.
#[derive(Debug, Default)]
pub(crate) struct WriterTimings {
    /// Commits that succeeded.
    pub(crate) commits: Histogram,
    /// From when a write is sent until the writer takes it.
    pub(crate) waits: Histogram,
}

/// Waits for a reader. Work that gets one at once does not count.
#[derive(Debug, Default)]
pub(crate) struct ReaderWaits([Histogram; WORK.len()]);

impl ReaderWaits {
    pub(crate) fn of(&self, work: Work) -> &Histogram {
        &self.0[work as usize]
    }
}

/// The names of the kinds of work, in the order of [`Work`].
const WORK: [&str; 5] = ["poll", "control", "point", "short", "long"];

/// The figures at one moment.
#[derive(Debug, Clone)]
pub struct Timings {
    /// Commits that succeeded, from sending the commit until it is on disk.
    pub commits: Durations,
    /// The wait of each write for the writer.
    pub writer_waits: Durations,
    /// Waits for a reader, by the kind of work. Work that gets one at once does not count; a wait that ends
    /// without a reader does.
    pub reader_waits: [(&'static str, Durations); WORK.len()],
}

impl Timings {
    pub(crate) fn read(writer: &WriterTimings, readers: &ReaderWaits) -> Self {
        Timings {
            commits: writer.commits.read(),
            writer_waits: writer.waits.read(),
            reader_waits: std::array::from_fn(|work| (WORK[work], readers.0[work].read())),
        }
    }
}

/// Counted durations.
#[derive(Debug, Clone)]
pub struct Durations {
    /// How many were at most as long as the bound of the same index, and longer than the one before; the last
    /// number is of those longer than all bounds.
    pub buckets: [u64; BOUNDS.len() + 1],
    /// Their sum.
    pub sum: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_counts_in_the_first_bucket_that_holds_it() {
        let histogram = Histogram::default();
        for micros in [0, 100, 101, 1_000, 10_000_000, 10_000_001] {
            histogram.observe(Duration::from_micros(micros));
        }
        let read = histogram.read();
        assert_eq!(read.buckets, [2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!(read.sum, Duration::from_micros(20_001_202));
    }

    #[test]
    fn each_kind_of_work_has_its_name() {
        let readers = ReaderWaits::default();
        let kinds = [
            Work::Poll,
            Work::Control,
            Work::Point,
            Work::Short,
            Work::Long,
        ];
        for (times, work) in (1..).zip(kinds) {
            for _ in 0..times {
                readers.of(work).observe(Duration::ZERO);
            }
        }
        let read = Timings::read(&WriterTimings::default(), &readers);
        let counts = read
            .reader_waits
            .map(|(work, waits)| (work, waits.buckets[0]));
        let expected = [
            ("poll", 1),
            ("control", 2),
            ("point", 3),
            ("short", 4),
            ("long", 5),
        ];
        assert_eq!(counts, expected);
    }
}
