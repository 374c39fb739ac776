//! A bucket of an object store, with each table of the copy as a table of Delta Lake.
//!
//! No object with rows is ever replaced: a new one is uploaded, and a commit of the table's log replaces the
//! old one by it. So readers of the log see each table as it is at one moment, however long they read. Objects
//! of earlier versions are removed after some time.

mod actions;
mod checkpoint;
mod expiry;
mod lease;
mod local;
mod log_objects;
mod objects;
mod open;
mod table_log;
mod table_schema;
#[cfg(test)]
mod tests;
mod uploads;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};
use obeya_server::store::random::uuid;

use self::actions::Add;
use self::lease::{Handover, LEASE, Lease};
use self::local::LocalFolder;
use self::objects::{Objects, Put, Version, version_of};
use self::table_log::TableLog;
use self::uploads::Uploads;
use super::FilesTarget;
use super::parquet_file::{self, Written};
use super::storage::{FileKey, Months, Storage};
use crate::sync::row::Table;
use crate::sync::schema;

/// A copy in a bucket.
pub(in crate::sync) type DeltaTarget = FilesTarget<Delta>;

/// The object with the state of the copy.
const STATE: &str = "_obeya/sync-state.json";

/// A prefix of a bucket, and the lease against concurrent runs.
pub(in crate::sync) struct Delta {
    objects: Objects,
    lease: Lease,
    /// The logs of the tables that this run needed.
    logs: BTreeMap<&'static str, TableLog>,
    /// Tables with changes, in the order in which they are to be committed.
    changed: Vec<&'static str>,
    uploads: Uploads,
    /// The version of the state that this run has read or written.
    state: Option<Version>,
    local: LocalFolder,
    options: Options,
    /// Files of the logs whose objects somebody removed.
    missing: BTreeSet<FileKey>,
    has_ended: bool,
}

/// What the command line says of a bucket.
#[derive(Clone, Copy)]
pub(in crate::sync) struct Options {
    /// For how long replaced files stay.
    pub(in crate::sync) retention_hours: u32,
    /// Everything is read again, so a file that is missing is none.
    pub(in crate::sync) is_full: bool,
}

impl Delta {
    fn log(&mut self, file: FileKey) -> Result<&mut TableLog> {
        self.log_of(table_of(file))
    }

    fn log_of(&mut self, name: &'static str) -> Result<&mut TableLog> {
        if !self.logs.contains_key(name) {
            let mut log = TableLog::read(&self.objects, name)?;
            if let Some(expired) = self.lease.handover.expired.get(name) {
                // An earlier run has removed their objects.
                log.removed
                    .retain(|_, remove| remove.deletion_timestamp >= *expired);
            }
            self.logs.insert(name, log);
        }
        Ok(self.logs.get_mut(name).expect("just inserted"))
    }

    fn read_all_logs(&mut self) -> Result<()> {
        for name in schema::tables() {
            self.log_of(name)?;
        }
        Ok(())
    }

    fn mark_changed(&mut self, file: FileKey) {
        let name = table_of(file);
        if !self.changed.contains(&name) {
            self.changed.push(name);
        }
    }
}

impl Storage for Delta {
    const KNOWS_COUNTS: bool = true;
    const MONTHS_INTERVAL: Duration = Duration::from_secs(10);
    const SAVE_INTERVAL: Duration = Duration::from_secs(10);

    fn read_state(&mut self) -> Result<Option<String>> {
        let Some((meta, content)) = self.objects.get(STATE)? else {
            // Rows without a state would stay for good: nothing says which of them the service has.
            if let Some(other) = self.objects.any_but(LEASE)? {
                bail!(
                    "it contains {other} but no {STATE}, expected an empty prefix or one with a copy"
                );
            }
            return Ok(None);
        };
        self.state = Some(version_of(meta));
        open::state_text(&content).map(Some)
    }

    fn write_state(&mut self, state: &[u8]) -> Result<()> {
        self.lease.check()?;
        let known = self.state.take();
        match self.objects.put_once(STATE, state, known)? {
            Put::Written(version) => self.state = Some(version),
            Put::Refused => bail!("another sync is writing it: it has written {STATE}"),
        }
        Ok(())
    }

