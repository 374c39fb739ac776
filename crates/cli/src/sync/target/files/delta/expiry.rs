//! Removes objects that no reader needs any more: replaced files, commits that a checkpoint sums up, and files
//! that a failed run uploaded and did not commit.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;

use super::lease::Handover;
use super::log_objects::log_folder;
use super::objects::age;
use super::table_log::TableLog;
use super::{Delta, now};

/// Files that no table has are removed after this time: until then an upload of a run that lost its lease may
/// be under way.
const UNCOMMITTED: Duration = Duration::from_secs(60 * 60);

impl Delta {
    /// Removes what has expired from the tables of this run. Returns what is left to the next one.
    pub(super) fn remove_expired(&mut self) -> Result<Handover> {
        let retention = Duration::from_secs(u64::from(self.options.retention_hours) * 3600);
        let until = now().saturating_sub(i64::try_from(retention.as_millis()).unwrap_or(i64::MAX));
        if self.lease.handover.uncommitted {
            // Of any table: this run may have read only some.
            self.read_all_logs()?;
        }
        let mut handover = Handover {
            // An upload of the run that failed may be under way.
            uncommitted: self.lease.handover.unfenced,
            unfenced: false,
            expired: self.lease.handover.expired.clone(),
        };
        let mut paths = Vec::new();
        for (name, log) in &mut self.logs {
            handover.expired.insert((*name).to_owned(), until);
            let replaced = log.removed.values();
            let expired = replaced.filter(|remove| remove.deletion_timestamp < until);
            paths.extend(expired.map(|remove| format!("{name}/{}", remove.path)));
            log.removed
                .retain(|_, remove| remove.deletion_timestamp >= until);
            paths.extend(log.take_obsolete(retention));
            if self.lease.handover.uncommitted {
                let known = paths_of(name, log);
                for object in self.objects.list(name)? {
                    let path = object.location.to_string();
                    let is_of_log = path.starts_with(&log_folder(name));
                    if is_of_log || known.contains(&path) {
                        continue;
                    }
                    match age(&object) > UNCOMMITTED {
                        true => paths.push(path),
                        false => handover.uncommitted = true,
                    }
                }
            }
        }
        // Another run may have taken over while this one was stopped, and have files that it does not know.
        self.lease.check()?;
        if !paths.is_empty() {
            self.objects.remove(paths)?;
        }
        Ok(handover)
    }
}

/// The objects of the files that a table has, or had a moment ago.
fn paths_of(name: &str, log: &TableLog) -> BTreeSet<String> {
    let files = log.files.values().map(|add| &add.path);
    let paths = files.chain(log.removed.keys());
    paths.map(|path| format!("{name}/{path}")).collect()
}
