//! A database for each test, on the shared server.

use ::postgres::types::ToSql;
use ::postgres::{Client, NoTls, Row};
use obeya_odata::functions::postgres;
use obeya_odata::functions::{ScalarError, postgres::fault};
use obeya_odata::sql::Value;
use obeya_testkit::postgres::Scratch;

use super::{Rows, Ty, bits};

pub struct Server {
    pub client: Client,
    _scratch: Scratch,
}

impl Server {
    /// A connection to a new database in which the functions are defined.
    pub fn new() -> Self {
        let scratch = Scratch::empty();
        let mut server = Self {
            client: Client::connect(scratch.url(), NoTls).unwrap(),
            _scratch: scratch,
        };
        server.define();
        server
    }

    pub fn define(&mut self) {
        for definition in postgres::definitions() {
            self.client.batch_execute(&definition).unwrap();
        }
    }

    /// Compares an expression over `a`, `b`, `c` for each row of arguments, and for rows with a null in each
    /// position.
    pub fn compare(
        &mut self,
        expression: &str,
        types: &[Ty],
        result: Ty,
        rows: Rows,
        rust: impl Fn(&[Value]) -> Result<Value, ScalarError>,
    ) {
        let mut rows = rows;
        for place in 0..types.len() {
            let mut row = rows[0].clone();
            row[place] = Value::Null;
            rows.push(row);
        }
        let (fine, faulty): (Vec<_>, Vec<_>) = rows
            .into_iter()
            .map(|row| (rust(&row), row))
            .partition(|(expected, _)| expected.is_ok());
        let args: Rows = fine.iter().map(|(_, row)| row.clone()).collect();
        let found = self.evaluate(expression, types, result, &args).unwrap();
        for ((expected, row), found) in fine.iter().zip(&found) {
            let expected = expected.as_ref().unwrap();
            assert_eq!(bits(found), bits(expected), "{expression} of {row:?}");
        }
        for (expected, row) in faulty {
            let error = self
                .evaluate(expression, types, result, &vec![row.clone()])
                .expect_err(&format!("{expression} of {row:?}"));
            let state = error.code().unwrap().code();
            assert_eq!(
                fault(state),
                expected.err(),
                "{expression} of {row:?}: {error}"
            );
        }
    }

    /// An expression over `a`, `b`, `c` for each row of arguments.
    pub fn evaluate(
        &mut self,
        expression: &str,
        types: &[Ty],
        result: Ty,
        rows: &Rows,
    ) -> Result<Vec<Value>, ::postgres::Error> {
        let columns: Vec<Box<dyn ToSql + Sync>> = types
            .iter()
            .enumerate()
            .map(|(place, ty)| column(rows, place, *ty))
            .collect();
        let binds: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|column| &**column).collect();
        let places: Vec<String> = types
            .iter()
            .enumerate()
            .map(|(place, ty)| format!("${}::{}[]", place + 1, name(*ty)))
            .collect();
        let names = &["a", "b", "c"][..types.len()];
        let sql = format!(
            "SELECT {expression} FROM unnest({}) WITH ORDINALITY AS rows ({}, place) ORDER BY place",
            places.join(", "),
            names.join(", ")
        );
        let found = self.client.query(&sql, &binds)?;
        assert_eq!(found.len(), rows.len());
        Ok(found.iter().map(|row| value(row, result)).collect())
    }
}

fn name(ty: Ty) -> &'static str {
    match ty {
        Ty::Int => "bigint",
        Ty::Real => "double precision",
        Ty::Text => "text",
    }
}

fn column(rows: &Rows, place: usize, ty: Ty) -> Box<dyn ToSql + Sync> {
    let values = rows.iter().map(|row| &row[place]);
    match ty {
        Ty::Int => Box::new(
            values
                .map(|value| match value {
                    Value::Int(number) => Some(*number),
                    _ => None,
                })
                .collect::<Vec<_>>(),
        ),
        Ty::Real => Box::new(
            values
                .map(|value| match value {
                    Value::Real(number) => Some(*number),
                    _ => None,
                })
                .collect::<Vec<_>>(),
        ),
        Ty::Text => Box::new(
            values
                .map(|value| match value {
                    Value::Text(text) => Some(text.clone()),
                    _ => None,
                })
                .collect::<Vec<_>>(),
        ),
    }
}

fn value(row: &Row, ty: Ty) -> Value {
    let found = match ty {
        Ty::Int => row.get::<_, Option<i64>>(0).map(Value::Int),
        Ty::Real => row.get::<_, Option<f64>>(0).map(Value::Real),
        Ty::Text => row.get::<_, Option<String>>(0).map(Value::Text),
    };
    found.unwrap_or(Value::Null)
}
