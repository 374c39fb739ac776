//! Groups that are made from the rollups of values have the same bytes as those of the values.

use std::time::Duration;

use obeya_server::import::OnConflict;
use obeya_server::store::StoreError;
use obeya_server::store::values::rollups::{self, Period};
use obeya_testkit::Rng;
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::import_folder::Folder;
use crate::support::sql::number;
use crate::support::{Answer, START, Service};

const TICKS_PER_SECOND: i64 = 10_000_000;

/// The values of datasource 1 are of these hours: around 1970, the start of April 2025, and before and after
/// a change of the clocks in Europe.
const HOURS: [i64; 4] = [-3, 484_292, 484_380, 485_088];

async fn execute(service: &Service, sql: &'static str) -> u64 {
    let written = service
        .store()
        .write(move |session| session.execute(sql, &[]));
    let written: Result<_, StoreError> = written.await;
    written.expect("written")
}

async fn plant(change: impl FnOnce(&mut obeya_server::Config)) -> Service {
    let service = Service::start_with(change).await;
    execute(
        &service,
        "INSERT INTO datasources (id, title) VALUES (1, 'Scrap'), (2, 'Output')",
    )
    .await;
    service
}

/// Makes the rollups of the hours that are over at [`START`].
async fn refresh(service: &Service) -> u64 {
    let refreshed = rollups::refresh(service.store(), START * TICKS_PER_SECOND);
    refreshed.await.expect("rolled up")
}

fn instant(seconds: i64) -> String {
    let at = jiff::Timestamp::from_second(seconds).expect("an instant");
    at.to_string()
}

/// A random instant, sometimes after [`START`] and sometimes the start of an hour.
fn random_seconds(random: &mut Rng) -> i64 {
    let hour = match random.usize(0..10) {
        0 => START / 3600 + random.i64(-1..3),
        _ => HOURS[random.usize(..HOURS.len())] + random.i64(0..6),
    };
    hour * 3600
        + if random.bool() {
            0
        } else {
            random.i64(0..3600)
        }
}

fn random_value(random: &mut Rng) -> Json {
    let value = match random.usize(0..5) {
        0 => -0.0,
        1 => random.f64() * 1e300,
        2 => random.f64() * 1e-300,
        _ => (random.f64() - 0.5) * 100.0,
    };
    json!({"value": value, "valueDate": instant(random_seconds(random))})
}

/// A random write of values; its body has been checked by the service.
async fn write(service: &Service, random: &mut Rng, ids: &mut Vec<i64>) {
    let values_path = "/v1/Datasources/1/values";
    let any = |random: &mut Rng, ids: &[i64]| match ids.len() {
        0 => 1,
        all => ids[random.usize(..all)],
    };
    let some: Vec<Json> = (0..random.usize(1..60))
        .map(|_| random_value(random))
        .collect();
    let (method, path, body) = match random.usize(0..7) {
        0 | 1 => (Method::POST, values_path.to_owned(), random_value(random)),
        2 => (Method::POST, format!("{values_path}/batch"), json!(some)),
        3 => {
            let path = format!("{values_path}/{}", any(random, ids));
            (Method::PUT, path, random_value(random))
        }
        4 => {
            let path = format!("{values_path}/{}", any(random, ids));
            (Method::DELETE, path, Json::Null)
        }
        5 => {
            // The values of an hour and a half, by as many as are random.
            let first = random_seconds(random);
            let period = format!("from={}&to={}", instant(first), instant(first + 5399));
            let values: Vec<Json> = (0..random.usize(0..10))
                .map(|_| json!({"value": random.f64(), "valueDate": instant(first + random.i64(0..5399))}))
                .collect();
            (
                Method::PUT,
                format!("{values_path}/batchReplace?{period}"),
                json!(values),
            )
        }
        _ => {
            let gone: Vec<i64> = (0..5).map(|_| any(random, ids)).collect();
            (Method::DELETE, format!("{values_path}/batch"), json!(gone))
        }
    };
    let mut request = service.request(method, &path);
    if !body.is_null() {
        request = request.json(&body);
    }
    let answer = Answer::of(request).await;
    assert!(
        answer.status < 300 || answer.status == 404,
        "{path} {body}: {}",
        answer.text()
    );
    let listed = service.get("/v2/datasources/1/values?$select=id").await;
    let listed = listed.json();
    let listed = listed["value"].as_array().expect("values").iter();
    *ids = listed.map(|it| it["id"].as_i64().expect("an id")).collect();
}

