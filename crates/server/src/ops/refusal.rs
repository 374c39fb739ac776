//! A refusal of the domain or a failure of the store, as the problem it is answered with.

use http::StatusCode;

use crate::domain::fault::{Complaint, Fault};
use crate::http::problem::Problem;
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
    complaints.into_iter().fold(problem, |problem, complaint| {
        problem.field(&complaint.field, complaint.text)
    })
}
