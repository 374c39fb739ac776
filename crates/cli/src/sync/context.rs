//! What the steps of a synchronisation share: the service, the copy, the state, the report and the progress
//! bar.
//!
//! It writes batches to the copy. Which records are read, and in which order, is decided in `run`.

use std::collections::BTreeSet;

use anyhow::Result;
use obeya::{Client, Error};

use super::Args;
use super::report::{Bar, Line, Report};
use super::row::{Group, Row, Rows};
use super::schema;
use super::state::State;
use super::target::{Counts, Exchange, Scope, Target};

/// One synchronisation.
pub(super) struct SyncContext<'a> {
    pub(super) client: &'a Client,
    pub(super) target: Box<dyn Target>,
    pub(super) state: State,
    pub(super) args: &'a Args,
    pub(super) report: Report,
    bar: Bar,
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
            report: Report::default(),
            bar: Bar::new(),
        }
    }

    /// Rows to a request, which are so many if nobody says otherwise.
    pub(super) fn page_size(&self, default: i32) -> i32 {
        self.args.page_size.unwrap_or(default)
    }

    /// How many comments the copy has.
    pub(super) fn comments(&mut self) -> Result<u64> {
        tokio::task::block_in_place(|| self.target.rows(&schema::comments()))
    }

    /// Adds the outcome of a table to the report. A table that the client may not read is no failure: the
    /// copy holds what the client may read.
    pub(super) fn record_outcome(&mut self, table: &'static str, done: Result<Line>) -> Result<()> {
        match done {
            Ok(line) => self.report.add(table, line),
            Err(error) if is_forbidden(&error) => {
                // The scope may have been revoked amid the table; the next table must not continue it.
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

    pub(super) fn push(&mut self, rows: Rows) -> Result<()> {
        self.bar.wrote(rows.main().len());
        tokio::task::block_in_place(|| self.target.push(rows))
    }

    pub(super) fn finish(&mut self) -> Result<Counts> {
        tokio::task::block_in_place(|| self.target.finish(&self.state))
    }

    pub(super) fn exchange(
        &mut self,
        group: &Group,
        column: usize,
        gone: &BTreeSet<i32>,
        rows: Rows,
    ) -> Result<Counts> {
        self.bar.at(group.main.name.to_owned());
        self.bar.wrote(rows.main().len());
        let exchange = Exchange {
            group,
            column,
            gone,
            rows,
        };
        tokio::task::block_in_place(|| self.target.exchange(exchange, &self.state))
    }

    pub(super) fn put_values(
        &mut self,
        group: &Group,
        datasource: i32,
        rows: &[Row],
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
