//! The objects that the migrations of both engines create, for every version, and starts on a database of an
//! earlier build.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::scratch::{Scratch, admin, one, options};
use crate::engine::Session;
use crate::postgres::Postgres;
use crate::postgres::address::Address;
use crate::postgres::catalogue::read;
use crate::postgres::connection::PostgresConnection;
use crate::postgres::migrate::make_old;
use crate::postgres::server::{Role, Server};
use crate::schema::catalogue::Catalogue;
use crate::schema::{Migration, POSTGRES, SQLITE};
use crate::{StoreError, sqlite};

/// The list of objects, in this crate.
const LIST: &str = "src/schema/catalogue.txt";
/// Set to rewrite the list.
const WRITE: &str = "OBEYA_WRITE_CATALOGUE";

/// Intended differences between the engines: part of the name of an object, and the reason.
const DIFFERENCES: [(&str, &str); 14] = [
    (
        "_search",
        "a virtual table on SQLite; a table with a tsvector and a GIN index on PostgreSQL",
    ),
    (
        "comments_parts",
        "the same for parts of texts, filled by triggers in the language of each engine",
    ),
    (
        "_ids",
        "PostgreSQL moves a sequence past ids of imports by a trigger; SQLite does it by itself",
    ),
    ("function obeya_", "SQLite has no functions in the database"),
    (
        "trigger audit_entries_unchanged",
        "the same condition, in the language of each engine",
    ),
    (
        "incidents_by_external_id",
        "a hash index on PostgreSQL, where an ordered one takes no long texts",
    ),
    (
        "column attachment_contents.content",
        "bytes have a type of another name on each engine",
    ),
    (
        "column datasources.rolled_up_until",
        "a negative default, which each engine's catalogue writes in its own way",
    ),
    (
        "column datasources.marked_counter",
        "a negative default, which each engine's catalogue writes in its own way",
    ),
    (
        "column datasources.days_rolled_up_until",
        "a negative default, which each engine's catalogue writes in its own way",
    ),
    (
        "column value_rollups.total",
        "a partial sum is a text on SQLite",
    ),
    (
        "column value_day_rollups.total",
        "a partial sum is a text on SQLite",
    ),
    (
        "value_day_rollups_hours_",
        "triggers in the language of each engine",
    ),
    (
        "check attachments",
        "the same condition over two columns, which each engine's catalogue writes in its own way",
    ),
];

/// An older database on PostgreSQL, without checksums.
pub(super) fn old(version: usize) -> (Scratch, PostgresConnection) {
    let scratch = Scratch::new();
    let address = Address::parse(&scratch.url, |_| None).unwrap();
    let server = Server::new(address, options()).unwrap();
    let mut database = PostgresConnection::open(Arc::clone(&server), Role::Writer).unwrap();
    make_old(&mut database, &server, version).unwrap();
    (scratch, database)
}

/// Objects with their definitions, and the engines that have them: bit 0 SQLite, bit 1 PostgreSQL.
type Owners = BTreeMap<(String, String), Vec<u8>>;

fn add(owners: &mut Owners, catalogue: Catalogue, version: usize, engine: u8) {
    for object in catalogue {
        let of_versions = owners
            .entry(object)
            .or_insert_with(|| vec![0; POSTGRES.len()]);
        of_versions[version - 1] |= engine;
    }
}

/// The lines of one object: runs of versions with the same engines.
fn lines(object: &str, definition: &str, of_versions: &[u8]) -> Vec<String> {
    let engines = ["", "sqlite", "postgres", "both"];
    let mut lines = Vec::new();
    for run in (1..)
        .zip(of_versions)
        .collect::<Vec<_>>()
        .chunk_by(|a, b| a.1 == b.1)
    {
        let ((first, engine), (last, _)) = (run[0], run[run.len() - 1]);
        if *engine != 0 {
            let last = if last == of_versions.len() {
                String::new()
            } else {
                last.to_string()
            };
            let versions = format!("{first}-{last}");
            let engine = engines[usize::from(*engine)];
            lines.push(format!(
                "{versions:<5} {engine:<8} {object}: {definition}\n"
            ));
        }
    }
    lines
}