const SUMS: &str = "aggregate($count as rows,value with sum as total,value with average as mean,value with min as least,value with max as greatest)";

/// True for every value, and no rollup can know it.
const OF_VALUES: &str = "filter(second(valueDate) ge 0)/";

/// Those that can be taken from the rollup of a day for one of its hours.
const MOVABLE: &str =
    "aggregate($count as rows,value with sum as total,value with average as mean)";

/// Groupings that rollups serve: what is done before, the keys, and further options.
const SERVED: [(&str, &str, &str); 20] = [
    ("", "", ""),
    ("", "date(valueDate) as k", "&$orderby=k"),
    ("", "hour(valueDate) as k", "&$orderby=mean desc,k&$top=3"),
    (
        "",
        "bin(valueDate,'day','Europe/Oslo') as k",
        "&$filter=rows gt 2",
    ),
    (
        "",
        "bin(valueDate,duration'PT2H','UTC') as k",
        "&$count=true",
    ),
    ("", "bin(valueDate,'month','America/New_York') as k", ""),
    ("", "year(valueDate) mul 100 add month(valueDate) as k", ""),
    ("", "bin(valueDate,'month','Europe/Oslo') as k", ""),
    ("", "bin(valueDate,'week','UTC') as k", "&$filter=rows gt 1"),
    ("", "bin(valueDate,'quarter','Pacific/Kiritimati') as k", ""),
    (
        "filter(valueDate ge 2025-03-31T21:00:00Z and valueDate lt 2025-04-01T01:00:00Z)/",
        "bin(valueDate,'year','Pacific/Pago_Pago') as k",
        "",
    ),
    (
        "filter(valueDate lt 2025-03-31T22:00:00Z and not (valueDate lt 1969-12-31T22:00:00Z))/",
        "date(valueDate) as k",
        "",
    ),
    (
        "filter(valueDate ge 2025-04-04T15:00:00Z or valueDate lt 1970-01-01T00:00:00Z)/",
        "",
        "",
    ),
    (
        "filter(valueDate ge 2025-05-03T14:00:00Z and valueDate lt 2025-05-03T18:00:00Z or year(valueDate) lt 1971)/",
        "hour(valueDate) as k",
        "",
    ),
    (
        "filter(not (hour(valueDate) in (12,13,21)) and dataSourceId eq 1)/",
        "dataSourceId add 0 as k",
        "",
    ),
    ("", "bin(valueDate,'day','America/New_York') as k", ""),
    ("", "bin(valueDate,'day','Asia/Tokyo') as k", ""),
    (
        "filter(valueDate ge 2025-03-31T00:00:00Z and valueDate lt 2025-05-04T05:00:00Z)/",
        "bin(valueDate,'day','America/Halifax') as k",
        "&$orderby=rows,k",
    ),
    (
        "filter(bin(valueDate,'day','Europe/Oslo') eq 2025-03-31T22:00:00Z)/",
        "",
        "",
    ),
    (
        "filter(bin(valueDate,'month','Europe/Oslo') ne 2025-03-31T22:00:00Z and not (valueDate ge 2025-05-04T00:00:00Z))/",
        "bin(valueDate,'day','Europe/London') as k",
        "",
    ),
];

fn path(of: (&str, &str, &str), also: &str, aggregate: &str) -> String {
    let (before, key, options) = of;
    let groups = match key {
        "" => aggregate.to_owned(),
        key => format!("compute({key})/groupby((k),{aggregate})"),
    };
    format!("/v2/datasources/1/values?$apply={before}{also}{groups}{options}")
}

