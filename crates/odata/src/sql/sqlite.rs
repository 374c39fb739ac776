//! Where SQLite differs.

use crate::sql::Value;
use crate::sql::dialect::{Bind, Dialect, Extent, IndexJoin, IndexLookup, TextIndex};
use crate::sql::render::quote;
use crate::sql::trigrams::{self, Runs};

/// SQLite with the functions of [`crate::functions::SCALARS`] registered, and FTS5 tables: with
/// `tokenize='ascii', prefix='3'` for words, and for trigrams, in any `detail`, with
/// `tokenize='trigram case_sensitive 1'`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sqlite;

impl Dialect for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn index_hint(&self, index: &str) -> String {
        format!(" INDEXED BY {index}")
    }

    /// `IS` compares any two values; SQLite knows the standard's syntax only since 3.39.
    fn same(&self, left: &str, right: &str) -> String {
        format!("{left} IS {right}")
    }

    fn differs(&self, left: &str, right: &str) -> String {
        format!("{left} IS NOT {right}")
    }

    /// BINARY, the default collation, compares the bytes of UTF-8, whose order is that of the code points.
    /// Naming it would prevent the use of an index that is declared without it.
    fn by_code_point(&self, text: &str) -> String {
        text.to_owned()
    }

    /// The default already, and an index is only used for an ordering without further clauses.
    fn nulls(&self, _descending: bool) -> &'static str {
        ""
    }

    fn length(&self, text: &str) -> String {
        format!("length({text})")
    }

    fn position(&self, text: &str, part: &str) -> String {
        format!("instr({text}, {part})")
    }

    fn index_condition(
        &self,
        index: TextIndex,
        alias: &str,
        lookup: IndexLookup<'_>,
        _extent: &Extent,
        bind: Bind<'_>,
    ) -> Option<String> {
        let placeholder = bind(Value::Text(expression(lookup)?));
        let (table, column) = (quote(index.table), quote(index.column));
        Some(format!(
            "{alias}.{column} IN (SELECT rowid FROM {table} WHERE {table} MATCH {placeholder})"
        ))
    }

    /// FTS5 returns its entries by rowid, ascending or descending, and accepts bounds of it. CROSS JOIN
    /// prevents the planner from swapping the two; a membership (`IN`) would gather all matches before the
    /// first row.
    fn index_join(
        &self,
        index: TextIndex,
        alias: &str,
        index_alias: &str,
        lookup: IndexLookup<'_>,
        bind: Bind<'_>,
    ) -> Option<IndexJoin> {
        let placeholder = bind(Value::Text(expression(lookup)?));
        let (table, column) = (quote(index.table), quote(index.column));
        Some(IndexJoin {
            from: format!("{table} AS {index_alias} CROSS JOIN "),
            condition: format!(
                "{index_alias}.{table} MATCH {placeholder} AND {alias}.{column} = {index_alias}.rowid"
            ),
            key: format!("{index_alias}.rowid"),
        })
    }
}

/// FTS5's own query syntax, with the search terms in double quotes, so that nothing can escape.
fn expression(lookup: IndexLookup<'_>) -> Option<String> {
    match lookup {
        // Terms contain no quote.
        IndexLookup::Words(phrases) => {
            let quoted = phrases.iter().map(|phrase| {
                let end = if phrase.is_prefix { "*" } else { "" };
                format!("\"{}\"{end}", phrase.terms.join(" "))
            });
            Some(quoted.collect::<Vec<_>>().join(" OR "))
        }
        IndexLookup::Parts { parts, .. } => trigrams::runs(parts).map(|runs| written(&runs)),
    }
}

fn written(runs: &Runs) -> String {
    let (texts, word): (Vec<String>, _) = match runs {
        Runs::Of(part) => {
            let quoted = part
                .iter()
                .map(|run| format!("\"{}\"", run.replace('"', "\"\"")));
            (quoted.collect(), " AND ")
        }
        Runs::All(all) => (all.iter().map(written).collect(), " AND "),
        Runs::Any(any) => (any.iter().map(written).collect(), " OR "),
    };
    match texts.as_slice() {
        [one] => one.clone(),
        more => format!("({})", more.join(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::TrigramCondition;

    #[test]
    fn runs_are_joined_in_the_words_of_fts5() {
        let one = |part: &str| TrigramCondition::One(part.to_owned());
        for (parts, expected) in [
            (one("abc"), r#""abc""#),
            (one("abcd"), r#"("abc" AND "bcd")"#),
            (one("a\"b"), r#""a""b""#),
            (
                TrigramCondition::All(vec![one("abc"), one("ab"), one("def")]),
                r#"("abc" AND "def")"#,
            ),
            (
                TrigramCondition::Any(vec![one("abcd"), one("def")]),
                r#"(("abc" AND "bcd") OR "def")"#,
            ),
        ] {
            let lookup = IndexLookup::Parts {
                parts: &parts,
                condition: None,
            };
            let found = expression(lookup);
            assert_eq!(found.as_deref(), Some(expected), "{parts:?}");
        }
    }
}
