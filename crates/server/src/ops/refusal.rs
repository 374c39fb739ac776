//! A refusal of the domain or a failure of the store, as the problem it is answered with.

use http::StatusCode;

use crate::domain::fault::{Complaint, Fault};
use crate::http::problem::Problem;
use crate::store::references::MOST_COMPLAINTS;
use crate::store::refusal::Refusal;

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
        match fault {
            Fault::Invalid(complaints) => about(
                StatusCode::BAD_REQUEST,
                "body.invalid",
                "Invalid body",
                complaints,
            ),
            Fault::Unprocessable { code, complaints } => about(
                StatusCode::UNPROCESSABLE_ENTITY,
                code,
                "Body does not fit the data",
                complaints,
            ),
            Fault::Conflict { code, detail } => Problem::conflict(code, detail),
        }
    }
}

fn about(
    status: StatusCode,
    code: &'static str,
    title: &'static str,
    complaints: Vec<Complaint>,
) -> Problem {
    let problem = Problem::new(status, code, title, "");
    let told = complaints.into_iter().take(MOST_COMPLAINTS);
    told.fold(problem, |problem, complaint| {
        problem.field(&complaint.field, complaint.text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_told_than_helps() {
        let complaints = (100..200).map(|number| Complaint {
            field: format!("causes[{number}].id"),
            text: "there is no such cause".to_owned(),
        });
        let problem = Problem::from(Fault::Invalid(complaints.collect()));
        assert_eq!(problem.summary().matches("causes[").count(), 20);
    }
}
