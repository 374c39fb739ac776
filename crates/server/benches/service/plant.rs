//! The data of the bench, made from a fixed rule and imported, and the same rows read in the database alone.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use obeya_server::admin::{self, NewClient};
use obeya_server::import::{ImportOptions, import_dir};
use rusqlite::types::ValueRef;

use crate::table::Table;

/// Groups, each with five boards.
pub const GROUPS: usize = 200;
const VALUES: usize = 1_000_000;

/// A database with a client.
pub struct Plant {
    /// Its address, as the service takes it.
    pub db: String,
    file: std::path::PathBuf,
    /// A client that may read everything.
    pub client: NewClient,
}

impl Plant {
    /// Writes the data as JSON Lines and imports it into a new database in `folder`; tells how long the import took.
    pub fn import(folder: &Path, table: &mut Table) -> Self {
        let lines = folder.join("lines");
        std::fs::create_dir(&lines).expect("the folder is empty");
        write_lines(&lines);
        let file = folder.join("plant.db");
        let db = format!("sqlite:{}", file.display());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let client = runtime.block_on(async {
            let report = import_dir(&lines, &db, ImportOptions::default(), Arc::new(()))
                .await
                .expect("the data is right");
            table.limit(
                "import of 1,000,000 values",
                report.elapsed.as_secs_f64(),
                "s",
                20.0,
            );
            admin::add_client(&db, "bench", &["public.api.read"])
                .await
                .expect("a client")
        });
        Self { db, file, client }
    }
}

fn write_lines(folder: &Path) {
    let write = |name: &str, count: usize, line: &dyn Fn(usize, &mut String)| {
        let mut file =
            BufWriter::new(File::create(folder.join(name)).expect("the folder can be written"));
        let mut text = String::new();
        for n in 1..=count {
            text.clear();
            line(n, &mut text);
            file.write_all(text.as_bytes())
                .and_then(|()| file.write_all(b"\n"))
                .expect("the disk has room");
        }
        file.flush().expect("the disk has room");
    };
    write("groups.jsonl", GROUPS, &|n, out| {
        let _ = write!(
            out,
            r#"{{"id":{n},"type":"GENERAL","name":"Group {n}","description":"Team {n} of the plant","level":1,"sortOrder":{n},"isSystemGroup":false}}"#
        );
    });
    write("boards.jsonl", GROUPS * 5, &|n, out| {
        let (group, public) = (n % GROUPS + 1, n % 2 == 0);
        let _ = write!(
            out,
            r#"{{"id":{n},"name":"Board {}","boardType":"Kanban","isPublic":{public},"groupId":{group},"projectId":null}}"#,
            n * 7919 % 1000
        );
    });
    write("datasources.jsonl", 1, &|_, out| {
        out.push_str(r#"{"id":1,"title":"Output of the presses"}"#);
    });
    write("datasource_values.jsonl", VALUES, &|n, out| {
        // A value a minute from 2023 on, registered some seconds later; a comment on every fifth.
        let instant = |seconds: usize| {
            let instant = jiff::Timestamp::from_second(
                i64::try_from(1_672_531_200 + seconds).expect("a small number"),
            );
            instant.expect("within range").to_string()
        };
        let comment = if n % 5 == 0 {
            r#""measured by hand""#
        } else {
            "null"
        };
        let shift = ["early", "late", "night"][n / 480 % 3];
        let _ = write!(
            out,
            r#"{{"id":{n},"dataSourceId":1,"registrationDate":"{}","areaId":{},"value":{}.{:02},"description":{comment},"dimension":"{shift}","dimension2":"Press {}","dimension3":"A-{}","valueDate":"{}","externalId":"mes-{n}"}}"#,
            instant(n * 60 + 7),
            n % 7 + 1,
            n * 7919 % 1000,
            n % 100,
            n % 12,
            n % 40,
            instant(n * 60)
        );
    });
}

/// The rows of a page, read in the database and nowhere else.
pub struct Steps {
    connection: rusqlite::Connection,
}

impl Steps {
    pub fn open(plant: &Plant) -> Self {
        let flags =
            rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Self {
            connection: rusqlite::Connection::open_with_flags(&plant.file, flags)
                .expect("the database is there"),
        }
    }

    /// Milliseconds to step over 10,000 rows after the first `start`, and to look at each of their columns if `columns`.
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
        let took = started.elapsed().as_secs_f64() * 1e3;
        assert_eq!(count, 10_000);
        std::hint::black_box(seen);
        took
    }
}
