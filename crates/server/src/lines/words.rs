//! The words of the wire that a line may hold. `Activated` is missing from the improvement's: it asks for a change and is never stored.

use super::field::WordSet;

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $($word:literal)|+;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name;

        impl WordSet for $name {
            const WORDS: &'static [&'static str] = &[$($word),+];
        }
    )+};
}

words! {
    /// Type of a group.
    GroupType: "GENERAL" | "BUSINESSUNIT" | "PROJECT" | "CUSTOMIZED";
    /// Type of a board.
    BoardType: "Weekly" | "Kanban" | "SmartActionList" | "Yearly";
    /// Status of an incident.
    IncidentStatus: "New" | "InProgress" | "Resolved" | "Rejected";
    /// Severity of an incident.
    Severity: "None" | "Low" | "Medium" | "High";
    /// How a solution worked.
    Evaluation: "Medium" | "Good" | "Bad";
    /// Stage of an improvement.
    ImprovementStatus: "Suggested" | "Planned" | "InProgress" | "Implemented" | "Evaluated" | "Archived" | "Open";
    /// Stage that an archived improvement goes back to.
    Stage: "Suggested" | "Planned" | "InProgress" | "Implemented" | "Evaluated" | "Open";
    /// Priority of an improvement.
    Priority: "NotPrioritized" | "LowEffortHighEffect" | "HighEffortHighEffect" | "LowEffortLowEffect" | "HighEffortLowEffect";
    /// What an element of a datasource holds.
    ElementType: "area" | "asset" | "board" | "bool" | "description" | "list" | "number" | "project" | "text" | "user";
}
