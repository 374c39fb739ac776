//! Decodes bodies to types, with the path of a mismatch.
//!
//! An error names the path, the type found and the type expected; it never quotes the value.

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Where and why a body does not match the expected type.
#[derive(Debug)]
pub(crate) struct DecodeMismatch {
    path: String,
    reason: String,
}

impl DecodeMismatch {
    /// A mismatch at a path in the body.
    pub(crate) fn at(path: &serde_path_to_error::Path, error: &serde_json::Error) -> Self {
        Self {
            path: path.to_string(),
            reason: kinds(error.to_string()),
        }
    }

    /// A mismatch of the body as a whole.
    pub(crate) fn whole(reason: &str) -> Self {
        Self {
            path: ".".to_owned(),
            reason: kinds(reason.to_owned()),
        }
    }

    /// A mismatch in a field that has a name but no path.
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

/// Removes the quoted value from a serde error and leaves its type: `invalid type: string "7", expected i32`
/// becomes `invalid type: string, expected i32`. The value may be personal data.
pub(crate) fn kinds(reason: String) -> String {
    const QUOTING: [&str; 2] = ["invalid type: ", "invalid value: "];
    /// The length at which the generated client truncates a reason, so that it may end within the value.
    const CUT: usize = 200;
    let Some((start, found)) = QUOTING
        .iter()
        .find_map(|start| Some((start, reason.strip_prefix(start)?)))
    else {
        return reason;
    };
    let kind = found.split(['"', '`', ',']).next().unwrap_or(found).trim();
    let whole = reason.chars().count() < CUT;
    // The last occurrence, since the value may contain this text too; the expected type never does.
    let expected = found.rfind(", expected ").filter(|_| whole);
    format!(
        "{start}{kind}{}",
        expected.map_or("", |place| &found[place..])
    )
}

/// Decodes a whole body.
pub(crate) fn json<T: DeserializeOwned>(operation: &'static str, body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| mismatch::<T>(body, &error).into_error(operation))
}

/// Why `body` is not a `T`: decodes again with path tracking, whose cost only failures pay.
pub(crate) fn mismatch<T: DeserializeOwned>(
    body: &[u8],
    first: &serde_json::Error,
) -> DecodeMismatch {
    let mut json = serde_json::Deserializer::from_slice(body);
    match serde_path_to_error::deserialize::<_, T>(&mut json) {
        Err(error) => DecodeMismatch::at(error.path(), error.inner()),
        // Bytes after the document: the second decoding does not reach them.
        Ok(_) => DecodeMismatch::whole(&first.to_string()),
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
