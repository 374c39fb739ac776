//! The pages of the guide: which, in which order, and their copies. Nothing here knows HTML.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{markdown, write};

/// Where the list of the pages stands, from the root of the repository.
const SUMMARY: &str = "docs/SUMMARY.md";
/// The page whose neighbours are pages too, one for each decision.
const DECISIONS: &str = "docs/decisions/README.md";

/// What the guide consists of.
pub(super) struct Contents {
    lines: Vec<Line>,
}

/// A line of the list.
enum Line {
    /// The title of a part.
    Part(String),
    Page(Page),
}

/// A page of the guide.
pub(super) struct Page {
    pub(super) title: String,
    /// From the root of the repository, and of the guide.
    pub(super) path: PathBuf,
    /// How far it is indented in the list. A page of depth 1 belongs to the one of depth 0 before it.
    pub(super) depth: usize,
}

impl Contents {
    /// Reads docs/SUMMARY.md. Its links are relative to docs, as those of any page there.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(root.join(SUMMARY)).with_context(|| format!("reading {SUMMARY}"))?;
        let mut lines = Vec::new();
        for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
            if let Some(title) = line.strip_prefix("# ") {
                lines.push(Line::Part(title.to_owned()));
                continue;
            }
            let page = Page::parse(line).with_context(|| {
                format!("{SUMMARY}: found {line:?}, expected `- [title](path)`")
            })?;
            if !root.join(&page.path).is_file() {
                bail!("{SUMMARY}: there is no {}", page.path.display());
            }
            let has_neighbours = page.path == Path::new(DECISIONS);
            lines.push(Line::Page(page));
            if has_neighbours {
                lines.extend(neighbours(root, DECISIONS)?.into_iter().map(Line::Page));
            }
        }
        Ok(Self { lines })
    }

    /// Adds a part at the end.
    pub(super) fn append(&mut self, part: &str, pages: Vec<Page>) {
        self.lines.push(Line::Part(part.to_owned()));
        self.lines.extend(pages.into_iter().map(Line::Page));
    }

    /// Copies the pages and the pictures that they show. A link to anything else of the repository becomes
    /// its text.
    pub(super) fn copy_pages(&self, root: &Path, source: &Path) -> Result<()> {
        let pages: BTreeSet<&Path> = self.pages().map(|page| page.path.as_path()).collect();
        for page in self.pages() {
            let text = fs::read_to_string(root.join(&page.path))
                .with_context(|| format!("reading {}", page.path.display()))?;
            let folder = page.path.parent().unwrap_or(Path::new(""));
            let is_page = |link: &str| {
                normalized(&folder.join(link)).is_some_and(|path| pages.contains(&*path))
            };
            let copied = markdown::keep_links(&text, is_page);
            write(&source.join(&page.path), copied.text)?;
            for picture in copied.pictures {
                let path = normalized(&folder.join(&picture)).with_context(|| {
                    format!(
                        "{}: {picture} is outside the repository",
                        page.path.display()
                    )
                })?;
                let bytes = fs::read(root.join(&path))
                    .with_context(|| format!("{}: the picture {picture}", page.path.display()))?;
                write(&source.join(path), bytes)?;
            }
        }
        Ok(())
    }

    /// The list as mdBook reads it. A page before the first part has no mark, which mdBook calls a prefix.
    pub(super) fn summary(&self) -> String {
        let mut text = "# Summary\n\n".to_owned();
        let mut is_prefix = true;
        for line in &self.lines {
            match line {
                Line::Part(title) => {
                    is_prefix = false;
                    text.push_str(&format!("\n# {title}\n\n"));
                }
                Line::Page(page) => {
                    let indent = "    ".repeat(page.depth);
                    let mark = if is_prefix { "" } else { "- " };
                    let path = page.path.display();
                    text.push_str(&format!("{indent}{mark}[{}]({path})\n", page.title));
                }
            }
        }
        text
    }

    fn pages(&self) -> impl Iterator<Item = &Page> {
        self.lines.iter().filter_map(|line| match line {
            Line::Page(page) => Some(page),
            Line::Part(_) => None,
        })
    }
}

impl Page {
    /// `- [title](path)` or `[title](path)`, with a path from the folder of the list.
    fn parse(line: &str) -> Option<Self> {
        let link = line.strip_prefix("- ").unwrap_or(line).strip_prefix('[')?;
        let (title, path) = link.strip_suffix(')')?.split_once("](")?;
        let folder = Path::new(SUMMARY).parent()?;
        Some(Self {
            title: title.to_owned(),
            path: normalized(&folder.join(path))?,
            depth: 0,
        })
    }
}

/// The other pages of the folder of `page`, below it in the list, with their first lines as titles.
fn neighbours(root: &Path, page: &str) -> Result<Vec<Page>> {
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    let mut pages = Vec::new();
    for file in super::files_with(&root.join(folder), "md")? {
        let path = file.strip_prefix(root)?.to_owned();
        if path == Path::new(page) {
            continue;
        }
        let text = fs::read_to_string(&file)?;
        let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let title =
            title.with_context(|| format!("{} has no title in its first line", path.display()))?;
        pages.push(Page {
            title: title.to_owned(),
            path,
            depth: 1,
        });
    }
    Ok(pages)
}

/// A path without `.` and `..`; `None` if it leaves the repository.
fn normalized(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if clean.pop() => {}
            Component::Normal(part) => clean.push(part),
            _ => return None,
        }
    }
    Some(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(&folder.path().join(path), text).unwrap();
        }
        folder
    }

    #[test]
    fn the_list_has_every_page_and_every_decision_below_its_list() {
        let root = folder_with(&[
            (
                "docs/SUMMARY.md",
                "# Contents\n\n[Start](../README.md)\n\n# Change\n\n- [Why](decisions/README.md)\n",
            ),
            (
                "README.md",
                "# Start\n\n[Why](docs/decisions/README.md), [code](src/main.rs)\n",
            ),
            ("docs/decisions/README.md", "# Why\n"),
            ("docs/decisions/0001-one.md", "# 1. One\n"),
        ]);
        let contents = Contents::read(root.path()).unwrap();
        let source = tempfile::tempdir().unwrap();
        contents.copy_pages(root.path(), source.path()).unwrap();
        let start = fs::read_to_string(source.path().join("README.md")).unwrap();
        assert_eq!(start, "# Start\n\n[Why](docs/decisions/README.md), code\n");
        assert_eq!(
            contents.summary(),
            "# Summary\n\n[Start](README.md)\n\n# Change\n\n- [Why](docs/decisions/README.md)\n    \
             - [1. One](docs/decisions/0001-one.md)\n"
        );
    }

    #[test]
    fn a_page_that_is_not_there_is_named() {
        let root = folder_with(&[("docs/SUMMARY.md", "# Contents\n\n- [Lost](lost.md)\n")]);
        let error = Contents::read(root.path()).err().unwrap();
        assert_eq!(
            error.to_string(),
            "docs/SUMMARY.md: there is no docs/lost.md"
        );
    }

    #[test]
    fn a_line_that_is_no_link_is_named() {
        let root = folder_with(&[("docs/SUMMARY.md", "# Contents\n\n- Lost\n")]);
        let error = Contents::read(root.path()).err().unwrap();
        let expected = "docs/SUMMARY.md: found \"- Lost\", expected `- [title](path)`";
        assert_eq!(error.to_string(), expected);
    }
}
