//! A datasource that is counted by partitions of time and by several readers: counts and pages match
//! arithmetic.

use serde_json::Value;

use crate::reads_plant::Plant;

const COUNT: i64 = 120_000;

/// Datasource 3: value n, with the dimension of its last digit, every second; and a gap of a year in the
/// middle, with one value in it.
async fn plant() -> Plant {
    let plant = Plant::new().await;
    plant
        .change(&[
            "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, dimension)
             WITH RECURSIVE n(i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
             SELECT 3, (1700000000 + i + CASE WHEN i > 60000 THEN 31536000 ELSE 0 END) * 10000000, 1000000 + i, i, 0, 'd' || (i % 10) FROM n",
            "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, dimension)
             VALUES (3, 17150000000000000, 2000000, -1.0, 0, 'alone')",
            "UPDATE datasources SET value_count = 120001, change_counter = change_counter + 1 WHERE id = 3",
        ])
        .await;
    plant
}

/// The count, and the values of the page.
async fn page(plant: &Plant, query: &str) -> (i64, Vec<i64>) {
    let answer = plant
        .get(&format!("/v1/Datasources/3/values?{query}"))
        .await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    let json = answer.json();
    let value = |record: &Value| record["value"].as_f64().expect("a number") as i64;
    let values = json["values"].as_array().expect("an array");
    (
        json["count"].as_i64().expect("a count"),
        values.iter().map(value).collect(),
    )
}

#[tokio::test]
async fn counts_and_pages_are_those_of_all_values() {
    let plant = plant().await;
    let tens = |numbers: std::ops::RangeInclusive<i64>| -> Vec<i64> {
        numbers.filter(|n| n % 10 == 7).collect()
    };
    // Each twice: once counted, once cached.
    for _ in 0..2 {
        for (query, count, values) in [
            (
                "$filter=dimension eq 'd7'&pageSize=5",
                COUNT / 10,
                tens(1..=50),
            ),
            (
                "$filter=dimension eq 'd7'&pageSize=5&page=2400",
                COUNT / 10,
                tens(119_951..=COUNT),
            ),
            (
                "$filter=dimension eq 'd7'&pageSize=5&page=1200&$orderby=valueDate",
                COUNT / 10,
                tens(59_951..=60_000),
            ),
            (
                "$filter=dimension eq 'd7'&pageSize=10000&page=2",
                COUNT / 10,
                tens(100_001..=COUNT),
            ),
            (
                "$filter=dimension eq 'd7'&pageSize=5&page=2401",
                COUNT / 10,
                vec![],
            ),
            ("$filter=dimension eq 'alone'", 1, vec![-1]),
            (
                "$filter=dimension eq 'alone'&$orderby=value desc",
                1,
                vec![-1],
            ),
            (
                "$filter=dimension eq 'nowhere'&$orderby=valueDate",
                0,
                vec![],
            ),
            (
                "$filter=value le 2 or value ge 119999",
                5,
                vec![1, 2, -1, 119_999, 120_000],
            ),
            (
                "$filter=value le 2 or value ge 119999&pageSize=2&page=2",
                5,
                vec![-1, 119_999],
            ),
            (
                "$filter=value le 2 or value ge 119999&$orderby=valueDate desc&pageSize=3",
                5,
                vec![120_000, 119_999, -1],
            ),
            (
                "$filter=value le 2 or value ge 119999&$orderby=value&pageSize=2&page=2",
                5,
                vec![2, 119_999],
            ),
            (
                "$filter=value lt 100000&pageSize=2&page=50000",
                100_000,
                vec![99_998, 99_999],
            ),
            (
                "$filter=not (dimension ne 'alone')&from=2024-06-01T00:00:00Z",
                0,
                vec![],
            ),
            (
                "from=2023-11-14T22:13:20Z&to=2023-11-14T22:13:24Z",
                3,
                vec![1, 2, 3],
            ),
            (
                "from=2024-05-06T12:53:20Z&pageSize=1",
                COUNT / 2,
                vec![60_001],
            ),
            (
                "from=2024-05-06T12:53:19.9999999Z&to=2024-05-06T12:53:20.0000001Z",
                1,
                vec![-1],
            ),
            ("from=2030-01-01T00:00:00Z", 0, vec![]),
        ] {
            assert_eq!(page(&plant, query).await, (count, values), "{query}");
        }
    }
}

#[tokio::test]
async fn a_fault_in_some_value_is_the_callers() {
    let plant = plant().await;
    let answer = plant
        .get("/v1/Datasources/3/values?$filter=1 div (id sub 1100000) eq 1")
        .await;
    assert_eq!(answer.status, 400, "{}", answer.text());
}

/// Values are added in pairs that cancel each other: in every state, with any number of readers, the two
/// counts agree.
#[tokio::test]
async fn a_count_is_of_one_state_while_values_change() {
    let plant = plant().await;
    for round in 0..20 {
        let writes = plant.change(&[
            "UPDATE datasource_values SET dimension = 'moved' WHERE datasource_id = 3 AND value IN (1, 60000, 60001, 120000)",
            "UPDATE datasource_values SET dimension = 'd' || (CAST(value AS INTEGER) % 10) WHERE datasource_id = 3 AND value IN (1, 60000, 60001, 120000) AND (SELECT change_counter FROM datasources WHERE id = 3) % 2 = 1",
            "UPDATE datasources SET change_counter = change_counter + 1 WHERE id = 3",
        ]);
        let query = format!("$filter=dimension eq 'moved' and value ne {round}.5&pageSize=10");
        let ((count, values), ()) = tokio::join!(page(&plant, &query), writes);
        assert_eq!(
            count,
            i64::try_from(values.len()).expect("few"),
            "{values:?}"
        );
        assert!(count == 0 || count == 4, "{values:?}");
    }
}
