//! What a person sees of work under way, and how the work hears that it is to stop.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::stop::Stop;
use crate::table::grouped;

/// A bar on stderr while that is a terminal, and nothing otherwise. Its template may also name `done`, `all`
/// and `rate`.
pub(crate) fn counting(template: &str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    // A template with a slip in it is no reason not to do the work.
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("done", number(ProgressState::pos))
        .with_key("all", number(|state| state.len().unwrap_or_default()))
        .with_key("rate", number(|state| state.per_sec() as u64));
    bar.set_style(style);
    bar
}

/// A bar, and the wish to stop.
pub(crate) struct Watch {
    pub(crate) bar: ProgressBar,
    is_stopped: AtomicBool,
}

impl Watch {
    /// With a bar of this template.
    pub(crate) fn new(template: &str) -> Self {
        Self {
            bar: counting(template),
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Whether nobody has asked to stop.
    pub(crate) fn goes_on(&self) -> bool {
        !self.is_stopped.load(Ordering::Relaxed)
    }

    /// Waits for the work. The first signal to stop is left to the work, which looks whether it goes on; the
    /// second ends it with `at_once`.
    pub(crate) async fn see<T>(
        &self,
        work: impl Future<Output = T>,
        stop: &mut Stop,
        at_once: &'static str,
    ) -> Result<T> {
        let mut work = pin!(work);
        let done = loop {
            tokio::select! {
                done = &mut work => break done,
                () = stop.asked() => if self.is_stopped.swap(true, Ordering::Relaxed) {
                    return Err(anyhow!(at_once));
                }
            }
        };
        self.bar.finish_and_clear();
        Ok(done)
    }
}

/// A number of the bar, written as everywhere else.
fn number(
    of: fn(&ProgressState) -> u64,
) -> impl Fn(&ProgressState, &mut dyn fmt::Write) + Clone + Send + Sync + 'static {
    move |state, out| {
        // A bar that cannot be drawn is drawn again a moment later.
        let _ = out.write_str(&grouped(of(state)));
    }
}
