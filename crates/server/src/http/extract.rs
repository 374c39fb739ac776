//! Checked parts of a request: path ids, `Prefer`, content type, the bytes of a body. `json` parses the body.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use http_body::Frame;
use http_body_util::BodyExt;

use super::memory_budget::{Reservation, UNCOUNTED_BYTES};
use super::problem::Problem;
use super::request_body::RequestBody;
use crate::config::Limits;
use obeya_read::text::quoted;

/// The header for preferences such as strict handling.
pub(crate) const PREFER: HeaderName = HeaderName::from_static("prefer");
/// The header with the media types that a PATCH may have.
const ACCEPT_PATCH: HeaderName = HeaderName::from_static("accept-patch");
/// The header that confirms an applied preference.
pub(crate) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The name of the `index`-th parameter of a path template.
pub(crate) fn parameter_name(template: &'static str, index: usize) -> &'static str {
    template
        .split(['{', '}'])
        .nth(2 * index + 1)
        .unwrap_or("id")
}

/// The value of a parameter of a query string, by its name in whatever case. 400 `query.invalid` if it is
/// given twice, or the string cannot be decoded.
pub(crate) fn query_parameter(query: &str, name: &str) -> Result<Option<String>, Problem> {
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(query)
        .map_err(|error| Problem::invalid_query(name, error.to_string()))?;
    let mut given = pairs
        .into_iter()
        .filter(|(given, _)| given.eq_ignore_ascii_case(name))
        .map(|(_, value)| value);
    match (given.next(), given.next()) {
        (Some(_), Some(_)) => Err(Problem::invalid_query(name, "it is given twice")),
        (value, _) => Ok(value),
    }
}

/// Whether the client requests `Prefer: handling=strict` (RFC 7240).
pub(crate) fn is_strict(headers: &HeaderMap) -> bool {
    preferences(headers).any(|(name, value)| {
        name.eq_ignore_ascii_case("handling") && value.eq_ignore_ascii_case("strict")
    })
}

/// The page size of `Prefer: maxpagesize=100` (OData Protocol 4.01, 8.2.8.6), and the text that confirms it.
/// Anything but a number from 1 is ignored.
pub(crate) fn max_page_size(headers: &HeaderMap) -> Option<(u32, HeaderValue)> {
    if !headers.contains_key(PREFER) {
        return None;
    }
    let (name, size) = preferences(headers).find_map(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let is_known = name.strip_prefix("odata.").unwrap_or(&name) == "maxpagesize";
        let size: u32 = value.parse().ok()?;
        (is_known && size > 0).then_some((name, size))
    })?;
    let applied = HeaderValue::try_from(format!("{name}={size}")).ok()?;
    Some((size, applied))
}

/// Names and values of the client's preferences, without their parameters.
fn preferences(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let values = headers
        .get_all(PREFER)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let preferences = values.flat_map(|value| value.split(','));
    preferences.filter_map(|preference| {
        let preference = preference.split(';').next().unwrap_or("");
        let (name, value) = preference.split_once('=')?;
        Some((name.trim(), value.trim().trim_matches('"')))
    })
}

/// 415 unless the body is plain `application/json` in UTF-8, or of a PATCH `application/merge-patch+json`.
pub(crate) fn json_content(method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
    let is_patch = method == Method::PATCH;
    let accepting = |problem: Problem| with_json(problem, is_patch);
    not_encoded(headers).map_err(accepting)?;
    let Some(found) = headers.get(CONTENT_TYPE) else {
        return Err(accepting(unsupported(
            "The body has no Content-Type; expected application/json.",
        )));
    };
    let found = found.to_str().unwrap_or("");
    let (essence, parameters) = found.split_once(';').unwrap_or((found, ""));
    let is_utf8 = parameters
        .split(';')
        .all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
                value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        });
    let essence = essence.trim();
    let is_json = essence.eq_ignore_ascii_case("application/json")
        || is_patch && essence.eq_ignore_ascii_case("application/merge-patch+json");
    if is_json && is_utf8 {
        return Ok(());
    }
    let expected = match is_patch {
        true => "application/json or application/merge-patch+json",
        false => "application/json",
    };
    Err(accepting(unsupported(format!(
        "The body is {}; expected {expected} in UTF-8.",
        quoted(found)
    ))))
}

/// 415 if the body is encoded, as with gzip.
pub(crate) fn not_encoded(headers: &HeaderMap) -> Result<(), Problem> {
    let encoding = headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes);
    if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case(b"identity")) {
        return Err(unsupported(
            "The body is encoded; send it without Content-Encoding.",
        ));
    }
    Ok(())
}

/// 415. The caller adds what is supported.
pub(crate) fn unsupported(detail: impl Into<String>) -> Problem {
    Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "media_type.unsupported",
        "Unsupported media type",
        detail,
    )
}

