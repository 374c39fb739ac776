//! The URL of the next page: that of the request, with the position in `$skiptoken`.

/// The URL of the same request for the rows after the position in `token`. `url` has no query.
pub(super) fn after(url: &str, query: &str, token: &str) -> String {
    let mut link = format!("{url}?");
    for part in query.split('&') {
        if !part.is_empty() && !is_position(part) {
            link.push_str(part);
            link.push('&');
        }
    }
    link.push_str("$skiptoken=");
    link.push_str(token);
    link
}

/// Whether a part of a query sets the position: `$skip` or `$skiptoken`, in any of their spellings.
fn is_position(part: &str) -> bool {
    // Only the name matters; any part of it may be percent-encoded.
    let name = part.split('=').next().unwrap_or(part);
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(name).unwrap_or_default();
    pairs.first().is_some_and(|(name, _)| {
        let name = name.strip_prefix('$').unwrap_or(name);
        name.eq_ignore_ascii_case("skip") || name.eq_ignore_ascii_case("skiptoken")
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_next_page_keeps_everything_but_the_place() {
        let after = |query: &str| super::after("http://plant/v2/areas", query, "AQ");
        assert_eq!(after(""), "http://plant/v2/areas?$skiptoken=AQ");
        assert_eq!(
            after(
                "$filter=name%20eq%20'a%26b'&%24skip=5&$TOP=2500&SkipToken=x&%24sk%69p=7&x=%24skip"
            ),
            "http://plant/v2/areas?$filter=name%20eq%20'a%26b'&$TOP=2500&x=%24skip&$skiptoken=AQ"
        );
    }
}
