//! One record by its key, as bytes: the source of single reads, of the answers to writes and of `If-Match`.
//!
//! A [`RecordPlan`] renders its statements once for each dialect: one for the record, and one for each list
//! of its parts. Their only parameter is the key, so a write prefetches all of them before it waits for the
//! first. A [`RowPlan`] writes a row from the cells that were just bound, where nothing else has to be read.
//! Neither uses a cache, because cache keys contain a counter that a write may roll back. Neither has a limit
//! like that on expanded rows: the parts belong to the record.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use obeya_odata::edm::{Cardinality, Column, EntityType, Type};
use obeya_odata::sql::{self, Direction, Predicate, Scope};
use obeya_odata::{Bound, Context, Limits, OptionName, Options};

use super::json;
use super::row_encoder::RowEncoder;
use super::time::TimestampFormatter;
use obeya_store::engine::{Dialect, Row, Session, StoreError, Value};
use obeya_store::entities::order_of;
use obeya_store::{RecordId, Store};

/// The initial capacity for a record, in bytes.
const INITIAL_CAPACITY: usize = 1_024;

/// What the records of an entity consist of.
#[derive(Debug, Clone, Copy)]
pub struct RecordForm {
    /// The entity.
    pub entity: &'static EntityType,
    /// `$expand` for the parts of each record, and the member after which they are written.
    pub parts: Option<(&'static str, &'static str)>,
}

impl RecordForm {
    /// Records that consist of one row each.
    pub const fn of(entity: &'static EntityType) -> Self {
        Self {
            entity,
            parts: None,
        }
    }
}

/// Reads the records of an entity by id. Handlers have one in a `static`.
pub struct RecordPlan {
    form: RecordForm,
    condition: Option<&'static str>,
    /// The statements, by dialect.
    plans: [OnceLock<RecordStatements>; Dialect::ALL.len()],
}

/// The statements of a record on one engine. The only parameter of each is the id.
struct RecordStatements {
    query: Bound,
    record: String,
    encoder: RowEncoder,
    lists: Vec<PartList>,
}

/// A list of parts of the record.
struct PartList {
    name: &'static str,
    /// `,"name":`
    key: Vec<u8>,
    rows: String,
    encoder: RowEncoder,
}

impl RecordPlan {
    /// A plan for records of this form.
    pub const fn new(form: RecordForm) -> Self {
        Self {
            form,
            condition: None,
            plans: [const { OnceLock::new() }; Dialect::ALL.len()],
        }
    }

    /// Adds a condition: SQL with `{t}` for the table.
    pub const fn only(mut self, condition: &'static str) -> Self {
        self.condition = Some(condition);
        self
    }

    /// The entity, whose name is that of its schema in the specification.
    pub fn entity(&self) -> &'static EntityType {
        self.form.entity
    }

    /// The query for the record.
    pub(super) fn query(&self, dialect: Dialect) -> &Bound {
        &self.on(dialect).query
    }

    /// Reads the record, if it exists.
    pub fn read(
        &self,
        session: &mut dyn Session,
        id: impl Into<RecordId>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.read_except(session, id, &[])
    }

    /// Reads the record, but for the lists of these names, which are known to be empty.
    pub fn read_except(
        &self,
        session: &mut dyn Session,
        id: impl Into<RecordId>,
        empty: &[&str],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let id = id.into();
        let plan = self.on(session.dialect());
        debug_assert!(
            empty
                .iter()
                .all(|name| plan.lists.iter().any(|it| it.name == *name)),
            "{empty:?} are lists of {}",
            self.form.entity.name
        );
        session.prefetch(&plan.record, &[(&id).into()])?;
        for list in plan.lists.iter().filter(|it| !empty.contains(&it.name)) {
            session.prefetch(&list.rows, &[(&id).into()])?;
        }
        let mut timestamps = TimestampFormatter::new();
        let mut begun = None;
        session.query(&plan.record, &[(&id).into()], &mut |row| {
            begun = Some(plan.begin(row, &mut timestamps)?);
            Ok(ControlFlow::Break(()))
        })?;
        let Some((mut out, lists_at)) = begun else {
            return Ok(None);
        };
        if !plan.lists.is_empty() {
            let after = out.split_off(lists_at);
            for list in &plan.lists {
                // The first member has no comma before it.
                let skip = usize::from(out.len() == 1);
                out.extend_from_slice(&list.key[skip..]);
                match empty.contains(&list.name) {
                    true => out.extend_from_slice(b"[]"),
                    false => list.write(session, &id, &mut timestamps, &mut out)?,
                }
            }
            out.extend_from_slice(&after);
        }
        out.push(b'}');
        Ok(Some(out))
    }

    /// Reads the record without a session, if it exists. It must be one row.
    pub(super) async fn look_up(
        &'static self,
        store: &Store,
        id: RecordId,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let plan = self.on(store.dialect());
        debug_assert!(plan.lists.is_empty(), "{} has lists", self.form.entity.name);
        let record = move |row: &dyn Row| {
            let (mut out, _) = plan.begin(row, &mut TimestampFormatter::new())?;
            out.push(b'}');
            Ok(out)
        };
        store.point(&plan.record, id, record).await
    }

    fn on(&self, dialect: Dialect) -> &RecordStatements {
        self.plans[dialect as usize]
            .get_or_init(|| RecordStatements::of(&self.form, self.condition, dialect))
    }
}

