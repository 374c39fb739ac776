//! One record by its key, as bytes: what single reads, the answers to writes and `If-Match` all show.
//!
//! A [`RecordPlan`] renders its statements once for each dialect: the record's own, and one for what belongs
//! to it. They take the key and nothing else, so a write can prefetch all of them before it waits for the
//! first. A [`RowPlan`] writes a row from the cells that were just bound, where nothing else has to be read.
//! Neither looks at a cache: those go by a counter that a write may undo. Nor is there a limit, as for what a
//! request expands: a record belongs together.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use obeya_odata::edm::{Cardinality, Column, EntityType};
use obeya_odata::sql::{self, Direction, Predicate, Scope};
use obeya_odata::{Bound, Context, Limits, OptionName, Options};

use super::json;
use super::row_encoder::RowEncoder;
use super::time::TimestampFormatter;
use obeya_store::engine::{Dialect, Row, Session, StoreError, Value};
use obeya_store::entities::order_of;

/// Room for a record with texts of usual length.
const USUAL_BYTES: usize = 1_024;

/// How the records of an entity are written.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The entity.
    pub entity: &'static EntityType,
    /// `$expand` for what belongs to each record, and the member it comes after.
    pub parts: Option<(&'static str, &'static str)>,
}

impl Form {
    /// Of records that are rows and nothing else.
    pub const fn of(entity: &'static EntityType) -> Self {
        Self {
            entity,
            parts: None,
        }
    }
}

/// How the records of an entity are read by id. A `static` beside the handlers.
pub struct RecordPlan {
    form: Form,
    condition: Option<&'static str>,
    /// One for each dialect.
    plans: [OnceLock<Statements>; Dialect::ALL.len()],
}

/// The statements of a record on one engine. Each takes the id alone.
struct Statements {
    query: Bound,
    record: String,
    encoder: RowEncoder,
    lists: Vec<List>,
}

/// Records that belong to the record, as an array in it.
struct List {
    /// `,"name":`
    key: Vec<u8>,
    rows: String,
    encoder: RowEncoder,
}

impl RecordPlan {
    /// Of records in this form, by their id.
    pub const fn new(form: Form) -> Self {
        Self {
            form,
            condition: None,
            plans: [const { OnceLock::new() }; Dialect::ALL.len()],
        }
    }

    /// Only of rows for which this holds: SQL with `{t}` for the table.
    pub const fn only(mut self, condition: &'static str) -> Self {
        self.condition = Some(condition);
        self
    }

    /// The entity, whose name is that of its schema in the specification.
    pub fn entity(&self) -> &'static EntityType {
        self.form.entity
    }

    /// The query that gives the record.
    pub(super) fn query(&self, dialect: Dialect) -> &Bound {
        &self.on(dialect).query
    }

    /// Says that the record will be written ([`Self::write`]), so that a write on an engine at the end of a
    /// wire waits for its statements once.
    pub fn prefetch(&self, session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
        let plan = self.on(session.dialect());
        session.prefetch(&plan.record, &[id.into()])?;
        for list in &plan.lists {
            session.prefetch(&list.rows, &[id.into()])?;
        }
        Ok(())
    }

    /// Appends the record as an object; `false`, and nothing written, when there is none.
    pub fn write(
        &self,
        session: &mut dyn Session,
        id: i32,
        out: &mut Vec<u8>,
    ) -> Result<bool, StoreError> {
        let plan = self.on(session.dialect());
        let start = out.len();
        let mut timestamps = TimestampFormatter::new();
        let mut lists_at = None;
        session.query(&plan.record, &[id.into()], &mut |row| {
            out.push(b'{');
            lists_at = Some(plan.encoder.write_around(out, row, &mut timestamps)?);
            Ok(ControlFlow::Break(()))
        })?;
        let Some(lists_at) = lists_at else {
            return Ok(false);
        };
        if !plan.lists.is_empty() {
            let after = out.split_off(lists_at);
            for list in &plan.lists {
                // The first member goes without its comma.
                let skip = usize::from(out.len() == start + 1);
                out.extend_from_slice(&list.key[skip..]);
                list.write(session, id, &mut timestamps, out)?;
            }
            out.extend_from_slice(&after);
        }
        out.push(b'}');
        Ok(true)
    }

    /// The record, if there is one.
    pub fn read(&self, session: &mut dyn Session, id: i32) -> Result<Option<Vec<u8>>, StoreError> {
        let mut out = Vec::with_capacity(USUAL_BYTES);
        let is_there = self.write(session, id, &mut out)?;
        Ok(is_there.then_some(out))
    }

    fn on(&self, dialect: Dialect) -> &Statements {
        self.plans[dialect as usize]
            .get_or_init(|| Statements::of(&self.form, self.condition, dialect))
    }
}

