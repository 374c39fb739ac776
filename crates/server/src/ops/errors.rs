//! Converts the errors of the stages below HTTP to problems.

use http::header::{ETAG, RETRY_AFTER};
use http::{HeaderValue, StatusCode};

use crate::http::memory_budget::OutOfMemory;
use crate::http::problem::Problem;
use obeya_read::ReadError;
use obeya_read::text::quoted;
use obeya_rules::error::{Complaint, DomainError};
use obeya_rules::value::BATCH_COMPLAINTS;
use obeya_store::RecordId;
use obeya_store::references::MOST_COMPLAINTS;
use obeya_store::write_error::WriteError;

/// An id in a message.
pub(super) fn shown(id: &RecordId) -> String {
    match id {
        RecordId::Number(id) => id.to_string(),
        RecordId::Text(id) => quoted(id),
    }
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        let refused = |code, title| Self::new(StatusCode::BAD_REQUEST, code, title, "");
        match error {
            ReadError::Query(error) => error.into(),
            ReadError::Parameter(name, text) => Self::invalid_query(&name, text),
            ReadError::SkipToken(text) => {
                refused("odata.value", "Invalid value").field("$skiptoken", text)
            }
            ReadError::NotFound(noun, id) => Self::not_found(noun, shown(&id)),
            ReadError::LimitExceeded(excess) => {
                refused("odata.limit", "Limit exceeded").field("$expand", excess.to_string())
            }
            ReadError::OutOfMemory => OutOfMemory.into(),
            ReadError::Store(error) => error.into(),
        }
    }
}

impl From<WriteError> for Problem {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Store(error) => error.into(),
            WriteError::Domain(error) => error.into(),
            WriteError::Missing(noun, id) => Self::not_found(noun, shown(&id)),
            WriteError::NotGranted => Self::new(
                StatusCode::FORBIDDEN,
                "grant.missing",
                "Not granted",
                "The record would not be one of those that this client is granted. Nothing was changed.",
            ),
            WriteError::Changed(tag) => {
                let detail = format!(
                    "The record has changed since: If-Match does not contain the current ETag {tag}. Nothing was changed; read it again."
                );
                let problem = precondition_failed(detail);
                match HeaderValue::try_from(tag) {
                    Ok(tag) => problem.header(ETAG, tag),
                    Err(_) => problem,
                }
            }
            WriteError::Untagged => precondition_failed(
                "If-Match requires an ETag, but this resource has none. Nothing was changed.",
            ),
            // Answered by `commit`.
            WriteError::Repeated(_) => Self::internal("a repeated request was taken for a problem"),
            WriteError::OtherRequest => Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "idempotency.mismatch",
                "Key of another request",
                "This Idempotency-Key was sent with another request during the last 24 hours: its path, query or body differ. Nothing was changed.",
            ),
            WriteError::OverQuota(seconds) => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "idempotency.quota",
                "Too many keys",
                "This client has used as many Idempotency-Keys during the last 24 hours as it may. Nothing was changed. Without a key the request is taken.",
            )
            .header(RETRY_AFTER, HeaderValue::from(seconds)),
            WriteError::Encoding(error) => Self::internal(error),
        }
    }
}

fn precondition_failed(detail: impl Into<String>) -> Problem {
    Problem::new(
        StatusCode::PRECONDITION_FAILED,
        "precondition.failed",
        "Precondition failed",
        detail,
    )
}

impl From<DomainError> for Problem {
    fn from(fault: DomainError) -> Self {
        of(fault, MOST_COMPLAINTS)
    }
}

fn of(fault: DomainError, most: usize) -> Problem {
    match fault {
        DomainError::Invalid(complaints) => about(
            StatusCode::BAD_REQUEST,
            "body.invalid",
            "Invalid body",
            complaints.into_iter().take(most),
        ),
        DomainError::Unprocessable { code, complaints } => about(
            StatusCode::UNPROCESSABLE_ENTITY,
            code,
            "Body does not fit the data",
            complaints.into_iter().take(most),
        ),
        DomainError::Conflict { code, detail } => Problem::conflict(code, detail),
        DomainError::OfBatch(fault) => of(*fault, BATCH_COMPLAINTS),
    }
}

fn about(
    status: StatusCode,
    code: &'static str,
    title: &'static str,
    complaints: impl Iterator<Item = Complaint>,
) -> Problem {
    let problem = Problem::new(status, code, title, "");
    complaints.fold(problem, |problem, complaint| {
        problem.field(&complaint.field, complaint.text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_complaints_are_reported_than_help() {
        let complaints = (100..300).map(|number| Complaint {
            field: format!("causes[{number}].id"),
            text: "there is no such cause".to_owned(),
        });
        let fault = DomainError::Invalid(complaints.collect());
        let complaints = |fault| Problem::from(fault).summary().matches("causes[").count();
        assert_eq!(complaints(fault.clone()), 20);
        assert_eq!(complaints(fault.of_batch()), 100);
    }
}
