//! Adding and removing months.

use obeya_server::store::values::rollups;

use super::{Lines, administrator, block, filled, found, name_of, rows, run};

#[tokio::test]
async fn a_month_is_added_and_the_oldest_goes() {
    let service = filled().await;
    let client = administrator(&service).await;
    run(&client, "divide").await;
    let mut lines = Lines::from(500);
    lines.add("2026-01-31T23:59:59.9999999Z");
    lines.add("2026-02-01T00:00:00Z");
    lines.import(service.db()).await.expect("imported");
    let only_b = "?$filter=dimension eq 'B'&pageSize=1000";
    let before = found(&service, "?pageSize=1000").await;
    let before_b = found(&service, only_b).await;
    assert_eq!(before.0, 1 + 24 * 3 + 1 + 2);

    run(&client, "next month").await;
    let rows_now = rows(&client).await;
    assert_eq!(rows_now["datasource_values_2026_01"], 4);
    assert_eq!(rows_now["datasource_values_later"], 2);
    run(&client, "next month").await;
    let rows_now = rows(&client).await;
    assert_eq!(rows_now["datasource_values_2026_02"], 2);
    assert_eq!(rows_now.get("datasource_values_later"), None);
    assert_eq!(found(&service, "?pageSize=1000").await, before);

    let refreshed = rollups::refresh(service.store(), i64::MAX).await;
    assert!(refreshed.expect("rolled up") > 0);
    run(&client, "drop a month").await;
    let apply = "/v2/datasources/4/values?$apply=aggregate($count as n)";
    let grouped = service.get(apply).await.json();
    let (count, _) = found(&service, "?pageSize=1").await;
    assert_eq!(grouped["value"][0]["n"], count);
    let is_left = |date: &&String| !date.starts_with("2024-01");
    for (query, (count, dates)) in [("?pageSize=1000", &before), (only_b, &before_b)] {
        let left: Vec<String> = dates.iter().filter(is_left).cloned().collect();
        assert!(left.len() < dates.len(), "{query}");
        let gone = i64::try_from(dates.len() - left.len()).expect("a small number");
        assert_eq!(
            found(&service, query).await,
            (count - gone, left),
            "{query}"
        );
    }
    // A late value finds a partition, and a detached one is separate.
    let mut lines = Lines::from(600);
    lines.add("2024-01-10T00:00:00Z");
    lines.import(service.db()).await.expect("imported");
    assert_eq!(rows(&client).await["datasource_values_earlier"], 4);
    let alone = "SELECT count(*) FROM datasource_values_2024_01";
    let alone: i64 = client.query_one(alone, &[]).await.expect("rows").get(0);
    assert_eq!(alone, 6);

    // Only the oldest: any other would leave a hole.
    let newer = block("drop a month").replace("'2024-01-01'", "'2024-03-01'");
    let refused = client.batch_execute(&newer).await;
    refused.expect_err("it overlaps February");
    client.batch_execute("ROLLBACK").await.expect("undone");
    assert_eq!(rows(&client).await[&name_of(2)], 6);
}
