//! What the steps of a synchronisation share: client, target, state, report and progress bar.
//!
//! It writes batches to the target. `run` decides which records are read, and in which order.

use std::collections::BTreeSet;

use anyhow::Result;
use obeya::{Client, Error};

use super::Args;
use super::report::{SyncProgress, SyncReport, TableReport};
use super::row::{GroupRows, TableGroup, TableRow};
use super::schema;
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

    /// The number of comments in the copy.
    pub(super) fn comments(&mut self) -> Result<u64> {
        tokio::task::block_in_place(|| self.target.rows(&schema::comments()))
    }

    /// Adds the outcome of a table to the report. A table that the client may not read is skipped and is no
    /// error.
    pub(super) fn record_outcome(
        &mut self,
        table: &'static str,
        done: Result<TableReport>,
    ) -> Result<()> {
        match done {
            Ok(line) => self.report.add(table, line),
            Err(error) if is_forbidden(&error) => {
                // The scope may have been revoked in the middle of the table; the next table must not
                // continue it.
                tokio::task::block_in_place(|| self.target.abandon())?;
                self.report.forbidden(table);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    pub(super) fn begin(&mut self, scope: Scope<'_>) -> Result<()> {
        match scope {
            Scope::All(group) => self.bar.at(group.main.name.to_owned()),
            Scope::Month(group, datasource, month) => {
                self.bar
                    .at(format!("{} of {datasource}, {month}", group.main.name));
            }
        }
        tokio::task::block_in_place(|| self.target.begin(scope))
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

/// Whether the client lacks the scope.
pub(super) fn is_forbidden(error: &anyhow::Error) -> bool {
    let status = error.downcast_ref::<Error>().and_then(Error::status);
    status == Some(403)
}
