//! The state file of a folder, and the order in which files are renamed around its updates.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::file::{self, Writer, temporary_path};
use super::rewrite::rewrite_file;
use super::{FolderTarget, Months};
use crate::durable;
use crate::sync::month::Month;
use crate::sync::row::{TableGroup, TableRow};
use crate::sync::state::State;
use crate::sync::target::Counts;

/// The file that stores the state of the copy.
pub(super) const STATE: &str = "sync-state.json";

/// How long month files may be renamed before the state is written.
pub(super) const STATE_INTERVAL: Duration = Duration::from_secs(1);

/// The content of the state file. A month's count is `None` while its file is replaced: it may be the old or
/// the new one.
#[derive(Serialize)]
struct StateFile<'a> {
    copy: &'a State,
    months: &'a Months,
    parts: &'a BTreeSet<String>,
}

#[derive(Deserialize)]
pub(super) struct StoredState {
    copy: serde_json::Value,
    pub(super) months: Months,
    #[serde(default)]
    pub(super) parts: BTreeSet<String>,
}

impl FolderTarget {
    pub(super) fn keep(&mut self, state: &State) -> Result<()> {
        for datasource in std::mem::take(&mut self.unsynced) {
            durable::sync_folder(&self.values_folder(datasource))?;
        }
        if std::mem::take(&mut self.has_unsynced_folders) {
            durable::sync_folder(&self.file("values"))?;
        }
        let content = StateFile {
            copy: state,
            months: &self.months,
            parts: &self.parts,
        };
        let to = self.file(STATE);
        let from = temporary_path(&to);
        let mut file = durable::create(&from).context("the state cannot be written")?;
        serde_json::to_writer(&mut file, &content).context("the state cannot be written")?;
        durable::sync(&file, &from)?;
        durable::publish(&from, &to)?;
        self.state = Some(state.clone());
        self.state_written = Instant::now();
        Ok(())
    }

    /// Marks months as uncertain before their files are replaced.
    pub(super) fn mark_uncertain(
        &mut self,
        datasource: i32,
        months: impl IntoIterator<Item = Month>,
    ) -> Result<()> {
        let of = self.months.entry(datasource).or_default();
        of.extend(months.into_iter().map(|month| (month, None)));
        self.rewrite_state()
    }

    /// Writes the last state again, with changed months or parts.
    fn rewrite_state(&mut self) -> Result<()> {
        let state = self
            .state
            .clone()
            .expect("the state is written before any data");
        self.keep(&state)
    }

    /// Renames the files of a group to their final names, unless none of them changed.
    pub(super) fn publish_if_changed(
        &mut self,
        group: &TableGroup,
        written: Vec<file::Written>,
        counts: &[Counts],
        state: &State,
    ) -> Result<()> {
        let is_other = counts.iter().any(|counts| *counts != Counts::default())
            || !written.iter().all(file::Written::replaces_file);
        // After a run that was killed between them, parts and records are published together again.
        if is_other || self.parts.contains(group.main.name) {
            return self.publish(group, written, state);
        }
        for file in written {
            file.discard()?;
        }
        self.keep(state)
    }

    /// Renames the files of a group to their final names.
    pub(super) fn publish(
        &mut self,
        group: &TableGroup,
        written: Vec<file::Written>,
        state: &State,
    ) -> Result<()> {
        let name = group.main.name;
        if !group.parts.is_empty() && self.parts.insert(name.to_owned()) {
            self.rewrite_state()?;
        }
        // The main table last: it decides which parts are orphaned.
        for file in written.into_iter().rev() {
            file.publish(&self.file(STATE))?;
        }
        durable::sync_folder(&self.path)?;
        self.parts.remove(name);
        self.keep(state)
    }

    /// Removes orphaned parts, which a run leaves that is killed between parts and records.
    pub(super) fn remove_orphans(&mut self, group: &TableGroup, ids: &[i32]) -> Result<()> {
        for table in &group.parts {
            let path = self.table_file(table);
            if path.exists() {
                let has_owner = |row: &TableRow| ids.binary_search(&row[0].id()).is_ok();
                let (written, _) = rewrite_file(table, &path, has_owner, Vec::new())?;
                written.publish(&self.file(STATE))?;
            }
        }
        durable::sync_folder(&self.path)?;
        self.parts.remove(group.main.name);
        self.rewrite_state()
    }

    pub(super) fn finish_month(
        &mut self,
        writer: Writer,
        (datasource, month): (i32, Month),
        state: &State,
    ) -> Result<()> {
        let rows = writer.rows;
        let written = writer.close()?;
        let known_count = self.months.get(&datasource).and_then(|of| of.get(&month));
        if matches!(known_count, Some(Some(_))) {
            self.mark_uncertain(datasource, [month])?;
        }
        let of = self.months.entry(datasource).or_default();
        if rows == 0 {
            of.remove(&month);
            written.discard()?;
            remove(&self.month_file(datasource, month))?;
        } else {
            of.insert(month, Some(rows));
            written.publish(&self.file(STATE))?;
        }
        self.unsynced.insert(datasource);
        if self.state_written.elapsed() < self.state_interval {
            return Ok(());
        }
        self.keep(state)
    }
}

pub(super) fn parse(text: &str) -> Result<(StoredState, State)> {
    let read: StoredState = serde_json::from_str(text)
        .with_context(|| format!("{STATE} is not the state of a copy"))?;
    let state = State::parse(&read.copy.to_string())?;
    Ok((read, state))
}

pub(super) fn remove(path: &Path) -> Result<()> {
    durable::remove(path).with_context(|| format!("{} cannot be removed", path.display()))
}
