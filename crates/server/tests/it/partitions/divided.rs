//! Converting a table to partitions: by copying, and without.

use std::collections::BTreeMap;

use obeya_server::import::OnConflict;
use obeya_server::store::{StoreError, Value};

use super::{
    Lines, MONTHS, PAGE, administrator, answers, fill_up, filled, month, rows, run, spread,
};
use crate::import_folder::Folder;
use crate::support::Service;

#[tokio::test]
async fn divided_by_months_values_are_those_of_one_table() {
    let (whole, divided) = (filled().await, filled().await);
    let client = administrator(&divided).await;
    let grant = "GRANT SELECT, INSERT ON datasource_values TO pg_monitor";
    client.batch_execute(grant).await.expect("granted");
    // The prepared statements and caches of the service were for one table.
    let before = answers(&divided).await;
    run(&client, "divide").await;

    assert_eq!(rows(&client).await, spread(2, 6, 2));
    assert_eq!(answers(&divided).await, before);
    for service in [&whole, &divided] {
        fill_up(service.db()).await;
    }
    assert_eq!(rows(&client).await, spread(4, 8, 4));
    let after = answers(&divided).await;
    assert_ne!(after, before);
    assert_eq!(after, answers(&whole).await);

    let kept = "SELECT has_table_privilege('pg_monitor', 'datasource_values', 'SELECT') \
        AND has_table_privilege('pg_monitor', 'datasource_values', 'INSERT') AND NOT has_table_privilege('pg_monitor', 'datasource_values', 'DELETE')";
    let kept: bool = client.query_one(kept, &[]).await.expect("rights").get(0);
    assert!(kept);
}

#[tokio::test]
async fn a_table_becomes_the_first_partition_without_being_moved() {
    let (whole, divided) = (Service::start().await, Service::start().await);
    for service in [&whole, &divided] {
        let folder = Folder::empty();
        folder.write("datasources.jsonl", "{\"id\":4}\n{\"id\":5}");
        let imported = folder.import(service.db(), OnConflict::Fail).await;
        imported.expect("imported");
        let mut lines = Lines::from(1);
        (0..MONTHS).for_each(|n| lines.add(&format!("{}-02T00:00:00Z", month(n).0)));
        lines.import(service.db()).await.expect("imported");
    }
    let client = administrator(&divided).await;
    let file = async |table: &str| {
        let sql = "SELECT pg_relation_filepath($1::text::regclass)";
        let row = client.query_one(sql, &[&table]).await.expect("a file");
        row.get::<_, String>(0)
    };
    let grant = "GRANT SELECT ON datasource_values TO pg_monitor";
    client.batch_execute(grant).await.expect("granted");
    let before = file("datasource_values").await;
    run(&client, "prepare").await;
    run(&client, "enclose").await;
    run(&client, "next month").await;
    assert_eq!(file("datasource_values_earlier").await, before);

    for service in [&whole, &divided] {
        fill_up(service.db()).await;
        let mut lines = Lines::from(700);
        lines.add("2026-01-01T00:00:00Z");
        lines.import(service.db()).await.expect("imported");
    }
    let expected = [
        ("datasource_values_2026_01".to_owned(), 2),
        ("datasource_values_earlier".to_owned(), 48 + 48 + 2),
        ("datasource_values_later".to_owned(), 2),
    ];
    assert_eq!(rows(&client).await, BTreeMap::from(expected));
    assert_eq!(answers(&divided).await, answers(&whole).await);
    let right = "SELECT has_table_privilege('pg_monitor', 'datasource_values', 'SELECT')";
    let right: bool = client.query_one(right, &[]).await.expect("rights").get(0);
    assert!(right);
}

#[tokio::test]
async fn an_id_that_stands_twice_is_refused_whatever_month_it_is_in() {
    let service = filled().await;
    let client = administrator(&service).await;
    run(&client, "divide").await;
    // 3 is at the beginning of January 2024.
    for date in [
        "2024-01-03T00:00:00Z",
        "2025-06-03T00:00:00Z",
        "2040-01-01T00:00:00Z",
    ] {
        let mut lines = Lines::from(3);
        lines.add(date);
        let error = lines.import(service.db()).await.expect_err(date);
        assert!(
            error
                .to_string()
                .contains("3, which the database has already"),
            "{error}"
        );
    }
    // Without the import: the database refuses it within a month and not across months, and the document says
    // how to find it.
    let by_hand = async |date: i64| {
        let sql = "INSERT INTO datasource_values (datasource_id, value_date, id, registration_date) VALUES (4, ?1, 3, 0)";
        let write = service
            .store()
            .write(move |session| session.execute(sql, &[Value::Int(date)]));
        write.await
    };
    let january = 17_041_536_000_000_000;
    let refused = by_hand(january).await;
    assert!(
        matches!(refused, Err(StoreError::Constraint(_))),
        "{refused:?}"
    );
    by_hand(0).await.expect("another partition");
    let sql = "SELECT id FROM datasource_values GROUP BY id HAVING count(*) > 1";
    assert!(PAGE.contains(sql));
    let twice = client.query(sql, &[]).await.expect("ids");
    assert_eq!(
        twice.iter().map(|row| row.get(0)).collect::<Vec<i64>>(),
        [3]
    );
}
