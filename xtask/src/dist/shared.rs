//! What the binary writes about itself for a release: shell completions and pages of the manual.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::BINARY;
use crate::process;

/// Each shell, and where it looks for completions of `obeya` below `share`.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/obeya"),
    ("zsh", "zsh/vendor-completions/_obeya"),
    ("fish", "fish/vendor_completions.d/obeya.fish"),
];

/// The files by their place below `share`. `binary` starts it.
pub(super) fn files(binary: impl Fn() -> Command) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut files = Vec::new();
    for (shell, place) in SHELLS {
        let output = binary().args(["completions", shell]).output();
        let output = output.context("cannot start the binary")?;
        if !output.status.success() {
            bail!(
                "`{BINARY} completions {shell}` failed: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        files.push((place.into(), output.stdout));
    }
    let folder = tempfile::tempdir()?;
    process::run(binary().arg("manual").arg(folder.path()))?;
    let mut pages: Vec<_> = fs::read_dir(folder.path())?.collect::<Result<_, _>>()?;
    pages.sort_by_key(fs::DirEntry::file_name);
    for page in pages {
        files.push((
            Path::new("man/man1").join(page.file_name()),
            fs::read(page.path())?,
        ));
    }
    Ok(files)
}