#[tokio::test]
async fn rollups_give_the_same_answers_as_values() {
    let mut random = obeya_testkit::rng();
    let plant = plant(|config| config.limits.rollups = Duration::from_secs(3600)).await;
    let mut ids = Vec::new();
    for round in 0..60 {
        write(&plant, &mut random, &mut ids).await;
        if random.usize(0..4) == 0 {
            refresh(&plant).await;
        }
        for (of, aggregate) in SERVED.iter().flat_map(|of| [(*of, SUMS), (*of, MOVABLE)]) {
            let rolled_up = plant.get(&path(of, "", aggregate)).await;
            let read = plant.get(&path(of, OF_VALUES, aggregate)).await;
            assert_eq!(
                rolled_up.status,
                read.status,
                "{of:?}: {}",
                rolled_up.text()
            );
            if rolled_up.status == 200 {
                assert_eq!(rolled_up.text(), read.text(), "{round} {of:?} {aggregate}");
            }
        }
    }
    refresh(&plant).await;
    assert_eq!(refresh(&plant).await, 0, "nothing is left");
    for table in ["value_rollups", "value_day_rollups"] {
        let count = async |of: &str| {
            let sql = format!("SELECT count(*) FROM {table} WHERE {of}").leak();
            number(plant.store(), sql).await
        };
        assert!(count("is_stale = 0").await > 0, "{table}");
        assert_eq!(count("is_stale = 1").await, 0, "{table}");
    }
    assert_eq!(wrong(&plant).await, []);
}

/// The rollups that differ from what they are made from.
async fn wrong(plant: &Service) -> Vec<(Period, i32, i64)> {
    let wrong = plant.store().read(|session| {
        let mut wrong = Vec::new();
        for period in [Period::Hour, Period::Day] {
            rollups::find_wrong(session, period, &mut |datasource, start| {
                wrong.push((period, datasource, start));
            })?;
        }
        Ok::<_, StoreError>(wrong)
    });
    wrong.await.expect("read")
}

#[tokio::test]
async fn answers_come_from_the_rollups_where_these_suffice() {
    let plant = plant(|config| config.limits.rollups = Duration::from_secs(3600)).await;
    let values: Vec<Json> = (0..120)
        .map(|minute| json!({"value": 1, "valueDate": instant(1_700_000_000 / 3600 * 3600 + minute * 60)}))
        .collect();
    let posted = plant
        .post("/v1/Datasources/1/values/batch", &json!(values))
        .await;
    assert_eq!(posted.status, 200, "{}", posted.text());
    assert!(refresh(&plant).await > 0);
    // A wrong rollup shows where it is read.
    let spoilt = execute(&plant, "UPDATE value_rollups SET row_count = 1000").await;
    assert_eq!(spoilt, 2);
    let mut found = Vec::new();
    for apply in [
        "aggregate($count as n)",
        "groupby((dataSourceId),aggregate($count as n))",
        "filter(valueDate ge 2023-11-14T23:00:00Z)/aggregate($count as n)",
        "filter(2024-01-01T00:00:00Z gt valueDate)/aggregate($count as n)",
        "compute(bin(valueDate,'year','Europe/Oslo') as k)/groupby((k),aggregate($count as n))",
        // Not by whole hours.
        "filter(valueDate gt 2023-11-14T22:00:00Z)/aggregate($count as n)",
        "filter(valueDate le 2024-01-01T00:00:00Z)/aggregate($count as n)",
        "filter(valueDate ge 2023-11-14T23:00:01Z)/aggregate($count as n)",
        "compute(bin(valueDate,'year','Asia/Kolkata') as k)/groupby((k),aggregate($count as n))",
        "compute(bin(valueDate,duration'PT40M','UTC') as k)/groupby((k),aggregate($count as n))&$top=1",
        // Not in the rollups.
        "filter(value eq 1)/aggregate($count as n)",
        "groupby((dimension),aggregate($count as n))",
        "aggregate($count as n,id with max as last)",
        "aggregate(value with countdistinct as n)",
        "filter(valueDate ge 2023-11-14T22:00:00Z)/aggregate(value with countdistinct as n)",
    ] {
        let answer = plant
            .get(&format!("/v2/datasources/1/values?$apply={apply}"))
            .await;
        assert_eq!(answer.status, 200, "{apply}: {}", answer.text());
        found.push(answer.json()["value"][0]["n"].as_i64().expect("a number"));
    }
    assert_eq!(
        found,
        [
            2000, 2000, 1000, 2000, 2000, 119, 120, 59, 120, 40, 120, 120, 120, 1, 1
        ]
    );
}

