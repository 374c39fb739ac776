//! The actions of a table's log, as the protocol of Delta Lake defines them
//! (<https://github.com/delta-io/delta/blob/master/PROTOCOL.md>, "Actions"). No I/O here.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

/// An action: a line of a commit, or a row of a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Action {
    Protocol(Protocol),
    MetaData(MetaData),
    Add(Add),
    Remove(Remove),
    CommitInfo(CommitInfo),
}

/// The versions that a reader or a writer must support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Protocol {
    pub(super) min_reader_version: i32,
    pub(super) min_writer_version: i32,
}

/// Nothing here needs a later one.
pub(super) const PROTOCOL: Protocol = Protocol {
    min_reader_version: 1,
    min_writer_version: 2,
};

/// The description of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MetaData {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) format: Format,
    pub(super) schema_string: String,
    pub(super) partition_columns: Vec<String>,
    pub(super) configuration: BTreeMap<String, String>,
    /// Milliseconds since 1970, as all times of a log.
    pub(super) created_time: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Format {
    pub(super) provider: String,
    #[serde(default)]
    pub(super) options: BTreeMap<String, String>,
}

/// A file becomes part of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Add {
    pub(super) path: String,
    pub(super) partition_values: BTreeMap<String, String>,
    pub(super) size: i64,
    pub(super) modification_time: i64,
    pub(super) data_change: bool,
    /// JSON: the number of rows, and bounds of columns.
    pub(super) stats: String,
}

/// A file is no longer part of the table. The object stays for readers of earlier versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Remove {
    pub(super) path: String,
    pub(super) deletion_timestamp: i64,
    pub(super) data_change: bool,
    pub(super) extended_file_metadata: bool,
    pub(super) partition_values: BTreeMap<String, String>,
    pub(super) size: i64,
}

/// What wrote a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommitInfo {
    pub(super) timestamp: i64,
    pub(super) operation: String,
    pub(super) engine_info: String,
    /// Different for each commit.
    #[serde(default)]
    pub(super) run: String,
}

impl Add {
    pub(super) fn into_remove(self, now: i64) -> Remove {
        Remove {
            path: self.path,
            deletion_timestamp: now,
            data_change: true,
            extended_file_metadata: true,
            partition_values: self.partition_values,
            size: self.size,
        }
    }

    /// The number of rows in the file.
    pub(super) fn rows(&self) -> Option<u64> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Stats {
            num_records: u64,
        }
        let stats: Stats = serde_json::from_str(&self.stats).ok()?;
        Some(stats.num_records)
    }
}

/// The lines of a commit.
pub(super) fn to_lines(actions: &[Action]) -> Vec<u8> {
    let mut lines = Vec::new();
    for action in actions {
        serde_json::to_writer(&mut lines, action).expect("all keys are texts");
        lines.push(b'\n');
    }
    lines
}

/// The actions in the lines of a commit or checkpoint.
pub(super) fn from_lines(lines: &[u8]) -> Result<Vec<Action>> {
    let lines = lines.split(|byte| *byte == b'\n');
    let filled = lines.filter(|line| !line.trim_ascii().is_empty());
    let parse = |line| {
        serde_json::from_slice(line)
            .context("found a change that another program made, expected only those of obeya")
    };
    filled.map(parse).collect()
}
