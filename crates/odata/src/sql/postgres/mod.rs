//! Where PostgreSQL differs: every expression has a type before a value is known, numbers out of range are
//! errors, and the parts of texts are indexed by arrays.
//!
//! Columns are `bigint`, `double precision` and `text COLLATE "C"`. Statements use `?1, ?2 …`; the engine
//! that runs them writes `$1, $2 …`.

mod parts;
mod search;
mod walk;

use crate::sql::dialect::{Bind, Dialect, Extent, IndexLookup, TextIndex};
use crate::sql::{SqlKind, Value};
use crate::time_zone::{Offsets, TimeZone};

/// `odata_grams(text)`: every run of three characters of a text, for the triggers that fill the tables of
/// [`crate::edm::PartIndex`].
const GRAMS: &str = include_str!("grams.sql");

/// `odata_terms(text)`: the terms of a document, for the tables of [`crate::edm::SearchIndex`].
const TERMS: &str = include_str!("terms.sql");

/// Characters of a term that `odata_terms` returns: PostgreSQL allows 2,046 bytes.
const LONGEST_TERM: usize = 500;
/// What `odata_terms` returns besides, where it had to leave out terms.
const MORE: &str = "*";

/// Arithmetic that continues where PostgreSQL's own would fail, and comparisons that are exact where its own
/// are not.
const NUMBERS: &str = include_str!("numbers.sql");

/// The statements that define the functions of this dialect besides [`crate::functions::SCALARS`]: each may
/// be run again at any time.
pub const DEFINITIONS: &[&str] = &[NUMBERS, GRAMS, TERMS];

/// PostgreSQL 13 and later with [`DEFINITIONS`] and the functions of [`crate::functions::SCALARS`] in its
/// search path.
///
/// A word table is `(rowid bigint PRIMARY KEY, words tsvector NOT NULL, document text NOT NULL)`: `document`
/// has the terms with a space before, between and after them, `words` is `odata_terms(document)`. A trigram
/// table is `(rowid bigint PRIMARY KEY, grams text[] NOT NULL)`. `words` and `grams` need a GIN index.
#[derive(Debug, Clone, Copy, Default)]
pub struct Postgres;

