//! The roles of `docs/postgresql.md`: each can do its task, and no more.

use obeya_server::import::OnConflict;
use obeya_server::store::{Store, StoreError, StoreOptions};
use obeya_testkit::postgres::{connect, on, server};

use crate::import_folder::Folder;

const PASSWORD: &str = "made-for-a-test";

/// The statements of the document, for a database and roles whose names have another prefix than `obeya`.
fn statements(name: &str) -> Vec<String> {
    let blocks = include_str!("../../../../docs/postgresql.md")
        .split("```sql\n")
        .skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap_or_default());
    let text = blocks.collect::<Vec<_>>().join("\\connect obeya\n");
    let named = text
        .split_inclusive(|c: char| !c.is_alphanumeric() && c != '_')
        .map(|word| match word.strip_prefix("obeya") {
            Some(rest) => format!("{name}{rest}"),
            None => word.to_owned(),
        });
    let text = named.collect::<String>().replace('…', PASSWORD);
    text.split(&format!("\\connect {name}\n"))
        .map(str::to_owned)
        .collect()
}

/// The address of the database for a role.
fn address(name: &str, role: &str) -> String {
    let url = on(&server(), name);
    let (scheme, rest) = url.split_once("://").expect("an address");
    let rest = rest.split_once('@').map_or(rest, |(_, rest)| rest);
    format!("{scheme}://{role}:{PASSWORD}@{rest}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_role_of_the_document_does_what_it_is_for() {
    let name = format!("obeya_roles_{:016x}", fastrand::u64(..));
    let checked = tokio::spawn(check(name.clone())).await;
    let client = connect(&server()).await;
    for drop in [
        format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
        format!("DROP ROLE IF EXISTS {name}_owner, {name}, {name}_answers, {name}_reports"),
    ] {
        client.batch_execute(&drop).await.expect("dropped");
    }
    if let Err(panic) = checked {
        std::panic::resume_unwind(panic.into_panic());
    }
}

async fn check(name: String) {
    let [outside, inside, more] = &statements(&name)[..] else {
        panic!("the document makes a database, what is in it, and more roles");
    };
    for statement in outside.split_inclusive(';') {
        let client = connect(&server()).await;
        client.batch_execute(statement).await.expect(statement);
    }
    let administrator = connect(&on(&server(), &name)).await;
    administrator.batch_execute(inside).await.expect(inside);
    let owner = open(&address(&name, &format!("{name}_owner"))).await;
    owner.expect("the tables").close().await;
    administrator.batch_execute(more).await.expect(more);
    serves(&address(&name, &name)).await;
    answers(&address(&name, &format!("{name}_answers"))).await;
    reports(&address(&name, &format!("{name}_reports"))).await;
}

async fn open(url: &str) -> Result<Store, StoreError> {
    Store::open(url, &StoreOptions::default()).await
}

async fn serves(url: &str) {
    let imported = Folder::plant().import(url, OnConflict::default()).await;
    imported.expect("an import by the role that serves");
    let store = open(url).await.expect("a store");
    let written = store.write(|session| {
        // What an import of many does at its end.
        session.first("SELECT obeya_settle()", &[], |_| Ok(()))?;
        let sql = "INSERT INTO incidents (incident_type_id, reported_date, status, severity, title, incident_date, last_modified)
            SELECT min(id), 0, 'New', 'Low', 'Noise', 0, 0 FROM incident_types RETURNING id";
        session.first(sql, &[], |row| row.int(0))
    });
    written.await.expect("an incident");
    let made = store.write(|session| session.execute("CREATE TABLE more (id bigint)", &[]));
    assert!(matches!(made.await, Err(StoreError::Unavailable(_))));
    store.close().await;
}

async fn answers(url: &str) {
    let store = open(url).await.expect("a store");
    let titles =
        store.read(|session| session.all("SELECT title FROM incidents", &[], |row| row.string(0)));
    let titles: Result<_, StoreError> = titles.await;
    assert!(titles.expect("titles").len() > 1);
    let written = store.write(|session| session.execute("UPDATE incidents SET title = ''", &[]));
    assert!(matches!(written.await, Err(StoreError::Unavailable(_))));
    store.close().await;
}

async fn reports(url: &str) {
    let client = connect(url).await;
    for (table, may_read) in [
        ("incident_records", true),
        ("live_comments", true),
        ("datasource_values", true),
        ("incidents", false),
        ("clients", false),
        ("signing_keys", false),
        ("secrets", false),
    ] {
        let read = client
            .batch_execute(&format!("SELECT * FROM {table}"))
            .await;
        assert_eq!(read.is_ok(), may_read, "{table}: {read:?}");
    }
}
