//! Rules of the model, each one query: every row that it returns is a finding. The queries are the same on
//! every engine.

use std::ops::ControlFlow;

use super::CheckError;
use super::report::{Findings, Rule};
use crate::migrate::{Progress, SEQUENCED_TABLES, TABLES, key};
use obeya_store::table::{FieldType, Table};
use obeya_store::{Row, Session, StoreError, Value, sequences};

/// A query for rows that break a rule.
struct Query {
    rule: Rule,
    table: &'static str,
    /// The columns of the key come first.
    keys: usize,
    /// In the order of the keys of the findings, for a stable output.
    sql: &'static str,
    /// What to say of a row: `{n}` is its column n, from 0.
    says: &'static str,
}

/// The number of steps, for the progress.
pub(super) const COUNT: u64 = QUERIES.len() as u64 + TABLES.len() as u64 + 1;

#[rustfmt::skip]
const QUERIES: [Query; 27] = [
    Query { rule: Rule::Reference, table: "incident_categories", keys: 2, says: "the category is of type {2}, the incident of type {3}",
        sql: "SELECT m.incident_id, m.category_id, p.incident_type_id, i.incident_type_id FROM incident_categories AS m
            JOIN incidents AS i ON i.id = m.incident_id JOIN type_categories AS p ON p.id = m.category_id
            WHERE p.incident_type_id <> i.incident_type_id ORDER BY 1, 2" },
    Query { rule: Rule::Reference, table: "incident_consequences", keys: 2, says: "the consequence is of type {2}, the incident of type {3}",
        sql: "SELECT m.incident_id, m.consequence_id, p.incident_type_id, i.incident_type_id FROM incident_consequences AS m
            JOIN incidents AS i ON i.id = m.incident_id JOIN type_consequences AS p ON p.id = m.consequence_id
            WHERE p.incident_type_id <> i.incident_type_id ORDER BY 1, 2" },
    Query { rule: Rule::Reference, table: "incident_causes", keys: 2, says: "the cause is of type {2}, the incident of type {3}",
        sql: "SELECT m.incident_id, m.cause_id, p.incident_type_id, i.incident_type_id FROM incident_causes AS m
            JOIN incidents AS i ON i.id = m.incident_id JOIN type_causes AS p ON p.id = m.cause_id
            WHERE p.incident_type_id <> i.incident_type_id ORDER BY 1, 2" },
    Query { rule: Rule::Reference, table: "incident_custom_fields", keys: 2, says: "the field is of type {2}, the incident of type {3}",
        sql: "SELECT m.incident_id, m.custom_field_id, p.incident_type_id, i.incident_type_id FROM incident_custom_fields AS m
            JOIN incidents AS i ON i.id = m.incident_id JOIN type_custom_fields AS p ON p.id = m.custom_field_id
            WHERE p.incident_type_id <> i.incident_type_id ORDER BY 1, 2" },
    Query { rule: Rule::Reference, table: "type_categories", keys: 1, says: "its parent {1} is of type {2}, and it is of type {3}",
        sql: "SELECT c.id, p.id, p.incident_type_id, c.incident_type_id FROM type_categories AS c
            JOIN type_categories AS p ON p.id = c.parent_id WHERE p.incident_type_id <> c.incident_type_id ORDER BY 1" },
    Query { rule: Rule::Reference, table: "incident_comments", keys: 1, says: "it answers comment {1} of incident {2}, and is of incident {3}",
        sql: "SELECT c.id, p.id, p.incident_id, c.incident_id FROM incident_comments AS c
            JOIN incident_comments AS p ON p.id = c.parent_id WHERE p.incident_id <> c.incident_id ORDER BY 1" },
    Query { rule: Rule::Reference, table: "task_comments", keys: 1, says: "it answers comment {1} of task {2}, and is of task {3}",
        sql: "SELECT c.id, p.id, p.task_id, c.task_id FROM task_comments AS c
            JOIN task_comments AS p ON p.id = c.parent_id WHERE p.task_id <> c.task_id ORDER BY 1" },
    Query { rule: Rule::Reference, table: "tasks", keys: 1, says: "it is a part of task {1} of incident {2}, and is of incident {3}",
        sql: "SELECT t.id, p.id, p.incident_id, t.incident_id FROM tasks AS t JOIN tasks AS p ON p.id = t.parent_id
            WHERE t.incident_id <> p.incident_id OR (t.incident_id IS NULL) <> (p.incident_id IS NULL) ORDER BY 1" },
    Query { rule: Rule::Reference, table: "type_translations", keys: 4, says: "the type has no such part",
        sql: "SELECT t.incident_type_id, t.language, t.kind, t.item_id FROM type_translations AS t
            WHERE NOT (t.kind = 'type' AND t.item_id = t.incident_type_id)
              AND NOT (t.kind = 'category' AND EXISTS (SELECT 1 FROM type_categories AS p
                WHERE p.id = t.item_id AND p.incident_type_id = t.incident_type_id))
              AND NOT (t.kind = 'consequence' AND EXISTS (SELECT 1 FROM type_consequences AS p
                WHERE p.id = t.item_id AND p.incident_type_id = t.incident_type_id))
              AND NOT (t.kind = 'cause' AND EXISTS (SELECT 1 FROM type_causes AS p
                WHERE p.id = t.item_id AND p.incident_type_id = t.incident_type_id))
              AND NOT (t.kind = 'custom_field' AND EXISTS (SELECT 1 FROM type_custom_fields AS p
                WHERE p.id = t.item_id AND p.incident_type_id = t.incident_type_id))
            ORDER BY 1, 2, 3, 4" },
    Query { rule: Rule::Search, table: "users", keys: 1, says: "users_search has no entry for it",
        sql: "SELECT u.id FROM users AS u LEFT JOIN user_numbers AS n ON n.user_id = u.id WHERE n.number IS NULL ORDER BY 1" },
    Query { rule: Rule::Tree, table: "groups", keys: 1, says: "its parents never end at a group without a parent",
        sql: "WITH RECURSIVE reached (id) AS (
                SELECT c.id FROM groups AS c WHERE c.parent_id IS NULL OR NOT EXISTS (SELECT 1 FROM groups AS p WHERE p.id = c.parent_id)
                UNION ALL SELECT c.id FROM groups AS c JOIN reached AS r ON c.parent_id = r.id)
            SELECT c.id FROM groups AS c LEFT JOIN reached AS r ON r.id = c.id WHERE r.id IS NULL ORDER BY 1" },
    Query { rule: Rule::Tree, table: "type_categories", keys: 1, says: "its parents never end at a category without a parent",
        sql: "WITH RECURSIVE reached (id) AS (
                SELECT c.id FROM type_categories AS c WHERE c.parent_id IS NULL
                    OR NOT EXISTS (SELECT 1 FROM type_categories AS p WHERE p.id = c.parent_id)
                UNION ALL SELECT c.id FROM type_categories AS c JOIN reached AS r ON c.parent_id = r.id)
            SELECT c.id FROM type_categories AS c LEFT JOIN reached AS r ON r.id = c.id WHERE r.id IS NULL ORDER BY 1" },
    Query { rule: Rule::Tree, table: "tasks", keys: 1, says: "its parents never end at a task without a parent",
        sql: "WITH RECURSIVE reached (id) AS (
                SELECT c.id FROM tasks AS c WHERE c.parent_id IS NULL OR NOT EXISTS (SELECT 1 FROM tasks AS p WHERE p.id = c.parent_id)
                UNION ALL SELECT c.id FROM tasks AS c JOIN reached AS r ON c.parent_id = r.id)
            SELECT c.id FROM tasks AS c LEFT JOIN reached AS r ON r.id = c.id WHERE r.id IS NULL ORDER BY 1" },
    // Only replies can be in a circle, and a circle is closed: the roots are the replies to what is no reply.
    Query { rule: Rule::Tree, table: "incident_comments", keys: 1, says: "it answers itself through its parents",
        sql: "WITH RECURSIVE reached (id) AS (
                SELECT c.id FROM incident_comments AS c LEFT JOIN incident_comments AS p ON p.id = c.parent_id
                    WHERE c.parent_id IS NOT NULL AND p.parent_id IS NULL
                UNION ALL SELECT c.id FROM incident_comments AS c JOIN reached AS r ON c.parent_id = r.id)
            SELECT c.id FROM incident_comments AS c LEFT JOIN reached AS r ON r.id = c.id
            WHERE c.parent_id IS NOT NULL AND r.id IS NULL ORDER BY 1" },
    Query { rule: Rule::Tree, table: "task_comments", keys: 1, says: "it answers itself through its parents",
        sql: "WITH RECURSIVE reached (id) AS (
                SELECT c.id FROM task_comments AS c LEFT JOIN task_comments AS p ON p.id = c.parent_id
                    WHERE c.parent_id IS NOT NULL AND p.parent_id IS NULL
                UNION ALL SELECT c.id FROM task_comments AS c JOIN reached AS r ON c.parent_id = r.id)
            SELECT c.id FROM task_comments AS c LEFT JOIN reached AS r ON r.id = c.id
            WHERE c.parent_id IS NOT NULL AND r.id IS NULL ORDER BY 1" },
    Query { rule: Rule::Count, table: "datasources", keys: 1, says: "value_count is {1}, and it has {2} values",
        sql: "SELECT d.id, d.value_count, coalesce(v.values_there, 0) FROM datasources AS d
            LEFT JOIN (SELECT datasource_id, count(*) AS values_there FROM datasource_values GROUP BY datasource_id) AS v
                ON v.datasource_id = d.id
            WHERE d.value_count <> coalesce(v.values_there, 0) ORDER BY 1" },
    Query { rule: Rule::Sequence, table: "counters", keys: 1, says: "the last id is {1}, and there is a value with the id {2}",
        sql: "SELECT c.name, c.last, (SELECT max(v.id) FROM datasource_values AS v) FROM counters AS c
            WHERE c.name = 'datasource_values' AND c.last < (SELECT max(v.id) FROM datasource_values AS v)" },
    Query { rule: Rule::State, table: "datasource_elements", keys: 2, says: "its number {2} is no int32",
        sql: "SELECT datasource_id, id, number FROM datasource_elements WHERE number NOT BETWEEN -2147483648 AND 2147483647 ORDER BY 1, 2" },
    Query { rule: Rule::Stamp, table: "stamps", keys: 0, says: "there are {0} rows, expected the one with id 1",
        sql: "SELECT count(*) FROM stamps HAVING count(*) <> 1 OR min(id) <> 1" },
    Query { rule: Rule::Stamp, table: "incidents", keys: 1, says: "last_modified is {1}, and the last stamp issued is {2}",
        sql: "SELECT r.id, r.last_modified, s.last FROM incidents AS r JOIN stamps AS s ON s.id = 1 WHERE r.last_modified > s.last ORDER BY 1" },
    Query { rule: Rule::Stamp, table: "improvements", keys: 1, says: "last_modified is {1}, and the last stamp issued is {2}",
        sql: "SELECT r.id, r.last_modified, s.last FROM improvements AS r JOIN stamps AS s ON s.id = 1 WHERE r.last_modified > s.last ORDER BY 1" },
    Query { rule: Rule::Stamp, table: "tasks", keys: 1, says: "last_modified is {1}, and the last stamp issued is {2}",
        sql: "SELECT r.id, r.last_modified, s.last FROM tasks AS r JOIN stamps AS s ON s.id = 1 WHERE r.last_modified > s.last ORDER BY 1" },
    Query { rule: Rule::Stamp, table: "data_lists", keys: 1, says: "last_modified is {1}, and the last stamp issued is {2}",
        sql: "SELECT r.id, r.last_modified, s.last FROM data_lists AS r JOIN stamps AS s ON s.id = 1 WHERE r.last_modified > s.last ORDER BY 1" },
    Query { rule: Rule::State, table: "projects", keys: 1, says: "it has no number",
        sql: "SELECT id FROM projects WHERE project_number IS NULL ORDER BY 1" },
    Query { rule: Rule::State, table: "project_members", keys: 2, says: "role is {2}, expected one of Member, Viewer, Owner",
        sql: "SELECT project_id, user_id, role FROM project_members WHERE role NOT IN ('Member', 'Viewer', 'Owner') ORDER BY 1, 2" },
    Query { rule: Rule::Stamp, table: "datasource_values", keys: 3, says: "registration_date is {3}, and the last stamp issued is {4}",
        sql: "SELECT v.datasource_id, v.value_date, v.id, v.registration_date, s.last FROM datasource_values AS v
            JOIN stamps AS s ON s.id = 1 WHERE v.registration_date > s.last ORDER BY 1, 2, 3" },
    Query { rule: Rule::State, table: "improvements", keys: 1, says: "archived_from is {1}, and it is not archived",
        sql: "SELECT id, archived_from FROM improvements WHERE archived_from IS NOT NULL AND status <> 'Archived' ORDER BY 1" },
];

/// Runs every rule.
pub(super) fn run(
    session: &mut dyn Session,
    findings: &mut Findings,
    progress: &dyn Progress,
) -> Result<(), CheckError> {
    for table in TABLES {
        progress.table(table.name);
        references(session, table, findings, progress)?;
        words(session, table, findings, progress)?;
        progress.advance(1);
    }
    for query in &QUERIES {
        progress.table(query.table);
        let each = |row: &dyn Row, columns: usize| Ok(filled(query.says, &texts(row, columns)?));
        let keyed = Keyed {
            rule: query.rule,
            table: query.table,
            keys: query.keys,
            columns: columns_of(query.says).max(query.keys),
        };
        keyed.run(session, query.sql, &[], findings, progress, &each)?;
        progress.advance(1);
    }
    for table in SEQUENCED_TABLES {
        sequence(session, table, findings)?;
    }
    progress.advance(1);
    Ok(())
}

/// References to rows that are not there.
fn references(
    session: &mut dyn Session,
    table: &'static Table,
    findings: &mut Findings,
    progress: &dyn Progress,
) -> Result<(), CheckError> {
    for column in table.columns {
        let Some(referred) = column.refers_to else {
            continue;
        };
        let keys = keys_of(table, "a.");
        let sql = format!(
            "SELECT {keys}, a.{0} FROM {1} AS a WHERE a.{0} IS NOT NULL \
             AND NOT EXISTS (SELECT 1 FROM {referred} AS b WHERE b.id = a.{0}) ORDER BY {keys}",
            column.name, table.name
        );
        let keyed = Keyed::of(Rule::Reference, table);
        keyed.run(session, &sql, &[], findings, progress, &|row, columns| {
            let found = key(&[row.value(columns - 1)?]);
            Ok(format!(
                "{} is {found}, which {referred} does not have",
                column.name
            ))
        })?;
    }
    Ok(())
}

/// Words that a closed enumeration does not have.
fn words(
    session: &mut dyn Session,
    table: &'static Table,
    findings: &mut Findings,
    progress: &dyn Progress,
) -> Result<(), CheckError> {
    for column in table.columns {
        let Some(FieldType::OneOf(words)) = column.field.map(|field| field.field_type) else {
            continue;
        };
        let places: Vec<String> = (1..=words.len()).map(|n| format!("?{n}")).collect();
        let keys = keys_of(table, "");
        let sql = format!(
            "SELECT {keys}, {0} FROM {1} WHERE {0} NOT IN ({2}) ORDER BY {keys}",
            column.name,
            table.name,
            places.join(", ")
        );
        let binds: Vec<Value<'_>> = words.iter().map(|word| (*word).into()).collect();
        let keyed = Keyed::of(Rule::State, table);
        keyed.run(
            session,
            &sql,
            &binds,
            findings,
            progress,
            &|row, columns| {
                let found = key(&[row.value(columns - 1)?]);
                Ok(format!(
                    "{} is {found}, expected one of {}",
                    column.name,
                    words.join(", ")
                ))
            },
        )?;
    }
    Ok(())
}

fn sequence(
    session: &mut dyn Session,
    table: &'static str,
    findings: &mut Findings,
) -> Result<(), CheckError> {
    let found = findings.guard(Rule::File, table, || {
        Ok((
            sequences::counter(session, table)?,
            sequences::last(session, table)?,
        ))
    })?;
    if let Some((issued, largest)) = found
        && issued < largest
    {
        let text =
            format!("the last id issued is {issued}, and there is a record with the id {largest}");
        findings.add(Rule::Sequence, Some(table), Some(largest.to_string()), text);
    }
    Ok(())
}

/// The shape of the rows of a query.
struct Keyed {
    rule: Rule,
    table: &'static str,
    keys: usize,
    columns: usize,
}

impl Keyed {
    /// A row has the key of the table, and one more column.
    fn of(rule: Rule, table: &'static Table) -> Keyed {
        Keyed {
            rule,
            table: table.name,
            keys: table.keys,
            columns: table.keys + 1,
        }
    }

    /// Runs a query, and adds each row as a finding with the text that `says` makes of it.
    fn run(
        &self,
        session: &mut dyn Session,
        sql: &str,
        binds: &[Value<'_>],
        findings: &mut Findings,
        progress: &dyn Progress,
        says: &dyn Fn(&dyn Row, usize) -> Result<String, StoreError>,
    ) -> Result<(), CheckError> {
        if !progress.should_continue() {
            return Err(CheckError::Stopped);
        }
        let ran = session.query(sql, binds, &mut |row| {
            let values: Result<Vec<Value<'_>>, StoreError> =
                (0..self.keys).map(|column| row.value(column)).collect();
            let place = (self.keys > 0).then_some(key(&values?));
            findings.add(self.rule, Some(self.table), place, says(row, self.columns)?);
            Ok(ControlFlow::Continue(()))
        });
        findings
            .guard(Rule::File, self.table, || Ok(ran?))
            .map(drop)
    }
}

fn keys_of(table: &Table, prefix: &str) -> String {
    let names: Vec<String> = table
        .key()
        .iter()
        .map(|column| format!("{prefix}{}", column.name))
        .collect();
    names.join(", ")
}

fn texts(row: &dyn Row, columns: usize) -> Result<Vec<String>, StoreError> {
    (0..columns)
        .map(|column| Ok(key(&[row.value(column)?])))
        .collect()
}

/// How many columns a text names.
fn columns_of(says: &str) -> usize {
    (0..10)
        .rev()
        .find(|n| says.contains(&format!("{{{n}}}")))
        .map_or(0, |last| last + 1)
}

fn filled(says: &str, texts: &[String]) -> String {
    let parts = texts.iter().enumerate();
    parts.fold(says.to_owned(), |said, (n, text)| {
        said.replace(&format!("{{{n}}}"), text)
    })
}
