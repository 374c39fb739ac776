//! A copy in a database. Each step is one transaction with its rows and the state, so the copy is consistent
//! at any moment.
//!
//! Statements are written once, in SQL that both engines understand; [`SqlEngine`] has the differences.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use anyhow::{Result, bail};

use super::{Counts, RowUpdate, Scope, Target};
use crate::sync::month::Month;
use crate::sync::row::{CellValue, ColumnSpec, GroupRows, Table, TableGroup, TableRow};
use crate::sync::state::State;
use obeya::tables::Kind;

/// The table that stores the state.
const STATE_TABLE: &str = "obeya_sync";

/// Reads the state.
pub(super) const SELECT_STATE: &str =
    "SELECT value, CAST(0 AS bigint) FROM obeya_sync WHERE name = 'state'";

/// The maximum number of ids in the text of one statement.
const IDS_PER_STATEMENT: usize = 5_000;

/// The differences between engines. Placeholders are `?1`, `?2` ….
pub(in crate::sync) trait SqlEngine: Send {
    /// The type of a column.
    fn type_of(kind: Kind) -> &'static str;

    /// An expression for the month of an instant column, such as `2026-03`.
    fn month_of(column: &str) -> String;

    /// The statement that begins a write transaction.
    const BEGIN: &'static str;

    /// Runs statements.
    fn run(&mut self, sql: &str) -> Result<()>;

    /// Runs a statement; returns the number of rows it changed.
    fn execute(&mut self, sql: &str, binds: &[CellValue]) -> Result<u64>;

    /// Runs a query whose rows are a text and a 64-bit integer.
    fn pairs(&mut self, sql: &str, binds: &[CellValue]) -> Result<Vec<(String, i64)>>;

    /// Inserts rows in bulk.
    fn append(&mut self, table: &str, columns: &[ColumnSpec], rows: &[TableRow]) -> Result<()>;

    /// The names of the tables in the schema of the copy.
    fn tables(&mut self) -> Result<BTreeSet<String>>;

    /// The columns of a table; empty if it does not exist.
    fn columns(&mut self, table: &str) -> Result<BTreeSet<String>>;
}

/// A copy in a engine.
pub(in crate::sync) struct SqlTarget<D> {
    engine: D,
    /// The number of columns each table is known to have.
    known_columns: HashMap<&'static str, usize>,
    replacement: Option<Replacement>,
}

/// A condition on rows, to append to others, and its parameters.
struct RowCondition {
    condition: String,
    binds: Vec<CellValue>,
}

/// The replacement in progress.
struct Replacement {
    group: TableGroup,
    month: Option<(i32, Month)>,
}

impl<D: SqlEngine> SqlTarget<D> {
    /// Opens a database as a target.
    ///
    /// # Errors
    /// When it contains tables of another program with our names.
    pub(in crate::sync) fn open(mut engine: D, ours: &BTreeSet<&str>) -> Result<Self> {
        let tables = engine.tables()?;
        if !tables.contains(STATE_TABLE) {
            if let Some(other) = tables.iter().find(|table| ours.contains(table.as_str())) {
                bail!(
                    "it has a table `{other}` that does not belong to a copy, expected a database or schema without such tables"
                );
            }
            let make =
                format!("CREATE TABLE {STATE_TABLE} (name text PRIMARY KEY, value text NOT NULL)");
            engine.run(&make)?;
        }
        Ok(SqlTarget {
            engine,
            known_columns: HashMap::new(),
            replacement: None,
        })
    }

    fn write_state(&mut self, state: &State) -> Result<()> {
        let sql = format!(
            "INSERT INTO {STATE_TABLE} (name, value) VALUES ('state', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        );
        self.engine
            .execute(&sql, &[CellValue::Text(state.text())])?;
        Ok(())
    }

    /// Runs work in a transaction.
    fn transaction<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.engine.run(D::BEGIN)?;
        match work(self) {
            Ok(done) => {
                self.engine.run("COMMIT")?;
                Ok(done)
            }
            Err(error) => {
                // An error closes the connection, and the engine then rolls back in any case.
                let _ = self.engine.run("ROLLBACK");
                Err(error)
            }
        }
    }

    /// Creates the tables of a group, or adds their new columns.
    fn ensure(&mut self, group: &TableGroup) -> Result<()> {
        for table in group.tables() {
            if self.known_columns.get(table.name) == Some(&table.columns.len()) {
                continue;
            }
            let existing = self.engine.columns(table.name)?;
            if existing.is_empty() {
                self.engine.run(&create::<D>(table))?;
            }
            for column in &table.columns {
                if !existing.is_empty() && !existing.contains(&column.name) {
                    let (name, of) = (quoted(&column.name), D::type_of(column.kind));
                    let add = format!("ALTER TABLE {} ADD COLUMN {name} {of}", table.name);
                    self.engine.run(&add)?;
                }
            }
            self.known_columns.insert(table.name, table.columns.len());
        }
        Ok(())
    }

