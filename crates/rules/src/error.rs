//! Errors of the rules: one type for all of them, so that one place maps each kind to its HTTP status.

/// A complaint about one field of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The field, as JSON names it: `title`, `consequences[2].id`.
    pub field: String,
    /// What was found and what was expected.
    pub text: String,
}

/// A refusal. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DomainError {
    /// The body breaks its schema (400).
    Invalid(Vec<Complaint>),
    /// The body matches its schema but not the stored data (422). Complaints of one code; never empty.
    Unprocessable {
        /// The stable code, such as `reference.unknown`.
        code: &'static str,
        /// What is wrong.
        complaints: Vec<Complaint>,
    },
    /// The state of the record forbids it (409).
    Conflict {
        /// The stable code, such as `incident.transition`.
        code: &'static str,
        /// What was requested, and what would be allowed.
        detail: String,
    },
    /// The first or second of these about a batch: it has room for more complaints.
    OfBatch(Box<DomainError>),
}

impl DomainError {
    /// The same error about a batch.
    pub fn of_batch(self) -> DomainError {
        DomainError::OfBatch(Box::new(self))
    }

    /// A status that may not follow the current one.
    pub fn transition(
        code: &'static str,
        what: &str,
        from: &str,
        to: &str,
        allowed: &[&str],
    ) -> DomainError {
        let detail = match allowed {
            [] => format!("{what} that is {from} cannot become {to}: nothing may follow {from}."),
            _ => format!(
                "{what} that is {from} cannot become {to}. From {from} it may become {}.",
                listed(allowed)
            ),
        };
        DomainError::Conflict { code, detail }
    }
}

/// `A, B or C`.
pub fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
