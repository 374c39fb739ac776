//! Refuses a response with an expanded list that ends early.
//!
//! A service may end such a list and link to its rest by `comments@odata.nextLink` (OData JSON Format,
//! 4.5.5). The types of records have no member for the link, so the rest would be lost unnoticed.

use memchr::memmem;

use crate::error::{Error, Result};

/// The end of the name of the link.
const NEXT_LINK: &[u8] = br#"@odata.nextLink""#;

/// An error if the response to this URL has an expanded list that ends early.
pub(crate) fn check(operation: &'static str, url: &reqwest::Url, body: &[u8]) -> Result<()> {
    if !url.query().is_some_and(|query| query.contains("expand")) {
        return Ok(());
    }
    match cut_list(body) {
        None => Ok(()),
        Some(name) => Err(Error::NextLink {
            operation,
            reason: format!(
                "it belongs to the expanded list `{name}`, which ends early; expand fewer records, or read `{name}` as a list of its own"
            ),
        }),
    }
}

/// The name of a list that ends early.
fn cut_list(body: &[u8]) -> Option<String> {
    memmem::find_iter(body, NEXT_LINK).find_map(|at| {
        let rest = &body[at + NEXT_LINK.len()..];
        let is_name = rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
        let start = memchr::memrchr(b'"', &body[..at])? + 1;
        // That of the page has no name before it.
        (is_name && start < at).then(|| String::from_utf8_lossy(&body[start..at]).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::cut_list;

    #[test]
    fn only_links_of_expanded_lists_are_found() {
        for (body, expected) in [
            (
                r#"{"value":[{"id":1}],"@odata.nextLink":"http://plant/v2/areas"}"#,
                None,
            ),
            (r#"{"text":"boards@odata.nextLink","id":1}"#, None),
            (r#"{"text":"\"boards@odata.nextLink\":\"x\""}"#, None),
            (
                r#"{"value":[{"boards":[],"boards@odata.nextLink":"x"}],"@odata.nextLink":"y"}"#,
                Some("boards"),
            ),
            (r#"{"boards@odata.nextLink" : "x"}"#, Some("boards")),
        ] {
            assert_eq!(cut_list(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }
}
