//! Links in Markdown: which lead to a page of the guide, and what is left of the others.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A page as the guide has it.
pub(super) struct Copied {
    pub(super) text: String,
    /// The files of the pictures that it shows, as it names them.
    pub(super) pictures: Vec<String>,
}

/// Replaces each link to a file that `is_page` denies by its text. Links to other hosts and within the page
/// stay.
pub(super) fn keep_links(text: &str, is_page: impl Fn(&str) -> bool) -> Copied {
    let mut copied = String::with_capacity(text.len());
    let mut pictures = Vec::new();
    let mut written = 0;
    // A link that is to be replaced: where it is, and where its text is.
    let mut dropped: Option<(Range<usize>, Range<usize>)> = None;
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                let file = dest_url.split('#').next().unwrap_or_default();
                if !file.is_empty() && !has_scheme(file) && !is_page(file) {
                    dropped = Some((range.clone(), range.end..range.start));
                }
            }
            Event::End(TagEnd::Link) => {
                if let Some((link, inner)) = dropped.take() {
                    copied.push_str(&text[written..link.start]);
                    copied.push_str(text.get(inner).unwrap_or_default());
                    written = link.end;
                }
            }
            event => {
                if let Some((_, inner)) = &mut dropped {
                    inner.start = inner.start.min(range.start);
                    inner.end = inner.end.max(range.end);
                }
                if let Event::Start(Tag::Image { dest_url, .. }) = event
                    && !has_scheme(&dest_url)
                {
                    pictures.push(dest_url.to_string());
                }
            }
        }
    }
    copied.push_str(&text[written..]);
    Copied {
        text: copied,
        pictures,
    }
}

/// Whether an address begins with `https:` or the like (RFC 3986, 3.1).
pub(super) fn has_scheme(address: &str) -> bool {
    let is_scheme = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
    };
    address
        .split_once(':')
        .is_some_and(|(scheme, _)| is_scheme(scheme))
}

/// A text in a cell of a table: on one line, without a bar that would end the cell.
pub(super) fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_file_outside_the_guide_becomes_its_text() {
        let text = "See [`Code` *here*](src/main.rs), [the page](page.md#part), [both][ref] and [x](https://x.example).\n\n\
                    ```md\n[code](src/main.rs)\n```\n\n[ref]: other.rs\n";
        let copied = keep_links(text, |file| file == "page.md");
        assert_eq!(
            copied.text,
            "See `Code` *here*, [the page](page.md#part), both and [x](https://x.example).\n\n\
             ```md\n[code](src/main.rs)\n```\n\n[ref]: other.rs\n"
        );
        assert!(copied.pictures.is_empty());
    }

    #[test]
    fn a_picture_in_a_dropped_link_stays() {
        let copied = keep_links(
            "[![House](house.svg)](house.rs) ![far](https://x.example/p.png)\n",
            |_| false,
        );
        assert_eq!(
            copied.text,
            "![House](house.svg) ![far](https://x.example/p.png)\n"
        );
        assert_eq!(copied.pictures, ["house.svg"]);
    }

    #[test]
    fn a_link_within_the_page_stays() {
        assert_eq!(keep_links("[up](#top)\n", |_| false).text, "[up](#top)\n");
    }

    #[test]
    fn a_cell_is_one_line_without_bars() {
        assert_eq!(cell("`a` |\n  `b`\n"), "`a` \\| `b`");
    }
}
