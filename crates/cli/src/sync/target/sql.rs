//! A copy in a database: each step is one transaction, its rows and the state in it, so that the copy is
//! whole at any moment.
//!
//! Statements are written once, in words that both engines understand; what they do not share is asked of
//! [`Database`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use anyhow::{Result, bail};

use super::{Counts, Exchange, Scope, Target};
use crate::sync::month::Month;
use crate::sync::row::{Group, Named, Row, Rows, Table, Value};
use crate::sync::state::State;
use obeya::tables::Kind;

/// Where the state is kept.
const STATE: &str = "obeya_sync";

/// Reads it.
pub(super) const KEPT: &str =
    "SELECT value, CAST(0 AS bigint) FROM obeya_sync WHERE name = 'state'";

/// Ids in one statement, which are part of its text.
const IDS: usize = 5_000;

/// What engines do not share. Placeholders are `?1`, `?2` ….
pub(in crate::sync) trait Database: Send {
    /// The type of a column.
    fn type_of(kind: Kind) -> &'static str;

    /// An expression that gives the month of a column of instants, as `2026-03`.
    fn month_of(column: &str) -> String;

    /// What begins a transaction that writes.
    const BEGIN: &'static str;

    /// Runs statements.
    fn run(&mut self, sql: &str) -> Result<()>;

    /// Runs a statement; the number of rows it changed.
    fn execute(&mut self, sql: &str, binds: &[Value]) -> Result<u64>;

    /// Runs a query that gives a text and a 64-bit integer.
    fn pairs(&mut self, sql: &str, binds: &[Value]) -> Result<Vec<(String, i64)>>;

    /// Adds rows, the fastest way there is.
    fn append(&mut self, table: &str, columns: &[Named], rows: &[Row]) -> Result<()>;

    /// The names of the tables where ours would be.
    fn tables(&mut self) -> Result<BTreeSet<String>>;

    /// The columns of a table; none if it is not there.
    fn columns(&mut self, table: &str) -> Result<BTreeSet<String>>;
}

/// A copy in a database.
pub(in crate::sync) struct Sql<D> {
    database: D,
    /// How many columns each table is known to have.
    made: HashMap<&'static str, usize>,
    begun: Option<Begun>,
}

/// Rows of a table: a condition that follows others, and its values.
struct Within {
    condition: String,
    binds: Vec<Value>,
}

/// What is being replaced.
struct Begun {
    group: Group,
    month: Option<(i32, Month)>,
}

impl<D: Database> Sql<D> {
    /// Takes a database as a target.
    ///
    /// # Errors
    /// When something else is there.
    pub(in crate::sync) fn open(mut database: D, ours: &BTreeSet<&str>) -> Result<Self> {
        let tables = database.tables()?;
        if !tables.contains(STATE) {
            if let Some(other) = tables.iter().find(|table| ours.contains(table.as_str())) {
                bail!(
                    "it has a table `{other}` that is of no copy, expected a database of its own for the copy"
                );
            }
            let make = format!("CREATE TABLE {STATE} (name text PRIMARY KEY, value text NOT NULL)");
            database.run(&make)?;
        }
        Ok(Sql {
            database,
            made: HashMap::new(),
            begun: None,
        })
    }

    fn keep(&mut self, state: &State) -> Result<()> {
        let sql = format!(
            "INSERT INTO {STATE} (name, value) VALUES ('state', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        );
        self.database.execute(&sql, &[Value::Text(state.text())])?;
        Ok(())
    }

    /// Runs work in a transaction.
    fn transaction<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.database.run(D::BEGIN)?;
        match work(self) {
            Ok(done) => {
                self.database.run("COMMIT")?;
                Ok(done)
            }
            Err(error) => {
                // The engine undoes it in any case when the connection ends, which is what an error leads to.
                let _ = self.database.run("ROLLBACK");
                Err(error)
            }
        }
    }