/// Two values in each hour of three days, the last one the first of a month.
#[tokio::test]
async fn days_are_read_from_daily_rollups_unless_they_are_split() {
    const MIDNIGHT: i64 = 1_698_624_000;
    let plant = plant(|config| config.limits.rollups = Duration::from_secs(3600)).await;
    let values: Vec<Json> = (0..144)
        .map(|half| json!({"value": 1, "valueDate": instant(MIDNIGHT + half * 1800)}))
        .collect();
    let values_path = "/v1/Datasources/1/values/batch";
    let posted = plant.post(values_path, &json!(values)).await;
    assert_eq!(posted.status, 200, "{}", posted.text());
    assert!(refresh(&plant).await > 0);
    let spoilt = execute(&plant, "UPDATE value_day_rollups SET row_count = 1000").await;
    assert_eq!(spoilt, 3);
    let by = |key: &str| format!("compute({key} as k)/groupby((k),aggregate($count as n))");
    let with_maxima = |key: &str| {
        format!("compute({key} as k)/groupby((k),aggregate($count as n,value with max as m))")
    };
    let filtered = |filter: &str| format!("filter({filter})/aggregate($count as n)");
    let ten_bounds: Vec<String> = (1..10)
        .map(|hour| format!("valueDate ge 2023-10-30T0{hour}:00:00Z"))
        .collect();
    let cases = [
        ("aggregate($count as n)".to_owned(), 3000),
        (by("bin(valueDate,'month','UTC')"), 2000),
        (by("bin(valueDate,'year','Europe/Oslo')"), 3000),
        (by("year(valueDate)"), 3000),
        (by("date(valueDate)"), 1000),
        (filtered("valueDate ge 2023-10-31T00:00:00Z"), 2000),
        (filtered("valueDate lt 2023-10-31T00:00:00Z"), 1000),
        // The rest of the first day.
        (filtered("valueDate ge 2023-10-30T06:00:00Z"), 2036),
        (filtered("2023-10-30T06:00:00Z gt valueDate"), 12),
        (
            filtered("valueDate ge 2023-10-30T23:00:00Z and valueDate lt 2023-11-01T01:00:00Z"),
            1004,
        ),
        // The second day may be of either month by a clock ahead of UTC, the third one by a clock behind it.
        (with_maxima("bin(valueDate,'month','Europe/Oslo')"), 1046),
        (
            with_maxima("bin(valueDate,'month','America/New_York')"),
            2008,
        ),
        // Clocks that differ from UTC for a part of the year: one of them now, the other in summer.
        (
            with_maxima("bin(valueDate,'month','America/Scoresbysund')"),
            2002,
        ),
        (with_maxima("bin(valueDate,'month','Europe/London')"), 1048),
        // Without maxima, the hours of November are taken from the second day, or those of October from the
        // third one and added to the second one.
        (by("bin(valueDate,'month','Europe/Oslo')"), 1998),
        (by("bin(valueDate,'month','America/New_York')"), 2008),
        (by("bin(valueDate,'month','Europe/London')"), 2000),
        (by("bin(valueDate,'day','Europe/Oslo')"), 998),
        // The four hours that the clock shows on the day before, in summer.
        (by("bin(valueDate,'day','America/New_York')"), 8),
        // By hours.
        (with_maxima("bin(valueDate,'day','Europe/Oslo')"), 46),
        (by("bin(valueDate,'day','Asia/Tokyo')"), 30),
        (by("hour(valueDate)"), 6),
        (filtered(&ten_bounds.join(" or ")), 142),
    ];
    for (apply, expected) in cases {
        let path = format!("/v2/datasources/1/values?$apply={apply}");
        let answer = plant.get(&path).await;
        assert_eq!(answer.status, 200, "{apply}: {}", answer.text());
        assert_eq!(answer.json()["value"][0]["n"], expected, "{apply}");
    }
    // A change of an hour makes its day again.
    let late = json!({"value": 5, "valueDate": instant(MIDNIGHT + 60)});
    let posted = plant.post("/v1/Datasources/1/values", &late).await;
    assert_eq!(posted.status, 200, "{}", posted.text());
    for expected in [2049, 2049] {
        let all = "/v2/datasources/1/values?$apply=aggregate($count as n)";
        assert_eq!(plant.get(all).await.json()["value"][0]["n"], expected);
        refresh(&plant).await;
    }
}