    fn remove(&mut self, table: &Table, column: usize, ids: &BTreeSet<i32>) -> Result<u64> {
        let mut removed = 0;
        for some in id_conditions(table, column, ids) {
            let sql = format!("DELETE FROM {} WHERE {some}", table.name);
            removed += self.engine.execute(&sql, &[])?;
        }
        Ok(removed)
    }

    /// Creates the temporary table that collects the rows of a replacement.
    fn create_stage(&mut self, table: &Table) -> Result<()> {
        self.engine.run(&format!(
            "CREATE TEMP TABLE {} AS SELECT {} FROM {} WHERE 1 = 0",
            stage_name(table),
            list(table.names()),
            table.name
        ))
    }

    fn drop_stage(&mut self, table: &Table) -> Result<()> {
        self.engine
            .run(&format!("DROP TABLE {}", stage_name(table)))
    }

    fn apply_replacement(&mut self, replacement: &Replacement, state: &State) -> Result<Counts> {
        let within = [month_condition(replacement.month)];
        let mut counts = Vec::new();
        for table in replacement.group.tables() {
            counts.push(self.merge(table, &within)?);
            self.drop_stage(table)?;
        }
        self.write_state(state)?;
        Ok(counts[0])
    }

    /// Merges the staging table into the table, writing only rows that differ. Deletes rows that are not
    /// staged and match one of the conditions.
    fn merge(&mut self, table: &Table, within: &[RowCondition]) -> Result<Counts> {
        let (name, stage) = (table.name, stage_name(table));
        let keys: Vec<String> = table.names().take(table.key).map(quoted).collect();
        let same: Vec<String> = keys
            .iter()
            .map(|key| format!("{name}.{key} = s.{key}"))
            .collect();
        let (keys, same) = (keys.join(", "), same.join(" AND "));
        self.engine
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
        // `WHERE true`: without it SQLite parses ON as part of a join.
        let written = self.engine.execute(
            &format!(
                "INSERT INTO {name} ({columns}) SELECT {columns} FROM {stage} WHERE true ON CONFLICT ({keys}) DO UPDATE SET {} WHERE {}",
                set.join(", "),
                differs.join(" OR ")
            ),
            &[],
        )?;
        let mut deleted = 0;
        for RowCondition { condition, binds } in within {
            let delete = format!(
                "DELETE FROM {name} WHERE NOT EXISTS (SELECT 1 FROM {stage} AS s WHERE {same}){condition}"
            );
            deleted += self.engine.execute(&delete, binds)?;
        }
        Ok(Counts {
            added,
            changed: written.saturating_sub(added),
            deleted,
        })
    }

    fn number(&mut self, sql: &str, binds: &[CellValue]) -> Result<u64> {
        let pairs = self.engine.pairs(sql, binds)?;
        Ok(pairs
            .first()
            .and_then(|(_, number)| u64::try_from(*number).ok())
            .unwrap_or_default())
    }
}

impl<D: SqlEngine> Target for SqlTarget<D> {
    fn state(&mut self) -> Result<Option<State>> {
        let found = self.engine.pairs(SELECT_STATE, &[])?;
        found
            .first()
            .map(|(text, _)| State::parse(text))
            .transpose()
    }

    fn save(&mut self, state: &State) -> Result<()> {
        self.write_state(state)
    }

    fn columns(&mut self, table: &Table) -> Result<BTreeSet<String>> {
        self.engine.columns(table.name)
    }

    fn begin(&mut self, scope: Scope<'_>) -> Result<()> {
        let (group, month) = match scope {
            Scope::All(group) => (group, None),
            Scope::Month(group, datasource, month) => (group, Some((datasource, month))),
        };
        self.ensure(group)?;
        self.engine.run(D::BEGIN)?;
        self.replacement = Some(Replacement {
            group: group.clone(),
            month,
        });
        for table in group.tables() {
            self.create_stage(table)?;
        }
        Ok(())
    }

    fn push(&mut self, rows: GroupRows) -> Result<()> {
        let replacement = self.replacement.as_ref().expect("replacement before");
        for (table, rows) in replacement.group.tables().zip(&rows.0) {
            self.engine
                .append(&stage_name(table), &table.columns, rows)?;
        }
        Ok(())
    }

    fn finish(&mut self, state: &State) -> Result<Counts> {
        let replacement = self.replacement.take().expect("replacement before");
        let counts = self.apply_replacement(&replacement, state)?;
        self.engine.run("COMMIT")?;
        Ok(counts)
    }

    fn abandon(&mut self) -> Result<()> {
        if self.replacement.take().is_some() {
            self.engine.run("ROLLBACK")?;
        }
        Ok(())
    }

    fn update_rows(&mut self, update: RowUpdate<'_>, state: &State) -> Result<Counts> {
        self.ensure(update.group)?;
        self.transaction(|sql| {
            let RowUpdate {
                group,
                column,
                gone,
                rows,
            } = update;
            let main = &group.main;
            sql.create_stage(main)?;
            sql.engine
                .append(&stage_name(main), &main.columns, rows.main())?;
            let within = id_conditions(main, column, gone).map(|some| RowCondition {
                condition: format!(" AND {some}"),
                binds: Vec::new(),
            });
            let counts = sql.merge(main, &within.collect::<Vec<_>>())?;
            sql.drop_stage(main)?;
            for (part, rows) in group.parts.iter().zip(&rows.0[1..]) {
                sql.remove(part, 0, gone)?;
                sql.engine.append(part.name, &part.columns, rows)?;
            }
            sql.write_state(state)?;
            Ok(counts)
        })
    }

