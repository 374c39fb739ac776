//! Where databases differ.
//!
//! The default methods give SQL that follows the standard, for a database that takes values as they come; an
//! override says which behaviour of its database forces it. Names beginning with `odata_` are the functions
//! of [`crate::functions::SCALARS`], which every database must offer.

use crate::sql::{Kind, Value};

/// What a text must hold to meet a condition.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Parts {
    /// This part.
    One(String),
    /// All of these.
    All(Vec<Parts>),
    /// At least one of these.
    Any(Vec<Parts>),
}

/// What an index is asked for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Sought<'a> {
    /// Any of the phrases, each a run of adjacent tokens without punctuation: of a
    /// [`crate::edm::SearchIndex`].
    Words(&'a [Vec<String>]),
    /// Texts that may hold these parts, and at least all that do: of a [`crate::edm::PartIndex`].
    Parts(&'a Parts),
}

/// An index of texts.
#[derive(Debug, Clone, Copy)]
pub struct TextIndex {
    /// Its table.
    pub table: &'static str,
    /// The column of the queried table that equals its `rowid`.
    pub column: &'static str,
}

/// An index in FROM, before the table whose rows it leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead {
    /// The index and the word that joins the table, with a space at its end.
    pub from: String,
    /// The condition that the index answers, and which row each of its entries is.
    pub condition: String,
    /// The column of the index that equals the row's key; ordering by it needs no sorting.
    pub key: String,
}

/// A page of the rows that an index gives, in the order of the column that equals its `rowid`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KeyPage {
    /// The table of the rows.
    pub table: &'static str,
    /// The page holds the rows whose column lies beyond this value; `None` for the first page.
    pub after: Option<Value>,
    /// Whether the column falls.
    pub descending: bool,
    /// The most rows that are read of it: those of the page, and those that are left out before it.
    pub rows: i64,
}

/// A page in another order than that of the key, as SQL over the queried row and what its order joins to it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OrderedPage {
    /// What stands behind `FROM`, with the aliases that the other texts use.
    pub from: String,
    /// What the rows of the page meet besides the index; `None` for the first page.
    pub after: Option<String>,
    /// The whole `ORDER BY`, with a space before it.
    pub order: String,
    /// The most rows that are read of it: those of the page, and those that are left out before it.
    pub rows: i64,
}

/// Which of the rows that an index gives a statement is about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Extent {
    /// All of them, in any order.
    All,
    /// A page in the order of their key.
    Page(KeyPage),
    /// A page in another order, and nothing but the index and the page's place tells its rows.
    Ordered(OrderedPage),
    /// Those that meet further conditions, or a page in another order.
    Other,
}

/// Binds a value and gives its placeholder.
pub type Bind<'a> = &'a mut dyn FnMut(Value) -> String;

/// A database's SQL, where it is forced to differ from the generic text that the default methods give.
///
/// Arguments are SQL that is safe to put beside an operator: names, placeholders, calls or something in
/// parentheses. So must be what is given back, but for conditions, which are put into parentheses.
pub trait Dialect: Sync {
    /// A name for logs and tests.
    fn name(&self) -> &'static str;

    /// The placeholder of the value that is bound as number `number`.
    fn placeholder(&self, number: usize, _value: &Value) -> String {
        format!("?{number}")
    }

    /// A literal as it is best compared with something of a kind.
    fn literal(&self, value: &Value, _beside: Kind) -> Value {
        value.clone()
    }

    /// A null where something of a kind could stand.
    fn null(&self, _kind: Option<Kind>) -> String {
        "NULL".to_owned()
    }

    /// A condition as the number that a boolean is stored as.
    fn truth(&self, condition: &str) -> String {
        condition.to_owned()
    }

    /// A number of one kind as one of another.
    fn convert(&self, number: &str, _from: Kind, _to: Kind) -> String {
        number.to_owned()
    }

    /// `+`, `-`, `*` of numbers of a kind, or `/` of doubles by one that is not zero. What passes a double is
    /// an infinity, and what has no result is null.
    fn arithmetic(&self, sign: char, left: &str, right: &str, _kind: Kind) -> String {
        format!("({left} {sign} {right})")
    }

    /// What compares with 0 as a whole number does with a double; `None` where the database compares the two
    /// exactly. `nulls` says whether two nulls are to compare as equal rather than as null.
    fn difference(&self, _whole: &str, _real: &str, _nulls: bool) -> Option<String> {
        None
    }

    /// True when both are equal or both are null; never null.
    fn same(&self, left: &str, right: &str) -> String {
        format!("{left} IS NOT DISTINCT FROM {right}")
    }

    /// The opposite of [`Dialect::same`]; never null.
    fn differs(&self, left: &str, right: &str) -> String {
        format!("{left} IS DISTINCT FROM {right}")
    }

    /// A text that orders and compares by code point, whatever the database's collation is.
    fn by_code_point(&self, text: &str) -> String {
        format!("{text} COLLATE \"C\"")
    }

    /// What follows a key of an ordering that may be null, so that nulls come first upwards and last
    /// downwards.
    fn nulls(&self, descending: bool) -> &'static str {
        if descending {
            " NULLS LAST"
        } else {
            " NULLS FIRST"
        }
    }

    /// The number of characters.
    fn length(&self, text: &str) -> String {
        format!("char_length({text})")
    }

    /// The position of the first occurrence, counted from 1; 0 if there is none.
    fn position(&self, text: &str, part: &str) -> String {
        format!("strpos({text}, {part})")
    }

    /// Whether a text begins with another. `%`, `_` and `\` have no meaning in it, which rules LIKE out.
    fn starts_with(&self, text: &str, part: &str) -> String {
        format!("substr({text}, 1, {}) = {part}", self.length(part))
    }

    /// Whether a text ends with another. The guard keeps the start from falling before the first character,
    /// where databases count differently.
    fn ends_with(&self, text: &str, part: &str) -> String {
        let (whole, end) = (self.length(text), self.length(part));
        format!("({whole} >= {end} AND substr({text}, {whole} - {end} + 1) = {part})")
    }

    /// A value of the type that is called `from` as the one called `to`, whose values are of `kind`.
    fn cast(&self, value: &str, from: &str, to: &str, _kind: Kind) -> String {
        format!("odata_cast({value}, '{from}', '{to}')")
    }

    /// A pattern as `odata_matches` takes it here, where that is not as it was written.
    fn pattern(&self, _pattern: &str, _flags: &str) -> Option<String> {
        None
    }

    /// A condition on the row `alias`: the index gives it. `None` where the index can't narrow what is
    /// sought, or where the database finds its index by itself. For an extent the condition may leave out
    /// rows that lie outside of it.
    fn found(
        &self,
        index: TextIndex,
        alias: &str,
        sought: Sought<'_>,
        extent: &Extent,
        bind: Bind<'_>,
    ) -> Option<String>;

    /// The same as an index that leads to the rows `alias` and gives them in the order of their column, so
    /// that reading can stop with the page; `None` where the database sees to that by itself.
    fn lead(
        &self,
        _index: TextIndex,
        _alias: &str,
        _index_alias: &str,
        _sought: Sought<'_>,
        _bind: Bind<'_>,
    ) -> Option<Lead> {
        None
    }
}