/// The refusal with what JSON bodies may have: in `Accept`, and for a PATCH in `Accept-Patch` (RFC 5789,
/// 2.2).
fn with_json(problem: Problem, is_patch: bool) -> Problem {
    let (name, supported) = match is_patch {
        true => (
            ACCEPT_PATCH,
            HeaderValue::from_static("application/json, application/merge-patch+json"),
        ),
        false => (ACCEPT, HeaderValue::from_static("application/json")),
    };
    problem.header(name, supported)
}

/// Reads the whole body, up to `limit` bytes (413 beyond), in the time and with the pauses that `times`
/// allows (408 beyond). The memory is counted as the body arrives (503 if there is none). What is not read of
/// a body is discarded when its connection is closed ([`super::lingering_close`]).
pub(crate) async fn bytes(
    body: &mut RequestBody,
    headers: &HeaderMap,
    limit: usize,
    times: &Limits,
    memory: &mut Reservation,
) -> Result<Bytes, Problem> {
    let Limits {
        body_read,
        body_pause,
        ..
    } = *times;
    let read = collect(body, headers, limit, body_pause, memory);
    let read = tokio::time::timeout(body_read, read).await;
    read.unwrap_or_else(|_| {
        Err(too_slow(format!(
            "The body did not arrive within {} seconds.",
            body_read.as_secs()
        )))
    })
}

async fn collect(
    body: &mut RequestBody,
    headers: &HeaderMap,
    limit: usize,
    pause: Duration,
    memory: &mut Reservation,
) -> Result<Bytes, Problem> {
    let declared = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|declared| declared > limit) {
        return Err(too_large(limit));
    }
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(frame) = next_frame(body, pause).await? {
        let frame = frame.map_err(|error| {
            Problem::malformed_body("The body broke off before its end.").cause(error)
        })?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let length = first.len() + all.len() + data.len();
        if length > limit {
            return Err(too_large(limit));
        }
        if length > UNCOUNTED_BYTES
            && let Err(error) = memory.try_add(length - memory.bytes())
        {
            return Err(Problem::from(error).header(CONNECTION, HeaderValue::from_static("close")));
        }
        // A small body arrives in one frame, which is returned without a copy.
        if first.is_empty() && all.is_empty() {
            first = data;
        } else {
            if all.is_empty() {
                all.extend_from_slice(&std::mem::take(&mut first));
            }
            all.extend_from_slice(&data);
        }
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

/// The next frame. A client that sends nothing for longer than `pause` is given up: it may hold one of the
/// connections that others wait for.
async fn next_frame(
    body: &mut RequestBody,
    pause: Duration,
) -> Result<Option<Result<Frame<Bytes>, hyper::Error>>, Problem> {
    let frame = tokio::time::timeout(pause, body.frame()).await;
    frame.map_err(|_| {
        too_slow(format!(
            "Nothing of the body arrived for {} seconds.",
            pause.as_secs()
        ))
    })
}

fn too_large(limit: usize) -> Problem {
    let detail = format!("The body is larger than the {limit} bytes allowed.");
    closing(
        StatusCode::PAYLOAD_TOO_LARGE,
        "body.too_large",
        "Body too large",
        detail,
    )
}

fn too_slow(detail: String) -> Problem {
    closing(
        StatusCode::REQUEST_TIMEOUT,
        "body.timeout",
        "Body too slow",
        detail,
    )
}

/// A problem after which the connection cannot be reused: part of the body may still arrive.
fn closing(status: StatusCode, code: &'static str, title: &'static str, detail: String) -> Problem {
    Problem::new(status, code, title, detail).header(CONNECTION, HeaderValue::from_static("close"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefer(value: &'static str) -> bool {
        is_strict(&HeaderMap::from_iter([(
            PREFER,
            HeaderValue::from_static(value),
        )]))
    }

    #[test]
    fn strict_handling_is_found_among_preferences() {
        assert!(prefer("handling=strict"));
        assert!(prefer("return=minimal, Handling = \"strict\"; foo=bar"));
        assert!(!prefer("handling=lenient"));
        assert!(!prefer("strict"));
    }

    fn content(method: &Method, value: &'static str) -> bool {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(value))]);
        json_content(method, &headers).is_ok()
    }

    #[test]
    fn only_json_in_utf_8_is_taken() {
        for method in [Method::PUT, Method::PATCH] {
            assert!(content(&method, "application/json"));
            assert!(content(&method, "Application/JSON; charset=UTF-8"));
            assert!(!content(&method, "application/json; charset=latin1"));
            assert!(!content(&method, "text/plain"));
            assert!(!content(&method, "application/json-patch+json"));
            assert!(json_content(&method, &HeaderMap::new()).is_err());
            let is_patch = method == Method::PATCH;
            let merge = content(&method, "application/merge-patch+json");
            assert_eq!(merge, is_patch, "{method}");
        }
    }
}
