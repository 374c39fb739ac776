//! Checks the specification with an independent validator.

use anyhow::Result;

use crate::process::{command, root, run};
use crate::report::Part;
use crate::venv;

const PACKAGE: &str = "openapi-spec-validator==0.9.0";

/// Validates `spec/openapi.yaml` as OpenAPI. The additional rules of our generator are linted by
/// `obeya-codegen`.
pub(crate) fn tests() -> Result<Part> {
    venv::install(&[PACKAGE])?;
    run(command(venv::interpreter()?)
        .args(["-m", "openapi_spec_validator"])
        .arg(root().join("spec/openapi.yaml")))?;
    Ok(Part::new("Specification", true, 1, 0))
}