impl Statements {
    fn of(form: &Form, condition: Option<&'static str>, dialect: Dialect) -> Self {
        let options = form
            .parts
            .map_or_else(Options::default, |(expand, _)| parsed(expand));
        let query = bound(form.entity, &options);
        let encoder = RowEncoder::of(&query);
        let encoder = match form.parts {
            Some((_, member)) => encoder.with_expanded_after(&query, member),
            None => encoder,
        };
        let mut predicates = vec![Predicate::new("{t}.id = ?", [ID])];
        predicates.extend(condition.map(|condition| Predicate::new(condition, [])));
        let scope = Scope {
            predicates,
            ..Scope::default()
        };
        let dialect = dialect.of_queries();
        let lists = query.expands().iter().map(|item| {
            let navigation = item.navigation;
            assert!(
                navigation.cardinality == Cardinality::Many
                    && navigation.from == form.entity.key
                    && item.query.expands().is_empty(),
                "{} is read by the id of its record",
                navigation.name
            );
            let scope = Scope {
                default_column: order_of(navigation.target)
                    .map(|column| (column, Direction::Ascending)),
                ..Scope::default()
            };
            let mut key = vec![b','];
            json::string(&mut key, navigation.name);
            key.push(b':');
            List {
                key,
                rows: by_id_alone(sql::expand(item, dialect, &[ID], &scope)),
                encoder: RowEncoder::of(&item.query),
            }
        });
        Self {
            lists: lists.collect(),
            record: by_id_alone(sql::select(&query, dialect, &scope)),
            encoder,
            query,
        }
    }
}

impl List {
    fn write(
        &self,
        session: &mut dyn Session,
        id: i32,
        timestamps: &mut TimestampFormatter,
        out: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        out.push(b'[');
        let start = out.len();
        session.query(&self.rows, &[id.into()], &mut |row| {
            out.extend_from_slice(if out.len() == start { b"{" } else { b",{" });
            self.encoder.write(out, row, timestamps)?;
            out.push(b'}');
            Ok(ControlFlow::Continue(()))
        })?;
        out.push(b']');
        Ok(())
    }
}

/// How a record is written from cells that a statement has just bound, or given. A `static` beside the
/// handlers.
pub struct RowPlan {
    entity: &'static EntityType,
    columns: &'static [&'static str],
    plan: OnceLock<Cells>,
}

struct Cells {
    encoder: RowEncoder,
    /// Where in the cells each column of the query is.
    places: Vec<usize>,
}

impl RowPlan {
    /// Of an entity that is the row of a table, from cells of these columns.
    pub const fn new(entity: &'static EntityType, columns: &'static [&'static str]) -> Self {
        Self {
            entity,
            columns,
            plan: OnceLock::new(),
        }
    }

    /// The entity, whose name is that of its schema in the specification.
    pub fn entity(&self) -> &'static EntityType {
        self.entity
    }

    /// The record that these cells make.
    pub fn record(&self, cells: &[Value<'_>]) -> Result<Vec<u8>, StoreError> {
        let plan = self.plan.get_or_init(|| self.cells());
        let row = BoundRow {
            cells,
            places: &plan.places,
        };
        let mut out = Vec::with_capacity(USUAL_BYTES);
        out.push(b'{');
        plan.encoder
            .write(&mut out, &row, &mut TimestampFormatter::new())?;
        out.push(b'}');
        Ok(out)
    }

    fn cells(&self) -> Cells {
        let query = bound(self.entity, &Options::default());
        let place = |name: &str| {
            let property = self.entity.properties.iter().find(|it| it.name == name);
            let column = property.map(|it| it.column);
            self.columns
                .iter()
                .position(|known| matches!(column, Some(Column::Name(name)) if name == *known))
                .expect("every property of the entity is one of the columns")
        };
        Cells {
            encoder: RowEncoder::of(&query),
            places: query.columns().iter().map(|it| place(it.name)).collect(),
        }
    }
}

/// Cells as a row of the query: its columns are those at `places`.
struct BoundRow<'a> {
    cells: &'a [Value<'a>],
    places: &'a [usize],
}

