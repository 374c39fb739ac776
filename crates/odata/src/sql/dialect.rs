//! The differences between the SQL dialects of databases.
//!
//! The default methods return SQL of the standard, for a database that has dynamically typed values; an
//! override explains which behaviour of its database requires it. Names beginning with `odata_` are the
//! functions of [`crate::functions::SCALARS`] and [`crate::functions::AGGREGATES`]; the former every database
//! must offer.

use crate::search::PhraseTerms;
use crate::sql::{SqlKind, Value};
use crate::time_zone::TimeZone;

/// The substrings that a text must contain to meet a condition, for a trigram index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TrigramCondition {
    /// This substring.
    One(String),
    /// All of these.
    All(Vec<TrigramCondition>),
    /// At least one of these.
    Any(Vec<TrigramCondition>),
}

/// A lookup in an index of texts.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum IndexLookup<'a> {
    /// Texts with any of the phrases, whose terms have letters, digits and marks only: for a
    /// [`crate::edm::SearchIndex`].
    Words(&'a [PhraseTerms]),
    /// A superset of the texts that meet the condition: for a [`crate::edm::PartIndex`].
    Parts {
        /// What the condition implies for the texts.
        parts: &'a TrigramCondition,
        /// The condition, as SQL over the queried row; `None` unless [`Dialect::walks`] the extent.
        condition: Option<&'a str>,
    },
}

/// An index of texts.
#[derive(Debug, Clone, Copy)]
pub struct TextIndex {
    /// Its table.
    pub table: &'static str,
    /// The column of the queried table that equals its `rowid`.
    pub column: &'static str,
}

/// An index that is joined in FROM before the table of the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexJoin {
    /// The index and the keyword that joins the table, with a space at its end.
    pub from: String,
    /// The condition that the index answers, and the join condition between its entries and the rows.
    pub condition: String,
    /// The column of the index that equals the row's key; ordering by it needs no sorting.
    pub key: String,
}

/// A page of the rows that an index finds, in the order of the column that equals its `rowid`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KeyPage {
    /// The table of the rows.
    pub table: &'static str,
    /// The page has the rows whose column is beyond this value; `None` for the first page.
    pub after: Option<Value>,
    /// Whether the order is descending.
    pub descending: bool,
    /// The most rows that are read of it: those of the page, and those that are left out before it.
    pub rows: i64,
}

/// A page in another order than that of the key, as SQL over the queried row and the joins of its order.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OrderedPage {
    /// The text after `FROM`, with the aliases that the other texts use.
    pub from: String,
    /// The conditions of the page's rows besides the index; `None` for the first page.
    pub after: Option<String>,
    /// The whole `ORDER BY`, with a space before it.
    pub order: String,
    /// The most rows that are read of it: those of the page, and those that are left out before it.
    pub rows: i64,
}

/// Which of the rows that an index finds a statement needs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Extent {
    /// All of them, in any order.
    All,
    /// A page in the order of their key.
    Page(KeyPage),
    /// A page in another order, whose rows depend only on the index and the keyset position.
    Ordered(OrderedPage),
    /// Those that meet further conditions, or a page in another order.
    Other,
}

/// Binds a value and returns its placeholder.
pub type Bind<'a> = &'a mut dyn FnMut(Value) -> String;

/// A database's SQL, where it must differ from the generic text of the default methods.
///
/// Arguments are SQL that is safe as an operand: names, placeholders, calls or something in parentheses. So
/// must be the result, except for conditions, which are put into parentheses.
pub trait Dialect: Sync {
    /// A name for logs and tests.
    fn name(&self) -> &'static str;

    /// The placeholder of the value that is bound as number `number`.
    fn placeholder(&self, number: usize, _value: &Value) -> String {
        format!("?{number}")
    }

    /// A literal in the form that is best compared with an operand of a kind.
    fn literal(&self, value: &Value, _beside: SqlKind) -> Value {
        value.clone()
    }

    /// A null in place of a value of a kind.
    fn null(&self, _kind: Option<SqlKind>) -> String {
        "NULL".to_owned()
    }

    /// A condition as the number that a boolean is stored as.
    fn truth(&self, condition: &str) -> String {
        condition.to_owned()
    }

    /// A number of one kind as one of another.
    fn convert(&self, number: &str, _from: SqlKind, _to: SqlKind) -> String {
        number.to_owned()
    }

    /// `+`, `-`, `*` of numbers of a kind, or `/` of doubles by one that is not zero. An overflow of a double
    /// is an infinity, and an undefined result is null.
    fn arithmetic(&self, sign: char, left: &str, right: &str, _kind: SqlKind) -> String {
        format!("({left} {sign} {right})")
    }

