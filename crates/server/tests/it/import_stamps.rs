//! The stamps of imported records: preserved where no client can have seen a later one, otherwise that of the
//! import.

use obeya_model::Timestamp;
use obeya_server::import::OnConflict;
use obeya_server::store::{Store, StoreError};
use serde_json::json;

use crate::import_folder::{Folder, Target};
use crate::incidents_plant::plant;
use crate::support::sql;

fn ticks(text: &str) -> i64 {
    text.parse::<Timestamp>().expect("a timestamp").ticks()
}

/// The ids and stamps of a table, in the order of the ids.
async fn stamps(store: &Store, table: &'static str, column: &'static str) -> Vec<(i64, i64)> {
    let read = store.read(move |session| {
        let sql = format!("SELECT id, {column} FROM {table} ORDER BY id");
        session.all(&sql, &[], |row| {
            Ok((row.int(0)?.unwrap_or(-1), row.int(1)?.unwrap_or(-1)))
        })
    });
    read.await.expect("read")
}

/// A folder with an incident, an improvement and a value for each of these stamps (none: the line has none),
/// their ids from 1.
fn folder(stamps: &[Option<&str>]) -> Folder {
    let folder = Folder::empty();
    let lines = |of: &dyn Fn(usize, Option<&str>) -> String| {
        let lines: Vec<_> = (1..)
            .zip(stamps)
            .map(|(id, stamp)| of(id, *stamp))
            .collect();
        lines.join("\n")
    };
    let field = |name: &str, stamp: Option<&str>| {
        stamp.map_or_else(String::new, |stamp| format!(r#","{name}":"{stamp}""#))
    };
    folder.write("incident_types.jsonl", r#"{"id":1,"title":"Leak"}"#);
    folder.write(
        "incidents.jsonl",
        lines(&|id, stamp| {
            let stamp = field("lastModified", stamp);
            format!(r#"{{"id":{id},"incidentTypeId":1,"title":"t","incidentDate":"2025-01-01","resolvedDate":"2025-01-09T00:00:00Z"{stamp}}}"#)
        }),
    );
    folder.write(
        "improvements.jsonl",
        lines(&|id, stamp| {
            let stamp = field("lastModified", stamp);
            format!(r#"{{"id":{id},"suggestionDate":"2025-01-09T00:00:00Z"{stamp}}}"#)
        }),
    );
    folder.write("datasources.jsonl", r#"{"id":1}"#);
    folder.write(
        "datasource_values.jsonl",
        lines(&|id, stamp| {
            let stamp = field("registrationDate", stamp);
            format!(
                r#"{{"id":{id},"dataSourceId":1,"value":1,"valueDate":"2025-01-09T00:00:00Z"{stamp}}}"#
            )
        }),
    );
    folder
}

/// What carries a stamp, and in which column.
const STAMPED: [(&str, &str); 3] = [
    ("incidents", "last_modified"),
    ("improvements", "last_modified"),
    ("datasource_values", "registration_date"),
];

#[tokio::test]
async fn a_store_that_has_given_no_stamp_keeps_all_of_them() {
    let target = Target::new();
    let kept = [
        Some("2024-02-01T00:00:00.0000001Z"),
        Some("1969-07-20T20:17:40Z"),
        None,
    ];
    folder(&kept)
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let store = target.database.open().await;
    for (table, column) in STAMPED {
        assert_eq!(
            stamps(&store, table, column).await,
            [
                (1, ticks("2024-02-01T00:00:00.0000001Z")),
                (2, ticks("1969-07-20T20:17:40Z")),
                (3, ticks("2025-01-09T00:00:00Z")),
            ],
            "{table}"
        );
    }
    // The next change is later than all of them.
    let last = "SELECT last FROM stamps";
    assert_eq!(
        sql::number(&store, last).await,
        ticks("2025-01-09T00:00:00Z")
    );
    store.close().await;
}

#[tokio::test]
async fn a_store_that_has_given_stamps_keeps_later_ones_only_and_nobody_who_follows_misses_a_record()
 {
    let service = plant().await;
    let report = json!({"incidentTypeId": 3, "title": "Drip", "severity": "Low", "incidentDate": "2025-06-02", "status": "New",
        "evaluationStatus": null, "isAnonymous": false, "categories": [{"id": 31}]});
    let answer = service.post("/v1/Incidents", &report).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let given = ticks(answer.json()["lastModified"].as_str().expect("a stamp"));
    assert_eq!(given, ticks("2025-06-02T08:00:00Z"), "the test's clock");

    let began = Timestamp::now().ticks();
    let (later, equal, earlier) = (
        "2025-06-02T08:00:00.0000001Z",
        "2025-06-02T08:00:00Z",
        "2025-06-01T00:00:00Z",
    );
    let folder = folder(&[Some(later), Some(equal), Some(earlier), None]);
    folder.write("incident_types.jsonl", r#"{"id":1,"title":"Leak"}"#);
    folder
        .import(service.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let store = service.store();
    let mut own = Vec::new();
    for (table, column) in STAMPED {
        let stamps = stamps(store, table, column).await;
        let imported: Vec<_> = stamps.into_iter().filter(|(id, _)| *id <= 4).collect();
        assert_eq!(imported[0], (1, ticks(later)), "{table}");
        own.extend(imported[1..].iter().map(|(_, stamp)| *stamp));
        for (id, stamp) in imported {
            assert!(stamp > given, "{table} {id} would be missed");
        }
    }
    assert!(
        own.iter()
            .all(|stamp| *stamp == own[0] && *stamp >= began && *stamp <= Timestamp::now().ticks()),
        "one stamp for all that have none of their own: {own:?}"
    );

    // The service's clock is far behind now, and its next stamp is still later.
    let put = service
        .put("/v1/Incidents/100/externalId", &json!("x"))
        .await;
    let next = ticks(put.json()["lastModified"].as_str().expect("a stamp"));
    assert_eq!(next, own[0] + 1);
}

#[tokio::test]
async fn what_replaces_a_record_is_a_change_of_now() {
    let target = Target::new();
    let first = folder(&[Some("2025-02-01T00:00:00Z"), Some("2025-02-02T00:00:00Z")]);
    first
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let began = Timestamp::now().ticks();
    let second = folder(&[Some("2025-03-01T00:00:00Z")]);
    second
        .import(target.db(), OnConflict::Replace)
        .await
        .expect("replaced");
    let store = target.database.open().await;
    for (table, column) in STAMPED {
        let stamps = stamps(&store, table, column).await;
        assert!(stamps[0].1 >= began, "{table}");
        assert_eq!(stamps[1].1, ticks("2025-02-02T00:00:00Z"), "{table}");
    }
    store.close().await;
}

#[tokio::test]
async fn an_incident_changes_with_its_comments() {
    let target = Target::new();
    let first = folder(&[Some("2025-02-01T00:00:00Z"); 3]);
    first.write(
        "incident_comments.jsonl",
        r#"{"id":1,"incidentId":1,"text":"a","commentDate":"2025-01-01T00:00:00Z"}"#,
    );
    first
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let store = target.database.open().await;
    let before = stamps(&store, "incidents", "last_modified").await;
    let kept = ticks("2025-02-01T00:00:00Z");
    assert_eq!(
        before,
        [(1, kept), (2, kept), (3, kept)],
        "all new together"
    );

    // One comment moves from the first incident to the second; the third has none.
    let comments = Folder::empty();
    comments.write(
        "incident_comments.jsonl",
        r#"{"id":1,"incidentId":2,"text":"a","commentDate":"2025-01-01T00:00:00Z"}"#,
    );
    comments
        .import(target.db(), OnConflict::Replace)
        .await
        .expect("moved");
    let after = stamps(&store, "incidents", "last_modified").await;
    assert!(after[0].1 > kept && after[1].1 > kept, "{after:?}");
    assert_eq!(after[2], (3, kept));

    // Other texts, which are not in the incident itself but in a copy of it.
    comments.write(
        "incident_comments.jsonl",
        r#"{"id":1,"incidentId":2,"text":"b","commentDate":"2025-01-01T00:00:00Z"}"#,
    );
    comments
        .import(target.db(), OnConflict::Replace)
        .await
        .expect("edited");
    let edited = stamps(&store, "incidents", "last_modified").await;
    assert!(edited[1].1 > after[1].1, "{edited:?}");
    assert_eq!([edited[0], edited[2]], [after[0], after[2]]);
    store.close().await;
}

#[tokio::test]
async fn a_stamp_of_tomorrow_is_taken_and_one_of_the_next_century_is_none() {
    let now = Timestamp::now().ticks();
    let hours = |hours: i64| {
        let at = Timestamp::from_ticks(now + hours * 3600 * 10_000_000);
        at.expect("in range").to_string()
    };
    let target = Target::new();
    folder(&[Some(&hours(23))])
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("clocks differ");

    for (file, field) in [
        ("incidents.jsonl", "lastModified"),
        ("improvements.jsonl", "lastModified"),
        ("datasource_values.jsonl", "registrationDate"),
    ] {
        let all = folder(&[Some("2102-01-01T00:00:00Z")]);
        let folder = Folder::empty();
        for needed in ["incident_types.jsonl", "datasources.jsonl", file] {
            let lines = std::fs::read(all.path().join(needed)).expect("there");
            folder.write(needed, lines);
        }
        let fault = folder
            .import(Target::new().db(), OnConflict::Fail)
            .await
            .expect_err("too far ahead");
        assert_eq!(
            fault.to_string(),
            format!(
                "{file}, line 1, field {field}: found 2102-01-01T00:00:00Z, \
                 expected at most a day after now, as every later change has to have a later one"
            )
        );
    }
}

/// Incidents 1 to 5 and improvements 1 and 2: each has other names, the last one in a comment.
const TELLING: [(&str, &str); 7] = [
    ("projects.jsonl", r#"{"id":1,"name":"P"}"#),
    ("groups.jsonl", r#"{"id":1,"type":"GENERAL","name":"G"}"#),
    (
        "users.jsonl",
        r#"{"id":"u","userName":"u","displayName":"U"}"#,
    ),
    (
        "incident_types.jsonl",
        r#"{"id":1,"title":"T","categories":[{"id":11,"title":"C"}],"causes":[{"id":12,"title":"W"}],"consequences":[{"id":13,"title":"D","unit":"min"}],"customFields":[{"id":14,"label":"M","type":"list","dataListId":9}]}
{"id":2,"title":"T2"}"#,
    ),
    (
        "incidents.jsonl",
        r#"{"id":1,"incidentTypeId":1,"title":"t","incidentDate":"2025-01-01","projectId":1,"categories":[{"id":11}]}
{"id":2,"incidentTypeId":1,"title":"t","incidentDate":"2025-01-01","followUpGroupId":1,"responsibleUserId":"u","causes":[{"id":12}],"consequences":[{"id":13}]}
{"id":3,"incidentTypeId":1,"title":"t","incidentDate":"2025-01-01","reportedByGroupId":1,"reportedByUserId":"u","customFields":[{"id":14,"dataListValue":"x"}]}
{"id":4,"incidentTypeId":2,"title":"t","incidentDate":"2025-01-01","isAnonymous":true,"reportedByUserId":"u"}
{"id":5,"incidentTypeId":2,"title":"t","incidentDate":"2025-01-01"}
{"id":6,"incidentTypeId":2,"title":"t","incidentDate":"2025-01-01","lastModifiedByUserId":"u"}
{"id":7,"incidentTypeId":2,"title":"t","incidentDate":"2025-01-01","isAnonymous":true,"lastModifiedByUserId":"u"}"#,
    ),
    (
        "incident_comments.jsonl",
        r#"{"id":1,"incidentId":5,"text":"a","commentDate":"2025-01-01T00:00:00Z","commentedByUserId":"u"}"#,
    ),
    (
        "improvements.jsonl",
        r#"{"id":1,"projectId":1,"responsibleUserId":"u","lastModified":"2025-01-01T00:00:00Z"}
{"id":2,"groupId":1,"categoryId":1,"category":"K","lastModified":"2025-01-01T00:00:00Z"}"#,
    ),
];

#[tokio::test]
async fn records_change_with_the_names_they_tell_but_for_an_anonymous_ones_reporter() {
    let target = Target::new();
    let folder = Folder::empty();
    for (file, lines) in TELLING {
        folder.write(file, lines);
    }
    folder
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let store = target.database.open().await;
    let mut before = (
        stamps(&store, "incidents", "last_modified").await,
        stamps(&store, "improvements", "last_modified").await,
    );
    let kind = TELLING[3].1;
    let spoilt = |old: &str, new: &str| {
        assert!(kind.contains(old), "{old}");
        kind.replacen(old, new, 1)
    };
    // A second import, and the incidents and improvements whose answers it changes.
    let cases: [(&str, String, &[i64], &[i64]); 13] = [
        ("projects.jsonl", r#"{"id":1,"name":"P"}"#.into(), &[], &[]),
        (
            "projects.jsonl",
            r#"{"id":1,"name":"Q"}"#.into(),
            &[1],
            &[1],
        ),
        (
            "groups.jsonl",
            r#"{"id":1,"type":"GENERAL","name":"G","description":"not shown"}"#.into(),
            &[],
            &[],
        ),
        (
            "groups.jsonl",
            r#"{"id":1,"type":"GENERAL","name":"H"}"#.into(),
            &[2, 3],
            &[2],
        ),
        (
            "users.jsonl",
            r#"{"id":"u","userName":"u","displayName":"V"}"#.into(),
            &[2, 3, 5, 6],
            &[1],
        ),
        (
            "users.jsonl",
            r#"{"id":"v","userName":"v","displayName":"V"}"#.into(),
            &[],
            &[],
        ),
        (
            "incident_types.jsonl",
            spoilt(r#""T""#, r#""T3""#),
            &[1, 2, 3],
            &[],
        ),
        (
            "incident_types.jsonl",
            spoilt(r#""T""#, r#""T3""#).replace(r#""C""#, r#""C2""#),
            &[1],
            &[],
        ),
        (
            "incident_types.jsonl",
            spoilt(r#""T""#, r#""T3""#)
                .replace(r#""C""#, r#""C2""#)
                .replace(r#""W""#, r#""W2""#),
            &[2],
            &[],
        ),
        (
            "incident_types.jsonl",
            spoilt(r#""T""#, r#""T3""#)
                .replace(r#""C""#, r#""C2""#)
                .replace(r#""W""#, r#""W2""#)
                .replace("min", "h"),
            &[2],
            &[],
        ),
        (
            "incident_types.jsonl",
            spoilt(r#""T""#, r#""T3""#)
                .replace(r#""C""#, r#""C2""#)
                .replace(r#""W""#, r#""W2""#)
                .replace("min", "h")
                .replace(r#""M""#, r#""M2""#),
            &[3],
            &[],
        ),
        // A list that had no name.
        (
            "data_lists.jsonl",
            r#"{"id":9,"name":"L"}"#.into(),
            &[3],
            &[],
        ),
        (
            "improvement_categories.jsonl",
            r#"{"id":1,"title":"K2"}"#.into(),
            &[],
            &[2],
        ),
    ];
    for (file, lines, incidents, improvements) in cases {
        let folder = Folder::empty();
        folder.write(file, &lines);
        folder
            .import(target.db(), OnConflict::Replace)
            .await
            .expect("replaced");
        let after = (
            stamps(&store, "incidents", "last_modified").await,
            stamps(&store, "improvements", "last_modified").await,
        );
        let later = |before: &[(i64, i64)], after: &[(i64, i64)]| {
            let pairs = before.iter().zip(after);
            pairs
                .filter(|(before, after)| after.1 > before.1)
                .map(|(_, after)| after.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(later(&before.0, &after.0), incidents, "{file}: {lines}");
        assert_eq!(later(&before.1, &after.1), improvements, "{file}: {lines}");
        before = after;
    }
    store.close().await;
}

#[tokio::test]
async fn what_older_versions_let_in_counts_as_given() {
    let target = Target::new();
    folder(&[Some("2025-02-01T00:00:00Z"), Some("2025-03-01T00:00:00Z")])
        .import(target.db(), OnConflict::Fail)
        .await
        .expect("imported");
    let store = target.database.open().await;
    let last = |at: &'static str| {
        let ticks = ticks(at);
        store.write(move |session| {
            // What an older version left, and then the newer one's step.
            session.execute("UPDATE stamps SET last = ?1", &[ticks.into()])?;
            let step = include_str!("../../../store/src/schema/sqlite/0007_given_stamps.sql");
            session.execute(step.trim_end().trim_end_matches(';'), &[])?;
            session.first("SELECT last FROM stamps", &[], |row| row.int(0))
        })
    };
    let newest: Result<_, StoreError> = last("1970-01-01T00:00:00Z").await;
    assert_eq!(
        newest.expect("raised"),
        Some(Some(ticks("2025-03-01T00:00:00Z")))
    );
    let given: Result<_, StoreError> = last("2025-04-01T00:00:00Z").await;
    assert_eq!(
        given.expect("kept"),
        Some(Some(ticks("2025-04-01T00:00:00Z")))
    );
    store.close().await;
}
