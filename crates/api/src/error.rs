//! Why a call failed. No message repeats a body: of one that does not fit it may quote the value that did
//! not, cut short.

use http::{HeaderMap, StatusCode};
use obeya_model::Problem;
use progenitor_client::Error as Generated;
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

    /// Converts the generated code's error, for a call that returns `T`.
    pub(crate) fn from_generated<T: DeserializeOwned>(error: Generated<Problem>) -> Self {
        match error {
            Generated::InvalidResponsePayload(body, cause) => match carried(cause) {
                Some(error) => error,
                None => Self::decode::<T>(&body),
            },
            Generated::ErrorResponse(reply) => Error::Answer {
                status: reply.status(),
                headers: Box::new(reply.headers().clone()),
                problem: Some(Box::new(reply.into_inner())),
            },
            Generated::UnexpectedResponse(response) => Error::Answer {
                status: response.status(),
                headers: Box::new(response.headers().clone()),
                problem: None,
            },
            Generated::CommunicationError(cause) if cause.is_builder() => {
                Error::Request(cause.to_string())
            }
            Generated::CommunicationError(cause)
            | Generated::InvalidUpgrade(cause)
            | Generated::ResponseBodyError(cause) => Error::Execute(Box::new(cause)),
            Generated::InvalidRequest(reason) | Generated::Custom(reason) => Error::Request(reason),
        }
    }

    /// Decodes a mismatching body again, to find the path of the mismatch.
    pub(crate) fn decode<T: DeserializeOwned>(body: &[u8]) -> Self {
        let mut deserializer = serde_json::Deserializer::from_slice(body);
        let (path, reason) = match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
            Err(error) => (error.path().to_string(), error.inner().to_string()),
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

/// A `serde_json::Error` around ours, the one thing of ours that the generated code lets a hook return:
/// reading from a reader that fails keeps the reader's error.
pub(crate) fn carrier(error: Error) -> serde_json::Error {
    struct Failing(Option<Error>);

    impl std::io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            match self.0.take() {
                Some(error) => Err(std::io::Error::other(error)),
                None => Ok(0),
            }
        }
    }

    match serde_json::from_reader::<_, serde::de::IgnoredAny>(Failing(Some(error))) {
        Err(carrier) => carrier,
        Ok(_) => unreachable!("a reader that fails gives no value"),
    }
}

/// Extracts our error from its carrier; `None` for a decoding error.
fn carried(cause: serde_json::Error) -> Option<Error> {
    if !cause.is_io() {
        return None;
    }
    let inner = std::io::Error::from(cause).into_inner()?;
    inner.downcast::<Error>().ok().map(|error| *error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("no token")]
    struct NoToken(u32);

    #[test]
    fn an_executors_error_comes_out_as_it_went_in() {
        let error = Error::from_generated::<()>(Generated::InvalidResponsePayload(
            bytes::Bytes::new(),
            carrier(Error::Execute(Box::new(NoToken(7)))),
        ));
        let Ok(inner) = error.into_executor::<NoToken>() else {
            panic!("another error came out");
        };
        assert_eq!(inner.0, 7);
    }

    #[test]
    fn a_body_that_does_not_fit_is_named_by_place_and_not_printed() {
        let body = br#"{"value":[{"id":1},{"id":"seven"}],"secret":"s3cr3t"}"#;
        let error = Error::decode::<obeya_model::AreaPaginationResult>(body);
        assert_eq!(
            error.to_string(),
            "the answer does not fit the specification at `value[1].id`: invalid type: string \"seven\", expected i32 at line 1 column 32"
        );
    }
}
