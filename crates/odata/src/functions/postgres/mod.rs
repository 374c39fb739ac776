//! The same functions for PostgreSQL, where nothing can be registered from outside: as SQL and PL/pgSQL that
//! a plain role creates in its own schema.
//!
//! What a function gives is what its namesake in [`super::SCALARS`] gives; a text here that comes to another
//! result is wrong. Where values have types, a function has one for each: `odata_round` of whole numbers and
//! of doubles, and for `odata_cast`, whose results have several, `odata_cast_text`, `odata_cast_real` and
//! `odata_cast_whole`. No function is volatile or reads a table, and NaN is null, as it is on SQLite. The
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
        include_str!("time.sql").into(),
        letters::definitions().into(),
        include_str!("text.sql").into(),
        include_str!("print.sql").into(),
        include_str!("read.sql").into(),
    ]
}

/// The names of what [`definitions`] defines, those that only others of them call among them.
#[must_use]
pub fn names() -> BTreeSet<String> {
    definitions()
        .iter()
        .flat_map(|text| text.split("CREATE OR REPLACE FUNCTION ").skip(1))
        .filter_map(|rest| rest.split_once('(').map(|(name, _)| name.to_owned()))
        .collect()
}

/// Which fault of an evaluation an error of the server stands for, by its SQLSTATE: the functions and the
/// server's own operators raise the same ones.
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