impl Row for BoundRow<'_> {
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Int(value) => Ok(Some(value)),
            other => Err(mismatched(other, "an integer")),
        }
    }

    fn real(&self, column: usize) -> Result<Option<f64>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            // The store keeps no minus zero.
            Value::Real(value) => Ok(Some(value + 0.0)),
            Value::Int(value) => Ok(Some(value as f64)),
            other @ Value::Text(_) => Err(mismatched(other, "a double")),
        }
    }

    fn text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            other => Err(mismatched(other, "a text")),
        }
    }

    fn value(&self, column: usize) -> Result<Value<'_>, StoreError> {
        Ok(self.cells[self.places[column]])
    }
}

fn mismatched(value: Value<'_>, expected: &str) -> StoreError {
    StoreError::Engine(format!("a cell that was bound is {value:?} and not {expected}").into())
}

/// Stands for the id while a statement is rendered.
const ID: sql::Value = sql::Value::Int(i64::MIN);

/// The text of a statement that has one value to bind, the id.
fn by_id_alone(statement: sql::Statement) -> String {
    assert!(
        statement.binds == [ID],
        "it takes the id alone: {statement:?}"
    );
    statement.sql
}

fn parsed(expand: &str) -> Options {
    let parsed = Options::parse(expand, &[OptionName::Expand], &Limits::default());
    parsed.expect("what belongs to a record is written by us").0
}

/// The query for all properties of an entity.
fn bound(entity: &'static EntityType, options: &Options) -> Bound {
    let context = Context {
        now: 0,
        limits: Limits::default(),
    };
    let bound = options.bind(entity, &context);
    bound.expect("a query that asks for what the entity has is right")
}

#[cfg(test)]
mod tests {
    use super::*;
    use obeya_store::entities::{AREA, DATASOURCE_VALUE, IMPROVEMENT, INCIDENT};

    #[test]
    fn every_statement_of_a_record_takes_the_id_alone() {
        const INCIDENTS: Form = Form {
            entity: &INCIDENT,
            parts: Some(("$expand=causes,consequences", "numberOfAttachments")),
        };
        const IMPROVEMENTS: Form = Form::of(&IMPROVEMENT);
        for dialect in Dialect::ALL {
            let plan = RecordPlan::new(INCIDENTS).only("{t}.deleted_date IS NULL");
            let statements = plan.on(dialect);
            assert!(statements.record.contains("deleted_date IS NULL"));
            let keys: Vec<&[u8]> = statements
                .lists
                .iter()
                .map(|it| it.key.as_slice())
                .collect();
            assert_eq!(keys, [&b",\"causes\":"[..], b",\"consequences\":"]);
            // By their place in the type first.
            assert!(
                statements.lists[0]
                    .rows
                    .contains("ORDER BY t0.\"sort_order\"")
            );
            for sql in statements
                .lists
                .iter()
                .map(|it| &it.rows)
                .chain([&statements.record])
            {
                assert!(sql.contains("?1") && !sql.contains("?2"), "{sql}");
                assert!(!sql.contains("LIMIT"), "{sql}");
            }
            assert!(RecordPlan::new(IMPROVEMENTS).on(dialect).lists.is_empty());
        }
    }

    #[test]
    fn a_row_is_written_from_its_cells_whatever_their_order() {
        let plan = RowPlan::new(&AREA, &["description", "elsewhere", "id", "name"]);
        let cells = [
            Value::Null,
            Value::Real(1.0),
            Value::Int(7),
            Value::Text("Press \"1\""),
        ];
        let record = String::from_utf8(plan.record(&cells).unwrap()).unwrap();
        let expected = r#"{"id":7,"name":"Press \"1\"","description":null}"#;
        assert_eq!(record, expected);
        let mistaken = [Value::Int(1), Value::Null, Value::Int(7), Value::Null];
        let error = plan.record(&mistaken).unwrap_err();
        let StoreError::Engine(cause) = error else {
            panic!("{error}");
        };
        assert!(cause.to_string().contains("Int(1)"), "{cause}");
    }

    #[test]
    fn a_double_that_was_bound_is_written_as_it_will_be_read() {
        static COLUMNS: [&str; 14] = obeya_store::values::COLUMNS;
        let plan = RowPlan::new(&DATASOURCE_VALUE, &COLUMNS);
        let mut cells = [Value::Null; 14];
        for (value, expected) in [(-0.0, "0.0"), (1e16, "1e16"), (2.5, "2.5")] {
            cells[3] = Value::Real(value);
            let record = String::from_utf8(plan.record(&cells).unwrap()).unwrap();
            assert!(
                record.contains(&format!("\"value\":{expected},")),
                "{record}"
            );
        }
    }
}