/// The days beside the first and the last one that a value can have.
#[tokio::test]
async fn the_bounds_of_the_calendar_are_rolled_up() {
    let plant = plant(|config| config.limits.rollups = Duration::from_secs(3600)).await;
    for date in [
        "0001-01-01T00:00:00Z",
        "0001-01-01T23:59:59Z",
        "9999-12-31T23:59:59Z",
    ] {
        let value = json!({"value": 1, "valueDate": date});
        let posted = plant.post("/v1/Datasources/1/values", &value).await;
        assert_eq!(posted.status, 200, "{}", posted.text());
    }
    let all = rollups::refresh(plant.store(), i64::MAX).await;
    assert!(all.expect("rolled up") > 0);
    for zone in [
        "UTC",
        "Asia/Tokyo",
        "Europe/Oslo",
        "Pacific/Pago_Pago",
        "Pacific/Kiritimati",
    ] {
        for (size, aggregate) in ["day", "week", "month", "year"]
            .iter()
            .flat_map(|size| [(size, SUMS), (size, MOVABLE)])
        {
            let key = format!("bin(valueDate,'{size}','{zone}') as k");
            let of = ("", key.as_str(), "");
            let rolled_up = plant.get(&path(of, "", aggregate)).await;
            let read = plant.get(&path(of, OF_VALUES, aggregate)).await;
            assert_eq!(rolled_up.text(), read.text(), "{size} {zone}");
        }
    }
}

/// A program of an earlier version counts changes and marks no rollups. So does the SQL of an operator.
#[tokio::test]
async fn rollups_are_not_read_after_a_change_that_marked_none() {
    let plant = plant(|config| config.limits.rollups = Duration::from_secs(3600)).await;
    let early = json!({"value": 1, "valueDate": "2025-01-01T00:05:00Z"});
    let values = "/v1/Datasources/1/values";
    assert_eq!(plant.post(values, &early).await.status, 200);
    refresh(&plant).await;
    execute(
        &plant,
        "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date)
        VALUES (1, 17356896000000000, 77, 100.0, 1)",
    )
    .await;
    execute(&plant, "UPDATE datasources SET value_count = value_count + 1, change_counter = change_counter + 1 WHERE id = 1").await;
    for n in 2..6 {
        let path = format!("/v2/datasources/1/values?$apply={SUMS}");
        let found = plant.get(&path).await.json();
        assert_eq!(found["value"][0]["rows"], n, "{found}");
        // A change that marks its hour does not make the others right.
        assert_eq!(plant.post(values, &early).await.status, 200);
        if n == 4 {
            refresh(&plant).await;
            assert_eq!(
                number(plant.store(), "SELECT count(*) FROM value_rollups").await,
                1
            );
        }
    }
}

