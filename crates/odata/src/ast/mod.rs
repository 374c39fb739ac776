//! The abstract syntax of query options: the text as parsed, with byte positions, before names are resolved.
//!
//! Trees compare equal when they mean the same text: positions are ignored, so that printing and parsing
//! again can be checked for equality.
//!
//! ```
//! use obeya_odata::ast::{BinaryOp, ExprKind};
//! use obeya_odata::{Limits, OptionName, Options};
//!
//! let (options, _) = Options::parse("$filter=((level)) GE 2", OptionName::ALL, &Limits::default())?;
//! let filter = options.filter.expect("one was given");
//! assert!(matches!(filter.kind, ExprKind::Binary(BinaryOp::Ge, ..)));
//! assert_eq!(filter.to_string(), "level ge 2");
//! # Ok::<(), obeya_odata::Error>(())
//! ```

pub mod apply;
pub(crate) mod options;

use self::options::Options;

/// An expression and its position in its option.
#[derive(Debug, Clone)]
pub struct Expr {
    /// The byte position of its first token; parentheses around it are not counted.
    pub at: usize,
    /// The kind of the expression.
    pub kind: ExprKind,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// The forms of an expression.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ExprKind {
    /// A literal value.
    Literal(Literal),
    /// A path of names: `name`, `group/name`, `b/isPublic`, `$it/name`.
    Path(Vec<Segment>),
    /// A parameter alias, without its `@`.
    Alias(String),
    /// `not …`.
    Not(Box<Expr>),
    /// `-…` of something that is not a number literal.
    Negate(Box<Expr>),
    /// `… and … and …` or `… or … or …`, at least two operands.
    Logic(LogicOp, Vec<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `… in (…, …)` or `… in […, …]`.
    In(Box<Expr>, Vec<Expr>),
    /// `… in @list`, with the alias's name without its `@`.
    InAlias(Box<Expr>, Segment),
    /// A list that does not follow `in`: `[…, …]` or `(…, …)`. Only the value of an alias may be one.
    List(Vec<Expr>),
    /// A function call; the name is in lower case.
    Call(String, Vec<Expr>),
    /// `case(condition:value, …)`, at least one pair.
    Case(Vec<(Expr, Expr)>),
    /// `path/any(v:…)`, `path/any()` or `path/all(v:…)`.
    Lambda {
        /// The path to the collection.
        path: Vec<Segment>,
        /// Which of the two.
        op: LambdaOp,
        /// The range variable and the predicate; absent only in `any()`.
        body: Option<(String, Box<Expr>)>,
    },
    /// `path/$count` or `path/$count($filter=…)`.
    Count {
        /// The path to the collection.
        path: Vec<Segment>,
        /// The predicate of the nested `$filter`.
        filter: Option<Box<Expr>>,
    },
    /// A qualified type name, as `cast` and `isof` take: `Edm.String`.
    TypeName(String),
}

/// A name in a path, with its position.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The byte position.
    pub at: usize,
    /// The name as written.
    pub name: String,
}

impl PartialEq for Segment {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A literal as written; whether it fits is for the binder to say.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number of at most 64 bits.
    Int(i64),
    /// A number with a fraction or an exponent, `INF`, `-INF` or `NaN`.
    Double(f64),
    /// A string, its doubled quotes undone.
    String(String),
    /// A date: days since 1970-01-01.
    Date(i64),
    /// An instant, its offset applied.
    DateTimeOffset {
        /// Ticks of 100 ns since 1970-01-01T00:00Z.
        ticks: i64,
        /// The offset that was written, in minutes; `totaloffsetminutes` and the day and hour functions
        /// depend on it.
        offset_minutes: i16,
    },
    /// A time of day: ticks of 100 ns since midnight.
    TimeOfDay(i64),
    /// A duration: ticks of 100 ns.
    Duration(i64),
    /// A GUID, in lower case.
    Guid(String),
    /// `Namespace.Type'Member'`.
    Enum {
        /// The qualified type name.
        type_name: String,
        /// The member's name.
        member: String,
    },
}

/// The connectives that take any number of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogicOp {
    /// `and`, which binds tighter.
    And,
    /// `or`.
    Or,
}

/// `any` or `all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LambdaOp {
    /// True when the predicate is true for at least one.
    Any,
    /// True when the predicate is true for each, and so for an empty collection.
    All,
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryOp {
    /// `eq`
    Eq,
    /// `ne`
    Ne,
    /// `gt`
    Gt,
    /// `ge`
    Ge,
    /// `lt`
    Lt,
    /// `le`
    Le,
    /// `has`
    Has,
    /// `add`
    Add,
    /// `sub`
    Sub,
    /// `mul`
    Mul,
    /// `div`: whole numbers divide to a whole number, cut towards zero.
    Div,
    /// `divby`: always divides with a fraction.
    DivBy,
    /// `mod`: the sign is the left operand's.
    Mod,
}

impl BinaryOp {
    /// The operator as it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Gt => "gt",
            Self::Ge => "ge",
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Has => "has",
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::DivBy => "divby",
            Self::Mod => "mod",
        }
    }
}

/// One key of `$orderby`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OrderItem {
    /// The value to order by.
    pub expr: Expr,
    /// Whether `desc` was written.
    pub descending: bool,
}

/// One item of `$select`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SelectItem {
    /// `*`: all structural properties.
    All,
    /// A property, or a path through expanded navigations to one.
    Path(Vec<Segment>),
}

/// One item of `$expand`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExpandItem {
    /// Which navigations.
    pub target: ExpandTarget,
    /// The options in parentheses.
    pub options: Options,
    /// Whether `/$count` follows the navigation: the number of its entities is requested instead of the
    /// entities.
    pub count_only: bool,
    /// `$levels`, 1 unless written; `usize::MAX` for `max`.
    pub levels: usize,
}

/// The target of an `$expand` item.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ExpandTarget {
    /// `*`: every navigation of the entity.
    All,
    /// One navigation.
    Navigation(Segment),
}

/// The content of `$search`: any of the phrases may match.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Search {
    /// The phrases; a plain word is a phrase of one word.
    pub phrases: Vec<SearchPhrase>,
}

impl Search {
    /// The words of each phrase, for [`Options::listing`]. Next links of builds without `word*` are bound to
    /// this form, and clients may still follow them; no word contains a `*`.
    fn listing(&self) -> Vec<Vec<String>> {
        let phrases = self.phrases.iter().map(|phrase| {
            let mut words = phrase.words.clone();
            if let (true, Some(last)) = (phrase.is_prefix, words.last_mut()) {
                last.push('*');
            }
            words
        });
        phrases.collect()
    }
}

/// A phrase of `$search`: words that follow one another.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchPhrase {
    /// The words, folded; at least one.
    pub words: Vec<String>,
    /// Whether the last word is the beginning of words, written `word*`.
    pub is_prefix: bool,
}
