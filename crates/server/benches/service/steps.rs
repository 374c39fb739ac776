//! The rows that the service reads, read in the database alone: the baseline for its results.

use std::time::Instant;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::milliseconds;
use crate::plant::Plant;

/// The rows of a page, read in the database and nowhere else.
pub struct Steps {
    connection: Connection,
}

impl Steps {
    pub fn open(plant: &Plant) -> Self {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Self {
            connection: Connection::open_with_flags(plant.db.trim_start_matches("sqlite:"), flags)
                .expect("the database is there"),
        }
    }

    /// Milliseconds to step over 10,000 rows after the first `start`, and to look at each of their columns if
    /// `columns`.
    pub fn step(&mut self, start: i64, columns: bool) -> f64 {
        let sql = "SELECT id, datasource_id, registration_date, area_id, asset_id, project_id, value, description, dimension, dimension2, dimension3,
                   dimension4, value_date, external_id FROM datasource_values
                   WHERE datasource_id = 1 AND (value_date, id) > (?1, ?2) ORDER BY value_date, id LIMIT 10000";
        let mut statement = self
            .connection
            .prepare_cached(sql)
            .expect("the statement fits the schema");
        let date = (1_672_531_200 + start * 60) * 10_000_000;
        let started = Instant::now();
        let mut rows = statement.query([date, start]).expect("the rows");
        let (mut count, mut seen) = (0, 0);
        while let Some(row) = rows.next().expect("a row") {
            count += 1;
            for column in 0..if columns { 14 } else { 0 } {
                seen += match row.get_ref(column).expect("a column") {
                    ValueRef::Null => 0,
                    ValueRef::Integer(value) => value,
                    ValueRef::Real(value) => value as i64,
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() as i64,
                } & 1;
            }
        }
        let took = milliseconds(started);
        assert_eq!(count, 10_000);
        std::hint::black_box(seen);
        took
    }

    /// Milliseconds for the first 1,000 rows that meet a condition, in the order of their dates, and for the
    /// number of all such rows.
    pub fn filtered(&self, condition: &str) -> f64 {
        let page = format!(
            "SELECT * FROM datasource_values WHERE datasource_id = 1 AND {condition} ORDER BY value_date, id LIMIT 1000"
        );
        let count = format!(
            "SELECT count(*) FROM datasource_values WHERE datasource_id = 1 AND {condition}"
        );
        self.all(&page) + self.all(&count)
    }

    /// Milliseconds for all rows of a statement.
    pub fn all(&self, sql: &str) -> f64 {
        let started = Instant::now();
        let mut statement = self
            .connection
            .prepare(sql)
            .expect("the statement fits the schema");
        let mut rows = statement.query([]).expect("the rows");
        while let Some(row) = rows.next().expect("a row") {
            std::hint::black_box(row);
        }
        milliseconds(started)
    }

    /// Marks the datasource as changed.
    pub fn touch(&self) {
        let sql = "UPDATE datasources SET change_counter = change_counter + 1";
        self.connection.execute(sql, []).expect("a row");
    }
}