    /// Makes the tables of a group, or adds the columns they have got.
    fn ensure(&mut self, group: &Group) -> Result<()> {
        for table in group.tables() {
            if self.made.get(table.name) == Some(&table.columns.len()) {
                continue;
            }
            let there = self.database.columns(table.name)?;
            if there.is_empty() {
                self.database.run(&create::<D>(table))?;
            }
            for column in &table.columns {
                if !there.is_empty() && !there.contains(&column.name) {
                    let (name, of) = (quoted(&column.name), D::type_of(column.kind));
                    let add = format!("ALTER TABLE {} ADD COLUMN {name} {of}", table.name);
                    self.database.run(&add)?;
                }
            }
            self.made.insert(table.name, table.columns.len());
        }
        Ok(())
    }

    fn remove(&mut self, table: &Table, column: usize, ids: &BTreeSet<i32>) -> Result<u64> {
        let mut removed = 0;
        for some in among(table, column, ids) {
            let sql = format!("DELETE FROM {} WHERE {some}", table.name);
            removed += self.database.execute(&sql, &[])?;
        }
        Ok(removed)
    }

    /// Makes the table in which rows wait until all are there; it ends with the transaction.
    fn stage(&mut self, table: &Table) -> Result<()> {
        self.database.run(&format!(
            "CREATE TEMP TABLE {} AS SELECT {} FROM {} WHERE 1 = 0",
            stage(table),
            list(table.names()),
            table.name
        ))
    }

    fn unstage(&mut self, table: &Table) -> Result<()> {
        self.database.run(&format!("DROP TABLE {}", stage(table)))
    }

    fn replaced(&mut self, begun: &Begun, state: &State) -> Result<Counts> {
        let main = &begun.group.main;
        let counts = self.merge(main, &[within(begun.month)])?;
        for part in &begun.group.parts {
            // A part has no life of its own: what a record has now is all there is.
            let (name, columns) = (part.name, list(part.names()));
            self.database.run(&format!(
                "DELETE FROM {name}; INSERT INTO {name} ({columns}) SELECT {columns} FROM {}",
                stage(part)
            ))?;
        }
        for table in begun.group.tables() {
            self.unstage(table)?;
        }
        self.keep(state)?;
        Ok(counts)
    }

    /// Makes a table what its stage is, touching only rows that differ. Of the rows that its stage has not,
    /// those go that are within what is given.
    fn merge(&mut self, table: &Table, within: &[Within]) -> Result<Counts> {
        let (name, stage) = (table.name, stage(table));
        let keys: Vec<String> = table.names().take(table.key).map(quoted).collect();
        let same: Vec<String> = keys
            .iter()
            .map(|key| format!("{name}.{key} = s.{key}"))
            .collect();
        let (keys, same) = (keys.join(", "), same.join(" AND "));
        self.database
            .run(&format!("CREATE INDEX {stage}_key ON {stage} ({keys})"))?;
        let added = format!(
            "SELECT '', count(*) FROM {stage} AS s WHERE NOT EXISTS (SELECT 1 FROM {name} WHERE {same})"
        );
        let added = self.number(&added, &[])?;
        let rest: Vec<String> = table.names().skip(table.key).map(quoted).collect();
        let set: Vec<String> = rest
            .iter()
            .map(|column| format!("{column} = excluded.{column}"))
            .collect();
        let differs: Vec<String> = rest
            .iter()
            .map(|column| format!("{name}.{column} IS DISTINCT FROM excluded.{column}"))
            .collect();
        let columns = list(table.names());
        // `WHERE true`: without it SQLite takes ON for the beginning of a join.
        let written = self.database.execute(
            &format!(
                "INSERT INTO {name} ({columns}) SELECT {columns} FROM {stage} WHERE true ON CONFLICT ({keys}) DO UPDATE SET {} WHERE {}",
                set.join(", "),
                differs.join(" OR ")
            ),
            &[],
        )?;
        let mut deleted = 0;
        for Within { condition, binds } in within {
            let delete = format!(
                "DELETE FROM {name} WHERE NOT EXISTS (SELECT 1 FROM {stage} AS s WHERE {same}){condition}"
            );
            deleted += self.database.execute(&delete, binds)?;
        }
        Ok(Counts {
            added,
            changed: written.saturating_sub(added),
            deleted,
        })
    }

