//! Migrates the schema of a database to the newest version, in one transaction.
//!
//! The version is in a table of ours, in the current schema. If several processes start at once, one migrates
//! and the others wait. The functions that statements call are created in the same transaction. An older
//! program does not replace the functions of a newer one, which remain compatible.

use obeya_odata::functions::postgres::definitions;
use obeya_odata::sql::postgres::DEFINITIONS;
use sha2::{Digest as _, Sha256};

use super::catalogue;
use super::connection::PostgresConnection;
use super::errors::Failure;
use super::server::Server;
use crate::schema::{self, Migration, POSTGRES, applied, complete};
use crate::{Session, StoreError};

/// The statements for the version table.
const MARKS: &str = r#"
CREATE TABLE IF NOT EXISTS obeya_schema (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL);
CREATE TABLE IF NOT EXISTS obeya_functions (digest text COLLATE "C" PRIMARY KEY, made timestamptz NOT NULL DEFAULT now());"#;

/// Which files were applied; see [`applied`]. Names and digests are not secret, so a role with privileges on
/// single tables needs no new ones. Only the owner of a table may comment on it, so no other role can become
/// the owner of this table.
const APPLIED: &str = r#"
COMMENT ON TABLE obeya_schema IS 'The version of the tables of this schema';
CREATE TABLE IF NOT EXISTS obeya_migrations
    (version bigint PRIMARY KEY, file text COLLATE "C" NOT NULL, checksum text COLLATE "C" NOT NULL);
GRANT SELECT ON obeya_migrations TO PUBLIC"#;

/// Begins the transaction without time limits, and waits for the advisory lock of another migration; its key
/// is derived from the name of the schema. READ COMMITTED, because a snapshot from before the wait would hide
/// the changes of the other migration.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; \
    SELECT pg_advisory_xact_lock(hashtextextended('obeya ' || current_schema(), 7382611))";

/// Migrates the database.
///
/// # Errors
/// [`StoreError::Schema`] when it is newer than this program, belongs to another program, or is old and this
/// user may not change it; and errors of the server.
pub(super) fn run(database: &mut PostgresConnection, server: &Server) -> Result<(), StoreError> {
    run_to(database, server, &Wanted::new())
}

/// Creates the schema of an older version in an empty database, without checksums, like earlier builds.
pub(super) fn make_old(
    database: &mut PostgresConnection,
    server: &Server,
    version: usize,
) -> Result<(), StoreError> {
    let mut wanted = Wanted::new();
    wanted.migrations = &POSTGRES[..version];
    run_to(database, server, &wanted)?;
    database.control("DROP TABLE obeya_migrations")
}