#[test]
fn both_engines_have_the_catalogue_that_is_listed_for_each_version() {
    assert_eq!(SQLITE.len(), POSTGRES.len());
    let mut owners = Owners::new();
    for version in 1..=POSTGRES.len() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("old.db");
        sqlite::make_old(&file, version, "");
        add(&mut owners, sqlite::catalogue_of(&file), version, 1);
        let (_scratch, mut database) = old(version);
        add(&mut owners, read(&mut database).unwrap(), version, 2);
    }
    let list: String = owners
        .iter()
        .flat_map(|((object, definition), of_versions)| lines(object, definition, of_versions))
        .collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(LIST);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &list).unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap();
    for (found, listed) in list.lines().zip(listed.lines()) {
        assert_eq!(found, listed, "look at the difference, then set {WRITE}");
    }
    assert_eq!(
        list.len(),
        listed.len(),
        "look at the difference, then set {WRITE}"
    );
}

#[test]
fn the_engines_differ_only_where_it_is_meant() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(LIST);
    let listed = std::fs::read_to_string(path).unwrap();
    for line in listed
        .lines()
        .filter(|line| !line[6..].starts_with("both "))
    {
        let object = line.split(": ").next().unwrap();
        assert!(
            DIFFERENCES.iter().any(|(part, _)| object.contains(part)),
            "{line}"
        );
    }
}

/// Objects that an operator may have added.
const ADDED: &str =
    "CREATE INDEX mine ON boards (description); CREATE VIEW my_view AS SELECT id FROM boards;
    CREATE TABLE my_table (id bigint PRIMARY KEY, board_id bigint REFERENCES boards (id));
    ALTER TABLE boards ADD COLUMN mine text;";

fn recorded(session: &mut dyn Session) -> Vec<(Option<i64>, Option<String>)> {
    let sql = "SELECT version, checksum FROM obeya_migrations ORDER BY version";
    session
        .all(sql, &[], |row| Ok((row.int(0)?, row.string(1)?)))
        .unwrap()
}

fn checksums(migrations: &[Migration]) -> Vec<(Option<i64>, Option<String>)> {
    let checksums = (1..).zip(migrations);
    checksums
        .map(|(version, migration)| (Some(version), Some(migration.checksum())))
        .collect()
}

fn refusal(url: &str) -> String {
    match Postgres::open(url, &options()) {
        Err(StoreError::Schema(text)) => text,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it was opened"),
    }
}

#[test]
fn a_database_of_an_earlier_build_is_given_its_checksums() {
    for version in [1, 4, 9, 10] {
        let (scratch, mut database) = old(version);
        database.control(ADDED).unwrap();
        database
            .control("CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
                CREATE TRIGGER mine AFTER INSERT ON boards EXECUTE FUNCTION mine();
                ALTER TABLE boards ADD CONSTRAINT mine CHECK (board_type <> 'x')")
            .unwrap();
        std::thread::scope(|scope| {
            let starts: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| Postgres::open(&scratch.url, &options()).map(drop)))
                .collect();
            for start in starts {
                start.join().unwrap().unwrap();
            }
        });
        assert_eq!(
            recorded(&mut database),
            checksums(POSTGRES),
            "from {version}"
        );
    }
}

#[test]
fn a_database_of_an_earlier_build_that_was_changed_is_refused_and_left_as_it_is() {
    for (version, change, named) in [
        (
            10,
            "DROP INDEX incidents_by_area",
            "index incidents_by_area: found none, expected `incidents (area_id, id)`",
        ),
        (
            10,
            "ALTER TABLE boards ALTER COLUMN name SET NOT NULL",
            "column boards.name: found `text not null`, expected `text`",
        ),
        (
            4,
            "ALTER TABLE incident_comments DISABLE TRIGGER comments_parts_delete",
            "trigger comments_parts_delete: found `incident_comments after delete for each statement comments_parts_deleted disabled`",
        ),
        (
            1,
            "DROP VIEW improvement_records",
            "view improvement_records: found none",
        ),
    ] {
        let (scratch, mut database) = old(version);
        database.control(change).unwrap();
        let before = read(&mut database).unwrap();
        let text = refusal(&scratch.url);
        assert!(text.contains(named), "{text}");
        assert!(
            text.contains(&format!(
                "is not as version {version} of the schema made it"
            )),
            "{text}"
        );
        assert_eq!(read(&mut database).unwrap(), before);
        let marks =
            "SELECT version FROM obeya_schema WHERE to_regclass('obeya_migrations') IS NULL";
        assert_eq!(
            one(&mut database, marks, &[]).unwrap(),
            Some(version as i64)
        );
    }
}

