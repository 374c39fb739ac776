//! How far a pull is: FILE.part.json.

use std::io;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use obeya::model::Timestamp;
use serde::{Deserialize, Serialize};

use super::query::Query;
use crate::durable;

/// The only form of the file there is so far.
const VERSION: u32 = 1;

/// What is on disk for good, and where to go on.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct State {
    version: u32,
    pub(crate) query: Query,
    pub(crate) rows: u64,
    /// Bytes of a file that grows at its end, segments of one that does not.
    pub(crate) written: u64,
    pub(crate) after: Option<After>,
    /// Whether every row is there, and only the file's name is missing.
    pub(crate) is_complete: bool,
}

/// The last record of those before a place in the order that a pull has by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum After {
    /// Of a list by id.
    Id(i32),
    /// Of values by date: the last date's whole microsecond, and all that have been seen in it.
    Date { date: Timestamp, ids: Vec<i32> },
}

impl State {
    pub(crate) fn new(query: &Query) -> Self {
        Self {
            version: VERSION,
            query: query.clone(),
            rows: 0,
            written: 0,
            after: None,
            is_complete: false,
        }
    }

    /// The state in a file, if there is one.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub(crate) fn load(file: &Path) -> Result<Option<Self>> {
        let text = match std::fs::read(file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be read", file.display()));
            }
        };
        match serde_json::from_slice::<Self>(&text) {
            Ok(state) if state.version == VERSION => Ok(Some(state)),
            Ok(Self { version, .. }) => bail!(
                "found a state of form {version} in {}, expected form {VERSION}; --restart begins anew",
                file.display()
            ),
            Err(error) => Err(error).with_context(|| {
                format!(
                    "found no state of a pull in {}, expected one; --restart begins anew",
                    file.display()
                )
            }),
        }
    }

    /// Puts it into a file, whole or not at all.
    ///
    /// # Errors
    /// Those of the disk.
    pub(crate) fn save(&self, file: &Path) -> Result<()> {
        let text = serde_json::to_vec(self).expect("a state is plain data");
        durable::replace(file, &text)
            .with_context(|| format!("{} cannot be written", file.display()))
    }
}
