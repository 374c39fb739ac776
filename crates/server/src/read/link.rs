//! The address of the next page.
//!
//! Until keyset paging it is the request's own address with `$skip` and `$top` moved on: rows that come or go between two pages can then be repeated or missed.

use crate::http::call::Call;

/// Where a list was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    /// Base URL and path.
    base: String,
    /// The query as it arrived, still percent-encoded.
    query: String,
}

impl Address {
    /// The address of a request, under the base URL that its caller uses.
    pub(crate) fn of(call: &Call) -> Self {
        Self {
            base: format!("{}{}", call.base_url(), call.path()),
            query: call.query().to_owned(),
        }
    }

    /// The same request for the rows after the first `skip`, and at most `top` of them.
    pub(crate) fn page(&self, skip: u64, top: Option<u64>) -> String {
        let mut link = self.base.clone();
        let mut separator = '?';
        let mut push = |part: &str| {
            link.push(separator);
            link.push_str(part);
            separator = '&';
        };
        self.query
            .split('&')
            .filter(|part| !part.is_empty() && !is_paging(part))
            .for_each(&mut push);
        push(&format!("$skip={skip}"));
        if let Some(top) = top {
            push(&format!("$top={top}"));
        }
        link
    }
}

/// Whether a piece of a query is `$top` or `$skip`, in any of their spellings.
fn is_paging(part: &str) -> bool {
    let name = part.split('=').next().unwrap_or(part);
    let name = name
        .strip_prefix('$')
        .or_else(|| name.strip_prefix("%24"))
        .unwrap_or(name);
    name.eq_ignore_ascii_case("top") || name.eq_ignore_ascii_case("skip")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(query: &str, skip: u64, top: Option<u64>) -> String {
        Address {
            base: "http://plant/v2/areas".into(),
            query: query.into(),
        }
        .page(skip, top)
    }

    #[test]
    fn the_next_page_keeps_everything_but_the_paging() {
        assert_eq!(page("", 1000, None), "http://plant/v2/areas?$skip=1000");
        assert_eq!(
            page(
                "$filter=name%20eq%20'a%26b'&%24skip=5&$TOP=2500&top=1&x=%24skip",
                1005,
                Some(1500)
            ),
            "http://plant/v2/areas?$filter=name%20eq%20'a%26b'&x=%24skip&$skip=1005&$top=1500"
        );
    }
}
