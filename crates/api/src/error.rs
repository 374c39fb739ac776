//! Why a call failed. No message repeats a body: of one that does not fit it may quote the value that did
//! not, cut short.

use http::{HeaderMap, StatusCode};
use obeya_model::Problem;
use serde::de::DeserializeOwned;

use crate::ExecuteError;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request could not be built: the base URL is invalid, or a value cannot be part of a header.
    #[error("the request could not be built: {0}")]
    Request(String),

    /// The executor failed with its own error.
    #[error(transparent)]
    Execute(ExecuteError),

    /// The service responded with an error status.
    #[error("{}", describe(*.status, .problem.as_deref()))]
    Answer {
        /// The status of the response.
        status: StatusCode,
        /// The headers of the response.
        headers: Box<HeaderMap>,
        /// The problem document; `None` if the body was something else, such as a proxy's page.
        problem: Option<Box<Problem>>,
    },

    /// A success whose body does not match the specification.
    #[error("the answer does not fit the specification at `{path}`: {reason}")]
    Decode {
        /// The path in the body, such as `value[3].id`; `.` is the whole body.
        path: String,
        /// What was found and what was expected, truncated to 200 characters.
        reason: String,
    },
}

impl Error {
    /// The executor's own error, if it is an `E`; otherwise this error unchanged.
    ///
    /// # Errors
    /// This error, if it is not from the executor or not an `E`.
    pub fn into_executor<E: std::error::Error + 'static>(self) -> Result<Box<E>, Self> {
        match self {
            Error::Execute(error) => error.downcast::<E>().map_err(Error::Execute),
            other => Err(other),
        }
    }

    /// The error for a response that is not a success.
    pub(crate) fn of_answer(answer: &http::Response<bytes::Bytes>) -> Self {
        Error::Answer {
            status: answer.status(),
            headers: Box::new(answer.headers().clone()),
            problem: serde_json::from_slice(answer.body()).ok(),
        }
    }

    /// Converts the error of generated code, which only builds requests.
    pub(crate) fn from_generated(error: progenitor_client::Error) -> Self {
        match error {
            progenitor_client::Error::InvalidRequest(reason) => Error::Request(reason),
            // reqwest could not build the request, and says why.
            progenitor_client::Error::CommunicationError(cause) => {
                Error::Request(cause.to_string())
            }
            other => Error::Request(other.to_string()),
        }
    }

    /// Decodes a mismatching body again, to find the path of the mismatch.
    pub(crate) fn decode<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Self {
        let mut deserializer = serde_json::Deserializer::from_slice(body);
        let (path, reason) = match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
            Err(error) if error.inner().is_data() => {
                (error.path().to_string(), error.inner().to_string())
            }
            Err(error) => {
                let media_type = headers.get(http::header::CONTENT_TYPE);
                let media_type = media_type.and_then(|value| value.to_str().ok());
                let other = media_type.filter(|name| !name.to_ascii_lowercase().contains("json"));
                let reason = match other {
                    // Such as the login page of a proxy.
                    Some(other) => format!("found the media type {other:.100}, expected JSON"),
                    None => error.inner().to_string(),
                };
                (error.path().to_string(), reason)
            }
            Ok(_) => (
                ".".to_owned(),
                "there is more after the end of the value".to_owned(),
            ),
        };
        Error::Decode {
            path,
            // A serde message quotes the value, which may be long.
            reason: reason.chars().take(200).collect(),
        }
    }
}

fn describe(status: StatusCode, problem: Option<&Problem>) -> String {
    match problem {
        Some(problem) => format!("{} {}: {}", status.as_u16(), problem.code, problem.title),
        None => format!("{status}, without a problem document"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_does_not_fit_is_named_by_place_and_not_printed() {
        let body = br#"{"value":[{"id":1},{"id":"seven"}],"secret":"s3cr3t"}"#;
        let error = Error::decode::<obeya_model::AreaPaginationResult>(&HeaderMap::new(), body);
        assert_eq!(
            error.to_string(),
            "the answer does not fit the specification at `value[1].id`: invalid type: string \"seven\", expected i32 at line 1 column 32"
        );
    }
}
