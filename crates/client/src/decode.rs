//! From bytes to types, with the place of what doesn't fit.
//!
//! A failure names the path, the kind of value found and what was expected; it never repeats the value.

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Where a body is not what it should be.
#[derive(Debug)]
pub(crate) struct Misfit {
    path: String,
    reason: String,
}

impl Misfit {
    /// At a place in the body.
    pub(crate) fn at(path: &serde_path_to_error::Path, error: &serde_json::Error) -> Self {
        Self {
            path: path.to_string(),
            reason: kinds(error.to_string()),
        }
    }

    /// About the body as a whole.
    pub(crate) fn whole(reason: &str) -> Self {
        Self {
            path: ".".to_owned(),
            reason: kinds(reason.to_owned()),
        }
    }

    /// At a field of the body that has a name and no place.
    #[cfg(feature = "arrow")]
    pub(crate) fn named(field: &str, reason: String) -> Self {
        Self {
            path: field.to_owned(),
            reason,
        }
    }

    pub(crate) fn into_error(self, operation: &'static str) -> Error {
        Error::Decode {
            operation,
            path: self.path,
            reason: self.reason,
        }
    }
}

/// A reason of serde without the value it quotes, of which the kind stays: `invalid type: string "7",
/// expected i32` becomes `invalid type: string, expected i32`. The value may be anybody's text.
pub(crate) fn kinds(reason: String) -> String {
    const QUOTING: [&str; 2] = ["invalid type: ", "invalid value: "];
    /// Where the generated client cuts a reason, so that its end may be a piece of the value.
    const CUT: usize = 200;
    let Some((start, found)) = QUOTING
        .iter()
        .find_map(|start| Some((start, reason.strip_prefix(start)?)))
    else {
        return reason;
    };
    let kind = found.split(['"', '`', ',']).next().unwrap_or(found).trim();
    let whole = reason.chars().count() < CUT;
    // The last one, since the value may hold these words too; what is expected never does.
    let expected = found.rfind(", expected ").filter(|_| whole);
    format!(
        "{start}{kind}{}",
        expected.map_or("", |place| &found[place..])
    )
}

/// Decodes a whole body.
pub(crate) fn json<T: DeserializeOwned>(operation: &'static str, body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| misfit::<T>(body, &error).into_error(operation))
}

/// Why `body` is no `T`: decodes once more, now keeping track of where it is, which only a failure has to pay
/// for.
pub(crate) fn misfit<T: DeserializeOwned>(body: &[u8], first: &serde_json::Error) -> Misfit {
    let mut json = serde_json::Deserializer::from_slice(body);
    match serde_path_to_error::deserialize::<_, T>(&mut json) {
        Err(error) => Misfit::at(error.path(), error.inner()),
        // Bytes after the document: the second reading doesn't get there.
        Ok(_) => Misfit::whole(&first.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason<T: DeserializeOwned>(body: &str) -> String {
        let error = json::<T>("getArea", body.as_bytes()).err().unwrap();
        let Error::Decode { reason, .. } = error else {
            panic!("{error:?}");
        };
        reason
    }

    #[test]
    fn a_reason_names_kinds_and_no_values() {
        assert_eq!(
            reason::<i32>(r#""Kari, expected \"home\"""#),
            "invalid type: string, expected i32 at line 1 column 25"
        );
        assert_eq!(
            reason::<i8>("-4711"),
            "invalid value: integer, expected i8 at line 1 column 5"
        );
        assert_eq!(
            reason::<i32>("1.25"),
            "invalid type: floating point, expected i32 at line 1 column 4"
        );
        assert_eq!(
            reason::<i32>("null"),
            "invalid type: null, expected i32 at line 1 column 4"
        );
        assert_eq!(
            reason::<i32>("5 x"),
            "trailing characters at line 1 column 3"
        );
    }

    #[test]
    fn a_reason_that_was_cut_ends_with_the_kind() {
        let cut = format!("invalid type: string \"x, expected {}", "y".repeat(200));
        assert_eq!(
            kinds(cut.chars().take(200).collect()),
            "invalid type: string"
        );
    }
}
