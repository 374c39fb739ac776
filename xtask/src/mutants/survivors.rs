//! The mutants that may live, and the reason of each: `xtask/mutants.toml`.

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::process::root;

const FILE: &str = "xtask/mutants.toml";

/// The list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reasons {
    #[serde(default)]
    survivor: Vec<Survivor>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Survivor {
    mutant: String,
    reason: String,
}

impl Reasons {
    pub(super) fn read() -> Result<Self> {
        let text = std::fs::read_to_string(root().join(FILE)).context(FILE)?;
        let reasons = Self::parse(&text).context(FILE)?;
        for Survivor { mutant, .. } in &reasons.survivor {
            let file = mutant.split(": ").next().unwrap_or_default();
            if !root().join(file).is_file() {
                bail!("{FILE}: `{mutant}` names no file of this repository");
            }
        }
        Ok(reasons)
    }

    fn parse(text: &str) -> Result<Self> {
        let reasons: Self = toml::from_str(text)?;
        let empty = reasons.survivor.iter();
        if let Some(survivor) = empty
            .clone()
            .find(|survivor| survivor.reason.trim().is_empty())
        {
            bail!("`{}` has no reason", survivor.mutant);
        }
        Ok(reasons)
    }

    /// Whether this mutant may live.
    pub(super) fn has(&self, mutant: &str) -> bool {
        self.survivor.iter().any(|known| known.mutant == mutant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_survivor_needs_a_reason() {
        let entry =
            |reason: &str| format!("[[survivor]]\nmutant = \"a.rs: x\"\nreason = \"{reason}\"\n");
        let reasons = Reasons::parse(&entry("The same.")).expect("a list");
        assert!(reasons.has("a.rs: x") && !reasons.has("a.rs: y"));
        let error = Reasons::parse(&entry(" ")).expect_err("no reason");
        assert_eq!(error.to_string(), "`a.rs: x` has no reason");
        assert!(Reasons::parse("[[survivor]]\nmutant = \"a.rs: x\"\n").is_err());
        assert!(!Reasons::parse("").expect("an empty list").has("a.rs: x"));
    }

    #[test]
    fn the_list_of_the_repository_is_read() {
        Reasons::read().expect("a list");
    }
}