impl RecordStatements {
    fn of(form: &RecordForm, condition: Option<&'static str>, dialect: Dialect) -> Self {
        let options = form
            .parts
            .map_or_else(Options::default, |(expand, _)| parsed(expand));
        let query = bound(form.entity, &options);
        let encoder = RowEncoder::of(&query);
        let encoder = match form.parts {
            Some((_, member)) => encoder.with_expanded_after(&query, member),
            None => encoder,
        };
        let id = placeholder(form.entity);
        let mut predicates = vec![Predicate::new("{t}.id = ?", [id.clone()])];
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
            PartList {
                name: navigation.name,
                key,
                rows: by_id_alone(
                    sql::expand(item, dialect, std::slice::from_ref(&id), &scope),
                    &id,
                ),
                encoder: RowEncoder::of(&item.query),
            }
        });
        Self {
            lists: lists.collect(),
            record: by_id_alone(sql::select(&query, dialect, &scope), &id),
            encoder,
            query,
        }
    }

    /// Begins the record with the members of its row. Also returns where its lists go.
    fn begin(
        &self,
        row: &dyn Row,
        timestamps: &mut TimestampFormatter,
    ) -> Result<(Vec<u8>, usize), StoreError> {
        let mut out = Vec::with_capacity(INITIAL_CAPACITY);
        out.push(b'{');
        let lists_at = self.encoder.write_around(&mut out, row, timestamps)?;
        Ok((out, lists_at))
    }
}

impl PartList {
    fn write(
        &self,
        session: &mut dyn Session,
        id: &RecordId,
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

/// Writes a record from cells that a statement has just bound or returned. Handlers have one in a `static`.
pub struct RowPlan {
    entity: &'static EntityType,
    columns: &'static [&'static str],
    plan: OnceLock<CellLayout>,
}

struct CellLayout {
    encoder: RowEncoder,
    /// Where in the cells each column of the query is.
    cell_of: Vec<usize>,
}

impl RowPlan {
    /// A plan for an entity that is one row of a table, from cells of these columns.
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

    /// The record with these cells.
    pub fn record(&self, cells: &[Value<'_>]) -> Result<Vec<u8>, StoreError> {
        let plan = self.plan.get_or_init(|| self.cells());
        let row = BoundRow {
            cells,
            cell_of: &plan.cell_of,
        };
        let mut out = Vec::with_capacity(INITIAL_CAPACITY);
        out.push(b'{');
        plan.encoder
            .write(&mut out, &row, &mut TimestampFormatter::new())?;
        out.push(b'}');
        Ok(out)
    }

    fn cells(&self) -> CellLayout {
        let query = bound(self.entity, &Options::default());
        let cell = |name: &str| {
            let property = self.entity.properties.iter().find(|it| it.name == name);
            let column = property.map(|it| it.column);
            self.columns
                .iter()
                .position(|known| matches!(column, Some(Column::Name(name)) if name == *known))
                .expect("every property of the entity is one of the columns")
        };
        CellLayout {
            encoder: RowEncoder::of(&query),
            cell_of: query.columns().iter().map(|it| cell(it.name)).collect(),
        }
    }
}

/// CellLayout as a row of the query: `cell_of` has the index of the cell for each column of the query.
struct BoundRow<'a> {
    cells: &'a [Value<'a>],
    cell_of: &'a [usize],
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
            // The store does not preserve the sign of zero.
            Value::Real(value) => Ok(Some(value + 0.0)),
            Value::Int(value) => Ok(Some(value as f64)),
            other @ (Value::Text(_) | Value::Bytes(_)) => Err(mismatched(other, "a double")),
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
        Ok(self.cells[self.cell_of[column]])
    }
}

fn mismatched(value: Value<'_>, expected: &str) -> StoreError {
    StoreError::Engine(format!("a cell that was bound is {value:?} and not {expected}").into())
}

/// The placeholder for the id while a statement is rendered, of the type of the entity's ids: an engine may
/// write the type beside it.
fn placeholder(entity: &EntityType) -> sql::Value {
    match entity.property(entity.key).map(|key| key.ty) {
        Some(Type::String) => sql::Value::Text(String::new()),
        _ => sql::Value::Int(i64::MIN),
    }
}

/// The SQL of a statement whose only bound value is the id.
fn by_id_alone(statement: sql::Statement, id: &sql::Value) -> String {
    assert!(
        statement.binds == [id.clone()],
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
        const INCIDENTS: RecordForm = RecordForm {
            entity: &INCIDENT,
            parts: Some(("$expand=causes,consequences", "numberOfAttachments")),
        };
        const IMPROVEMENTS: RecordForm = RecordForm::of(&IMPROVEMENT);
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
            // Ordered by their position in the type first.
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
