//! One run: what is asked for, in which order.
//!
//! Lists come first, since records bear names that stand in them; comments before incidents, since what happens to comments while they are
//! read shows in the incidents.

use std::collections::{BTreeSet, HashSet};

use anyhow::Result;
use obeya::model::{Improvement, Incident, Timestamp};
use obeya::{Client, Error};

use super::records::Stamped as _;
use super::report::{Bar, Line, Report};
use super::row::{Group, Row, Rows, Table};
use super::state::{Finished, State};
use super::target::{Counts, Exchange, Scope, Target};
use super::{Args, What};
use super::{lists, records};
use crate::tables::{
    AREA, BOARD, CATEGORY, CAUSE, COMMENT, CONSEQUENCE, CUSTOM_FIELD, GROUP, IMPROVEMENT, VALUE,
    incident_scalars,
};

/// A run.
pub(super) struct Run<'a> {
    pub(super) client: &'a Client,
    pub(super) target: Box<dyn Target>,
    pub(super) state: State,
    pub(super) args: &'a Args,
    pub(super) report: Report,
    bar: Bar,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        client: &'a Client,
        target: Box<dyn Target>,
        state: State,
        args: &'a Args,
    ) -> Self {
        Run {
            client,
            target,
            state,
            args,
            report: Report::default(),
            bar: Bar::new(),
        }
    }

    /// Everything that is wanted and may be read.
    pub(super) async fn all(mut self) -> Result<Report> {
        let names = lists::organisation(&mut self).await?;
        // Records bear the names of groups and types. A service of this interface need not stamp them when these change.
        let renamed = names.is_some() && names != self.state.names;
        let anew = self.args.full || renamed;
        self.incidents(anew).await?;
        if self.args.wants(What::Improvements) {
            let done = records::sync::<Improvement>(&mut self, anew, None).await;
            self.told("improvements", done.map(|done| done.line))?;
        }
        if renamed && self.has_read_all_records() {
            self.state.names = names;
        }
        super::values::sync(&mut self).await?;
        let is_exact = self.report.is_exact();
        self.state.finished = Some(Finished {
            at: Timestamp::now(),
            is_exact,
        });
        self.target.save(&self.state)?;
        Ok(self.report)
    }

    /// Whether this run read all kinds of records that the copy has.
    fn has_read_all_records(&self) -> bool {
        let kinds = [
            (Incident::NAME, What::Incidents),
            (Improvement::NAME, What::Improvements),
        ];
        kinds.into_iter().all(|(name, what)| {
            let is_read = self.args.wants(what) && self.report.has(name);
            is_read || !self.state.records.contains_key(name)
        })
    }

    /// Incidents and the comments on them, which come and go with them.
    async fn incidents(&mut self, anew: bool) -> Result<()> {
        if !self.args.wants(What::Incidents) {
            if self.args.wants(What::Comments) {
                let done = lists::comments(self).await;
                self.told("comments", done)?;
            }
            return Ok(());
        }
        // Noted before the comments are read: whatever happens to an incident from here on, its comments are read once more.
        let before = match records::latest::<Incident>(self.client).await {
            Ok((_, mark)) => mark,
            Err(error) => return self.told("incidents", Err(error)),
        };
        let mut comments = None;
        if self.args.wants(What::Comments) {
            comments = Some(lists::comments(self).await);
        }
        let done = records::sync::<Incident>(self, anew, Some(before)).await;
        let line = match done {
            Ok(done) => {
                let mut line = done.line;
                if let Some(Ok(comments)) = &mut comments {
                    self.follow(done.touched, &mut line, comments).await?;
                }
                Ok(line)
            }
            Err(error) => Err(error),
        };
        self.told("incidents", line)?;
        comments.map_or(Ok(()), |done| self.told("comments", done))
    }

    /// Reads the comments on incidents anew that changed while comments were read, until none does.
    async fn follow(
        &mut self,
        mut touched: HashSet<i32>,
        incidents: &mut Line,
        comments: &mut Line,
    ) -> Result<()> {
        let mut rounds = 0;
        while !touched.is_empty() && rounds < records::ROUNDS {
            lists::comments_of(self, &touched).await?;
            let more = records::sync::<Incident>(self, false, None).await?;
            incidents.rows = more.line.rows;
            incidents.counts += more.line.counts;
            incidents.is_exact = more.line.is_exact;
            touched = more.touched;
            rounds += 1;
        }
        comments.is_exact &= touched.is_empty();
        let there = tokio::task::block_in_place(|| self.target.ids(&self::comments()))?;
        comments.rows = there.len() as u64;
        Ok(())
    }

    /// Takes note of what a table came to. What the client may not read is no failure: the copy is of what it may.
    pub(super) fn told(&mut self, table: &'static str, done: Result<Line>) -> Result<()> {
        match done {
            Ok(line) => self.report.add(table, line),
            Err(error) if is_forbidden(&error) => self.report.forbidden(table),
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
    ) -> Result<()> {
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

/// Incidents with their parts, and a column for each custom field.
pub(super) fn incidents(state: &State) -> Group {
    let mut main = Table::of("incidents", 1, None, incident_scalars());
    main.add_texts(state.fields.columns());
    Group {
        main,
        parts: vec![
            Table::of("incident_consequences", 2, OWNER, &CONSEQUENCE),
            Table::of("incident_categories", 2, OWNER, &CATEGORY),
            Table::of("incident_causes", 2, OWNER, &CAUSE),
            Table::of("incident_custom_fields", 2, OWNER, &CUSTOM_FIELD),
        ],
    }
}

const OWNER: Option<&str> = Some("incident_id");

/// The names of the incidents' own columns, which no custom field gets.
pub(super) fn own_columns() -> BTreeSet<String> {
    let table = Table::of("incidents", 1, None, incident_scalars());
    table.names().map(str::to_owned).collect()
}

pub(super) fn improvements() -> Group {
    Group::alone(Table::of("improvements", 1, None, &IMPROVEMENT))
}

pub(super) fn comments() -> Group {
    let table = Table::of("comments", 1, None, &COMMENT);
    Group::alone(table.indexed(&["incident_id"]))
}

pub(super) fn boards() -> Group {
    Group::alone(Table::of("boards", 1, None, &BOARD))
}

pub(super) fn groups() -> Group {
    Group::alone(Table::of("groups", 1, None, &GROUP))
}

pub(super) fn areas() -> Group {
    Group::alone(Table::of("areas", 1, None, &AREA))
}

pub(super) fn types() -> Group {
    Group::alone(Table::of("incident_types", 1, None, &lists::TYPE))
}

pub(super) fn datasources() -> Group {
    Group::alone(Table::of("datasources", 1, None, &lists::DATASOURCE))
}

pub(super) fn values() -> Group {
    let table = Table::of("datasource_values", 1, None, &VALUE);
    Group::alone(table.indexed(&["datasource_id", "value_date"]))
}

/// The names of all tables of a copy.
pub(super) fn tables() -> BTreeSet<&'static str> {
    let state = State::new(super::Source {
        url: String::new(),
        client_id: String::new(),
    });
    let groups = [
        incidents(&state),
        improvements(),
        comments(),
        boards(),
        groups(),
        areas(),
        types(),
        datasources(),
        values(),
    ];
    let names = groups.iter().flat_map(Group::tables);
    names.map(|table| table.name).collect()
}
