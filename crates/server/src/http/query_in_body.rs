//! `POST …/$query`: a GET with query options in its body, for those that are too long for the URLs of a
//! client or a proxy ("Passing Query Options in the Request Body", OData URL Conventions 4.01). It does
//! not read the options.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, IF_NONE_MATCH};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderValue, Method, Uri};

use super::extract::{not_encoded, unsupported};
use super::problem::Problem;
use obeya_read::text::quoted;

/// The last segment of the path of such a request, in its two spellings.
pub(crate) const SEGMENTS: [&str; 2] = ["$query", "%24query"];

const PLAIN_TEXT: HeaderValue = HeaderValue::from_static("text/plain");

/// 415 unless the body is plain text.
pub(crate) fn check_content(headers: &HeaderMap) -> Result<(), Problem> {
    let accepting = |problem: Problem| problem.header(ACCEPT, PLAIN_TEXT);
    not_encoded(headers).map_err(accepting)?;
    let found = headers
        .get(CONTENT_TYPE)
        .map(|value| value.to_str().unwrap_or(""));
    let essence = found.and_then(|found| found.split(';').next());
    if essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("text/plain")) {
        return Ok(());
    }
    let found = found.map_or_else(
        || "has no Content-Type".to_owned(),
        |found| format!("is {}", quoted(found)),
    );
    Err(accepting(unsupported(format!(
        "The body {found}; expected text/plain, with query options as in a URL."
    ))))
}

/// The most bytes that the body may have. The URL of the GET keeps to the limit of all URLs, because
/// `@odata.nextLink` has the same options.
pub(crate) fn body_limit(head: &Parts, uri_bytes: usize) -> usize {
    let own = head
        .uri
        .path_and_query()
        .map_or(0, |text| text.as_str().len());
    uri_bytes.saturating_sub(own)
}

/// Turns the head into that of the GET: the path without its last segment, with the options of the URL and of
/// the body. 400 `body.malformed` if the body cannot be a part of a URL.
pub(crate) fn turn_into_get(head: &mut Parts, body: &Bytes) -> Result<(), Problem> {
    let path = head.uri.path();
    let path = path.rsplit_once('/').map_or(path, |(read, _)| read);
    let options = options(body)?;
    let parts = [head.uri.query().unwrap_or(""), options];
    let query = parts
        .iter()
        .filter(|part| !part.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join("&");
    let target = match query.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{query}"),
    };
    let target =
        PathAndQuery::try_from(target).map_err(|_| malformed("a character that no URL has"))?;
    let mut uri = std::mem::take(&mut head.uri).into_parts();
    uri.path_and_query = Some(target);
    head.uri = Uri::from_parts(uri).map_err(Problem::internal)?;
    head.method = Method::GET;
    // The response to a POST cannot be 304.
    head.headers.remove(IF_NONE_MATCH);
    Ok(())
}

fn options(body: &Bytes) -> Result<&str, Problem> {
    let text = std::str::from_utf8(body).map_err(|_| malformed("bytes that are not UTF-8"))?;
    let is_allowed =
        |c: char| c.is_ascii_graphic() && !matches!(c, '#' | '"' | '<' | '>' | '\\' | '^' | '`');
    match text.chars().find(|c| !is_allowed(*c)) {
        Some(found) => Err(malformed(&format!("the character {found:?}"))),
        None => Ok(text),
    }
}

fn malformed(found: &str) -> Problem {
    Problem::malformed_body(format!(
        "The body has {found}; expected query options as in a URL, percent-encoded, such as \
         $filter=id%20gt%205&$top=10."
    ))
}
