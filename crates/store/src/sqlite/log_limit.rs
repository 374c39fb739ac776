//! The size that the write-ahead log (WAL) keeps when it begins again, SQLite's `journal_size_limit`.
//!
//! SQLite truncates the file in the commit that begins the WAL again. What a reader held back for seconds may
//! be more than 1 GB, and to truncate that at once takes 0.3 s, in which no write is answered. So the limit
//! follows the frames that commits leave, and comes down by a step whenever the WAL begins again.

/// The least limit, in bytes.
pub(super) const LEAST: u64 = 64 << 20;
/// Bytes that are truncated at a time, or up to twice as many: a few milliseconds, at 0.3 s for 1 GB.
const STEP: u64 = 8 << 20;
/// Bytes of a frame before its page.
const FRAME_HEADER: u64 = 24;

/// The limit after a commit that leaves this number of frames in the WAL. `began_again` is whether the commit
/// began the WAL again, when SQLite truncated it to `limit`.
pub(super) fn after_commit(limit: u64, frames: u32, page_bytes: u32, began_again: bool) -> u64 {
    let bytes = u64::from(frames) * (u64::from(page_bytes) + FRAME_HEADER);
    if bytes >= limit + 2 * STEP {
        bytes - STEP
    } else if began_again {
        limit.saturating_sub(STEP).max(LEAST)
    } else {
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_log_of_usual_size_changes_no_limit() {
        for (page_bytes, most) in [(8192, 10_210), (4096, 20_360), (65_536, 1279)] {
            let after = |frames, began_again| after_commit(LEAST, frames, page_bytes, began_again);
            for frames in [3, 1000, most] {
                assert_eq!(after(frames, false), 64 * MIB, "{frames}");
                assert_eq!(after(frames, true), 64 * MIB, "{frames}");
            }
            assert!(after(most + 1, false) >= 72 * MIB, "it has 80 MiB");
        }
    }

    #[test]
    fn the_limit_follows_a_long_log_and_comes_down_in_steps() {
        // Frames of 1 MiB.
        let mut limit = LEAST;
        let mut after = |frames, began_again| {
            limit = after_commit(limit, frames, (1 << 20) - 24, began_again);
            limit / MIB
        };
        let grown = [64, 79, 80, 87, 88, 1000].map(|frames| after(frames, false));
        assert_eq!(grown, [64, 64, 72, 72, 80, 992]);
        let down: Vec<u64> = (0..120).map(|_| after(1, true)).collect();
        let expected: Vec<u64> = (8..=123).rev().map(|step| 8 * step).collect();
        assert_eq!(down[..expected.len()], expected);
        assert_eq!(down[expected.len()..], [64; 4]);
    }
}