/// A value without a number counts as a row, and not for the mean.
#[tokio::test]
async fn values_without_a_number_have_no_part_in_a_mean() {
    let plant = plant(|config| config.limits.rollups = Duration::from_secs(3600)).await;
    execute(
        &plant,
        "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date) VALUES
            (1, 17091648000000000, 1, 3.0, 1), (1, 17091648000000001, 2, NULL, 1), (2, 17091648000000000, 3, NULL, 1)",
    )
    .await;
    refresh(&plant).await;
    assert_eq!(
        number(plant.store(), "SELECT count(*) FROM value_rollups").await,
        2
    );
    for (datasource, expected) in [
        (
            1,
            json!([{"rows": 2, "total": 3.0, "mean": 3.0, "least": 3.0, "greatest": 3.0}]),
        ),
        (
            2,
            json!([{"rows": 1, "total": null, "mean": null, "least": null, "greatest": null}]),
        ),
    ] {
        let path = format!("/v2/datasources/{datasource}/values?$apply={SUMS}");
        assert_eq!(plant.get(&path).await.json()["value"], expected);
    }
}

/// By the clock of Oslo, 2 March has one row and no value, 3 March the last hour of 2 March in UTC, and 5
/// March the only hour of 4 March in UTC.
#[tokio::test]
async fn days_without_values_have_no_sum_and_days_without_rows_are_no_groups() {
    let plant = plant(|config| config.limits.rollups = Duration::from_secs(3600)).await;
    execute(
        &plant,
        "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date) VALUES
            (1, 17092944000000000, 1, 3.0, 1), (1, 17093808000000000, 2, NULL, 1), (1, 17094222000000000, 3, -0.1, 1),
            (1, 17095950000000000, 4, 5.5, 1)",
    )
    .await;
    refresh(&plant).await;
    assert_eq!(
        number(plant.store(), "SELECT count(*) FROM value_day_rollups").await,
        3
    );
    let of = ("", "bin(valueDate,'day','Europe/Oslo') as k", "&$orderby=k");
    let found = plant.get(&path(of, "", MOVABLE)).await.json();
    let expected = json!([
        {"k": "2024-02-29T23:00:00Z", "rows": 1, "total": 3.0, "mean": 3.0},
        {"k": "2024-03-01T23:00:00Z", "rows": 1, "total": null, "mean": null},
        {"k": "2024-03-02T23:00:00Z", "rows": 1, "total": -0.1, "mean": -0.1},
        {"k": "2024-03-04T23:00:00Z", "rows": 1, "total": 5.5, "mean": 5.5},
    ]);
    assert_eq!(found["value"], expected);
    // 4 March begins on 3 March in UTC. It has no row by the clock of Oslo, so nothing is divided by zero.
    let of = (
        "",
        "1 div (day(bin(valueDate,'day','Europe/Oslo')) sub 3) as k",
        "",
    );
    let found = plant.get(&path(of, "", "aggregate($count as rows)")).await;
    assert_eq!(found.status, 200, "{}", found.text());
    // Nor for the value of 1 March at 12:00, which another condition leaves out.
    for filter in [
        "day(valueDate) ne 1 and 1 div (day(valueDate) sub 1) ge 0",
        "hour(valueDate) ne 12 and 1 div (day(valueDate) sub 1) ge 0",
    ] {
        let of = (&*format!("filter({filter})/"), "date(valueDate) as k", "");
        let rolled_up = plant.get(&path(of, "", MOVABLE)).await;
        assert_eq!(rolled_up.status, 200, "{filter}: {}", rolled_up.text());
        let read = plant.get(&path(of, OF_VALUES, MOVABLE)).await;
        assert_eq!(rolled_up.text(), read.text(), "{filter}");
    }
}

