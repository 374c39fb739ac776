//! What a person sees of a pull under way.

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::table::grouped;

/// A bar on stderr while it is a terminal, and nothing otherwise.
pub(crate) struct Watch(ProgressBar);

impl Watch {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template(
            "{bar:30} {rows} of {all} rows, {rate} a second, {eta} left",
        );
        // A template with a slip in it is no reason not to pull.
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(
            style
                .with_key("rows", number(ProgressState::pos))
                .with_key("all", number(|state| state.len().unwrap_or_default()))
                .with_key("rate", number(|state| state.per_sec() as u64)),
        );
        Self(bar)
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

/// A number of the bar, written as everywhere else.
fn number(
    of: fn(&ProgressState) -> u64,
) -> impl Fn(&ProgressState, &mut dyn std::fmt::Write) + Clone + Send + Sync + 'static {
    move |state, out| {
        // A bar that cannot be drawn is drawn again a moment later.
        let _ = out.write_str(&grouped(of(state)));
    }
}
