//! Moves inline scripts of the pages to files, and removes the one inline style: the service allows none
//! on its pages, and the guide is served there too.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::{files_with, write};

const OPEN: &str = "<script>";
const CLOSE: &str = "</script>";
/// Ends the floating of the links to the next page, which nothing follows.
const STYLE: &str = "<div style=\"clear: both\"></div>";

/// Writes each different inline script of the site to `script-HASH.js`, and loads it in the same place. A
/// page of the site then needs no exception of a Content Security Policy.
pub(super) fn allow_strict_policy(site: &Path) -> Result<()> {
    for page in files_with(site, "html")? {
        let html = fs::read_to_string(&page)?;
        let depth = page.strip_prefix(site)?.components().count() - 1;
        let moved = split(&html.replace(STYLE, ""), &"../".repeat(depth))
            .with_context(|| format!("the scripts of {}", page.display()))?;
        for (name, script) in moved.scripts {
            write(&site.join(name), script)?;
        }
        fs::write(&page, moved.html)?;
    }
    Ok(())
}

struct Moved {
    html: String,
    /// The scripts by the names of their files.
    scripts: BTreeMap<String, String>,
}

/// Scripts without attributes are inline; those in files have `src`.
fn split(html: &str, to_root: &str) -> Result<Moved> {
    let mut moved = Moved {
        html: String::with_capacity(html.len()),
        scripts: BTreeMap::new(),
    };
    let mut rest = html;
    while let Some((before, after)) = rest.split_once(OPEN) {
        let Some((script, after)) = after.split_once(CLOSE) else {
            bail!("found {OPEN} without {CLOSE}");
        };
        let hash = Sha256::digest(script);
        let name = format!(
            "script-{:02x}{:02x}{:02x}{:02x}.js",
            hash[0], hash[1], hash[2], hash[3]
        );
        moved
            .html
            .push_str(&format!("{before}<script src=\"{to_root}{name}\">{CLOSE}"));
        moved.scripts.insert(name, script.to_owned());
        rest = after;
    }
    moved.html.push_str(rest);
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inline_script_becomes_a_file_at_the_root_of_the_site() {
        let html = "<head><script>let a = 1;</script><script src=\"b.js\"></script></head>";
        let moved = split(html, "../").unwrap();
        let (name, script) = moved.scripts.first_key_value().unwrap();
        assert_eq!(script, "let a = 1;");
        let expected = format!(
            "<head><script src=\"../{name}\"></script><script src=\"b.js\"></script></head>"
        );
        assert_eq!(moved.html, expected);
    }

    #[test]
    fn equal_scripts_are_one_file_and_different_ones_are_not() {
        let moved = split("<script>1</script><script>1</script><script>2</script>", "").unwrap();
        assert_eq!(moved.scripts.len(), 2);
        assert!(split("<script>1", "").is_err());
    }
}
