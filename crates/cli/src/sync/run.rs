//! One run: what is asked for, in which order.
//!
//! Lists come first, since records bear names that stand in them. Comments have no stamps: all of them are read before the incidents, since what
//! happens to comments while they are read shows in the incidents; or, once the copy has them, those of the incidents that changed.

use std::collections::BTreeSet;

use anyhow::Result;
use obeya::model::{
    self, Area, Board, CategoryReference, CauseReference, Datasource, DatasourceValue, Improvement,
    Incident, IncidentComment, IncidentConsequence, IncidentCustomField, IncidentTypeSummary,
    Timestamp,
};
use obeya::tables::{Tabular as _, scalars};
use obeya::{Client, Error};

use super::records::Stamped as _;
use super::report::{Bar, Line, Report};
use super::row::{Group, Row, Rows, Table};
use super::state::{Finished, State};
use super::target::{Counts, Exchange, Scope, Target};
use super::{Args, What};
use super::{lists, records};

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
            self.told("improvements", done)?;
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

    /// Rows to a request, which are so many if nobody says otherwise.
    pub(super) fn page_size(&self, default: i32) -> i32 {
        self.args.page_size.unwrap_or(default)
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
        let mut wants_comments = self.args.wants(What::Comments);
        if !self.args.wants(What::Incidents) {
            if wants_comments {
                let done = lists::comments(self).await;
                self.told("comments", done)?;
            }
            return Ok(());
        }
        let mut since = None;
        let mut all = None;
        if wants_comments && (anew || !self.may_follow_comments().await?) {
            // Noted before the comments are read: whatever happens to an incident from here on, its comments are read once more.
            since = match records::latest::<Incident>(self.client).await {
                Ok((_, mark)) => Some(mark),
                Err(error) => return self.told("incidents", Err(error)),
            };
            match lists::comments(self).await {
                Ok(line) => all = Some(line),
                Err(error) => {
                    self.told("comments", Err(error))?;
                    wants_comments = false;
                }
            }
        }
        let mut line = match records::sync::<Incident>(self, anew, since).await {
            Ok(line) => line,
            Err(error) => return self.told("incidents", Err(error)),
        };
        let comments = if wants_comments {
            Some(self.follow(all, &mut line).await)
        } else {
            None
        };
        self.told("incidents", Ok(line))?;
        comments.map_or(Ok(()), |done| self.told("comments", done))
    }

    /// Whether the copy has the comments on its incidents, and whatever happens to them shows in the stamps of these.
    async fn may_follow_comments(&self) -> Result<bool> {
        let has_both =
            self.state.comments.is_some() && self.state.records.contains_key(Incident::NAME);
        Ok(has_both && self.client.comments().stamp_incidents().await?)
    }

    /// Reads the comments on incidents anew that changed, until none does. `all` is what came of reading all comments, if this run has done so.
    async fn follow(&mut self, all: Option<Line>, incidents: &mut Line) -> Result<Line> {
        let mut counts = all.unwrap_or_default().counts;
        let mut is_exact = false;
        for round in 0..=records::ROUNDS {
            let changed = self.state.comments.clone();
            // They are counted even if this run has read them all: those of an incident that was deleted before the incidents were read went with
            // one that the copy never had.
            is_exact = changed.as_ref().is_some_and(BTreeSet::is_empty)
                && lists::has_all_comments(self).await?;
            if is_exact || round == records::ROUNDS {
                break;
            }
            counts += match changed {
                Some(changed) if !changed.is_empty() => lists::comments_of(self, changed).await?,
                // More incidents changed than are followed, or comments came and went and no incident tells.
                _ => lists::comments(self).await?.counts,
            };
            let more = records::sync::<Incident>(self, false, None).await?;
            incidents.rows = more.rows;
            incidents.counts += more.counts;
            incidents.is_exact = more.is_exact;
        }
        Ok(Line {
            rows: self.comments()?,
            counts,
            is_exact,
        })
    }

    /// How many comments the copy has.
    pub(super) fn comments(&mut self) -> Result<u64> {
        tokio::task::block_in_place(|| self.target.rows(&comments()))
    }

    /// Takes note of what a table came to. What the client may not read is no failure: the copy is of what it may.
    pub(super) fn told(&mut self, table: &'static str, done: Result<Line>) -> Result<()> {
        match done {
            Ok(line) => self.report.add(table, line),
            Err(error) if is_forbidden(&error) => {
                // The right may have been taken away amid the table, and what comes next is no part of it.
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

/// Incidents with their parts, and a column for each custom field.
pub(super) fn incidents(state: &State) -> Group {
    let mut main = Table::of("incidents", 1, None, scalars::<Incident>());
    main.add_texts(state.fields.columns());
    Group {
        main,
        parts: vec![
            Table::of(
                "incident_consequences",
                2,
                OWNER,
                IncidentConsequence::columns(),
            ),
            Table::of(
                "incident_categories",
                2,
                OWNER,
                CategoryReference::columns(),
            ),
            Table::of("incident_causes", 2, OWNER, CauseReference::columns()),
            Table::of(
                "incident_custom_fields",
                2,
                OWNER,
                IncidentCustomField::columns(),
            ),
        ],
    }
}

const OWNER: Option<&str> = Some("incident_id");

/// The names of the incidents' own columns, which no custom field gets.
pub(super) fn own_columns() -> BTreeSet<String> {
    let table = Table::of("incidents", 1, None, scalars::<Incident>());
    table.names().map(str::to_owned).collect()
}

pub(super) fn improvements() -> Group {
    Group::alone(Table::of("improvements", 1, None, Improvement::columns()))
}

pub(super) fn comments() -> Group {
    let table = Table::of("comments", 1, None, IncidentComment::columns());
    Group::alone(table.indexed(&["incident_id"]))
}

pub(super) fn boards() -> Group {
    Group::alone(Table::of("boards", 1, None, Board::columns()))
}

pub(super) fn groups() -> Group {
    Group::alone(Table::of("groups", 1, None, model::Group::columns()))
}

pub(super) fn areas() -> Group {
    Group::alone(Table::of("areas", 1, None, Area::columns()))
}

pub(super) fn types() -> Group {
    Group::alone(Table::of(
        "incident_types",
        1,
        None,
        IncidentTypeSummary::columns(),
    ))
}

pub(super) fn datasources() -> Group {
    Group::alone(Table::of("datasources", 1, None, Datasource::columns()))
}

pub(super) fn values() -> Group {
    let table = Table::of("datasource_values", 1, None, DatasourceValue::columns());
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
