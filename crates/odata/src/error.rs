//! The errors of query options, in one type.
//!
//! A message has what was found, what was expected and, if a name is similar, what was probably meant. It
//! quotes the request briefly at most, so that an error never grows with the input.

/// The kind of a fault; each has a stable code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text does not follow the grammar.
    Syntax,
    /// A name that is no property, navigation or range variable at this position.
    UnknownProperty,
    /// A name that is no function, or one called with the wrong number of arguments.
    UnknownFunction,
    /// Operands or arguments of types that do not fit.
    Type,
    /// A value that can't be: 30 February, an integer beyond 64 bits, a division by a literal zero.
    Value,
    /// A word that is no member of the enumeration it is compared with.
    Member,
    /// A limit of [`crate::Limits`] was passed.
    Limit,
    /// `$search` together with `$filter`, which the interface forbids.
    SearchWithFilter,
    /// An option that is unknown, not supported here, duplicate or not readable as text.
    Option,
}

impl ErrorKind {
    /// The stable code, such as `odata.syntax`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Syntax => "odata.syntax",
            Self::UnknownProperty => "odata.unknown_property",
            Self::UnknownFunction => "odata.unknown_function",
            Self::Type => "odata.type",
            Self::Value | Self::Member => "odata.value",
            Self::Limit => "odata.limit",
            Self::SearchWithFilter => "odata.search_with_filter",
            Self::Option => "odata.option",
        }
    }
}

/// A fault in a query option: always the caller's, answered with 400.
///
/// ```
/// use obeya_odata::{Limits, OptionName, Options};
///
/// let error = Options::parse("$orderby=name decs", OptionName::ALL, &Limits::default()).unwrap_err();
/// assert_eq!((error.option.as_str(), error.position, error.code()), ("$orderby", Some(5), "odata.syntax"));
/// assert!(error.to_string().ends_with("did you mean `desc`?"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe())]
#[non_exhaustive]
pub struct Error {
    /// The option as it is written in the interface, such as `$filter`.
    pub option: String,
    /// The byte position in the option's decoded value.
    pub position: Option<usize>,
    /// The kind of the error.
    pub kind: ErrorKind,
    /// What was found, what was expected, and how to fix it; without option and position.
    pub message: String,
}

impl Error {
    pub(crate) fn new(
        kind: ErrorKind,
        position: impl Into<Option<usize>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            option: String::new(),
            position: position.into(),
            kind,
            message: message.into(),
        }
    }

    pub(crate) fn syntax(position: usize, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Syntax, position, message)
    }

    pub(crate) fn limit(position: impl Into<Option<usize>>, what: &str, limit: usize) -> Self {
        Self::new(
            ErrorKind::Limit,
            position,
            format!("{what}; the limit is {limit}"),
        )
    }

    /// Names the option, unless a stage nearer to the fault already did.
    pub(crate) fn of(mut self, option: &str) -> Self {
        if self.option.is_empty() {
            self.option = option.to_owned();
        }
        self
    }

    /// The stable code of the kind.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    fn describe(&self) -> String {
        let option = if self.option.is_empty() {
            "query"
        } else {
            &self.option
        };
        match self.position {
            Some(at) => format!("{option} at byte {at}: {}", self.message),
            None => format!("{option}: {}", self.message),
        }
    }
}

/// A piece of the request fit to be quoted in a message, which may end in a log or on a terminal: short, and
/// its control characters written out.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut out = String::new();
    for (place, c) in text.chars().enumerate() {
        if place == LONGEST {
            out.push('…');
            break;
        }
        if c.is_control() {
            out.extend(c.escape_debug());
        } else {
            out.push(c);
        }
    }
    out
}