    fn number(&mut self, sql: &str, binds: &[Value]) -> Result<u64> {
        let pairs = self.database.pairs(sql, binds)?;
        Ok(pairs
            .first()
            .and_then(|(_, number)| u64::try_from(*number).ok())
            .unwrap_or_default())
    }
}

impl<D: Database> Target for Sql<D> {
    fn state(&mut self) -> Result<Option<State>> {
        let found = self.database.pairs(KEPT, &[])?;
        found
            .first()
            .map(|(text, _)| State::parse(text))
            .transpose()
    }

    fn save(&mut self, state: &State) -> Result<()> {
        self.keep(state)
    }

    fn begin(&mut self, scope: Scope<'_>) -> Result<()> {
        let (group, month) = match scope {
            Scope::All(group) => (group, None),
            Scope::Month(group, datasource, month) => (group, Some((datasource, month))),
        };
        self.ensure(group)?;
        self.database.run(D::BEGIN)?;
        self.begun = Some(Begun {
            group: group.clone(),
            month,
        });
        for table in group.tables() {
            self.stage(table)?;
        }
        Ok(())
    }

    fn push(&mut self, rows: Rows) -> Result<()> {
        let begun = self.begun.as_ref().expect("begun before");
        for (table, rows) in begun.group.tables().zip(&rows.0) {
            self.database.append(&stage(table), &table.columns, rows)?;
        }
        Ok(())
    }

    fn finish(&mut self, state: &State) -> Result<Counts> {
        let begun = self.begun.take().expect("begun before");
        let counts = self.replaced(&begun, state)?;
        self.database.run("COMMIT")?;
        Ok(counts)
    }

    fn abandon(&mut self) -> Result<()> {
        if self.begun.take().is_some() {
            self.database.run("ROLLBACK")?;
        }
        Ok(())
    }

    fn exchange(&mut self, exchange: Exchange<'_>, state: &State) -> Result<Counts> {
        self.ensure(exchange.group)?;
        self.transaction(|sql| {
            let Exchange {
                group,
                column,
                gone,
                rows,
            } = exchange;
            let main = &group.main;
            sql.stage(main)?;
            sql.database
                .append(&stage(main), &main.columns, rows.main())?;
            let within = among(main, column, gone).map(|some| Within {
                condition: format!(" AND {some}"),
                binds: Vec::new(),
            });
            let counts = sql.merge(main, &within.collect::<Vec<_>>())?;
            sql.unstage(main)?;
            for (part, rows) in group.parts.iter().zip(&rows.0[1..]) {
                sql.remove(part, 0, gone)?;
                sql.database.append(part.name, &part.columns, rows)?;
            }
            sql.keep(state)?;
            Ok(counts)
        })
    }

    fn ids(&mut self, group: &Group) -> Result<Vec<i32>> {
        self.ensure(group)?;
        let sql = format!(
            "SELECT '', CAST(id AS bigint) FROM {} ORDER BY id",
            group.main.name
        );
        let pairs = self.database.pairs(&sql, &[])?;
        pairs
            .into_iter()
            .map(|(_, id)| Ok(i32::try_from(id)?))
            .collect()
    }

    fn rows(&mut self, group: &Group) -> Result<u64> {
        self.ensure(group)?;
        let sql = format!("SELECT '', count(*) FROM {}", group.main.name);
        let pairs = self.database.pairs(&sql, &[])?;
        let count = pairs.into_iter().map(|(_, count)| u64::try_from(count));
        Ok(count.sum::<Result<u64, _>>()?)
    }

