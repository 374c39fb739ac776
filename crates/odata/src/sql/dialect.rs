//! Where databases differ.
//!
//! The default methods give SQL that follows the standard; an override says which behaviour of its database forces it. Names
//! beginning with `odata_` are the functions of [`crate::functions::SCALARS`], which every database must offer.

use crate::edm::{PartIndex, SearchIndex};
use crate::sql::{Value, trigrams};

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

/// A database's SQL, where it is forced to differ from the generic text that the default methods give.
///
/// Arguments are SQL that is safe to put beside an operator: names, placeholders, calls or something in parentheses.
pub trait Dialect: Sync {
    /// A name for logs and tests.
    fn name(&self) -> &'static str;

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

    /// What follows a key of an ordering so that nulls come first upwards and last downwards.
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

    /// Whether a text ends with another. The guard keeps the start from falling before the first character, where
    /// databases count differently.
    fn ends_with(&self, text: &str, part: &str) -> String {
        let (whole, end) = (self.length(text), self.length(part));
        format!("({whole} >= {end} AND substr({text}, {whole} - {end} + 1) = {part})")
    }

    /// The value to bind for a search: any of the phrases, each a run of adjacent tokens without punctuation.
    fn search_value(&self, phrases: &[Vec<String>]) -> Value;

    /// A condition on the row `alias`: its index entry matches the bound value.
    fn search(&self, index: &SearchIndex, alias: &str, placeholder: &str) -> String;

    /// The value to bind so that an index of parts gives every row whose text may hold these; `None` where it can't narrow them, or where the database
    /// finds its index by itself.
    fn parts_value(&self, _parts: &Parts) -> Option<Value> {
        None
    }

    /// A condition on the row `alias`: the index gives it for the bound value. Only asked for where [`Dialect::parts_value`] gave one.
    fn parts(&self, _index: &PartIndex, _alias: &str, _placeholder: &str) -> String {
        "TRUE".to_owned()
    }

    /// The same as [`Dialect::search`] or [`Dialect::parts`] of the index `table`, as an index that leads to the rows `alias` by their `column` and gives
    /// them in its order, so that reading can stop with the page; `None` where the database sees to that by itself.
    fn lead(
        &self,
        _table: &str,
        _column: &str,
        _alias: &str,
        _index_alias: &str,
        _placeholder: &str,
    ) -> Option<Lead> {
        None
    }
}

/// SQLite with the functions of [`crate::functions::SCALARS`] registered, and FTS5 tables: with `tokenize='ascii'` for words, and with
/// `tokenize='trigram case_sensitive 1'` (any `detail` will do) for parts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sqlite;

impl Dialect for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    /// `IS` compares any two values; the standard's words for it are only known since 3.39.
    fn same(&self, left: &str, right: &str) -> String {
        format!("{left} IS {right}")
    }

    fn differs(&self, left: &str, right: &str) -> String {
        format!("{left} IS NOT {right}")
    }

    /// BINARY, the default collation, compares the bytes of UTF-8, whose order is that of the code points. Naming it would
    /// keep an index declared without it from being used.
    fn by_code_point(&self, text: &str) -> String {
        text.to_owned()
    }

    /// The default already, and an index is only used for an ordering that says nothing else.
    fn nulls(&self, _descending: bool) -> &'static str {
        ""
    }

    fn length(&self, text: &str) -> String {
        format!("length({text})")
    }

    fn position(&self, text: &str, part: &str) -> String {
        format!("instr({text}, {part})")
    }

    /// FTS5's own language: phrases in double quotes, `OR` between them. Tokens hold no quote, so nothing can escape.
    fn search_value(&self, phrases: &[Vec<String>]) -> Value {
        let quoted: Vec<String> = phrases
            .iter()
            .map(|phrase| format!("\"{}\"", phrase.join(" ")))
            .collect();
        Value::Text(quoted.join(" OR "))
    }

    fn search(&self, index: &SearchIndex, alias: &str, placeholder: &str) -> String {
        matching(index.table, index.column, alias, placeholder)
    }

    fn parts_value(&self, parts: &Parts) -> Option<Value> {
        trigrams::expression(parts).map(Value::Text)
    }

    fn parts(&self, index: &PartIndex, alias: &str, placeholder: &str) -> String {
        matching(index.table, index.column, alias, placeholder)
    }

    /// FTS5 gives its entries by rowid, upwards or downwards, and takes bounds of it. CROSS JOIN keeps the planner from turning the two around; a membership
    /// (`IN`) would gather all matches before the first row.
    fn lead(
        &self,
        table: &str,
        column: &str,
        alias: &str,
        index_alias: &str,
        placeholder: &str,
    ) -> Option<Lead> {
        let table = super::render::quote(table);
        let column = super::render::quote(column);
        Some(Lead {
            from: format!("{table} AS {index_alias} CROSS JOIN "),
            condition: format!(
                "{index_alias}.{table} MATCH {placeholder} AND {alias}.{column} = {index_alias}.rowid"
            ),
            key: format!("{index_alias}.rowid"),
        })
    }
}

fn matching(table: &str, column: &str, alias: &str, placeholder: &str) -> String {
    let table = super::render::quote(table);
    let column = super::render::quote(column);
    format!("{alias}.{column} IN (SELECT rowid FROM {table} WHERE {table} MATCH {placeholder})")
}
