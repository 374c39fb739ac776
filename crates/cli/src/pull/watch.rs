//! What a person sees of a pull under way.

use indicatif::ProgressBar;

use crate::bar::counting;

/// A bar on stderr while it is a terminal, and nothing otherwise.
pub(crate) struct Watch(ProgressBar);

impl Watch {
    pub(crate) fn new() -> Self {
        Self(counting(
            "{bar:30} {done} of {all} rows, {rate} a second, {eta} left",
        ))
    }

    /// Whether anybody sees it: asking how much there is costs a request.
    pub(crate) fn is_seen(&self) -> bool {
        !self.0.is_hidden()
    }

    /// `there` rows came earlier, `all` is how many there will be.
    pub(crate) fn begin(&self, there: u64, all: u64) {
        self.0.set_length(all);
        self.0.set_position(there);
        self.0.reset_eta();
    }

    pub(crate) fn advance(&self, rows: u64) {
        self.0.inc(rows);
    }

    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}
