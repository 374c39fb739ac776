//! `cargo xtask docs`: the documentation as a site, for reading offline.
//!
//! The pages are those of the repository, at the same paths, so links between them work in both places. Their
//! order is in docs/SUMMARY.md; the reference of the interface is written from the specification. mdBook
//! renders them, and every link of the result is followed.

mod contents;
mod markdown;
mod operations;
mod reference;
mod schemas;
mod scripts;
mod site;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;

use crate::process::{root, target};
use contents::Contents;

/// Settings of mdBook. Its preprocessors would rename README.md, and expand braces in examples.
const CONFIG: &str = r#"
[book]
title = "Obeya"
language = "en"
src = "source"

[build]
use-default-preprocessors = false
create-missing = false

[output.html]
smart-punctuation = false
no-section-label = true
hash-files = false
input-404 = ""
fold = { enable = true }
print = { enable = false }
playground = { copyable = false, runnable = false }

# Records for maintainers: in a search for a word of the interface they would come before its pages.
[output.html.search.chapter]
"docs/decisions" = { enable = false }
"CHANGELOG.md" = { enable = false }
"#;

/// The licences of what mdBook adds to the site. Those of the fonts are beside them.
const LICENCES: &str = "\
The pages are those of Obeya, under its licences. Scripts and styles are mdBook's
(https://github.com/rust-lang/mdBook, Mozilla Public License 2.0, https://mozilla.org/MPL/2.0/), with highlight.js
(BSD 3-Clause, https://github.com/highlightjs/highlight.js), elasticlunr.js (MIT,
https://github.com/weixsong/elasticlunr.js), mark.js (MIT, https://github.com/julkue/mark.js) and clipboard.js (MIT,
https://github.com/zenorocha/clipboard.js). Icons are Font Awesome Free's (CC BY 4.0, https://fontawesome.com).
";

/// Builds the site in `target/guide/site`, and returns that folder.
pub(crate) fn build() -> Result<PathBuf> {
    let folder = target().join("guide");
    let source = folder.join("source");
    let site = folder.join("site");
    for old in [&source, &site] {
        if old.exists() {
            fs::remove_dir_all(old).with_context(|| format!("removing {}", old.display()))?;
        }
    }
    let mut contents = Contents::read(&root())?;
    contents.copy_pages(&root(), &source)?;
    let pages = reference::write_pages(&specification()?, &source)?;
    contents.append("Reference", pages);
    write(&source.join("SUMMARY.md"), contents.summary())?;

    let mut config: Config = CONFIG.parse()?;
    config.build.build_dir = site.clone();
    MDBook::load_with_config(&folder, config)?.build()?;
    scripts::allow_strict_policy(&site)?;
    write(&site.join("LICENCES.txt"), LICENCES)?;
    site::check_links(&site)?;
    Ok(site)
}

fn specification() -> Result<serde_json::Value> {
    let file = root().join("spec/generated/openapi.json");
    let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// Writes a file and the folders above it.
fn write(file: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    }
    fs::write(file, content).with_context(|| format!("writing {}", file.display()))
}

/// Every file below a folder with this extension, in the order of their paths.
fn files_with(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
