//! The software bill of materials: every crate of the binary with version, licence and checksum, as CycloneDX
//! JSON. It is written by cargo-sbom.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{command, root};
use crate::tools;

/// The version that is installed.
const VERSION: &str = "0.10.0";

/// The bill of a package.
pub(super) fn components(package: &str) -> Result<Vec<u8>> {
    let output = command(tools::installed("cargo-sbom", VERSION)?)
        .args(["--output-format", "cyclone_dx_json_1_6"])
        .args(["--cargo-package", package, "--project-directory"])
        .arg(root())
        .output()
        .context("cannot start cargo-sbom")?;
    if !output.status.success() {
        bail!(
            "cargo-sbom failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let bill = serde_json::from_slice(&output.stdout).context("cargo-sbom wrote no JSON")?;
    let bill = reproducible(bill, super::archive::time_of_source()?)?;
    Ok(serde_json::to_vec_pretty(&bill)?)
}

/// The same bill on each machine: in order, with the time of the source, without the user's name and the
/// random serial number.
fn reproducible(mut bill: Value, seconds: u64) -> Result<Value> {
    let time = jiff::Timestamp::from_second(seconds.try_into()?)?;
    for (list, key) in [("components", "bom-ref"), ("dependencies", "ref")] {
        let entries = bill[list].as_array_mut();
        let entries = entries.with_context(|| format!("cargo-sbom wrote no `{list}`"))?;
        entries.sort_by_key(|entry| entry[key].as_str().map(str::to_owned));
        for entry in entries {
            let needed = entry.get_mut("dependsOn").and_then(Value::as_array_mut);
            if let Some(needed) = needed {
                needed.sort_by_key(|name| name.as_str().map(str::to_owned));
            }
        }
    }
    let metadata = bill["metadata"]
        .as_object_mut()
        .context("cargo-sbom wrote no `metadata`")?;
    metadata.remove("authors");
    metadata.insert("timestamp".to_owned(), time.to_string().into());
    if let Some(bill) = bill.as_object_mut() {
        bill.remove("serialNumber");
    }
    Ok(bill)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_bill_has_an_order_and_the_time_of_its_source() {
        let bill = json!({
            "serialNumber": "urn:uuid:1",
            "components": [{"bom-ref": "b"}, {"bom-ref": "a"}],
            "dependencies": [{"ref": "z", "dependsOn": ["b", "a"]}, {"ref": "y"}],
            "metadata": {"authors": [{"name": "somebody"}], "timestamp": "2026-01-01T00:00:00Z"},
        });
        let expected = json!({
            "components": [{"bom-ref": "a"}, {"bom-ref": "b"}],
            "dependencies": [{"ref": "y"}, {"ref": "z", "dependsOn": ["a", "b"]}],
            "metadata": {"timestamp": "2001-09-09T01:46:40Z"},
        });
        assert_eq!(reproducible(bill, 1_000_000_000).unwrap(), expected);
        let error = reproducible(json!({}), 0).unwrap_err().to_string();
        assert_eq!(error, "cargo-sbom wrote no `components`");
    }
}
