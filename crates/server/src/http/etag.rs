//! Entity tags (RFC 9110, 8.8.3) and the two conditions that use them.
//!
//! A tag is a digest of the bytes of an answer, so records need no counter, and two answers share a tag only
//! if they are identical. Another representation of the same record (v2, `$select`) has another tag. This
//! module knows no record and no store.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{ETAG, IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::problem::Problem;
use obeya_read::text::quoted;
use obeya_store::sha256;

/// Half of a SHA-256: collisions in 128 bits are not feasible, and the header stays short.
const DIGEST_BYTES: usize = 16;
/// The suffix of the tag of a compressed body: its bytes differ, so a strong tag must differ too (RFC 9110,
/// 8.8.3.3).
const GZIP_SUFFIX: &str = "-gzip";

/// The strong tag of a representation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag(String);

impl Tag {
    /// The tag of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let digest = sha256::digest(&[bytes]);
        Self(URL_SAFE_NO_PAD.encode(&digest[..DIGEST_BYTES]))
    }

    /// The tag of a content with this digest, in hexadecimal.
    pub(crate) fn of_digest(digest: &str) -> Self {
        Self(digest.chars().filter(char::is_ascii_hexdigit).collect())
    }

    /// The text of the tag, in quotes.
    pub(crate) fn text(&self) -> String {
        format!("\"{}\"", self.0)
    }

    /// The tag as a header value.
    pub(crate) fn header(&self) -> HeaderValue {
        HeaderValue::try_from(self.text())
            .expect("base64 and hexadecimal have only characters that headers take")
    }

    /// The digest without quotes, for a header that is no entity tag.
    pub(crate) fn unquoted(&self) -> HeaderValue {
        HeaderValue::try_from(self.0.as_str())
            .expect("base64 and hexadecimal have only characters that headers take")
    }
}

/// Adds the suffix for a compressed body to the tag of an answer.
pub(crate) fn mark_compressed(headers: &mut HeaderMap) {
    let marked = headers.get(ETAG).and_then(|tag| {
        let plain = tag.to_str().ok()?.strip_suffix('"')?;
        HeaderValue::try_from(format!("{plain}{GZIP_SUFFIX}\"")).ok()
    });
    if let Some(marked) = marked {
        headers.insert(ETAG, marked);
    }
}

/// The value of `If-Match` or `If-None-Match`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Condition {
    /// `*`: any representation.
    Any,
    /// Any of these.
    Tags(Vec<ListedTag>),
}

/// A tag in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedTag {
    opaque: String,
    is_weak: bool,
}

impl Condition {
    /// `If-Match`, if present; 400 `header.invalid` if it is malformed.
    pub(crate) fn if_match(headers: &HeaderMap) -> Result<Option<Self>, Problem> {
        parsed(headers, &IF_MATCH).map_err(|found| {
            let text = format!(
                "expected * or tags in double quotes, found {}",
                quoted(&found)
            );
            invalid_header("If-Match", text)
        })
    }

    /// `If-None-Match`, if present. A malformed one is ignored: the whole answer is always correct.
    pub(crate) fn if_none_match(headers: &HeaderMap) -> Option<Self> {
        parsed(headers, &IF_NONE_MATCH).ok().flatten()
    }

    /// Whether it has the tag, by the strong comparison that a change requires: weak tags never match.
    pub(crate) fn names(&self, tag: &Tag) -> bool {
        self.any(tag, |listed| !listed.is_weak)
    }

    /// Whether it has the tag, by the weak comparison that suffices for reading.
    pub(crate) fn names_weakly(&self, tag: &Tag) -> bool {
        self.any(tag, |_| true)
    }

    fn any(&self, tag: &Tag, counts: impl Fn(&ListedTag) -> bool) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => tags.iter().any(|listed| {
                let opaque = &listed.opaque;
                let plain = opaque.strip_suffix(GZIP_SUFFIX).unwrap_or(opaque);
                plain == tag.0 && counts(listed)
            }),
        }
    }
}

/// 400 `header.invalid`: a header is malformed.
pub(crate) fn invalid_header(name: &str, text: impl Into<String>) -> Problem {
    let problem = Problem::new(
        StatusCode::BAD_REQUEST,
        "header.invalid",
        "Invalid header",
        "",
    );
    problem.field(name, text)
}

