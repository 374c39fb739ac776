//! Converts an error response to [`Error::Api`].
//!
//! Our service always sends a complete problem document; another server of this interface, or a proxy, may
//! send an incomplete one or an HTML page. The caller gets a [`Problem`] in each case. An undecodable body is
//! not quoted.

use http::{HeaderMap, StatusCode};
use obeya_model::Problem;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::retry::retry_after;
use crate::tag::Tag;

/// The JSON object in the body of an error response; empty if the body is something else.
#[derive(Debug, Default)]
pub(crate) struct Document(Map<String, Value>);

impl Document {
    /// Parses a body, once for each response.
    pub(crate) fn parse(body: &[u8]) -> Self {
        match serde_json::from_slice(body) {
            Ok(Value::Object(members)) => Self(members),
            _ => Self::default(),
        }
    }

    /// The stable code of the problem, if it has one.
    pub(crate) fn code(&self) -> Option<&str> {
        self.0.get("code")?.as_str()
    }

    /// The error for a response with this status, these headers and this document.
    pub(crate) fn into_error(
        self,
        operation: &'static str,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Error {
        let request_id = headers
            .get("x-request-id")
            .and_then(|id| id.to_str().ok())
            .or_else(|| self.0.get("traceId")?.as_str())
            .map(str::to_owned);
        match problem(status, self.0) {
            Ok(problem) => Error::Api {
                status: status.as_u16(),
                problem: Box::new(problem),
                request_id,
                retry_after: retry_after(headers),
                tag: Tag::of(headers),
                operation,
                earlier: None,
            },
            Err(error) => Error::Decode {
                operation,
                path: ".".to_owned(),
                reason: format!("status {status} without a usable problem: {error}"),
            },
        }
    }
}

/// A problem from the document's members, with missing required members added. A document with invalid
/// members (a number in place of a text) is replaced completely.
fn problem(
    status: StatusCode,
    mut members: Map<String, Value>,
) -> Result<Problem, serde_json::Error> {
    for (name, value) in required(status) {
        members.entry(name).or_insert(value);
    }
    serde_json::from_value(Value::Object(members))
        .or_else(|_| serde_json::from_value(Value::Object(required(status).into_iter().collect())))
}

/// The required members of a problem, derived from the status.
fn required(status: StatusCode) -> [(String, Value); 5] {
    let code = format!("http.{}", status.as_u16());
    let title = status.canonical_reason().unwrap_or("Not a success");
    [
        ("type".to_owned(), "about:blank".into()),
        ("title".to_owned(), title.into()),
        ("status".to_owned(), status.as_u16().into()),
        ("traceId".to_owned(), "".into()),
        ("code".to_owned(), code.into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(status: u16, body: &'static str) -> (String, String, Option<String>) {
        let status = StatusCode::from_u16(status).unwrap();
        let document = Document::parse(body.as_bytes());
        let error = document.into_error("getArea", status, &HeaderMap::new());
        let id = error.request_id().map(str::to_owned);
        (error.code().unwrap().to_owned(), error.to_string(), id)
    }

    #[test]
    fn only_a_text_is_a_code() {
        let code = |body: &str| Document::parse(body.as_bytes()).code().map(str::to_owned);
        let found = code(r#"{"code":"unavailable"}"#);
        assert_eq!(found.as_deref(), Some("unavailable"));
        for body in [
            r#"{"code":503}"#,
            r#"[{"code":"unavailable"}]"#,
            "<html>",
            "",
        ] {
            assert_eq!(code(body), None, "{body}");
        }
    }

    #[test]
    fn a_whole_problem_is_kept() {
        let body = r#"{"type":"urn:obeya:problem:not_found","title":"Nothing here","status":404,
            "detail":"No area 7.","traceId":"4bf9","code":"not_found"}"#;
        assert_eq!(
            seen(404, body),
            (
                "not_found".to_owned(),
                "getArea: 404 Nothing here: No area 7. (not_found)".to_owned(),
                Some("4bf9".to_owned()),
            )
        );
    }

    #[test]
    fn half_a_problem_is_completed_and_no_problem_replaced() {
        let (code, text, id) = seen(409, r#"{"title":"No","status":409,"code":"a.b"}"#);
        assert_eq!(
            (code.as_str(), text.as_str(), id),
            ("a.b", "getArea: 409 No (a.b)", None)
        );
        for body in ["<html>secret page</html>", "", "[1]", r#"{"title":5}"#] {
            let (code, text, _) = seen(502, body);
            assert_eq!(code, "http.502", "{body}");
            assert_eq!(text, "getArea: 502 Bad Gateway (http.502)", "{body}");
        }
    }
}
