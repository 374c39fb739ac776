//! The closed sets of words that the domain knows. On the wire they are open, so that a new word breaks no reader; to be written, a word must be known.

/// A member of a closed set.
pub(crate) trait Word: Copy + 'static {
    /// Every member, in the order of the contract.
    const ALL: &'static [Self];
    /// As it stands on the wire and in the store.
    fn word(self) -> &'static str;

    /// The member of that name; letter case counts.
    fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|member| member.word() == text)
    }
}

macro_rules! words {
    ($(#[doc = $doc:literal] $name:ident { $($word:ident),+ })+) => { $(
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        // The names are the contract's own words.
        pub(crate) enum $name { $($word),+ }

        impl Word for $name {
            const ALL: &'static [Self] = &[$($name::$word),+];

            fn word(self) -> &'static str {
                match self { $($name::$word => stringify!($word)),+ }
            }
        }
    )+ };
}

words! {
    #[doc = "Where an incident stands."]
    IncidentStatus { New, InProgress, Resolved, Rejected }
    #[doc = "How grave an incident is."]
    Severity { None, Low, Medium, High }
    #[doc = "How well a solution worked."]
    Evaluation { Medium, Good, Bad }
    #[doc = "What an improvement can be asked to become; `Activated` is never stored."]
    ImprovementStatus { Suggested, Planned, InProgress, Implemented, Evaluated, Archived, Activated, Open }
    #[doc = "Where an improvement lies between effort and effect."]
    Priority { NotPrioritized, LowEffortHighEffect, HighEffortHighEffect, LowEffortLowEffect, HighEffortLowEffect }
}

/// What an element of a datasource holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementKind {
    Area,
    Asset,
    Board,
    Bool,
    Description,
    List,
    Number,
    Project,
    Text,
    User,
}

// By hand: these words begin with a small letter.
impl Word for ElementKind {
    const ALL: &'static [Self] = &[
        Self::Area,
        Self::Asset,
        Self::Board,
        Self::Bool,
        Self::Description,
        Self::List,
        Self::Number,
        Self::Project,
        Self::Text,
        Self::User,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Area => "area",
            Self::Asset => "asset",
            Self::Board => "board",
            Self::Bool => "bool",
            Self::Description => "description",
            Self::List => "list",
            Self::Number => "number",
            Self::Project => "project",
            Self::Text => "text",
            Self::User => "user",
        }
    }
}
