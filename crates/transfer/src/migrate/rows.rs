//! Batches of rows: read in the order of their keys to be copied, and again to be compared.

use std::ops::ControlFlow;

use super::error::{MigrateError, Side};
use super::progress::Progress;
use super::tables::select;
use obeya_store::table::{Column, ColumnType, Table};
use obeya_store::{Row, Session, StoreError, Value};

/// Most rows of a batch.
const ROWS: usize = 2_000;
/// Most bytes of texts and contents in a batch, without its last row.
const BYTES: usize = 1 << 20;
/// Most rows of one query.
const ROWS_PER_STATEMENT: usize = 4_000;

/// A batch of rows. Bounded, so that the memory of a migration does not depend on the size of the database.
#[derive(Debug, Default)]
pub(super) struct Batch {
    cells: Vec<Cell>,
    text: String,
    bytes: Vec<u8>,
    rows: usize,
}

#[derive(Debug, Clone, Copy)]
enum Cell {
    Null,
    Int(i64),
    Real(f64),
    /// Begin and end in the batch's text.
    Text(usize, usize),
    /// Begin and end in the batch's bytes.
    Bytes(usize, usize),
}

impl Batch {
    /// Adds a row.
    pub(super) fn push(&mut self, row: &[Value<'_>]) {
        self.cells.extend(row.iter().map(|value| match *value {
            Value::Null => Cell::Null,
            Value::Int(value) => Cell::Int(value),
            Value::Real(value) => Cell::Real(value),
            Value::Text(text) => {
                let begin = self.text.len();
                self.text.push_str(text);
                Cell::Text(begin, self.text.len())
            }
            Value::Bytes(bytes) => {
                let begin = self.bytes.len();
                self.bytes.extend(bytes);
                Cell::Bytes(begin, self.bytes.len())
            }
        }));
        self.rows += 1;
    }

    /// Whether it should be sent.
    pub(super) fn is_full(&self) -> bool {
        self.rows >= ROWS || self.text.len() + self.bytes.len() >= BYTES
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Whether a text in it contains the character NUL.
    pub(super) fn has_nul(&self) -> bool {
        self.text.contains('\0')
    }

    /// The values of its rows, one after another.
    pub(super) fn values(&self) -> Vec<Value<'_>> {
        self.cells.iter().map(|cell| self.value(cell)).collect()
    }

    /// The values of the row with this index, if it exists.
    pub(super) fn row(&self, row: usize, columns: usize) -> Option<Vec<Value<'_>>> {
        let cells = self.cells.get(row * columns..(row + 1) * columns)?;
        Some(cells.iter().map(|cell| self.value(cell)).collect())
    }

    fn value(&self, cell: &Cell) -> Value<'_> {
        match *cell {
            Cell::Null => Value::Null,
            Cell::Int(value) => Value::Int(value),
            Cell::Real(value) => Value::Real(value),
            Cell::Text(begin, end) => Value::Text(&self.text[begin..end]),
            Cell::Bytes(begin, end) => Value::Bytes(&self.bytes[begin..end]),
        }
    }
}

/// Calls `each` with each row of a table, in the order of its keys.
///
/// Each query reads some thousand rows after the last key (keyset pagination): an engine then neither sorts
/// the whole table nor sends the rest of it when reading stops early.
pub(super) fn read(
    session: &mut dyn Session,
    side: Side,
    table: &'static Table,
    progress: &dyn Progress,
    mut each: impl FnMut(&[Value<'_>]) -> Result<(), MigrateError>,
) -> Result<(), MigrateError> {
    let mut last = Batch::default();
    loop {
        if !progress.should_continue() {
            return Err(MigrateError::Stopped);
        }
        let after = std::mem::take(&mut last);
        let sql = select(table, after.rows() > 0, ROWS_PER_STATEMENT);
        let mut rows = 0;
        let mut ended = Ok(());
        let read = session.query(&sql, &after.values(), &mut |row| {
            ended = values(row, side, table).and_then(|values| {
                rows += 1;
                if rows == ROWS_PER_STATEMENT {
                    last.push(&values[..table.keys]);
                }
                each(&values)
            });
            Ok(match ended {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            })
        });
        ended?;
        read.map_err(|error| MigrateError::of(side, table.name, error))?;
        if last.rows() == 0 {
            return Ok(());
        }
    }
}

/// A key for messages: `17`, or `(4, 2025, 901)` when it has several columns.
pub(crate) fn key(values: &[Value<'_>]) -> String {
    let texts: Vec<String> = values.iter().map(text).collect();
    match &texts[..] {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    }
}

fn text(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Int(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
    }
}

fn values<'r>(
    row: &'r dyn Row,
    side: Side,
    table: &'static Table,
) -> Result<Vec<Value<'r>>, MigrateError> {
    let mut values = Vec::with_capacity(table.columns.len());
    for (index, column) in table.columns.iter().enumerate() {
        match value(row, index, column) {
            Ok(value) => values.push(value),
            Err(error) => {
                return Err(MigrateError::Value {
                    side,
                    table: table.name,
                    key: key(&values[..table.keys.min(values.len())]),
                    column: column.name,
                    reason: reason(&error),
                });
            }
        }
    }
    Ok(values)
}

fn value<'r>(row: &'r dyn Row, index: usize, column: &Column) -> Result<Value<'r>, StoreError> {
    Ok(match column.column_type {
        ColumnType::Int => row.int(index)?.into(),
        // Removes the sign of zero, which not every engine stores: adding 0.0 to -0.0 is 0.0.
        ColumnType::Real => row.real(index)?.map(|value| value + 0.0).into(),
        ColumnType::Text => row.text(index)?.into(),
        ColumnType::Bytes => row.bytes(index)?.into(),
    })
}

/// The message of the engine.
fn reason(error: &StoreError) -> String {
    match error {
        StoreError::Engine(cause) => cause.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_gives_back_what_was_put_in() {
        let rows: [&[Value<'_>]; 3] = [
            &[Value::Int(i64::MIN), Value::Text("ø"), Value::Null],
            &[Value::Int(i64::MAX), Value::Text(""), Value::Real(-0.5)],
            &[
                Value::Bytes(b"\0\xff"),
                Value::Text("b\u{10FFFF}"),
                Value::Bytes(b""),
            ],
        ];
        let mut batch = Batch::default();
        for row in rows {
            batch.push(row);
        }
        assert_eq!(batch.values(), rows.concat());
        assert_eq!(batch.row(1, 3).as_deref(), Some(rows[1]));
        assert_eq!((batch.rows(), batch.row(3, 3)), (3, None));
    }

    #[test]
    fn a_batch_ends_with_its_rows_or_with_its_text() {
        let mut many = Batch::default();
        let mut long = Batch::default();
        let mut large = Batch::default();
        for _ in 1..ROWS {
            many.push(&[Value::Null]);
        }
        long.push(&[Value::Text(&"x".repeat(BYTES - 1))]);
        assert!(!many.is_full() && !long.is_full());
        many.push(&[Value::Null]);
        long.push(&[Value::Text("x")]);
        large.push(&[Value::Bytes(&vec![0; BYTES])]);
        assert!(many.is_full() && long.is_full() && large.is_full());
    }

    #[test]
    fn a_key_is_written_as_one_word_or_as_a_list() {
        assert_eq!(key(&[Value::Int(17)]), "17");
        assert_eq!(key(&[Value::Int(4), Value::Text("a\"b")]), r#"(4, "a\"b")"#);
    }
}