/// Migrates the database to the wanted version, if necessary.
fn run_to(
    database: &mut PostgresConnection,
    server: &Server,
    wanted: &Wanted,
) -> Result<(), StoreError> {
    let place = server.place();
    // This check takes no lock, so that a process can start while another one migrates or imports; and it
    // needs no write privilege.
    let found = look(database, wanted, &place)?;
    if found.is(wanted) {
        return Ok(());
    }
    if found.version == 0 && !server.makes_tables() {
        return Err(StoreError::NoDatabase(place));
    }
    let response_timeout = database.link.set_response_timeout(std::time::Duration::MAX);
    let applied = apply(database, wanted, &place);
    database.link.set_response_timeout(response_timeout);
    if applied.is_err() && !database.link.is_lost() {
        database.control("ROLLBACK")?;
    }
    match applied {
        // It is up to date. A process of the owner records the checksums later.
        Err(failure) if failure.is_forbidden && found.lacks_checksums_only(wanted) => {
            database.control("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
            let compared = compare(database, wanted, &place);
            let end = database.control("ROLLBACK");
            compared.map(drop).and(end)
        }
        applied => applied.map_err(|failure| refused(failure, &place)),
    }
}

fn apply(database: &mut PostgresConnection, wanted: &Wanted, place: &str) -> Result<(), Failure> {
    let run = |database: &mut PostgresConnection, sql: &str| {
        let client = database.link.client();
        database.link.wait(client.batch_execute(sql))
    };
    run(database, BEGIN)?;
    let found = compare(database, wanted, place)?;
    if !found.has_functions {
        run(database, MARKS)?;
        for definition in &wanted.functions {
            run(database, definition)?;
        }
        let mark = format!(
            "INSERT INTO obeya_functions (digest) VALUES ('{}') ON CONFLICT DO NOTHING",
            wanted.digest
        );
        run(database, &mark)?;
    }
    if found.version < wanted.version() {
        for (version, migration) in (1..).zip(wanted.migrations) {
            if version > found.version {
                run(database, migration.sql)?;
            }
        }
        complete(database, found.version, wanted.version())?;
        let mark = format!(
            "INSERT INTO obeya_schema (id, version) VALUES (1, {0}) ON CONFLICT (id) DO UPDATE SET version = {0}",
            wanted.version()
        );
        run(database, &mark)?;
    }
    if !found.is_recorded || found.version < wanted.version() {
        run(database, APPLIED)?;
        applied::record(database, wanted.migrations)?;
    }
    run(database, "COMMIT")
}

/// The schema that this program needs.
struct Wanted {
    migrations: &'static [Migration],
    functions: Vec<String>,
    /// The digest of the functions.
    digest: String,
}

impl Wanted {
    fn new() -> Self {
        let functions: Vec<String> = DEFINITIONS
            .iter()
            .map(|text| (*text).to_owned())
            .chain(definitions().into_iter().map(Into::into))
            .collect();
        let mut digest = Sha256::new();
        functions.iter().for_each(|text| digest.update(text));
        Wanted {
            migrations: POSTGRES,
            functions,
            digest: format!("{:x}", digest.finalize()),
        }
    }

    fn version(&self) -> i64 {
        self.migrations.len() as i64
    }

    /// The names of all tables and views.
    fn tables(&self) -> Vec<&str> {
        let words = self.migrations.iter().flat_map(|migration| {
            let words: Vec<&str> = migration.sql.split_whitespace().collect();
            words
                .windows(3)
                .filter(|window| window[0] == "CREATE" && matches!(window[1], "TABLE" | "VIEW"))
                .map(|window| window[2].split('(').next().unwrap_or_default())
                .collect::<Vec<_>>()
        });
        words.collect()
    }
}

/// The state of the database.
struct Found {
    /// 0 when the schema is empty.
    version: i64,
    has_functions: bool,
    /// Whether the files that were applied are recorded.
    is_recorded: bool,
}

impl Found {
    fn is(&self, wanted: &Wanted) -> bool {
        self.is_recorded && self.lacks_checksums_only(wanted)
    }

    /// Whether nothing except the checksums may be missing.
    fn lacks_checksums_only(&self, wanted: &Wanted) -> bool {
        self.version == wanted.version() && self.has_functions
    }
}

/// Reads the state of the database, and checks that the files of this program created it; changes nothing.
fn look(
    database: &mut PostgresConnection,
    wanted: &Wanted,
    place: &str,
) -> Result<Found, StoreError> {
    let session: &mut dyn Session = database;
    let schema = session.first("SELECT current_schema()", &[], |row| row.string(0))?;
    if schema.flatten().is_none() {
        return Err(StoreError::Schema(format!(
            "{place} has no schema to work in: none that the search path names is there"
        )));
    }
    let marks = ["obeya_schema", "obeya_functions", applied::TABLE];
    // In one statement: between two statements another process may commit the schema, whose tables would then
    // look like those of another program.
    let there = named(session, &[&marks, &wanted.tables()[..]].concat())?;
    let has = |table: &str| there.iter().any(|found| found == table);
    if !has("obeya_schema") || !has("obeya_functions") {
        let is_mark = |table: &str| marks.contains(&table);
        if let Some(table) = there.iter().find(|table| !is_mark(table)) {
            return Err(StoreError::Schema(format!(
                "{place} has a table `{table}` of another program: use a database or a schema of its own"
            )));
        }
        return Ok(Found {
            version: 0,
            has_functions: false,
            is_recorded: false,
        });
    }
    let version = session.first("SELECT version FROM obeya_schema", &[], |row| row.int(0))?;
    let version = version.flatten().unwrap_or_default();
    if version > wanted.version() {
        return Err(StoreError::Schema(format!(
            "{place} has schema version {version}, and this program knows versions up to {}: use a newer program",
            wanted.version()
        )));
    }
    let is_recorded =
        has(applied::TABLE) && applied::verify(session, wanted.migrations, version, place)?;
    let has_functions = session.first(
        "SELECT 1 FROM obeya_functions WHERE digest = ?1",
        &[wanted.digest.as_str().into()],
        |_| Ok(()),
    )?;
    Ok(Found {
        version,
        has_functions: has_functions.is_some(),
        is_recorded,
    })
}

/// Compares a database of an earlier build, which stored no checksums, with the catalogue of its
/// version. In a transaction.
fn compare(
    database: &mut PostgresConnection,
    wanted: &Wanted,
    place: &str,
) -> Result<Found, StoreError> {
    let found = look(database, wanted, place)?;
    if found.version > 0 && !found.is_recorded {
        let catalogue = catalogue::read(database)?;
        schema::catalogue::compare(&catalogue, database.dialect(), found.version, place)?;
    }
    Ok(found)
}

/// The version of the schema; 0 when there is none.
///
/// # Errors
/// As [`run`].
pub(super) fn version(
    database: &mut PostgresConnection,
    server: &Server,
) -> Result<i64, StoreError> {
    look(database, &Wanted::new(), &server.place()).map(|found| found.version)
}

/// Returns how the schema differs from what its version has: one text, or none.
///
/// # Errors
/// The server fails.
pub(super) fn differences(
    database: &mut PostgresConnection,
    server: &Server,
) -> Result<Option<String>, StoreError> {
    let place = server.place();
    let version = match version(database, server) {
        Err(StoreError::Schema(text)) => return Ok(Some(text)),
        version => version?,
    };
    let catalogue = catalogue::read(database)?;
    match schema::catalogue::compare(&catalogue, database.dialect(), version, &place) {
        Err(StoreError::Schema(text)) => Ok(Some(text)),
        compared => compared.map(|()| None),
    }
}

/// Which of these tables or views are in the schema in use.
fn named(session: &mut dyn Session, names: &[&str]) -> Result<Vec<String>, StoreError> {
    let names = names.join(",");
    let found = session.all(
        "SELECT c.relname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
         WHERE n.nspname = current_schema() AND c.relname = ANY (string_to_array(?1, ',')) AND c.relkind IN ('r', 'v', 'p', 'm', 'f') \
         ORDER BY c.relname",
        &[names.as_str().into()],
        |row| row.string(0),
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// The error of a migration, with an explanation if the user lacks a privilege.
fn refused(failure: Failure, place: &str) -> StoreError {
    if !failure.is_forbidden {
        return failure.error;
    }
    StoreError::Schema(format!(
        "{place} is not up to date for this program, and its user may not change that ({}): start once with the user that owns the tables",
        failure.error
    ))
}
