//! `$apply` by the SDK on the real service: groups as rows of the caller's type and as Arrow columns, with
//! the options of the list. What is expected is counted by hand from the records of the semantic cases.

use arrow_array::Array as _;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use obeya::fields::{board, count, incident_comment_v2 as comment};
use obeya::model::{BoardType, Date, Timestamp};
use obeya::{Error, Transformations};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::reads_plant::{Incidents, Plant};

#[derive(Debug, Deserialize, PartialEq)]
struct Year {
    year: i32,
    comments: i64,
    people: i64,
    levels: i64,
    mean: f64,
    last: Timestamp,
}

fn year(year: i32, counts: [i64; 3], mean: f64, last: &str) -> Year {
    let [comments, people, levels] = counts;
    let last = last.parse().expect("a timestamp");
    Year {
        year,
        comments,
        people,
        levels,
        mean,
        last,
    }
}

#[tokio::test]
async fn groups_are_rows_of_a_type() {
    let plant = Plant::new().await;
    let years = plant
        .client()
        .comments()
        .list()
        .filter(comment::level().ge(1))
        .compute(comment::comment_date().year().named("year"))
        .group_by(
            "year",
            (
                count("comments"),
                comment::commented_by().count_distinct("people"),
                comment::level().sum("levels"),
                comment::level().average("mean"),
                comment::comment_date().max("last"),
            ),
        );
    let of_2024 = year(2024, [3, 2, 4], 4.0 / 3.0, "2024-03-01T08:15:30.250Z");
    let of_2025 = year(2025, [1, 1, 1], 1.0, "2025-02-28T06:45:10Z");
    let page = years
        .clone()
        .count(true)
        .send::<Year>()
        .await
        .expect("rows");
    assert_eq!((page.count, page.next_link), (Some(2), None));
    assert_eq!(page.items, [of_2024, of_2025]);
    // A row that is not of the type says what does not fit.
    let error = years.clone().send::<String>().await.unwrap_err();
    assert!(matches!(error, Error::Decode { .. }), "{error}");
    let filtered = years.filter("comments gt 1").orderby("year desc");
    let filtered: Vec<Json> = filtered.stream().all().await.expect("rows");
    assert_eq!(filtered.len(), 1);
    assert_eq!(filtered[0]["year"], 2024);
}

#[tokio::test]
async fn a_list_without_groups_and_groups_without_values() {
    let plant = Plant::new().await;
    let comments = plant.client().comments().list();
    let one = comments.clone().aggregate(count("n"));
    assert_eq!(
        one.send::<Json>().await.expect("a row").items,
        [json!({"n": 8})]
    );
    let people = comments
        .group_by(comment::commented_by(), "")
        .top(2)
        .skip(1);
    let people = people.send::<Json>().await.expect("rows").items;
    let expected = ["Kari Nordmann", "Ola"].map(|name| json!({"commentedBy": name}));
    assert_eq!(people, expected);
}

#[tokio::test]
async fn sequences_follow_one_another() {
    let plant = Plant::new().await;
    let comments = plant.client().comments().list().filter("level ge 1");
    let people = Transformations::new()
        .group_by(comment::commented_by(), count("n"))
        .filter("n gt 1");
    let rows = comments.concat([
        people,
        Transformations::new().aggregate((count("total"), comment::level().sum("levels"))),
    ]);
    let rows = rows.send::<Json>().await.expect("rows").items;
    assert_eq!(
        rows,
        [
            json!({"commentedBy": "Kari Nordmann", "n": 2, "total": null, "levels": null}),
            json!({"commentedBy": "Ola", "n": 2, "total": null, "levels": null}),
            json!({"commentedBy": null, "n": null, "total": 4, "levels": 5}),
        ]
    );
    let none = plant.client().comments().list().concat([]);
    let error = none.send::<Json>().await.unwrap_err();
    assert!(
        error.to_string().contains("expected a transformation"),
        "{error}"
    );
}

#[tokio::test]
async fn groups_are_read_page_by_page() {
    let plant = Plant::with(Incidents::Live, |config| config.limits.page_records = 1).await;
    let boards = plant.client().boards().list();
    let types = boards.group_by(board::board_type(), count("n"));
    let mut pages = types.clone().pages::<Json>();
    let first = pages.next().await.expect("a page").expect("sent");
    assert_eq!(first.items, [json!({"boardType": null, "n": 1})]);
    let rows: Vec<Json> = types.stream().all().await.expect("rows");
    let expected = json!([
        {"boardType": null, "n": 1}, {"boardType": "Kanban", "n": 3}, {"boardType": "SmartActionList", "n": 1},
        {"boardType": "Weekly", "n": 2}, {"boardType": "Yearly", "n": 1},
    ]);
    assert_eq!(Json::from(rows), expected);
}

