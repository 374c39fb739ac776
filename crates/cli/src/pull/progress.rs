//! The progress bar of a pull.

use indicatif::ProgressBar;

use crate::progress::progress_bar;

/// A progress bar on stderr if stderr is a terminal; otherwise it prints nothing.
pub(crate) struct PullProgress(ProgressBar);

impl PullProgress {
    pub(crate) fn new() -> Self {
        Self(progress_bar(
            "{bar:30} {done} of {all} rows, {rate} a second, {eta} left",
        ))
    }

    /// Whether the bar is shown. If not, no request for the total is needed.
    pub(crate) fn is_visible(&self) -> bool {
        !self.0.is_hidden()
    }

    /// Starts at `earlier_rows`, which an earlier pull wrote, of `all`.
    pub(crate) fn begin(&self, earlier_rows: u64, all: u64) {
        self.0.set_length(all);
        self.0.set_position(earlier_rows);
        self.0.reset_eta();
    }

    pub(crate) fn advance(&self, rows: u64) {
        self.0.inc(rows);
    }

    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}