    fn run_id(&self) -> Option<&str> {
        Some(self.lease.owner())
    }

    fn months(&mut self) -> Result<Months> {
        let mut months = Months::new();
        for (file, add) in &self.log_of(schema::VALUES)?.files {
            if let FileKey::Month(datasource, month) = file {
                let of = months.entry(*datasource).or_default();
                of.insert(*month, add.rows());
            }
        }
        Ok(months)
    }

    fn exists(&mut self, file: FileKey) -> Result<bool> {
        Ok(self.log(file)?.files.contains_key(&file) && !self.missing.contains(&file))
    }

    fn rows(&mut self, file: FileKey) -> Result<Option<u64>> {
        Ok(self.log(file)?.files.get(&file).and_then(Add::rows))
    }

    fn columns(&mut self, file: FileKey) -> Result<Option<BTreeSet<String>>> {
        Ok(Some(self.log(file)?.columns()))
    }

    fn readable(&mut self, file: FileKey) -> Result<Option<PathBuf>> {
        let Some(add) = self.log(file)?.files.get(&file) else {
            return Ok(None);
        };
        let path = format!("{}/{}", table_of(file), add.path);
        if let Some(local) = self.local.downloaded(file, &path) {
            return Ok(Some(local));
        }
        // It may be one of this run.
        self.uploads.wait(&self.objects)?;
        let local = self.local.for_download(file, &path);
        if self.objects.download(&path, &local)? {
            return Ok(Some(local));
        }
        self.local.forget(file);
        match self.options.is_full {
            true => {
                self.missing.insert(file);
                Ok(None)
            }
            false => bail!(
                "{path} is missing, expected all files of its table; run with --full to write them again"
            ),
        }
    }

    fn writable(&mut self, _: FileKey) -> Result<PathBuf> {
        Ok(self.local.for_upload())
    }

    fn publish(&mut self, file: FileKey, table: &Table, written: Written) -> Result<()> {
        let dates = match file {
            FileKey::Table(_) => None,
            FileKey::Month(..) => parquet_file::bounds(&written.path, "value_date")?,
        };
        let add = Add {
            path: table_schema::path(file, &uuid()),
            partition_values: table_schema::partition_values(file),
            size: written.path.metadata()?.len().try_into()?,
            modification_time: now(),
            data_change: true,
            stats: table_schema::stats(file, written.rows, dates),
        };
        let to = format!("{}/{}", table_of(file), add.path);
        self.uploads.start(&self.objects, written.path, to)?;
        let retention_hours = self.options.retention_hours;
        let log = self.log(file)?;
        log.describe(table, file, retention_hours);
        log.replace(file, add);
        self.missing.remove(&file);
        self.mark_changed(file);
        Ok(())
    }

    fn remove(&mut self, file: FileKey) -> Result<()> {
        self.log(file)?.remove(file);
        self.mark_changed(file);
        Ok(())
    }

    fn remove_datasource(&mut self, _: i32) -> Result<()> {
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.uploads.wait(&self.objects)?;
        let mut abandoned = Vec::new();
        for name in std::mem::take(&mut self.changed) {
            if let Some(log) = self.logs.get_mut(name) {
                self.lease.check()?;
                log.commit(&self.objects)?;
                abandoned.extend(log.take_abandoned());
            }
        }
        match abandoned.is_empty() {
            true => Ok(()),
            false => self.objects.remove(abandoned),
        }
    }

    fn end(&mut self) -> Result<()> {
        let handover = self.remove_expired()?;
        self.has_ended = true;
        self.lease.release(handover)
    }
}

impl Drop for Delta {
    /// After an error: the next run need not wait until the lease expires.
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        let handover = Handover {
            uncommitted: true,
            unfenced: true,
            ..self.lease.handover.clone()
        };
        // The error that ended the run is the one to report.
        let _ = self.lease.release(handover);
    }
}

/// The table that a file belongs to.
fn table_of(file: FileKey) -> &'static str {
    match file {
        FileKey::Table(name) => name,
        FileKey::Month(..) => schema::VALUES,
    }
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let millis = now.unwrap_or_default().as_millis();
    i64::try_from(millis).unwrap_or(i64::MAX)
}
