//! Follows the links of the finished site: every file and every part of a page that a link names exists.
//! Addresses of other hosts are not opened.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use html5gum::{Token, Tokenizer};

use super::files_with;
use super::markdown::has_scheme;

/// What a page links to, and what can be linked to in it.
#[derive(Default)]
struct Links {
    to: BTreeSet<String>,
    ids: BTreeSet<String>,
}

/// Fails with the list of the links that lead nowhere.
pub(super) fn check_links(site: &Path) -> Result<()> {
    let mut pages = BTreeMap::new();
    for file in files_with(site, "html")? {
        let links = Links::of(&fs::read_to_string(&file)?);
        pages.insert(file, links);
    }
    let mut dead = Vec::new();
    for (page, links) in &pages {
        for link in &links.to {
            if let Some(fault) = fault(page, link, &pages) {
                let page = page.strip_prefix(site)?.display();
                dead.push(format!("{page}: {link}: {fault}"));
            }
        }
    }
    if !dead.is_empty() {
        bail!("{} links lead nowhere:\n{}", dead.len(), dead.join("\n"));
    }
    Ok(())
}

/// Why a link leads nowhere.
fn fault(page: &Path, link: &str, pages: &BTreeMap<PathBuf, Links>) -> Option<&'static str> {
    if has_scheme(link) {
        return None;
    }
    let (file, part) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() {
        page.to_owned()
    } else {
        let folder = page.parent().unwrap_or(Path::new(""));
        match folder.join(file).canonicalize() {
            Ok(target) => target,
            Err(_) => return Some("there is no such file"),
        }
    };
    let has_part = |links: &Links| part.is_empty() || links.ids.contains(part);
    match pages.get(&target) {
        Some(links) if !has_part(links) => Some("the page has no such part"),
        None if target.is_dir() => Some("it is a folder"),
        _ => None,
    }
}

impl Links {
    fn of(html: &str) -> Self {
        let mut links = Self::default();
        for Ok(token) in Tokenizer::new(html) {
            let Token::StartTag(tag) = token else {
                continue;
            };
            for (name, value) in &tag.attributes {
                let value = String::from_utf8_lossy(value).into_owned();
                match name.as_slice() {
                    b"href" | b"src" => links.to.insert(value),
                    b"id" | b"name" => links.ids.insert(value),
                    _ => false,
                };
            }
        }
        links
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().canonicalize().unwrap();
        let page = "<a href=\"b.html#there\">1</a><a href='b.html#gone'>2</a><a href=c.html>3</a>\
                    <a href=\"https://x.example/\">4</a><a href=\"#own\">5</a><img src=\"p.png\"><h2 id=\"own\">x</h2>\
                    <!-- <a href=\"d.html\"> -->";
        fs::write(site.join("a.html"), page).unwrap();
        fs::write(site.join("b.html"), "<h2 id=\"there\">y</h2>").unwrap();
        let error = check_links(&site).unwrap_err().to_string();
        assert_eq!(
            error,
            "3 links lead nowhere:\na.html: b.html#gone: the page has no such part\n\
             a.html: c.html: there is no such file\na.html: p.png: there is no such file"
        );
        fs::write(site.join("a.html"), "<a href=\"b.html#there\">1</a>").unwrap();
        check_links(&site).unwrap();
    }
}
