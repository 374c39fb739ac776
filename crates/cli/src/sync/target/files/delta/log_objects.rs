//! The objects of the log of a table: its commits and checkpoints, by version. What they contain is read by
//! `table_log`.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use object_store::ObjectMeta;

use super::objects::{Objects, age};

/// The objects of a log, by version.
#[derive(Default)]
pub(super) struct LogObjects {
    pub(super) commits: BTreeMap<u64, ObjectMeta>,
    pub(super) checkpoints: BTreeMap<u64, ObjectMeta>,
}

impl LogObjects {
    pub(super) fn list(objects: &Objects, table: &str) -> Result<Self> {
        let mut found = LogObjects::default();
        for object in objects.list(&log_folder(table))? {
            let name = object.location.filename().unwrap_or_default();
            let (version, kind) = name.split_once('.').unwrap_or_default();
            let Ok(version) = version.parse() else {
                continue;
            };
            match kind {
                "json" => found.commits.insert(version, object),
                "checkpoint.parquet" => found.checkpoints.insert(version, object),
                _ => None,
            };
        }
        Ok(found)
    }

    /// The objects of the log that only versions need which were replaced longer ago than this: what precedes
    /// the last checkpoint of that age ("Metadata Cleanup").
    pub(super) fn take_obsolete(&mut self, retention: Duration) -> Vec<String> {
        let mut checkpoints = self.checkpoints.iter().rev();
        let Some((first, _)) = checkpoints.find(|(_, object)| age(object) > retention) else {
            return Vec::new();
        };
        let first = *first;
        let mut paths = Vec::new();
        for objects in [&mut self.commits, &mut self.checkpoints] {
            let stay = objects.split_off(&first);
            let obsolete = std::mem::replace(objects, stay).into_values();
            paths.extend(obsolete.map(|object| object.location.to_string()));
        }
        paths
    }
}

/// The folder of the log of a table.
pub(super) fn log_folder(table: &str) -> String {
    format!("{table}/_delta_log")
}