    fn put_values(
        &mut self,
        group: &Group,
        datasource: i32,
        rows: &[Row],
        state: &State,
    ) -> Result<Option<Counts>> {
        self.ensure(group)?;
        let ids = rows.iter().map(|row| row[0].id()).collect();
        let table = &group.main;
        let _ = datasource;
        self.transaction(|sql| {
            let changed = sql.remove(table, 0, &ids)?;
            sql.database.append(table.name, &table.columns, rows)?;
            sql.keep(state)?;
            Ok(Some(Counts {
                added: (rows.len() as u64).saturating_sub(changed),
                changed,
                deleted: 0,
            }))
        })
    }

    fn count(&mut self, group: &Group, datasource: i32) -> Result<Option<u64>> {
        self.ensure(group)?;
        let sql = format!(
            "SELECT '', count(*) FROM {} WHERE datasource_id = ?1",
            group.main.name
        );
        self.number(&sql, &[Value::Int(datasource)]).map(Some)
    }

    fn months(&mut self, group: &Group, datasource: i32) -> Result<BTreeMap<Month, Option<u64>>> {
        self.ensure(group)?;
        let month = D::month_of("value_date");
        let sql = format!(
            "SELECT {month}, count(*) FROM {} WHERE datasource_id = ?1 GROUP BY 1",
            group.main.name
        );
        let pairs = self.database.pairs(&sql, &[Value::Int(datasource)])?;
        pairs
            .into_iter()
            .map(|(month, count)| {
                let month: Month = month.parse().map_err(anyhow::Error::msg)?;
                Ok((month, u64::try_from(count).ok()))
            })
            .collect()
    }

    fn drop_values(&mut self, group: &Group, datasource: i32, state: &State) -> Result<u64> {
        self.ensure(group)?;
        let sql = format!("DELETE FROM {} WHERE datasource_id = ?1", group.main.name);
        self.transaction(|target| {
            let removed = target.database.execute(&sql, &[Value::Int(datasource)])?;
            target.keep(state)?;
            Ok(removed)
        })
    }
}

fn create<D: Database>(table: &Table) -> String {
    let columns = table.columns.iter().enumerate().map(|(place, column)| {
        let not_null = if place < table.key { " NOT NULL" } else { "" };
        format!(
            "{} {}{not_null}",
            quoted(&column.name),
            D::type_of(column.kind)
        )
    });
    let columns: Vec<String> = columns.collect();
    let key = list(table.names().take(table.key));
    let name = table.name;
    let mut sql = format!(
        "CREATE TABLE {name} ({}, PRIMARY KEY ({key}));",
        columns.join(", ")
    );
    if !table.index.is_empty() {
        let columns = list(table.index.iter().copied());
        let _ = write!(
            sql,
            "CREATE INDEX {name}_by_{} ON {name} ({columns});",
            table.index.join("_")
        );
    }
    sql
}

/// A month of a datasource's values, or everything.
fn within(month: Option<(i32, Month)>) -> Within {
    let (mut condition, mut binds) = (String::new(), Vec::new());
    if let Some((datasource, month)) = month {
        condition.push_str(" AND datasource_id = ?1 AND value_date >= ?2");
        binds.extend([Value::Int(datasource), Value::Instant(month.start())]);
        if let Some(after) = month.after() {
            condition.push_str(" AND value_date < ?3");
            binds.push(Value::Instant(after));
        }
    }
    Within { condition, binds }
}

/// Conditions that a column has one of these ids, some of them in each.
fn among(table: &Table, column: usize, ids: &BTreeSet<i32>) -> impl Iterator<Item = String> {
    let column = quoted(&table.columns[column].name);
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    // Integers, so there is nothing to escape; a placeholder for each would be more than engines take.
    let some = move |ids: &[String]| format!("{column} IN ({})", ids.join(","));
    let all: Vec<String> = ids.chunks(IDS).map(some).collect();
    all.into_iter()
}

/// Where rows wait until all are there.
fn stage(table: &Table) -> String {
    format!("stage_{}", table.name)
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(quoted).collect::<Vec<_>>().join(", ")
}

/// Labels become names of columns, and may be words of SQL.
pub(super) fn quoted(name: impl AsRef<str>) -> String {
    format!("\"{}\"", name.as_ref().replace('"', "\"\""))
}