/// The lines of a header as one list; the error is the text that was found.
fn parsed(headers: &HeaderMap, name: &HeaderName) -> Result<Option<Condition>, String> {
    let lines: Vec<_> = headers.get_all(name).iter().collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let texts: Vec<_> = lines
        .iter()
        .map(|line| String::from_utf8_lossy(line.as_bytes()))
        .collect();
    let text = texts.join(",");
    if text.trim() == "*" {
        return Ok(Some(Condition::Any));
    }
    match tags(&text) {
        Some(tags) if !tags.is_empty() => Ok(Some(Condition::Tags(tags))),
        _ => Err(text),
    }
}

/// `"a", W/"b"`; empty elements are skipped. A tag may contain commas.
fn tags(text: &str) -> Option<Vec<ListedTag>> {
    let mut tags = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([',', ' ', '\t']);
        if rest.is_empty() {
            return Some(tags);
        }
        let (is_weak, opened) = match rest.strip_prefix("W/") {
            Some(after) => (true, after),
            None => (false, rest),
        };
        let (opaque, after) = opened.strip_prefix('"')?.split_once('"')?;
        if opaque.chars().any(|c| c <= ' ' || c == '\u{7f}') {
            return None;
        }
        tags.push(ListedTag {
            opaque: opaque.to_owned(),
            is_weak,
        });
        rest = after.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&'static str]) -> HeaderMap {
        values
            .iter()
            .map(|value| (IF_MATCH, HeaderValue::from_static(value)))
            .collect()
    }

    fn condition(values: &[&'static str]) -> Option<Condition> {
        Condition::if_match(&headers(values)).expect("of its form")
    }

    #[test]
    fn a_tag_is_the_digest_of_the_bytes() {
        // printf '{"id":1}' | sha256sum | cut -c1-32 | xxd -r -p | base64 | tr '+/' '-_' | tr -d =
        assert_eq!(
            Tag::of(b"{\"id\":1}").header(),
            "\"A3ySFO73TMOIfzpPCFtOFw\""
        );
        assert_ne!(Tag::of(b"a"), Tag::of(b"b"));
    }

    #[test]
    fn a_list_names_what_is_in_it() {
        let tag = Tag("abc".to_owned());
        for names in [
            &["*"][..],
            &["\"abc\""],
            &[" \"x,y\" , \"abc\""],
            &["\"x\"", ",, \"abc\","],
            &["\"abc-gzip\""],
        ] {
            let condition = condition(names).expect("there");
            assert!(condition.names(&tag), "{names:?}");
            assert!(condition.names_weakly(&tag), "{names:?}");
        }
        for other in [
            &["\"abd\""][..],
            &["\"\""],
            &["\"ABC\""],
            &["\"abc-gzip-gzip\""],
        ] {
            let condition = condition(other).expect("there");
            assert!(!condition.names_weakly(&tag), "{other:?}");
        }
        assert_eq!(condition(&[]), None);
    }

    #[test]
    fn a_weak_tag_is_enough_for_reading_alone() {
        let tag = Tag("abc".to_owned());
        let condition = condition(&["W/\"abc\""]).expect("there");
        assert!(!condition.names(&tag));
        assert!(condition.names_weakly(&tag));
    }

    #[test]
    fn what_is_no_list_of_tags_is_refused_or_excludes_nothing() {
        for odd in [
            "abc",
            "\"abc",
            "w/\"abc\"",
            "\"a\" \"b\"",
            "*, \"a\"",
            "",
            ",",
            "\"a b\"",
            "'abc'",
        ] {
            let problem = Condition::if_match(&headers(&[odd])).expect_err(odd);
            assert_eq!(problem.summary(), "400 header.invalid If-Match", "{odd}");
            let reading = HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_static(odd))]);
            assert_eq!(Condition::if_none_match(&reading), None, "{odd}");
        }
    }

    #[test]
    fn a_packed_answer_has_a_tag_of_its_own() {
        let mut headers = HeaderMap::from_iter([(ETAG, HeaderValue::from_static("\"abc\""))]);
        mark_compressed(&mut headers);
        assert_eq!(headers[ETAG], "\"abc-gzip\"");
        let mut without = HeaderMap::new();
        mark_compressed(&mut without);
        assert!(without.is_empty());
    }
}