impl Dialect for Postgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    /// The type of a parameter does not always follow from its context, and would be text then.
    fn placeholder(&self, number: usize, value: &Value) -> String {
        match SqlKind::of_value(value) {
            Some(kind) => format!("?{number}::{}", type_name(kind)),
            None => format!("?{number}"),
        }
    }

    /// A number of the other type would turn the column into a double, which no index serves and which does
    /// not distinguish large numbers.
    fn literal(&self, value: &Value, beside: SqlKind) -> Value {
        const LEAST: f64 = -9_223_372_036_854_775_808.0;
        match (value, beside) {
            (Value::Int(number), SqlKind::Real)
                if *number as f64 as i128 == i128::from(*number) =>
            {
                Value::Real(*number as f64)
            }
            (Value::Real(number), SqlKind::Int | SqlKind::Wide)
                if number.fract() == 0.0 && (LEAST..-LEAST).contains(number) =>
            {
                Value::Int(*number as i64)
            }
            _ => value.clone(),
        }
    }

    fn null(&self, kind: Option<SqlKind>) -> String {
        format!("NULL::{}", kind.map_or("text", type_name))
    }

    /// Conditions are no numbers.
    fn truth(&self, condition: &str) -> String {
        format!("({condition})::integer::bigint")
    }

    fn convert(&self, number: &str, from: SqlKind, to: SqlKind) -> String {
        if from == to {
            number.to_owned()
        } else {
            format!("{number}::{}", type_name(to))
        }
    }

    /// Doubles that pass their range, or come down to zero, are faults otherwise.
    fn arithmetic(&self, sign: char, left: &str, right: &str, kind: SqlKind) -> String {
        let name = match (kind, sign) {
            (SqlKind::Real, '+') => "odata_add",
            (SqlKind::Real, '-') => "odata_sub",
            (SqlKind::Real, '*') => "odata_mul",
            (SqlKind::Real, _) => "odata_real_div",
            _ => return format!("({left} {sign} {right})"),
        };
        format!("{name}({left}, {right})")
    }

    /// Both sums are exact numbers until they become the result.
    fn sum(&self, value: &str, kind: SqlKind) -> String {
        match kind {
            SqlKind::Real => format!("{}::double precision", self.partial_sum(value)),
            _ => format!("sum({value})::bigint"),
        }
    }

    fn average(&self, value: &str, kind: SqlKind) -> String {
        let sum = match kind {
            SqlKind::Real => self.partial_sum(value),
            _ => format!("sum({value})"),
        };
        format!("odata_real_div({sum}::double precision, count({value})::double precision)")
    }

    /// The server does not merge a query with an OFFSET into the outer one.
    fn nested_loop(&self, outer: (&str, &str), inner: (&str, &str), columns: &str) -> String {
        let ((outer, of_outer), (table, of_inner)) = (outer, inner);
        format!(
            "{outer} CROSS JOIN LATERAL (SELECT {columns} FROM {table} AS v WHERE {of_inner} OFFSET 0) AS v WHERE {of_outer}"
        )
    }

    fn exact(&self, value: &str) -> String {
        format!("odata_exact({value})")
    }

    fn partial_sum(&self, value: &str) -> String {
        format!(
            "odata_total(sum(odata_whole_part({value})), sum(odata_fraction({value})), sum(odata_remainder({value})))"
        )
    }

    fn combined_partial_sum(&self, total: &str) -> String {
        format!("sum({total})")
    }

    fn negated_partial_sum(&self, total: &str) -> String {
        format!("- {total}")
    }

    fn combined_sum(&self, total: &str) -> String {
        format!("sum({total})::double precision")
    }

    fn combined_average(&self, total: &str, count: &str) -> String {
        format!(
            "odata_real_div({}, sum({count})::double precision)",
            self.combined_sum(total)
        )
    }

    fn difference(&self, whole: &str, real: &str, nulls: bool) -> Option<String> {
        let name = if nulls {
            "odata_difference_or_null"
        } else {
            "odata_difference"
        };
        Some(format!("{name}({whole}, {real})"))
    }

    /// The offsets of a zone come from here: the server may have other data of time zones.
    fn bin(&self, instant: &str, size: &str, zone: &TimeZone) -> String {
        if zone.offsets.values == [0] {
            return format!("odata_bin({instant}, {size})");
        }
        let array = |numbers: &[i64]| {
            let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
            format!("'{{{}}}'::bigint[]", texts.join(","))
        };
        let arrays =
            |offsets: &Offsets| format!("{}, {}", array(&offsets.starts), array(&offsets.values));
        let (clock, midnights) = (arrays(&zone.offsets), arrays(&zone.midnight_offsets));
        if size.starts_with('\'') {
            format!("odata_bin({instant}, {size}, {clock}, {midnights})")
        } else {
            format!("odata_bin({instant}, {size}, {clock})")
        }
    }

    /// Counts are of 32 bits here, and would be computed with as such.
    fn length(&self, text: &str) -> String {
        format!("char_length({text})::bigint")
    }

    fn position(&self, text: &str, part: &str) -> String {
        format!("strpos({text}, {part})::bigint")
    }

    /// An operator that an index of the column can serve, since version 15.
    fn starts_with(&self, text: &str, part: &str) -> String {
        format!("{text} ^@ {part}")
    }

    fn ends_with(&self, text: &str, part: &str) -> String {
        format!("right({text}, char_length({part})) = {part}")
    }

    /// A function has results of one type.
    fn cast(&self, value: &str, from: &str, to: &str, kind: SqlKind) -> String {
        let name = match kind {
            SqlKind::Text => "text",
            SqlKind::Real => "real",
            SqlKind::Int | SqlKind::Wide | SqlKind::Truth => "whole",
        };
        format!("odata_cast_{name}({value}, '{from}', '{to}')")
    }

    fn pattern(&self, pattern: &str, flags: &str) -> Option<String> {
        crate::functions::postgres::pattern(pattern, flags)
    }

    fn walks(&self, extent: &Extent) -> bool {
        parts::may_walk(extent)
    }

    fn is_among_few(&self, value: &str, query: &str) -> String {
        is_member(value, query)
    }

    fn index_condition(
        &self,
        index: TextIndex,
        alias: &str,
        lookup: IndexLookup<'_>,
        extent: &Extent,
        bind: Bind<'_>,
    ) -> Option<String> {
        match lookup {
            IndexLookup::Words(phrases) => {
                Some(search::matching_rows(index, alias, phrases, extent, bind))
            }
            IndexLookup::Parts { parts, condition } => {
                parts::matching_rows(index, alias, parts, condition, extent, bind)
            }
        }
    }
}

/// The condition that a value is one of those of a query, as an array: it has no statistics, so the planner
/// looks its members up.
fn is_member(value: &str, query: &str) -> String {
    format!("{value} = ANY(ARRAY({query}))")
}

fn type_name(kind: SqlKind) -> &'static str {
    match kind {
        SqlKind::Int => "bigint",
        SqlKind::Wide => "numeric",
        SqlKind::Real => "double precision",
        SqlKind::Text => "text",
        SqlKind::Truth => "boolean",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_cuts_terms_where_a_search_cuts_them() {
        for text in [format!("left(term, {LONGEST_TERM})"), format!("'{MORE}'")] {
            assert!(TERMS.contains(&text), "{text}");
        }
    }
}
