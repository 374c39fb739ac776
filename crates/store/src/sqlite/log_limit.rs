//! The size that the write-ahead log (WAL) keeps when it begins again, SQLite's `journal_size_limit`.
//!
//! SQLite truncates the file in the commit that begins the WAL again. What a reader held back for seconds may
//! be more than 1 GB, and to truncate that at once takes 0.3 s, in which no write is answered. So the limit
//! follows the frames that commits leave, and comes down by a step whenever the WAL begins again.

/// Bytes that are never truncated.
const LEAST: u64 = 64 << 20;
/// Bytes that are truncated at a time, or up to twice as many; some 3 ms.
const STEP: u64 = 8 << 20;
/// The header of a frame, before its page.
const FRAME_HEADER: u64 = 24;

/// The limit of a connection that writes.
pub(super) struct LogLimit {
    /// Size of a frame.
    frame_bytes: u64,
    /// Frames in the WAL after the last commit.
    frames: u32,
    limit: u64,
}

impl LogLimit {
    /// The least limit.
    pub(super) fn new(page_bytes: u32) -> LogLimit {
        LogLimit {
            frame_bytes: u64::from(page_bytes) + FRAME_HEADER,
            frames: 0,
            limit: LEAST,
        }
    }

    /// Notes the number of frames in the WAL after a commit. True if the limit has changed.
    pub(super) fn after_commit(&mut self, frames: u32) -> bool {
        let began_again = frames < self.frames;
        self.frames = frames;
        let bytes = u64::from(frames) * self.frame_bytes;
        let limit = if bytes >= self.limit + 2 * STEP {
            bytes - STEP
        } else if began_again {
            self.limit.saturating_sub(STEP).max(LEAST)
        } else {
            self.limit
        };
        std::mem::replace(&mut self.limit, limit) != limit
    }

    /// The limit in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_log_of_usual_size_changes_no_limit() {
        for (page_bytes, most) in [(8192, 10_210), (4096, 20_360), (65_536, 1279)] {
            let mut limit = LogLimit::new(page_bytes);
            for frames in [3, 1000, most, 5, 900] {
                assert!(!limit.after_commit(frames), "{frames}");
            }
            assert_eq!(limit.bytes(), 64 * MIB);
            assert!(limit.after_commit(most + 1), "it has 80 MiB");
        }
    }

    #[test]
    fn the_limit_follows_a_long_log_and_comes_down_in_steps() {
        // Frames of 1 MiB.
        let mut limit = LogLimit::new((MIB - FRAME_HEADER) as u32);
        let mut after = |frames| {
            limit.after_commit(frames);
            limit.bytes() / MIB
        };
        let grown = [64, 79, 80, 87, 88, 1000].map(&mut after);
        assert_eq!(grown, [64, 64, 72, 72, 80, 992]);
        // It begins again, and grows in between.
        let back = [1, 5, 2, 3, 1].map(&mut after);
        assert_eq!(back, [984, 984, 976, 976, 968]);
        let mut down: Vec<u64> = (0..240).map(|n| after(1 - n % 2)).collect();
        down.dedup();
        let expected: Vec<u64> = (8..=121).rev().map(|step| 8 * step).collect();
        assert_eq!(down, expected);
    }
}
