//! The OData headers of every request and answer under its root: the version of the protocol.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::problem::Problem;
use obeya_read::text::quoted;
use obeya_store::entity_sets::ROOT;

/// The version of an answer.
pub(crate) const ODATA_VERSION: HeaderName = HeaderName::from_static("odata-version");
/// The version of every answer. Nothing in the answers differs in 4.01, which clients of 4.0 do not read.
pub(crate) const ANSWERED_VERSION: HeaderValue = HeaderValue::from_static("4.0");
/// The highest version that a client reads.
pub(crate) const ODATA_MAX_VERSION: HeaderName = HeaderName::from_static("odata-maxversion");

/// Whether a path is OData's root or below it.
pub(crate) fn is_odata(path: &str) -> bool {
    let (start, rest) = path.split_at_checked(ROOT.len()).unwrap_or((path, "/"));
    start.eq_ignore_ascii_case(ROOT) && (rest.is_empty() || rest.starts_with('/'))
}

/// 400 `odata.option` for a client that does not read version 4.0, as it could not use the answer.
pub(crate) fn check_max_version(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(value) = headers.get(ODATA_MAX_VERSION) else {
        return Ok(());
    };
    let text = value.to_str().unwrap_or("").trim();
    let major = text.split(['.', ';']).next().unwrap_or(text);
    if major.parse().is_ok_and(|major: u8| major >= 4) {
        return Ok(());
    }
    let problem = Problem::new(
        StatusCode::BAD_REQUEST,
        "odata.option",
        "Unsupported version of OData",
        "",
    );
    Err(problem.field(
        "OData-MaxVersion",
        format!(
            "answers are of version 4.0; expected 4.0 or later, found {}",
            quoted(text)
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_the_root_is_odata() {
        for path in ["/v2", "/v2/", "/V2/areas"] {
            assert!(is_odata(path), "{path}");
        }
        for path in ["/", "/v1/Boards/7", "/v20", "/v2x/areas", "/v", "/ø2/"] {
            assert!(!is_odata(path), "{path}");
        }
    }

    #[test]
    fn a_caller_that_reads_4_0_is_served() {
        let check = |value| {
            let value = HeaderValue::from_static(value);
            check_max_version(&HeaderMap::from_iter([(ODATA_MAX_VERSION, value)]))
        };
        for value in ["4.0", "4.01", "4", " 5.0 ", "4.0;NetFx"] {
            assert!(check(value).is_ok(), "{value}");
        }
        for value in ["3.0", "3.0;NetFx", "", "x", "-4.0"] {
            let problem = check(value).expect_err(value);
            assert_eq!(problem.summary(), "400 odata.option OData-MaxVersion");
        }
        assert!(check_max_version(&HeaderMap::new()).is_ok());
    }
}
