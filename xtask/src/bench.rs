//! Measuring: the work is in the bench targets of the query language and of the service, which know what they compare with.

use anyhow::Result;

use crate::process::{self, cargo};

/// Runs both in a release build; each prints its table itself.
pub(crate) fn run() -> Result<()> {
    for (package, bench) in [("obeya-odata", "language"), ("obeya-server", "service")] {
        process::run(cargo().args(["bench", "--package", package, "--bench", bench]))?;
    }
    Ok(())
}
