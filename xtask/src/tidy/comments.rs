//! The length of comment lines, so that two files fit side by side on a screen.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::shown;
use super::sizes::is_generated;

/// The longest line of a comment, in characters.
const LONGEST: usize = 110;

/// Comment lines that are too long. A row of a table, a line of a code block and a line that is mostly one
/// word (an address, a digest) cannot be wrapped.
pub(super) fn faults(files: &[PathBuf]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for file in files {
        let markers = match file.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => ["///", "//!", "//"].as_slice(),
            Some("py" | "toml") => &["#"],
            _ => continue,
        };
        let text = std::fs::read_to_string(file).with_context(|| shown(file))?;
        if is_generated(&text) {
            continue;
        }
        for line in long_lines(&text, markers) {
            faults.push(format!(
                "{}:{line}: a comment of more than {LONGEST} characters: wrap it",
                shown(file)
            ));
        }
    }
    Ok(faults)
}

/// The numbers of the lines, from 1.
fn long_lines(text: &str, markers: &[&str]) -> Vec<usize> {
    let mut is_code = false;
    let mut long = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let comment = markers
            .iter()
            .find_map(|marker| line.trim_start().strip_prefix(marker))
            .map(str::trim_start);
        let Some(comment) = comment else {
            is_code = false;
            continue;
        };
        if comment.starts_with("```") {
            is_code = !is_code;
        }
        let longest_word = comment.split(' ').map(|word| word.chars().count()).max();
        let cannot_wrap = is_code || comment.starts_with('|') || longest_word > Some(LONGEST / 2);
        if line.chars().count() > LONGEST && !cannot_wrap {
            long.push(number);
        }
    }
    long
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_comment_is_a_fault_unless_it_cannot_be_wrapped() {
        let words = "a word ".repeat(20);
        let word = "w".repeat(120);
        let of = |text: &str| long_lines(text, &["///", "//!", "//"]);
        assert_eq!(of(&format!("fn x() {{}}\n    /// {words}\n")), [2]);
        assert_eq!(of(&format!("//! | {words} |\n")), Vec::<usize>::new());
        assert_eq!(of(&format!("// see {word}\n")), Vec::<usize>::new());
        assert_eq!(
            of(&format!("/// ```\n/// {words}\n/// ```\n/// {words}\n")),
            [4]
        );
        assert_eq!(
            of(&format!("let text = \"{words}\";\n")),
            Vec::<usize>::new()
        );
    }
}