    fn ids(&mut self, group: &TableGroup) -> Result<Vec<i32>> {
        self.ensure(group)?;
        let sql = format!(
            "SELECT '', CAST(id AS bigint) FROM {} ORDER BY id",
            group.main.name
        );
        let pairs = self.engine.pairs(&sql, &[])?;
        pairs
            .into_iter()
            .map(|(_, id)| Ok(i32::try_from(id)?))
            .collect()
    }

    fn rows(&mut self, group: &TableGroup) -> Result<u64> {
        self.ensure(group)?;
        let sql = format!("SELECT '', count(*) FROM {}", group.main.name);
        let pairs = self.engine.pairs(&sql, &[])?;
        let count = pairs.into_iter().map(|(_, count)| u64::try_from(count));
        Ok(count.sum::<Result<u64, _>>()?)
    }

    fn put_values(
        &mut self,
        group: &TableGroup,
        datasource: i32,
        rows: &[TableRow],
        state: &State,
    ) -> Result<Option<Counts>> {
        self.ensure(group)?;
        let ids = rows.iter().map(|row| row[0].id()).collect();
        let table = &group.main;
        let _ = datasource;
        self.transaction(|sql| {
            let changed = sql.remove(table, 0, &ids)?;
            sql.engine.append(table.name, &table.columns, rows)?;
            sql.write_state(state)?;
            Ok(Some(Counts {
                added: (rows.len() as u64).saturating_sub(changed),
                changed,
                deleted: 0,
            }))
        })
    }

    fn count(&mut self, group: &TableGroup, datasource: i32) -> Result<Option<u64>> {
        self.ensure(group)?;
        let sql = format!(
            "SELECT '', count(*) FROM {} WHERE datasource_id = ?1",
            group.main.name
        );
        self.number(&sql, &[CellValue::Int(datasource)]).map(Some)
    }

    fn months(
        &mut self,
        group: &TableGroup,
        datasource: i32,
    ) -> Result<BTreeMap<Month, Option<u64>>> {
        self.ensure(group)?;
        let month = D::month_of("value_date");
        let sql = format!(
            "SELECT {month}, count(*) FROM {} WHERE datasource_id = ?1 GROUP BY 1",
            group.main.name
        );
        let pairs = self.engine.pairs(&sql, &[CellValue::Int(datasource)])?;
        pairs
            .into_iter()
            .map(|(month, count)| {
                let month: Month = month.parse().map_err(anyhow::Error::msg)?;
                Ok((month, u64::try_from(count).ok()))
            })
            .collect()
    }

    fn delete_values(&mut self, group: &TableGroup, datasource: i32, state: &State) -> Result<u64> {
        self.ensure(group)?;
        let sql = format!("DELETE FROM {} WHERE datasource_id = ?1", group.main.name);
        self.transaction(|target| {
            let removed = target.engine.execute(&sql, &[CellValue::Int(datasource)])?;
            target.write_state(state)?;
            Ok(removed)
        })
    }
}

fn create<D: SqlEngine>(table: &Table) -> String {
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

/// The condition for a month of a datasource's values, or for everything.
fn month_condition(month: Option<(i32, Month)>) -> RowCondition {
    let (mut condition, mut binds) = (String::new(), Vec::new());
    if let Some((datasource, month)) = month {
        condition.push_str(" AND datasource_id = ?1 AND value_date >= ?2");
        binds.extend([
            CellValue::Int(datasource),
            CellValue::Instant(month.start()),
        ]);
        if let Some(after) = month.after() {
            condition.push_str(" AND value_date < ?3");
            binds.push(CellValue::Instant(after));
        }
    }
    RowCondition { condition, binds }
}

/// Conditions `column IN (ids)`, in chunks.
fn id_conditions(
    table: &Table,
    column: usize,
    ids: &BTreeSet<i32>,
) -> impl Iterator<Item = String> {
    let column = quoted(&table.columns[column].name);
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    // Ids are integers, so nothing needs escaping; engines limit the number of placeholders.
    let some = move |ids: &[String]| format!("{column} IN ({})", ids.join(","));
    let all: Vec<String> = ids.chunks(IDS_PER_STATEMENT).map(some).collect();
    all.into_iter()
}

/// The name of the staging table.
fn stage_name(table: &Table) -> String {
    format!("stage_{}", table.name)
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(quoted).collect::<Vec<_>>().join(", ")
}

/// Quotes an identifier: a column named after a label may be an SQL keyword.
pub(super) fn quoted(name: impl AsRef<str>) -> String {
    format!("\"{}\"", name.as_ref().replace('"', "\"\""))
}
