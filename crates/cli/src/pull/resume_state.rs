//! FILE.part.json: where an interrupted pull resumes.

use std::io;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use obeya::ValuePosition;
use serde::{Deserialize, Serialize};

use super::query::PullQuery;
use super::record_key::RecordKey;
use crate::durable;

/// The version of the file's format.
const VERSION: u32 = 1;

/// The rows that are durably on disk, and the record after which to resume.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResumeState {
    version: u32,
    pub(crate) query: PullQuery,
    pub(crate) rows: u64,
    /// Bytes of a file that is appended to, or segments of a Parquet file.
    pub(crate) written: u64,
    pub(crate) after: Option<ResumeAfter>,
    /// Whether all rows are written, and only the final rename is missing.
    pub(crate) is_complete: bool,
}

/// The last record that was written, in the default order of a pull (keyset).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ResumeAfter {
    /// For a list ordered by id.
    Id(RecordKey),
    /// For values ordered by date.
    Date(ValuePosition),
}

impl ResumeState {
    pub(crate) fn new(query: &PullQuery) -> Self {
        Self {
            version: VERSION,
            query: query.clone(),
            rows: 0,
            written: 0,
            after: None,
            is_complete: false,
        }
    }

    /// Whether its rows are of use to a further run. A pull in an order of its own has no record to go on
    /// after: until it is complete, it begins again.
    pub(crate) fn is_resumable(&self) -> bool {
        self.query.is_resumable() || self.is_complete
    }

    /// Loads the state from a file, if it exists.
    ///
    /// # Errors
    /// When the file cannot be read or parsed.
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
                "found a state of version {version} in {}, expected version {VERSION}; --restart starts over",
                file.display()
            ),
            Err(error) => Err(error).with_context(|| {
                format!(
                    "found no valid state of a pull in {}; --restart starts over",
                    file.display()
                )
            }),
        }
    }

    /// Atomically writes the state to a file.
    ///
    /// # Errors
    /// Those of the disk.
    pub(crate) fn save(&self, file: &Path) -> Result<()> {
        let text = serde_json::to_vec(self).expect("the state can be serialized");
        durable::replace(file, &text)
            .with_context(|| format!("{} cannot be written", file.display()))
    }
}
