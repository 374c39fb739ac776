//! The reference of the Python package, written from its docstrings.

use anyhow::Result;

use super::test::{Units, install};
use crate::process::{command, root, run};
use crate::venv;

/// Builds and installs the package and writes its reference into `target/python-docs`. The tests write it
/// too, and follow its links.
pub(crate) fn write() -> Result<()> {
    venv::install(&["-r", "bindings/python/requirements-test.txt"])?;
    install(Units::Own)?;
    let folder = root().join("target/python-docs");
    run(command(venv::interpreter()?)
        .arg("bindings/python/docs/reference.py")
        .arg(&folder))?;
    println!("{}", folder.join("index.html").display());
    Ok(())
}
