//! What the steps of a synchronisation share: client, target, state, report and progress bar.
//!
//! It writes batches to the target. `run` decides which records are read, and in which order.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use obeya::{Client, Error};

use super::Args;
use super::report::{SyncProgress, SyncReport, TableReport};
use super::row::{GroupRows, TableGroup, TableRow};
use super::state::State;
use super::target::{Counts, RowUpdate, Scope, Target};

/// A run of `obeya sync`.
pub(super) struct SyncContext<'a> {
    pub(super) client: &'a Client,
    pub(super) target: Box<dyn Target>,
    pub(super) state: State,
    pub(super) args: &'a Args,
    pub(super) report: SyncReport,
    bar: SyncProgress,
}

impl<'a> SyncContext<'a> {
    pub(super) fn new(
        client: &'a Client,
        target: Box<dyn Target>,
        state: State,
        args: &'a Args,
    ) -> Self {
        SyncContext {
            client,
            target,
            state,
            args,
            report: SyncReport::default(),
            bar: SyncProgress::new(),
        }
    }

    /// Rows per request: `--page-size`, or this default.
    pub(super) fn page_size(&self, default: i32) -> i32 {
        self.args.page_size.unwrap_or(default)
    }

    /// Adds the outcome of a table to the report. A table that the client may not read is skipped and is no
    /// error.
    pub(super) fn record_outcome(
        &mut self,
        table: &'static str,
        done: Result<TableReport>,
    ) -> Result<()> {
        match done {
            Err(error) if status(&error) == Some(403) => self.skip(table, "may not be read"),
            done => {
                self.report.add(table, done?);
                Ok(())
            }
        }
    }

    /// The same for a list, which a service of an earlier version may not have.
    pub(super) fn record_list_outcome(
        &mut self,
        table: &'static str,
        done: Result<TableReport>,
    ) -> Result<()> {
        match done {
            Err(error) if status(&error) == Some(404) => self.skip(table, "is not served"),
            done => self.record_outcome(table, done),
        }
    }

    fn skip(&mut self, table: &'static str, reason: &'static str) -> Result<()> {
        // The scope may have been revoked in the middle of the table; the next table must not continue it.
        tokio::task::block_in_place(|| self.target.abandon())?;
        self.report.skipped(table, reason);
        Ok(())
    }

    pub(super) fn begin(&mut self, scope: Scope<'_>) -> Result<()> {
        match scope {
            Scope::All(group) => {
                self.claim(group)?;
                self.bar.at(group.main.name.to_owned());
            }
            Scope::Month(group, datasource, month) => {
                self.bar
                    .at(format!("{} of {datasource}, {month}", group.main.name));
            }
        }
        tokio::task::block_in_place(|| self.target.begin(scope))
    }

    /// Adds the tables of a group to those of the copy. A copy of an earlier version lacks tables of this
    /// version, and there may be tables of others with their names, which must not be changed.
    fn claim(&mut self, group: &TableGroup) -> Result<()> {
        for table in group.tables() {
            if !self.state.tables.insert(table.name.to_owned()) {
                continue;
            }
            let found = tokio::task::block_in_place(|| self.target.columns(table))?;
            // The state need not know a table of the copy: after a run that was killed, or one of an earlier
            // version, which does not pass on the names.
            let is_ours = table.names().all(|name| found.contains(name));
            if !found.is_empty() && !is_ours {
                bail!(
                    "it has a table `{}` that does not belong to the copy, expected another name for it, or --only without that table",
                    table.name
                );
            }
        }
        Ok(())
    }

    pub(super) fn push(&mut self, rows: GroupRows) -> Result<()> {
        self.bar.wrote(rows.main().len());
        tokio::task::block_in_place(|| self.target.push(rows))
    }

    pub(super) fn finish(&mut self) -> Result<Counts> {
        tokio::task::block_in_place(|| self.target.finish(&self.state))
    }

    pub(super) fn update_rows(
        &mut self,
        group: &TableGroup,
        column: usize,
        gone: &BTreeSet<i32>,
        rows: GroupRows,
    ) -> Result<Counts> {
        self.bar.at(group.main.name.to_owned());
        self.bar.wrote(rows.main().len());
        let exchange = RowUpdate {
            group,
            column,
            gone,
            rows,
        };
        tokio::task::block_in_place(|| self.target.update_rows(exchange, &self.state))
    }

    pub(super) fn put_values(
        &mut self,
        group: &TableGroup,
        datasource: i32,
        rows: &[TableRow],
    ) -> Result<Option<Counts>> {
        self.bar
            .at(format!("{} of {datasource}, changes", group.main.name));
        self.bar.wrote(rows.len());
        tokio::task::block_in_place(|| self.target.put_values(group, datasource, rows, &self.state))
    }
}

/// The status of the response that an error reports.
fn status(error: &anyhow::Error) -> Option<u16> {
    error.downcast_ref::<Error>().and_then(Error::status)
}
