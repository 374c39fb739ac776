//! Partition pruning: the partitions that each request reads.

use std::time::{Duration, Instant};

use tokio_postgres::Client;

use super::{administrator, found, name_of, run};
use crate::support::Service;

/// Ends all other connections, because each reports its statistics late, at its end at the latest.
async fn be_alone(client: &Client) {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
    let deadline = Instant::now() + Duration::from_secs(20);
    while !client.query(end, &[]).await.expect("ended").is_empty() {
        assert!(Instant::now() < deadline, "a connection does not end");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The partitions that other connections have read since the statistics were reset.
async fn touched(client: &Client) -> Vec<String> {
    be_alone(client).await;
    let sql = "SELECT relname::text FROM pg_stat_user_tables \
        WHERE relname LIKE 'datasource\\_values%' AND coalesce(idx_scan, 0) + seq_scan > 0 ORDER BY 1";
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let rows = client.query(sql, &[]).await.expect("figures");
        if !rows.is_empty() {
            return rows.iter().map(|row| row.get(0)).collect();
        }
        assert!(Instant::now() < deadline, "the server tells no figures");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn only_the_months_that_a_request_is_about_are_looked_into() {
    let service = Service::start().await;
    let client = administrator(&service).await;
    // A value each hour: of fewer a server would rather read all.
    let hours = "INSERT INTO datasources (id, value_count) VALUES (4, 17544);
        INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date)
        SELECT 4, (1704067200 + hour * 3600) * 10000000, hour, hour, 0 FROM generate_series(0::bigint, 17543) AS hour";
    client.batch_execute(hours).await.expect("values");
    run(&client, "divide").await;
    drop(client);
    let client = administrator(&service).await;
    for (query, count, expected) in [
        (
            "?from=2024-05-01T00:00:00Z&to=2024-07-01T00:00:00Z",
            (31 + 30) * 24 - 1,
            vec![name_of(4), name_of(5)],
        ),
        // In order of date, until the page is full.
        (
            "?pageSize=3",
            17_544,
            vec![name_of(0), "datasource_values_earlier".to_owned()],
        ),
    ] {
        be_alone(&client).await;
        let reset = "SELECT pg_stat_reset()";
        client.execute(reset, &[]).await.expect("set back");
        // More often than a server makes a plan for the values at hand: from then on it has one for all.
        for round in 0..8 {
            // A different list each time, because they are cached.
            let query = format!("{query}&round={round}");
            assert_eq!(found(&service, &query).await.0, count, "{query}");
        }
        assert_eq!(touched(&client).await, expected, "{query}");
    }

    // The tenth page begins after row 9,000, which is of the 9th of January 2025, and ends on the 20th of
    // February.
    for page in 1..=9 {
        found(&service, &format!("?pageSize=1000&page={page}")).await;
    }
    be_alone(&client).await;
    client
        .execute("SELECT pg_stat_reset()", &[])
        .await
        .expect("set back");
    for _ in 0..8 {
        let (_, dates) = found(&service, "?pageSize=1000&page=10").await;
        assert_eq!(dates[0], "2025-01-10T00:00:00Z");
    }
    assert_eq!(touched(&client).await, [name_of(12), name_of(13)]);
}
