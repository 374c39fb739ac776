//! Rules of an incident beyond its states: when it may be evaluated, and when its reporter is forgotten.

use super::enums::{ClosedEnum, IncidentStatus};
use super::error::DomainError;

/// Refuses an evaluation that is written on an incident that is not resolved. Repeating the present one, as a
/// client does that sends back what it read, writes nothing; nor does removing it.
///
/// # Errors
/// 409 `incident.evaluation`.
pub fn check_evaluation(is_written: bool, status: IncidentStatus) -> Result<(), DomainError> {
    if !is_written || status == IncidentStatus::Resolved {
        return Ok(());
    }
    let status = status.name();
    Err(DomainError::Conflict {
        code: "incident.evaluation",
        detail: format!("An incident can be evaluated once it is Resolved; this one is {status}."),
    })
}

/// Whether a change removes who reported the incident: it stops being anonymous, and it was reported in
/// confidence.
pub fn forgets_reporter(was_anonymous: bool, is_anonymous: bool) -> bool {
    was_anonymous && !is_anonymous
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_incident_that_stops_being_anonymous_forgets_its_reporter() {
        assert!(forgets_reporter(true, false));
        assert!(!forgets_reporter(true, true));
        assert!(!forgets_reporter(false, true));
        assert!(!forgets_reporter(false, false));
    }
}
