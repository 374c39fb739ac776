//! The stored state of the files of a copy, and the order in which files are published around its updates.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::FilesTarget;
use super::parquet_file::Written;
use super::storage::{FileKey, Months, Storage};
use crate::sync::month::Month;
use crate::sync::row::{Table, TableGroup, TableRow};
use crate::sync::state::State;
use crate::sync::target::Counts;

/// The file that stores the state of the copy.
pub(super) const STATE: &str = "sync-state.json";

/// The content of the state file. A month's count is `None` while its file is replaced: it may be the old or
/// the new one. There are no months where the files themselves say how many rows they have.
#[derive(Serialize)]
struct StateFile<'a> {
    copy: &'a State,
    months: &'a Months,
    parts: &'a BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a str>,
}

#[derive(Deserialize)]
pub(super) struct StoredState {
    copy: serde_json::Value,
    pub(super) months: Months,
    #[serde(default)]
    pub(super) parts: BTreeSet<String>,
}

impl<S: Storage> FilesTarget<S> {
    /// Commits the files and writes the state.
    pub(super) fn commit_with_state(&mut self, state: &State) -> Result<()> {
        self.storage.commit()?;
        let content = StateFile {
            copy: state,
            months: if S::KNOWS_COUNTS {
                &Months::new()
            } else {
                &self.months
            },
            parts: &self.parts,
            run: self.storage.run_id(),
        };
        let content = serde_json::to_vec(&content).expect("all keys are texts or numbers");
        self.storage.write_state(&content)?;
        self.state = Some(state.clone());
        self.state_written = Some(Instant::now());
        Ok(())
    }

    /// Does so if some time has passed since the last time: after a kill, what follows is done again.
    pub(super) fn commit_with_state_if_due(
        &mut self,
        interval: Duration,
        state: &State,
    ) -> Result<()> {
        match self.state_written {
            Some(written) if written.elapsed() < interval => {
                self.state = Some(state.clone());
                Ok(())
            }
            _ => self.commit_with_state(state),
        }
    }

    /// Marks months as uncertain before their files are replaced.
    pub(super) fn mark_uncertain(
        &mut self,
        datasource: i32,
        months: impl IntoIterator<Item = Month>,
    ) -> Result<()> {
        if S::KNOWS_COUNTS {
            return Ok(());
        }
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
        self.commit_with_state(&state)
    }

    /// Publishes the files of a group, unless none of them changed.
    pub(super) fn publish_if_changed(
        &mut self,
        group: &TableGroup,
        written: Vec<Written>,
        counts: &[Counts],
        state: &State,
    ) -> Result<()> {
        let mut is_other = counts.iter().any(|counts| *counts != Counts::default());
        for table in group.tables() {
            is_other |= !self.storage.exists(FileKey::Table(table.name))?;
        }
        // After a run that was killed between them, parts and records are published together again.
        if is_other || self.parts.contains(group.main.name) {
            return self.publish(group, written, state);
        }
        for file in written {
            file.discard()?;
        }
        self.commit_with_state_if_due(S::SAVE_INTERVAL, state)
    }

    /// Publishes the files of a group.
    pub(super) fn publish(
        &mut self,
        group: &TableGroup,
        written: Vec<Written>,
        state: &State,
    ) -> Result<()> {
        let name = group.main.name;
        if !group.parts.is_empty() && self.parts.insert(name.to_owned()) {
            self.rewrite_state()?;
        }
        // The main table last: it decides which parts are orphaned.
        let mut files: Vec<_> = group.tables().zip(written).collect();
        files.reverse();
        for (table, written) in files {
            self.storage
                .publish(FileKey::Table(table.name), table, written)?;
        }
        self.storage.commit()?;
        self.parts.remove(name);
        self.commit_with_state_if_due(S::SAVE_INTERVAL, state)
    }

    /// Removes orphaned parts, which a run leaves that is killed between parts and records.
    pub(super) fn remove_orphans(&mut self, group: &TableGroup, ids: &[i32]) -> Result<()> {
        for table in &group.parts {
            let file = FileKey::Table(table.name);
            if self.storage.exists(file)? {
                let has_owner = |row: &TableRow| ids.binary_search(&row[0].id()).is_ok();
                let (written, _) = self.rewrite(table, has_owner, Vec::new())?;
                self.storage.publish(file, table, written)?;
            }
        }
        self.storage.commit()?;
        self.parts.remove(group.main.name);
        self.rewrite_state()
    }

    pub(super) fn finish_month(
        &mut self,
        table: &Table,
        written: Written,
        counts: Counts,
        (datasource, month): (i32, Month),
        state: &State,
    ) -> Result<()> {
        let rows = written.rows;
        let file = FileKey::Month(datasource, month);
        if counts == Counts::default() && self.storage.exists(file)? {
            // The file has these rows, whether or not that was known.
            let of = self.months.entry(datasource).or_default();
            of.insert(month, Some(rows));
            written.discard()?;
            return self.commit_with_state_if_due(self.state_interval, state);
        }
        let known_count = self.months.get(&datasource).and_then(|of| of.get(&month));
        if matches!(known_count, Some(Some(_))) {
            self.mark_uncertain(datasource, [month])?;
        }
        let of = self.months.entry(datasource).or_default();
        if rows == 0 {
            of.remove(&month);
            written.discard()?;
            self.storage.remove(file)?;
        } else {
            of.insert(month, Some(rows));
            self.storage.publish(file, table, written)?;
        }
        self.commit_with_state_if_due(self.state_interval, state)
    }
}

/// Parses a stored state.
pub(super) fn parse(text: &str) -> Result<(StoredState, State)> {
    let read: StoredState = serde_json::from_str(text)
        .with_context(|| format!("{STATE} is not the state of a copy"))?;
    let state = State::parse(&read.copy.to_string())?;
    Ok((read, state))
}
