//! What is written of the Python package: its reference, from its docstrings, and the pictures of its pages.

use anyhow::Result;

use super::test::{Units, install};
use crate::process::{command, root, run};
use crate::venv;

/// Builds and installs the package and writes its reference into `target/python-docs`. The tests write it
/// too, and follow its links.
pub(crate) fn write() -> Result<()> {
    install_package()?;
    let folder = root().join("target/python-docs");
    run(command(venv::interpreter()?)
        .arg("bindings/python/docs/reference.py")
        .arg(&folder))?;
    println!("{}", folder.join("index.html").display());
    Ok(())
}

/// Builds and installs the package and takes the pictures in `docs` of its pages and of the explorer.
pub(crate) fn write_pictures() -> Result<()> {
    install_package()?;
    run(command(venv::interpreter()?).arg("bindings/python/tests/pictures.py"))
}

fn install_package() -> Result<()> {
    venv::install(&["-r", "bindings/python/requirements-test.txt"])?;
    install(Units::Own)
}