#[tokio::test]
async fn imported_values_are_in_the_rollups() {
    let service =
        Service::start_with(|config| config.limits.rollups = Duration::from_secs(3600)).await;
    let values = |ids: std::ops::RangeInclusive<u32>, more: u32| -> String {
        let line = |id: u32| {
            let (hour, minute, value) = (id / 60, id % 60, id + more);
            format!(
                "{{\"id\":{id},\"dataSourceId\":4,\"value\":{value},\"valueDate\":\"2025-01-02T{hour:02}:{minute:02}:00Z\"}}\n"
            )
        };
        ids.map(line).collect()
    };
    let first = Folder::plant();
    first.write("datasource_values.jsonl", values(1..=110, 0));
    let imported = first.import(service.db(), OnConflict::Fail).await;
    imported.expect("imported");
    refresh(&service).await;
    assert_eq!(
        number(service.store(), "SELECT count(*) FROM value_rollups").await,
        2
    );
    let again = Folder::empty();
    again.write("datasource_values.jsonl", values(101..=130, 1000));
    let imported = again.import(service.db(), OnConflict::Replace).await;
    imported.expect("imported");
    for _ in 0..2 {
        let path = "/v2/datasources/4/values?$apply=aggregate($count as n,value with sum as total)";
        let found = service.get(path).await.json();
        // 1 + … + 130, and 1000 for each of 30.
        assert_eq!(found["value"], json!([{"n": 130, "total": 38_515.0}]));
        refresh(&service).await;
    }
    assert_eq!(
        number(service.store(), "SELECT count(*) FROM value_rollups").await,
        3
    );
    let moved = Folder::empty();
    moved.write(
        "datasource_values.jsonl",
        "{\"id\":1,\"dataSourceId\":4,\"value\":1,\"valueDate\":\"2025-01-02T05:00:00Z\"}\n",
    );
    let imported = moved.import(service.db(), OnConflict::Replace).await;
    imported.expect("imported");
    let path =
        "/v2/datasources/4/values?$apply=filter(hour(valueDate) lt 1)/aggregate($count as n)";
    let found = service.get(path).await.json();
    assert_eq!(found["value"], json!([{"n": 58}]));
}

/// Both are jobs of the writer, and may share a transaction.
#[tokio::test]
async fn a_value_written_during_a_refresh_marks_its_rollup() {
    let plant = plant(|config| config.limits.rollups = Duration::from_secs(3600)).await;
    for round in 0..30 {
        let value = |minute: i64| {
            let at = instant(START - 7200 - 3600 * round + 60 * minute);
            json!({"value": minute, "valueDate": at})
        };
        let write = async |minute: i64| {
            let written = plant.post("/v1/Datasources/1/values", &value(minute)).await;
            assert_eq!(written.status, 200, "{}", written.text());
        };
        write(0).await;
        tokio::join!(
            write(1),
            refresh(&plant),
            write(2),
            refresh(&plant),
            write(3)
        );
    }
    assert_eq!(wrong(&plant).await, []);
    refresh(&plant).await;
    let path = format!("/v2/datasources/1/values?$apply={SUMS}");
    let found = plant.get(&path).await.json();
    assert_eq!(found["value"][0]["rows"], 120);
}

#[tokio::test]
async fn the_service_rolls_up_the_hours_that_are_over() {
    let plant = plant(|config| config.limits.rollups = Duration::from_millis(10)).await;
    let values = json!([
        {"value": 1, "valueDate": instant(START - 7200)},
        {"value": 2, "valueDate": instant(START)},
    ]);
    let posted = plant.post("/v1/Datasources/1/values/batch", &values).await;
    assert_eq!(posted.status, 200, "{}", posted.text());
    let summed = async {
        while number(
            plant.store(),
            "SELECT count(*) FROM value_rollups WHERE is_stale = 0",
        )
        .await
            == 0
        {}
    };
    let summed = tokio::time::timeout(Duration::from_secs(10), summed).await;
    summed.expect("the hour before was rolled up");
    let until = number(
        plant.store(),
        "SELECT rolled_up_until FROM datasources WHERE id = 1",
    )
    .await;
    assert_eq!(
        until,
        START / 3600 * 3600 * TICKS_PER_SECOND,
        "the current hour is not"
    );
}
