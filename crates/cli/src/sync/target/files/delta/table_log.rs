//! The log of a table: its commits, which make it whole for readers at any moment, and its files.
//!
//! The protocol is that of Delta Lake. A commit is one object with a number, which is written only if it does
//! not exist; a checkpoint sums up those before it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use obeya_server::store::random::uuid;
use serde::Serialize;

use super::actions::{self, Action, Add, CommitInfo, Format, MetaData, PROTOCOL, Remove};
use super::log_objects::{LogObjects, log_folder};
use super::objects::{Objects, Put};
use super::{checkpoint, now, table_schema};
use crate::sync::row::Table;
use crate::sync::target::files::storage::FileKey;

/// The number of commits after which a checkpoint is written, as other writers do.
const CHECKPOINT_COMMITS: u64 = 10;

/// The log of a table, as this run has read and continued it.
pub(super) struct TableLog {
    name: &'static str,
    /// That of the last commit; `None` for a table that does not exist.
    version: Option<u64>,
    metadata: Option<MetaData>,
    /// The files of the table.
    pub(super) files: BTreeMap<FileKey, Add>,
    /// Replaced files, by path, whose objects may still exist.
    pub(super) removed: BTreeMap<String, Remove>,
    /// The actions since the last commit.
    staged: Vec<Action>,
    /// The paths of files that were replaced before they were committed, so that nobody knows them.
    abandoned: Vec<String>,
    /// The objects of the log when it was read.
    found: LogObjects,
}

/// The object that names the last checkpoint, for readers that cannot list objects.
#[derive(Serialize)]
struct LastCheckpoint {
    version: u64,
    /// The number of its actions.
    size: u64,
}

impl TableLog {
    pub(super) fn read(objects: &Objects, name: &'static str) -> Result<Self> {
        let mut log = TableLog {
            name,
            version: None,
            metadata: None,
            files: BTreeMap::new(),
            removed: BTreeMap::new(),
            staged: Vec::new(),
            abandoned: Vec::new(),
            found: LogObjects::default(),
        };
        log.replay(objects)
            .with_context(|| format!("the log of {name} cannot be continued"))?;
        Ok(log)
    }

    fn replay(&mut self, objects: &Objects) -> Result<()> {
        self.found = LogObjects::list(objects, self.name)?;
        if let Some(version) = self.found.checkpoints.keys().next_back().copied() {
            let path = self.checkpoint_path(version);
            for action in checkpoint::read(required(objects, &path)?)? {
                self.apply(action)?;
            }
            self.version = Some(version);
        }
        let last = self.found.commits.keys().next_back().copied();
        while last.is_some_and(|last| self.next_version() <= last) {
            let version = self.next_version();
            let lines = required(objects, &self.commit_path(version))?;
            for action in actions::from_lines(&lines)? {
                self.apply(action)?;
            }
            self.version = Some(version);
        }
        Ok(())
    }

    /// Whether the table exists.
    pub(super) fn exists(&self) -> bool {
        self.version.is_some()
    }

    /// The names of the columns.
    pub(super) fn columns(&self) -> BTreeSet<String> {
        let schema = self.metadata.as_ref().map(|known| &known.schema_string);
        schema.map_or_else(BTreeSet::new, |schema| table_schema::names(schema))
    }

    fn apply(&mut self, action: Action) -> Result<()> {
        match action {
            Action::Protocol(found) if found != PROTOCOL => bail!(
                "found reader version {} and writer version {}, expected {} and {}",
                found.min_reader_version,
                found.min_writer_version,
                PROTOCOL.min_reader_version,
                PROTOCOL.min_writer_version
            ),
            Action::Protocol(_) | Action::CommitInfo(_) => {}
            Action::MetaData(metadata) => self.metadata = Some(metadata),
            Action::Add(add) => {
                let Some(file) = table_schema::file_at(self.name, &add.path) else {
                    bail!(
                        "found the file {} of another program, expected only those of obeya",
                        add.path
                    );
                };
                if let Some(other) = self.files.insert(file, add) {
                    bail!(
                        "found two files for the same rows, one of them {}",
                        other.path
                    );
                }
            }
            Action::Remove(remove) => {
                if let Some(file) = table_schema::file_at(self.name, &remove.path)
                    && self
                        .files
                        .get(&file)
                        .is_some_and(|add| add.path == remove.path)
                {
                    self.files.remove(&file);
                }
                self.removed.insert(remove.path.clone(), remove);
            }
        }
        Ok(())
    }

    /// Replaces a file in the next commit.
    pub(super) fn replace(&mut self, file: FileKey, add: Add) {
        self.remove(file);
        self.staged.push(Action::Add(add.clone()));
        self.files.insert(file, add);
    }

    /// Removes a file in the next commit, if it exists.
    pub(super) fn remove(&mut self, file: FileKey) {
        let Some(add) = self.files.remove(&file) else {
            return;
        };
        let is_staged =
            |action: &Action| matches!(action, Action::Add(staged) if staged.path == add.path);
        match self.staged.iter().position(is_staged) {
            Some(place) => {
                self.staged.remove(place);
                self.abandoned.push(format!("{}/{}", self.name, add.path));
            }
            None => self.staged.push(Action::Remove(add.into_remove(now()))),
        }
    }