#[test]
fn values_in_partitions_do_not_hinder_checksums() {
    let (scratch, mut database) = old(10);
    database
        .control(
            "DROP TABLE datasource_values; CREATE TABLE datasource_values (
                datasource_id bigint NOT NULL REFERENCES datasources (id) ON DELETE CASCADE,
                value_date bigint NOT NULL, id bigint NOT NULL, value double precision,
                registration_date bigint NOT NULL, area_id bigint, asset_id bigint, project_id bigint,
                description text COLLATE \"C\", dimension text COLLATE \"C\", dimension2 text COLLATE \"C\",
                dimension3 text COLLATE \"C\", dimension4 text COLLATE \"C\", external_id text COLLATE \"C\",
                PRIMARY KEY (datasource_id, value_date, id)) PARTITION BY RANGE (value_date);
            CREATE TABLE all_values PARTITION OF datasource_values FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
            CREATE UNIQUE INDEX ON all_values (id)",
        )
        .unwrap();
    Postgres::open(&scratch.url, &options()).unwrap();
    assert_eq!(recorded(&mut database), checksums(POSTGRES));
}

/// A role that reports from the views reads them after the upgrade too.
#[test]
fn an_upgrade_takes_no_rights_on_the_views_of_incidents() {
    let (scratch, mut owner) = old(14);
    let views = "incident_records, live_incidents";
    owner
        .control(&format!("GRANT SELECT ON {views} TO PUBLIC"))
        .unwrap();
    drop(Postgres::open(&scratch.url, &options()).unwrap());
    let granted = "SELECT count(*) FROM information_schema.role_table_grants
        WHERE grantee = 'PUBLIC' AND table_schema = ?1 AND table_name IN ('incident_records', 'live_incidents')";
    let binds = [scratch.name.as_str().into()];
    assert_eq!(one(&mut owner, granted, &binds).unwrap(), Some(2));
}

#[test]
fn another_file_than_the_one_that_was_applied_is_refused() {
    let (scratch, _, mut database) = Scratch::migrated();
    assert_eq!(recorded(&mut database), checksums(POSTGRES));
    let change = "UPDATE obeya_migrations SET checksum = 'c0ffee', file = '0003_other.sql' WHERE version = 3";
    database.control(change).unwrap();
    let text = refusal(&scratch.url);
    let expected = POSTGRES[2].checksum();
    let says = format!(
        "0003_other.sql with the checksum c0ffee, expected 0003_secrets.sql with {expected}"
    );
    assert!(text.contains(&says), "{text}");
}

#[test]
fn a_role_that_may_not_record_checksums_starts_without_them() {
    let (scratch, mut owner) = old(POSTGRES.len());
    let role = format!("{}_serves", scratch.name);
    admin(&format!("CREATE ROLE {role} LOGIN PASSWORD 'pw'"));
    let grants = "GRANT USAGE, CREATE ON SCHEMA {0} TO {1}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {0} TO {1}";
    owner
        .control(&grants.replace("{0}", &scratch.name).replace("{1}", &role))
        .unwrap();
    let (authority, host) = (
        scratch.url.find("://").unwrap() + 3,
        scratch.url.find('@').unwrap(),
    );
    let url = format!(
        "{}{role}:pw{}",
        &scratch.url[..authority],
        &scratch.url[host..]
    );
    drop(Postgres::open(&url, &options()).unwrap());
    let table = "SELECT count(*) FROM pg_class WHERE oid = to_regclass('obeya_migrations')";
    assert_eq!(
        one(&mut owner, table, &[]).unwrap(),
        Some(0),
        "only the owner makes the table"
    );
    drop(Postgres::open(&scratch.url, &options()).unwrap());
    assert_eq!(recorded(&mut owner), checksums(POSTGRES));
    // The role reads the new table, and verifies that its files are the applied ones.
    drop(Postgres::open(&url, &options()).unwrap());
    owner
        .control("UPDATE obeya_migrations SET checksum = ''")
        .unwrap();
    assert!(refusal(&url).contains("0001_domain.sql"));
    drop(owner);
    admin(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}