    /// An expression that compares with 0 as a whole number does with a double; `None` if the database
    /// compares the two exactly. `nulls` is true if two nulls are to compare as equal rather than as null.
    fn difference(&self, _whole: &str, _real: &str, _nulls: bool) -> Option<String> {
        None
    }

    /// The sum of the values of a group that are not null: exact, and for doubles rounded once.
    fn sum(&self, value: &str, kind: SqlKind) -> String {
        match kind {
            SqlKind::Real => format!("odata_real_sum({value})"),
            _ => format!("odata_sum({value})"),
        }
    }

    /// That sum as a double, divided by the number of values.
    fn average(&self, value: &str, kind: SqlKind) -> String {
        match kind {
            SqlKind::Real => format!("odata_real_average({value})"),
            _ => format!("odata_average({value})"),
        }
    }

    /// After the name of a table in FROM: the index that the statement must use, if the database would choose
    /// a worse one.
    fn index_hint(&self, _index: &str) -> String {
        String::new()
    }

    /// After FROM: the rows of `outer` that meet a condition (each with its text), and for each those of a
    /// table, `v`, that meet another, with these columns. The database does not choose another order.
    fn nested_loop(&self, outer: (&str, &str), inner: (&str, &str), _columns: &str) -> String {
        let ((outer, of_outer), (table, of_inner)) = (outer, inner);
        format!("{outer} CROSS JOIN {table} AS v WHERE {of_outer} AND {of_inner}")
    }

    /// A double as the partial sum of itself.
    fn exact(&self, value: &str) -> String {
        value.to_owned()
    }

    /// The exact sum of the doubles of a group, in a form that can be stored and combined.
    fn partial_sum(&self, value: &str) -> String {
        format!("odata_exact_sum({value})")
    }

    /// The partial sum of the values of partial sums.
    fn combined_partial_sum(&self, total: &str) -> String {
        format!("odata_exact_sum({total})")
    }

    /// A partial sum with the other sign.
    fn negated_partial_sum(&self, total: &str) -> String {
        format!(
            "CASE substr({total}, 1, 1) WHEN '-' THEN substr({total}, 2) ELSE '-' || {total} END"
        )
    }

    /// The [`Dialect::sum`] of the doubles of partial sums.
    fn combined_sum(&self, total: &str) -> String {
        format!("odata_real_sum({total})")
    }

    /// Their [`Dialect::average`], from their numbers too.
    fn combined_average(&self, total: &str, count: &str) -> String {
        format!("(odata_real_sum({total}) / CAST(SUM({count}) AS REAL))")
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

    /// The suffix of an ordering key that may be null, so that nulls come first in ascending and last in
    /// descending order.
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

    /// Whether a text ends with another. The comparison of the lengths prevents a start before the first
    /// character, where databases differ.
    fn ends_with(&self, text: &str, part: &str) -> String {
        let (whole, end) = (self.length(text), self.length(part));
        format!("({whole} >= {end} AND substr({text}, {whole} - {end} + 1) = {part})")
    }

    /// A value of the type that is called `from` as the one called `to`, whose values are of `kind`.
    fn cast(&self, value: &str, from: &str, to: &str, _kind: SqlKind) -> String {
        format!("odata_cast({value}, '{from}', '{to}')")
    }

    /// The start of the period that an instant falls into. `size` is a number of ticks or a text in quotes.
    fn bin(&self, instant: &str, size: &str, zone: &TimeZone) -> String {
        format!("odata_bin({instant}, {size}, '{}')", zone.name)
    }

    /// A pattern in the form of this database's `odata_matches`, if that differs from the original.
    fn pattern(&self, _pattern: &str, _flags: &str) -> Option<String> {
        None
    }

    /// A condition on the row `alias` that an index answers. `None` if the index cannot narrow the search, or
    /// if the database finds its index itself. The condition may omit rows outside of the extent.
    fn index_condition(
        &self,
        index: TextIndex,
        alias: &str,
        lookup: IndexLookup<'_>,
        extent: &Extent,
        bind: Bind<'_>,
    ) -> Option<String>;

    /// Whether [`Dialect::index_condition`] may read the rows of an extent in their order instead, with the
    /// condition itself.
    fn walks(&self, _extent: &Extent) -> bool {
        false
    }

    /// The condition that a value is one of the few values of a query.
    fn is_among_few(&self, value: &str, query: &str) -> String {
        format!("{value} IN ({query})")
    }

    /// The same as a join of the index before the rows `alias`, in the order of their column, so that reading
    /// can stop with the page; `None` if the database plans this itself.
    fn index_join(
        &self,
        _index: TextIndex,
        _alias: &str,
        _index_alias: &str,
        _lookup: IndexLookup<'_>,
        _bind: Bind<'_>,
    ) -> Option<IndexJoin> {
        None
    }
}
