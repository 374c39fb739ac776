//! Removes objects that no reader needs any more: replaced files, commits that a checkpoint sums up, and files
//! that a failed run uploaded and did not commit.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use anyhow::Result;
use object_store::ObjectMeta;

use super::table_log::{TableLog, log_folder};
use super::{Delta, now};

/// Files that no table has are removed after this time: until then a run that lost its lease might commit them.
const UNCOMMITTED: Duration = Duration::from_secs(60 * 60);

impl Delta {
    /// Removes what has expired from the tables of this run. Returns false if files are left that no table
    /// has.
    pub(super) fn remove_expired(&mut self) -> Result<bool> {
        let retention = Duration::from_secs(u64::from(self.retention_hours) * 3600);
        let mut paths = Vec::new();
        let mut is_complete = true;
        for (name, log) in &mut self.logs {
            paths.extend(take_expired(name, log, retention));
            if log.checkpoint.is_some() {
                let found = self.objects.list(&log_folder(name))?;
                let is_old = |object: &&ObjectMeta| {
                    let file_name = object.location.filename().unwrap_or_default();
                    age(object) > retention && log.is_before_checkpoint(file_name)
                };
                let old = found.iter().filter(is_old);
                paths.extend(old.map(|object| object.location.to_string()));
            }
            if self.lease.follows_failed_run {
                let known = paths_of(name, log);
                for object in self.objects.list(name)? {
                    let path = object.location.to_string();
                    if !path.ends_with(".parquet")
                        || path.starts_with(&log_folder(name))
                        || known.contains(&path)
                    {
                        continue;
                    }
                    match age(&object) > UNCOMMITTED {
                        true => paths.push(path),
                        false => is_complete = false,
                    }
                }
            }
        }
        if !paths.is_empty() {
            self.objects.remove(paths)?;
        }
        Ok(is_complete)
    }
}

/// The objects of replaced files that have expired; the log forgets them.
fn take_expired(name: &str, log: &mut TableLog, retention: Duration) -> Vec<String> {
    let retention = i64::try_from(retention.as_millis()).unwrap_or(i64::MAX);
    let last = now().saturating_sub(retention);
    let mut expired = Vec::new();
    log.removed.retain(|path, remove| {
        let stays = remove.deletion_timestamp >= last;
        if !stays {
            expired.push(format!("{name}/{path}"));
        }
        stays
    });
    expired
}

/// The objects of the files that a table has, or had a moment ago.
fn paths_of(name: &str, log: &TableLog) -> BTreeSet<String> {
    let files = log.files.values().map(|add| &add.path);
    let paths = files.chain(log.removed.keys());
    paths.map(|path| format!("{name}/{path}")).collect()
}

fn age(object: &ObjectMeta) -> Duration {
    let age = SystemTime::now().duration_since(object.last_modified.into());
    age.unwrap_or_default()
}
