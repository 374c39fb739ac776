//! Files a person can read in one go.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::shown;

/// The longest a hand-written file may be, in lines. Most are far shorter.
const LONGEST: usize = 700;

/// Text in the head of a generated file.
const GENERATED: &str = "Written by `cargo xtask regen`";

/// Source files that are too long.
pub(super) fn faults(files: &[PathBuf]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for file in files {
        let extension = file.extension().and_then(|extension| extension.to_str());
        if !matches!(extension, Some("rs" | "py" | "pyi")) {
            continue;
        }
        let text = std::fs::read_to_string(file).with_context(|| shown(file))?;
        faults.extend(fault(&shown(file), &text));
    }
    Ok(faults)
}

/// Whether the file is generated.
pub(super) fn is_generated(text: &str) -> bool {
    text.lines().take(5).any(|line| line.contains(GENERATED))
}

fn fault(name: &str, text: &str) -> Option<String> {
    if is_generated(text) {
        return None;
    }
    let lines = text.lines().count();
    (lines > LONGEST).then(|| {
        format!("{name} has {lines} lines, more than {LONGEST}: split it, one thing to a file")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_a_fault_unless_nobody_writes_it() {
        assert_eq!(fault("a.rs", &"x\n".repeat(700)), None);
        assert_eq!(
            fault("a.rs", &"x\n".repeat(701)).as_deref(),
            Some("a.rs has 701 lines, more than 700: split it, one thing to a file")
        );
        let generated = format!("# {GENERATED} from the spec.\n{}", "x\n".repeat(800));
        assert_eq!(fault("models.py", &generated), None);
    }
}
