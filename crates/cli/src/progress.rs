//! Progress bars, and the request to stop that long work checks between its steps.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::stop::StopSignal;
use crate::table::group_digits;

/// A progress bar on stderr if stderr is a terminal; otherwise it prints nothing. Its template may also name
/// `done`, `all` and `rate`.
pub(crate) fn progress_bar(template: &str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    // An invalid template must not prevent the work.
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("done", number_key(ProgressState::pos))
        .with_key("all", number_key(|state| state.len().unwrap_or_default()))
        .with_key("rate", number_key(|state| state.per_sec() as u64));
    bar.set_style(style);
    bar
}

/// A progress bar, and whether the user asked to stop.
pub(crate) struct WorkProgress {
    pub(crate) bar: ProgressBar,
    is_stop_requested: AtomicBool,
}

impl WorkProgress {
    /// Creates a bar from this template.
    pub(crate) fn new(template: &str) -> Self {
        Self {
            bar: progress_bar(template),
            is_stop_requested: AtomicBool::new(false),
        }
    }

    /// Whether the work may continue: no signal to stop has been received.
    pub(crate) fn goes_on(&self) -> bool {
        !self.is_stop_requested.load(Ordering::Relaxed)
    }

    /// Waits for the work. The first signal only sets the flag that the work checks; the second drops the
    /// work and returns `abort_message` as an error.
    pub(crate) async fn run<T>(
        &self,
        work: impl Future<Output = T>,
        stop: &mut StopSignal,
        abort_message: &'static str,
    ) -> Result<T> {
        let mut work = pin!(work);
        let done = loop {
            tokio::select! {
                done = &mut work => break done,
                () = stop.received() => if self.is_stop_requested.swap(true, Ordering::Relaxed) {
                    return Err(anyhow!(abort_message));
                }
            }
        };
        self.bar.finish_and_clear();
        Ok(done)
    }
}

/// A number in the bar, with its thousands grouped.
fn number_key(
    of: fn(&ProgressState) -> u64,
) -> impl Fn(&ProgressState, &mut dyn fmt::Write) + Clone + Send + Sync + 'static {
    move |state, out| {
        // A failed write is repaired by the next redraw.
        let _ = out.write_str(&group_digits(of(state)));
    }
}
