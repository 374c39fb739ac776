//! What a folder keeps of itself, and the order in which files take their places around it.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::exchange::exchanged;
use super::file::{self, Writer, beside};
use super::{Folder, Months};
use crate::durable;
use crate::sync::month::Month;
use crate::sync::row::{Group, Row};
use crate::sync::state::State;
use crate::sync::target::Counts;

/// The file that says how far the copy is.
pub(super) const STATE: &str = "sync-state.json";

/// How long months are put in their places before it is kept how far that went.
pub(super) const KEEP_INTERVAL: Duration = Duration::from_secs(1);

/// The state file. `None` for a month's values: its file is being replaced, and may be the old or the new
/// one.
#[derive(Serialize)]
struct Kept<'a> {
    copy: &'a State,
    months: &'a Months,
    parts: &'a BTreeSet<String>,
}

#[derive(Deserialize)]
pub(super) struct Read {
    copy: serde_json::Value,
    pub(super) months: Months,
    #[serde(default)]
    pub(super) parts: BTreeSet<String>,
}

impl Folder {
    pub(super) fn keep(&mut self, state: &State) -> Result<()> {
        for datasource in std::mem::take(&mut self.touched) {
            durable::sync_folder(&self.values_folder(datasource))?;
        }
        let kept = Kept {
            copy: state,
            months: &self.months,
            parts: &self.parts,
        };
        let to = self.file(STATE);
        let from = beside(&to);
        let mut file = durable::create(&from).context("the state cannot be written")?;
        serde_json::to_writer(&mut file, &kept).context("the state cannot be written")?;
        durable::sync(&file, &from)?;
        durable::publish(&from, &to)?;
        self.state = Some(state.clone());
        self.kept = Instant::now();
        Ok(())
    }

    /// Notes that months may soon be others than they were.
    pub(super) fn doubt(
        &mut self,
        datasource: i32,
        months: impl IntoIterator<Item = Month>,
    ) -> Result<()> {
        let of = self.months.entry(datasource).or_default();
        of.extend(months.into_iter().map(|month| (month, None)));
        self.keep_again()
    }

    /// Keeps what changed beside the state.
    fn keep_again(&mut self) -> Result<()> {
        let state = self.state.clone().expect("kept before anything is written");
        self.keep(&state)
    }

    /// Puts the files of a group in their places, unless the only one is what is there already.
    pub(super) fn put_other(
        &mut self,
        group: &Group,
        written: Vec<file::Written>,
        counts: Counts,
        state: &State,
    ) -> Result<()> {
        let is_other = counts != Counts::default() || !written.iter().all(file::Written::is_there);
        if is_other || written.len() > 1 {
            return self.put(group, written, state);
        }
        for file in written {
            file.discard()?;
        }
        self.keep(state)
    }

    /// Puts the files of a group in their places.
    pub(super) fn put(
        &mut self,
        group: &Group,
        written: Vec<file::Written>,
        state: &State,
    ) -> Result<()> {
        let name = group.main.name;
        if !group.parts.is_empty() && self.parts.insert(name.to_owned()) {
            self.keep_again()?;
        }
        // The records last: what is missing or too much is told by them.
        for file in written.into_iter().rev() {
            file.publish(&self.file(STATE))?;
        }
        durable::sync_folder(&self.path)?;
        self.parts.remove(name);
        self.keep(state)
    }

    /// Removes parts of records that are not there: a run was ended before it put them in their place, and
    /// they may be gone by now.
    pub(super) fn remove_orphans(&mut self, group: &Group, ids: &[i32]) -> Result<()> {
        for table in &group.parts {
            let path = self.table_file(table);
            if path.exists() {
                let has_owner = |row: &Row| ids.binary_search(&row[0].id()).is_ok();
                let (written, _) = exchanged(table, &path, has_owner, Vec::new())?;
                written.publish(&self.file(STATE))?;
            }
        }
        durable::sync_folder(&self.path)?;
        self.parts.remove(group.main.name);
        self.keep_again()
    }

    pub(super) fn finish_month(
        &mut self,
        writer: Writer,
        (datasource, month): (i32, Month),
        state: &State,
    ) -> Result<()> {
        let rows = writer.rows;
        let written = writer.close()?;
        let there = self.months.get(&datasource).and_then(|of| of.get(&month));
        if matches!(there, Some(Some(_))) {
            self.doubt(datasource, [month])?;
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
        self.touched.insert(datasource);
        if self.kept.elapsed() < self.keep_interval {
            return Ok(());
        }
        self.keep(state)
    }
}

pub(super) fn parse(text: &str) -> Result<(Read, State)> {
    let read: Read =
        serde_json::from_str(text).with_context(|| format!("{STATE} is none of a copy"))?;
    let state = State::parse(&read.copy.to_string())?;
    Ok((read, state))
}

pub(super) fn remove(path: &Path) -> Result<()> {
    durable::remove(path).with_context(|| format!("{} cannot be removed", path.display()))
}
