//! From bytes to types, with the place of what doesn't fit.
//!
//! A failure names path, found and expected; it never repeats the body.

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
            reason: short(error.to_string()),
        }
    }

    /// About the body as a whole.
    pub(crate) fn whole(reason: &str) -> Self {
        Self {
            path: ".".to_owned(),
            reason: short(reason.to_owned()),
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

/// serde names the value it found, which may be of any length.
fn short(reason: String) -> String {
    const LONGEST: usize = 200;
    match reason.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason,
    }
}

/// Decodes a whole body.
pub(crate) fn json<T: DeserializeOwned>(operation: &'static str, body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| misfit::<T>(body, &error).into_error(operation))
}

/// Why `body` is no `T`: decodes once more, now keeping track of where it is, which only a failure has to pay for.
pub(crate) fn misfit<T: DeserializeOwned>(body: &[u8], first: &serde_json::Error) -> Misfit {
    let mut json = serde_json::Deserializer::from_slice(body);
    match serde_path_to_error::deserialize::<_, T>(&mut json) {
        Err(error) => Misfit::at(error.path(), error.inner()),
        // Bytes after the document: the second reading doesn't get there.
        Ok(_) => Misfit::whole(&first.to_string()),
    }
}
