//! The errors of the stages below HTTP, as the problems they are answered with.

use http::StatusCode;

use crate::domain::fault::{Complaint, Fault};
use crate::domain::value::BATCH_COMPLAINTS;
use crate::http::problem::Problem;
use crate::read::ReadError;
use crate::store::references::MOST_COMPLAINTS;
use crate::store::refusal::Refusal;

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        let refused = |code, title| Self::new(StatusCode::BAD_REQUEST, code, title, "");
        match error {
            ReadError::Query(error) => error.into(),
            ReadError::Parameter(name, text) => Self::invalid_query(&name, text),
            ReadError::SkipToken(text) => {
                refused("odata.value", "Invalid value").field("$skiptoken", text)
            }
            ReadError::NotFound(noun, id) => Self::not_found(noun, id),
            ReadError::TooMuch(excess) => {
                refused("odata.limit", "Limit exceeded").field("$expand", excess.to_string())
            }
            ReadError::Store(error) => error.into(),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Store(error) => error.into(),
            Refusal::Fault(fault) => fault.into(),
            Refusal::Missing(what, id) => Problem::not_found(what, id),
        }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        of(fault, MOST_COMPLAINTS)
    }
}

fn of(fault: Fault, most: usize) -> Problem {
    match fault {
        Fault::Invalid(complaints) => about(
            StatusCode::BAD_REQUEST,
            "body.invalid",
            "Invalid body",
            complaints.into_iter().take(most),
        ),
        Fault::Unprocessable { code, complaints } => about(
            StatusCode::UNPROCESSABLE_ENTITY,
            code,
            "Body does not fit the data",
            complaints.into_iter().take(most),
        ),
        Fault::Conflict { code, detail } => Problem::conflict(code, detail),
        Fault::OfBatch(fault) => of(*fault, BATCH_COMPLAINTS),
    }
}

fn about(
    status: StatusCode,
    code: &'static str,
    title: &'static str,
    told: impl Iterator<Item = Complaint>,
) -> Problem {
    let problem = Problem::new(status, code, title, "");
    told.fold(problem, |problem, complaint| {
        problem.field(&complaint.field, complaint.text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_told_than_helps() {
        let complaints = (100..300).map(|number| Complaint {
            field: format!("causes[{number}].id"),
            text: "there is no such cause".to_owned(),
        });
        let fault = Fault::Invalid(complaints.collect());
        let told = |fault| Problem::from(fault).summary().matches("causes[").count();
        assert_eq!(told(fault.clone()), 20);
        assert_eq!(told(fault.of_batch()), 100);
    }
}
