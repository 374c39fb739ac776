//! Checks the specification with independent validators.

use anyhow::Result;

use crate::clients;
use crate::process::{command, root, run, tee};
use crate::report::Part;
use crate::venv;

const PACKAGE: &str = "openapi-spec-validator==0.9.0";

/// Scripts of `xtask/clients/linters/package.json`.
const LINTERS: [&str; 2] = ["redocly", "spectral"];

/// Validates `spec/openapi.yaml` as OpenAPI; `long` also lints it with Redocly and Spectral, which need
/// Node.js. The additional rules of our generator are linted by `obeya-codegen`.
pub(crate) fn tests(long: bool) -> Result<Part> {
    venv::install(&[PACKAGE])?;
    run(command(venv::interpreter()?)
        .args(["-m", "openapi_spec_validator"])
        .arg(root().join("spec/openapi.yaml")))?;
    let (mut passed, mut failed) = (1, 0);
    if long {
        let folder = clients::npm_folder("linters")?;
        for linter in LINTERS {
            let mut npm = command("npm");
            npm.current_dir(&folder).args(["run", linter]);
            let (success, _) = tee(&mut npm)?;
            passed += usize::from(success);
            failed += usize::from(!success);
        }
    }
    Ok(Part::new("Specification", true, passed, failed))
}
