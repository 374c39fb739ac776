//! Measuring: the work is in the service's own bench target, which knows what it compares with.

use anyhow::Result;

use crate::process::{self, cargo};

/// Runs the service's bench in a release build; it prints its table itself.
pub(crate) fn run() -> Result<()> {
    process::run(cargo().args(["bench", "--package", "obeya-server", "--bench", "service"]))
}
