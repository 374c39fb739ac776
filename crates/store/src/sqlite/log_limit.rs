//! The size that the write-ahead log (WAL) keeps when it begins again, SQLite's `journal_size_limit`.
//!
//! SQLite truncates the file in the commit that begins the WAL again. What a reader held back for seconds may
//! be more than 1 GB, and to truncate that at once takes 0.3 s, in which no write is answered. So the limit
//! follows the size of the file, and comes down by a step whenever the WAL begins again.

/// Frames that are never truncated: 64 MiB of pages.
const LEAST: u32 = 8192;
/// Frames that are truncated at a time: 8 MiB of pages, which take some 3 ms.
const STEP: u32 = 1024;
/// Bytes of a frame with a page of the size that new files have.
const FRAME_BYTES: u64 = 8192 + 24;

/// The limit of a connection that writes.
pub(super) struct LogLimit {
    /// Frames in the WAL after the last commit.
    frames: u32,
    /// The limit, in frames.
    limit: u32,
}

impl Default for LogLimit {
    fn default() -> Self {
        LogLimit {
            frames: 0,
            limit: LEAST,
        }
    }
}

impl LogLimit {
    /// Notes the number of frames in the WAL after a commit. True if the limit has changed.
    pub(super) fn after_commit(&mut self, frames: u32) -> bool {
        let began_again = frames < self.frames;
        self.frames = frames;
        let limit = if frames >= self.limit.saturating_add(2 * STEP) {
            frames - STEP
        } else if began_again {
            self.limit.saturating_sub(STEP).max(LEAST)
        } else {
            self.limit
        };
        std::mem::replace(&mut self.limit, limit) != limit
    }

    /// The limit in bytes.
    pub(super) fn bytes(&self) -> u64 {
        u64::from(self.limit) * FRAME_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits in frames after commits that leave these numbers of frames.
    fn limits(frames: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut limit = LogLimit::default();
        let after = |frames| {
            limit.after_commit(frames);
            limit.limit
        };
        frames.into_iter().map(after).collect()
    }

    #[test]
    fn a_log_of_usual_size_changes_no_limit() {
        let mut limit = LogLimit::default();
        for frames in [3, 1000, 9000, LEAST + 2 * STEP - 1, 5, 900] {
            assert!(!limit.after_commit(frames), "{frames}");
        }
        assert_eq!(limit.bytes(), 8192 * 8216);
    }

    #[test]
    fn the_limit_follows_a_long_log_and_comes_down_in_steps() {
        // 8192 and two steps, a step more, another one, and one large transaction.
        let grown = [10_240, 11_264, 12_288, 100_000];
        assert_eq!(limits(grown), [9216, 10_240, 11_264, 98_976]);
        // It begins again four times.
        let back = [12_288, 3, 1000, 2, 2000, 1, 1500, 0];
        assert_eq!(
            limits(back),
            [11_264, 10_240, 10_240, 9216, 9216, 8192, 8192, 8192]
        );
    }
}