    /// The objects that no commit has and none will have, once.
    pub(super) fn take_abandoned(&mut self) -> Vec<String> {
        std::mem::take(&mut self.abandoned)
    }

    /// Describes the table in the next commit, if its columns changed.
    pub(super) fn describe(&mut self, table: &Table, file: FileKey, retention_hours: u32) {
        let partition_columns = table_schema::partition_columns(file);
        let retention = format!("interval {retention_hours} hours");
        let settings = [
            "delta.deletedFileRetentionDuration",
            "delta.logRetentionDuration",
        ];
        let known = self.metadata.as_ref();
        let metadata = MetaData {
            id: known.map_or_else(uuid, |known| known.id.clone()),
            name: table.name.to_owned(),
            format: Format {
                provider: "parquet".to_owned(),
                options: BTreeMap::new(),
            },
            schema_string: table_schema::schema_string(table, &partition_columns),
            partition_columns,
            configuration: settings
                .map(|name| (name.to_owned(), retention.clone()))
                .into(),
            created_time: known.map_or_else(now, |known| known.created_time),
        };
        if known == Some(&metadata) {
            return;
        }
        if known.is_none() {
            self.staged.push(Action::Protocol(PROTOCOL));
        }
        self.staged.push(Action::MetaData(metadata.clone()));
        self.metadata = Some(metadata);
    }

    /// Writes what was staged as one commit.
    ///
    /// # Errors
    /// When another run has written a commit meanwhile.
    pub(super) fn commit(&mut self, objects: &Objects) -> Result<()> {
        if self.staged.is_empty() {
            return Ok(());
        }
        self.commit_staged(objects)
    }

    /// Writes a commit without changes, so that a run that has lost its lease cannot write this version.
    pub(super) fn fence(&mut self, objects: &Objects) -> Result<()> {
        self.commit_staged(objects)
    }

    fn commit_staged(&mut self, objects: &Objects) -> Result<()> {
        let version = self.next_version();
        let timestamp = now();
        // A file stays from the commit on that replaces it.
        for action in &mut self.staged {
            if let Action::Remove(remove) = action {
                remove.deletion_timestamp = timestamp;
                self.removed.insert(remove.path.clone(), remove.clone());
            }
        }
        let info = CommitInfo {
            timestamp,
            operation: "WRITE".to_owned(),
            engine_info: concat!("obeya/", env!("CARGO_PKG_VERSION")).to_owned(),
            run: uuid(),
        };
        let mut lines = actions::to_lines(&[Action::CommitInfo(info)]);
        lines.extend(actions::to_lines(&self.staged));
        let path = self.commit_path(version);
        if let Put::Refused = objects.put_once(&path, &lines, None)? {
            bail!("another sync is writing it: it has written {path}");
        }
        self.staged.clear();
        self.version = Some(version);
        if version > 0 && version.is_multiple_of(CHECKPOINT_COMMITS) {
            self.write_checkpoint(objects, version)?;
        }
        Ok(())
    }

    fn write_checkpoint(&mut self, objects: &Objects, version: u64) -> Result<()> {
        let metadata = self.metadata.iter().cloned().map(Action::MetaData);
        let files = self.files.values().cloned().map(Action::Add);
        let removed = self.removed.values().cloned().map(Action::Remove);
        let mut actions = vec![Action::Protocol(PROTOCOL)];
        actions.extend(metadata.chain(files).chain(removed));
        for action in &mut actions {
            // A checkpoint repeats what changed before.
            match action {
                Action::Add(add) => add.data_change = false,
                Action::Remove(remove) => remove.data_change = false,
                _ => {}
            }
        }
        let size = actions.len().try_into()?;
        objects.put(&self.checkpoint_path(version), checkpoint::write(&actions)?)?;
        let last = serde_json::to_vec(&LastCheckpoint { version, size })?;
        objects.put(&self.path("_last_checkpoint"), last)
    }

    /// The objects of the log that only versions need which were replaced longer ago than this.
    pub(super) fn take_obsolete(&mut self, retention: Duration) -> Vec<String> {
        self.found.take_obsolete(retention)
    }

    /// The path of a file of the log.
    fn path(&self, name: &str) -> String {
        format!("{}/{name}", log_folder(self.name))
    }

    fn commit_path(&self, version: u64) -> String {
        self.path(&format!("{version:020}.json"))
    }

    fn checkpoint_path(&self, version: u64) -> String {
        self.path(&format!("{version:020}.checkpoint.parquet"))
    }

    fn next_version(&self) -> u64 {
        self.version.map_or(0, |version| version + 1)
    }
}

/// An object of a log without which it cannot be read.
fn required(objects: &Objects, path: &str) -> Result<Bytes> {
    match objects.get(path)? {
        Some((_, content)) => Ok(content),
        None => bail!("{path} does not exist, expected every commit since the last checkpoint"),
    }
}
