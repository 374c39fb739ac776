//! What the bars on stderr have in common.

use indicatif::ProgressState;

use crate::table::grouped;

/// A number of a bar, written as everywhere else.
pub(crate) fn number(
    of: fn(&ProgressState) -> u64,
) -> impl Fn(&ProgressState, &mut dyn std::fmt::Write) + Clone + Send + Sync + 'static {
    move |state, out| {
        // A bar that cannot be drawn is drawn again a moment later.
        let _ = out.write_str(&grouped(of(state)));
    }
}
