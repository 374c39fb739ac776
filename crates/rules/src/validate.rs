//! Checks a body against its schema beyond the types: lengths and known enum variants. All complaints about a
//! body are returned together.

use std::ops::RangeInclusive;

use super::enums::ClosedEnum;
use super::error::{Complaint, DomainError, listed};

/// Collects complaints about one body.
#[derive(Debug, Default)]
pub struct Check {
    complaints: Vec<Complaint>,
}

impl Check {
    /// Adds a complaint.
    pub fn refuse(&mut self, field: impl Into<String>, text: impl Into<String>) {
        self.complaints.push(Complaint {
            field: field.into(),
            text: text.into(),
        });
    }

    /// How many complaints there are so far.
    pub fn count(&self) -> usize {
        self.complaints.len()
    }

    /// Checks the name of a variant of a closed enum.
    pub fn variant<T: ClosedEnum>(&mut self, field: &str, text: &str) -> Option<T> {
        let known = T::parse(text);
        if known.is_none() {
            let allowed: Vec<_> = T::ALL.iter().map(|member| member.name()).collect();
            self.refuse(
                field,
                format!("expected {}, found `{}`", listed(&allowed), shortened(text)),
            );
        }
        known
    }

    /// Checks the number of characters of a text (code points, as JSON Schema counts).
    pub fn length(&mut self, field: &str, text: &str, allowed: &RangeInclusive<usize>) {
        if may_misfit(text, allowed) {
            let found = text.chars().count();
            self.size(field, found, allowed, ["character", "characters"]);
        }
    }

    /// Checks how many there are of something, named in the singular and in the plural.
    pub fn size(
        &mut self,
        field: &str,
        found: usize,
        allowed: &RangeInclusive<usize>,
        names: [&str; 2],
    ) {
        let (end, bound) = match found {
            _ if allowed.contains(&found) => return,
            _ if found < *allowed.start() => ("least", *allowed.start()),
            _ => ("most", *allowed.end()),
        };
        let [one, many] = names;
        let name = if bound == 1 { one } else { many };
        let found = match found {
            0 => "none".to_owned(),
            _ => found.to_string(),
        };
        self.refuse(
            field,
            format!("expected at {end} {bound} {name}, found {found}"),
        );
    }

    /// Ends the check with the decoded value, which is `None` only after a complaint.
    ///
    /// # Errors
    /// Every complaint.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, DomainError> {
        match read {
            Some(read) if self.complaints.is_empty() => Ok(read),
            _ => Err(DomainError::Invalid(self.complaints)),
        }
    }
}

/// Whether the characters of a text have to be counted. One has one to four bytes, so most need not.
pub fn may_misfit(text: &str, allowed: &RangeInclusive<usize>) -> bool {
    text.len() > *allowed.end() || text.len() < allowed.start().saturating_mul(4)
}

/// The first characters of a caller's text.
fn shortened(text: &str) -> &str {
    text.char_indices()
        .nth(40)
        .map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enums::{IncidentStatus, Severity};

    fn complaints(check: Check) -> Vec<(String, String)> {
        match check.finish(Some(())) {
            Ok(()) => Vec::new(),
            Err(DomainError::Invalid(complaints)) => {
                complaints.into_iter().map(|c| (c.field, c.text)).collect()
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_are_known_by_their_letters_and_case() {
        let mut check = Check::default();
        assert_eq!(
            check.variant("status", "InProgress"),
            Some(IncidentStatus::InProgress)
        );
        assert_eq!(check.variant("severity", "None"), Some(Severity::None));
        assert_eq!(
            check.variant::<IncidentStatus>("status", "inprogress"),
            None
        );
        assert_eq!(
            complaints(check),
            [(
                "status".to_owned(),
                "expected New, InProgress, Resolved or Rejected, found `inprogress`".to_owned()
            )]
        );
    }

    #[test]
    fn lengths_count_characters_and_not_bytes() {
        let mut check = Check::default();
        check.length("title", &"ø".repeat(100), &(0..=100));
        check.length("title", " ", &(1..=usize::MAX));
        assert_eq!(complaints(check), []);

        let mut check = Check::default();
        check.length("title", &"ø".repeat(101), &(0..=100));
        check.length("text", "", &(1..=usize::MAX));
        check.length("name", "øø", &(3..=usize::MAX));
        assert_eq!(
            complaints(check),
            [
                (
                    "title".to_owned(),
                    "expected at most 100 characters, found 101".to_owned()
                ),
                (
                    "text".to_owned(),
                    "expected at least 1 character, found none".to_owned()
                ),
                (
                    "name".to_owned(),
                    "expected at least 3 characters, found 2".to_owned()
                ),
            ]
        );
    }

    #[test]
    fn a_long_word_is_not_repeated_in_full() {
        let mut check = Check::default();
        check.variant::<Severity>("severity", &"é".repeat(5000));
        assert!(
            complaints(check)[0]
                .1
                .ends_with(&format!("found `{}`", "é".repeat(40)))
        );
    }
}
