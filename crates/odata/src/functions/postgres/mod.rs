//! The same functions for PostgreSQL, where native functions cannot be registered: as SQL and PL/pgSQL that a
//! plain role creates in its own schema.
//!
//! A function returns the same result as its namesake in [`super::SCALARS`]; any other result is a fault
//! here. For typed values there is one function for each type: `odata_round` of whole numbers and of doubles,
//! and for `odata_cast`, whose results have several, `odata_cast_text`, `odata_cast_real` and
//! `odata_cast_whole`. In place of an aggregate of [`super::AGGREGATES`] the server's own adds up the results
//! of a function here. No function is volatile or reads a table, and NaN is null, as it is on SQLite. The
//! server's encoding must be UTF8.

mod letters;
mod regexp;

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::ScalarError;

pub use regexp::pattern;

/// Statements that create or replace every function, to be run one after another in a schema that later
/// statements find in their `search_path`. To be run by one connection at a time: the server refuses to
/// replace what another is replacing.
#[must_use]
pub fn definitions() -> Vec<Cow<'static, str>> {
    vec![
        include_str!("number.sql").into(),
        include_str!("sum.sql").into(),
        include_str!("time.sql").into(),
        letters::definitions().into(),
        include_str!("text.sql").into(),
        include_str!("print.sql").into(),
        include_str!("read.sql").into(),
    ]
}

/// The names of everything that [`definitions`] defines, including helpers that only the others call.
#[must_use]
pub fn names() -> BTreeSet<String> {
    definitions()
        .iter()
        .flat_map(|text| text.split("CREATE OR REPLACE FUNCTION ").skip(1))
        .filter_map(|rest| rest.split_once('(').map(|(name, _)| name.to_owned()))
        .collect()
}

/// The evaluation error for an error of the server, by its SQLSTATE: the functions and the server's own
/// operators raise the same ones.
#[must_use]
pub fn fault(sqlstate: &str) -> Option<ScalarError> {
    match sqlstate {
        "22012" => Some(ScalarError::DivisionByZero),
        "22003" => Some(ScalarError::OutOfRange),
        "22011" => Some(ScalarError::NegativeLength),
        "2201B" => Some(ScalarError::Pattern),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::SCALARS;

    #[test]
    fn every_scalar_is_defined() {
        let names = names();
        for scalar in SCALARS {
            let parts: &[&str] = match scalar.name {
                "odata_cast" => &["odata_cast_text", "odata_cast_whole", "odata_cast_real"],
                ref name => std::slice::from_ref(name),
            };
            for name in parts {
                assert!(names.contains(*name), "{name}");
            }
        }
    }
}
