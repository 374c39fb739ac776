//! Databases on PostgreSQL, and statements on them past the service.

use std::time::{Duration, Instant};

use obeya_server::store::{Store, StoreOptions};
use obeya_testkit::postgres::{Scratch, connect};
use tokio_postgres::Client;

/// A database with the schema and nothing else.
pub fn with_schema() -> Scratch {
    Scratch::with_schema(async |url: String| {
        let store = Store::open(&url, &StoreOptions::default()).await;
        store.expect("the schema").close().await;
    })
}

/// Runs a future to completion.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(work)
}

/// Runs statements on a database.
pub fn sql(url: &str, statements: &[&str]) {
    block_on(async {
        let client = connect(url).await;
        for statement in statements {
            client.batch_execute(statement).await.expect(statement);
        }
    });
}

/// A number from a database, after all other connections have ended: the server commits or rolls back the
/// last transaction of a killed process before it closes its connection.
pub fn number_after_kill(url: &str, query: &str) -> i64 {
    block_on(async {
        let client = connect(url).await;
        let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        until(&client, others, 0).await;
        client.query_one(query, &[]).await.expect(query).get(0)
    })
}

/// Polls until a query returns this number.
pub async fn until(client: &Client, query: &str, number: i64) {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let row = client.query_one(query, &[]).await.expect(query);
        if row.get::<_, i64>(0) == number {
            return;
        }
        assert!(Instant::now() < deadline, "never {number}: {query}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Empties a database, so that it is like a new one.
pub const EMPTY: &str = "DO $$ DECLARE list text; BEGIN
    SELECT string_agg(quote_ident(tablename), ', ') INTO list FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'obeya%';
    EXECUTE 'TRUNCATE ' || list || ' RESTART IDENTITY';
    INSERT INTO stamps (id, last) VALUES (1, 0);
END $$";