#[tokio::test]
async fn groups_are_columns_of_their_types() {
    let plant = Plant::with(Incidents::Live, |config| config.limits.page_records = 2).await;
    let groups = plant
        .client()
        .comments()
        .list()
        .compute(comment::comment_date().date().named("day"))
        .group_by(
            (comment::incident().title(), comment::incident().severity()),
            (
                comment::comment_date().max("last"),
                "day with min as first",
                comment::level().average("mean"),
                count("n"),
            ),
        )
        .orderby("incident/title");
    let schema = groups.arrow_schema().expect("it is bound");
    let columns = schema.fields().iter();
    let columns = columns.map(|field| format!("{} {}", field.name(), field.data_type()));
    insta::assert_snapshot!(columns.collect::<Vec<_>>().join("\n"), @r#"
    incident.title Utf8
    incident.severity Dictionary(Int32, Utf8)
    last Timestamp(µs, "UTC")
    first Date32
    mean Float64
    n Int64
    "#);
    let batches = groups.arrow_stream().all().await.expect("batches");
    assert_eq!(
        batches
            .iter()
            .map(RecordBatch::num_rows)
            .collect::<Vec<_>>(),
        [2, 1]
    );
    let first = batches[0].column(3).as_primitive::<Date32Type>();
    let day = |text: &str| text.parse::<Date>().expect("a day").days();
    assert_eq!(first.values()[..], ["2023-12-31", "2024-02-29"].map(day));
    let last = batches[1]
        .column(2)
        .as_primitive::<TimestampMicrosecondType>();
    let expected: Timestamp = "2025-02-28T06:45:10Z".parse().expect("a timestamp");
    assert_eq!(last.values()[..], [expected.ticks() / 10]);
    assert_eq!(
        batches[1].column(4).as_primitive::<Float64Type>().values()[..],
        [1.0 / 3.0]
    );
    let n = batches.iter().map(|batch| {
        batch
            .column(5)
            .as_primitive::<Int64Type>()
            .values()
            .to_vec()
    });
    assert_eq!(n.collect::<Vec<_>>().concat(), [2, 3, 3]);
}

/// What a sequence lacks is null, also where each group has a value.
#[tokio::test]
async fn groups_and_their_total_are_columns() {
    let plant = Plant::new().await;
    let comments = plant.client().comments().list();
    let both = comments.apply(
        "concat(groupby((commentedBy),aggregate($count as n)),aggregate($count as all,level with sum as levels))",
    );
    let batches = both.arrow_stream().all().await.expect("batches");
    let [batch] = &batches[..] else {
        panic!("{} batches", batches.len());
    };
    let last = batch.num_rows() - 1;
    assert!(last > 1);
    let whole = |column: usize| batch.column(column).as_primitive::<Int64Type>();
    assert!(batch.column(0).is_null(last) && whole(1).is_null(last));
    assert_eq!((whole(2).value(last), whole(2).null_count()), (8, last));
    let counts: i64 = whole(1).iter().flatten().sum();
    assert_eq!(counts, 8);
}

#[tokio::test]
async fn what_the_service_would_refuse_is_refused() {
    let plant = Plant::new().await;
    let boards = plant.client().boards().list();
    let error = boards
        .clone()
        .apply("groupby((nmae))")
        .arrow_schema()
        .unwrap_err();
    insta::assert_snapshot!(error, @"listBoardsV2: the request could not be built: $apply at byte 9: found `nmae`, which is no property of Board; did you mean `name`?");
    let error = boards
        .clone()
        .apply("filter(id gt 1)")
        .arrow_schema()
        .unwrap_err();
    insta::assert_snapshot!(error, @"listBoardsV2: the request could not be built: found filters only; expected `groupby`, `aggregate`, `concat` or `compute`, which name the values of a row");
    let sent = boards
        .clone()
        .apply("groupby((nmae))")
        .send::<Json>()
        .await
        .unwrap_err();
    assert_eq!(sent.status(), Some(400), "{sent}");
    let ordered = boards.clone().aggregate(count("n")).orderby("m");
    insta::assert_snapshot!(ordered.arrow_schema().unwrap_err(), @"listBoardsV2: the request could not be built: $orderby at byte 0: found `m`, which the result does not have; expected one of `n`");
    for (list, message) in [
        (boards.clone().top(10), "found the option `top` of a list"),
        (
            boards.clone().filter("id gt 3)/compute(1 as z"),
            "$filter at byte 7: ",
        ),
        (
            boards
                .clone()
                .filter(board::board_type().eq(BoardType::Unknown("Dialy".to_owned()))),
            "found 'Dialy', which is no member of",
        ),
    ] {
        let rows = list.aggregate(count("n"));
        let error = rows.clone().arrow_schema().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        let sent = rows.send::<Json>().await.unwrap_err();
        assert_eq!((sent.to_string(), sent.status()), (error, None));
    }
    let nothing = boards.filter("id gt 1").aggregate("").send::<Json>().await;
    insta::assert_snapshot!(nothing.unwrap_err(), @"listBoardsV2: the request could not be built: found no transformation; expected `groupby`, `aggregate`, `concat` or `compute`");
}
