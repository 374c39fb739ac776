//! The database file of SQLite: which files are refused and left unchanged, the permissions of a new one, and
//! its content.

use std::path::Path;

use obeya_server::store::{Store, StoreError, StoreOptions};
use tempfile::TempDir;

use crate::store::{add_area, areas, opened};
use crate::store_parts::{self, COMMENTS};
use crate::support::{Database, Service};

/// The path of the file of a database.
fn folder(database: &Database) -> &Path {
    let file = database.url().strip_prefix("sqlite:");
    let file = file.expect("the address of a file");
    Path::new(file).parent().expect("a folder")
}

fn address(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("plant.db").display())
}

async fn refusal(url: &str) -> String {
    match Store::open(url, &StoreOptions::default()).await {
        Err(StoreError::Schema(text)) => text,
        Err(other) => panic!("refused with {other:?}"),
        Ok(_) => panic!("{url} was opened"),
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let content = "This is a shopping list, not a database.\n".repeat(40);
    std::fs::write(folder.path().join("plant.db"), &content).expect("a file");
    let text = refusal(&address(&folder)).await;
    assert!(
        text.ends_with("plant.db is not a SQLite database"),
        "{text}"
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("plant.db")).expect("the file"),
        content
    );
}

fn with_sqlite(file: &Path, sql: &str) {
    rusqlite::Connection::open(file)
        .expect("a connection")
        .execute_batch(sql)
        .expect("a batch");
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let (database, store) = opened().await;
    store.close().await;
    with_sqlite(
        &folder(&database).join("plant.db"),
        "PRAGMA user_version = 4711",
    );
    let text = refusal(database.url()).await;
    assert!(
        text.contains("has schema version 4711, and this program knows versions up to "),
        "{text}"
    );
}

#[tokio::test]
async fn the_database_of_another_program_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plant.db");
    with_sqlite(&file, "CREATE TABLE recipes (name TEXT)");
    let before = std::fs::read(&file).expect("a file");
    let text = refusal(&address(&folder)).await;
    assert!(
        text.ends_with("plant.db is a database of another program"),
        "{text}"
    );
    assert_eq!(std::fs::read(&file).expect("a file"), before);
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        1
    );
}

#[tokio::test]
async fn what_was_answered_survives_a_crash() {
    let (database, store) = opened().await;
    for id in 1..=3 {
        store
            .write(move |session| add_area(session, id, "a"))
            .await
            .expect("an area");
    }
    // The files after a crash at this moment: the file and its log, without a notice to the store.
    let crashed = tempfile::tempdir().expect("a folder");
    for name in ["plant.db", "plant.db-wal"] {
        std::fs::copy(folder(&database).join(name), crashed.path().join(name)).expect("a copy");
    }
    let recovered = Database::at(address(&crashed)).open().await;
    assert_eq!(areas(&recovered).await, 3);
}

#[tokio::test]
async fn a_file_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!(
        "sqlite:{}",
        folder.path().join("no/such/folder/plant.db").display()
    );
    match Store::open(&url, &StoreOptions::default()).await {
        Err(StoreError::Unavailable(text)) => {
            assert!(text.contains("no/such/folder/plant.db"), "{text}");
        }
        other => panic!("{:?}", other.map(drop)),
    }
}

#[tokio::test]
async fn a_file_of_version_1_is_brought_up_to_date_and_keeps_its_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plant.db");
    with_sqlite(
        &file,
        include_str!("../../../store/src/schema/sqlite/0001_domain.sql"),
    );
    with_sqlite(
        &file,
        "INSERT INTO areas (id, name) VALUES (7, 'Press hall'); PRAGMA application_id = 0x4F626579; PRAGMA user_version = 1",
    );
    let store = Store::open(&address(&folder), &StoreOptions::default())
        .await
        .expect("an older store");
    let clients = store
        .read(|session| session.first("SELECT count(*) FROM clients", &[], |row| row.int(0)))
        .await;
    assert_eq!(clients.expect("the tables of version 2"), Some(Some(0)));
    assert_eq!(areas(&store).await, 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_is_its_owners_alone_and_one_that_exists_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |file: &Path| {
        let metadata = std::fs::metadata(file).expect("a file");
        metadata.permissions().mode() & 0o777
    };
    let (database, store) = opened().await;
    store
        .write(|session| add_area(session, 1, "a"))
        .await
        .expect("written");
    for name in ["plant.db", "plant.db-wal", "plant.db-shm"] {
        assert_eq!(mode(&folder(&database).join(name)), 0o600, "{name}");
    }
    store.close().await;

    let file = folder(&database).join("plant.db");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    database.open().await;
    assert_eq!(mode(&file), 0o640);
}

/// The file never contains the secret in a usable form.
#[tokio::test]
async fn only_a_hash_of_the_secret_is_stored() {
    let service = Service::start().await;
    let client = service
        .running
        .add_client("erp", &["Data.Read"])
        .await
        .expect("a client");
    let (database, secret) = (service.database.clone(), client.client_secret);
    service.running.shutdown().await;
    let mut found_hash = false;
    for entry in std::fs::read_dir(folder(&database)).expect("a folder") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        let holds = |text: &str| {
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        };
        assert!(!holds(&secret));
        found_hash |= holds("$hmac-sha256$");
    }
    assert!(found_hash);
}

#[tokio::test]
async fn a_service_on_a_file_that_is_no_database_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("plant.db"),
        "no database at all, but longer than a header of SQLite would be: ".repeat(20),
    )
    .expect("written");
    let config = obeya_server::Config::new(address(&folder));
    let error = obeya_server::Server::start(config).await;
    assert!(
        error
            .expect_err("refused")
            .to_string()
            .starts_with("cannot open the database sqlite:")
    );
}

#[tokio::test]
async fn comments_of_an_older_file_are_found_by_their_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plant.db");
    with_sqlite(
        &file,
        include_str!("../../../store/src/schema/sqlite/0001_domain.sql"),
    );
    with_sqlite(&file, &COMMENTS.join(";"));
    with_sqlite(
        &file,
        "PRAGMA application_id = 0x4F626579; PRAGMA user_version = 1",
    );
    let store = Store::open(&address(&folder), &StoreOptions::default())
        .await
        .expect("an older store");
    assert_eq!(store_parts::found(&store, "Bea").await, [10, 11]);
    assert_eq!(store_parts::found(&store, "aki").await, [12]);
    assert!(store_parts::found(&store, "bea").await.is_empty());
    store_parts::check(&store).await;
}
