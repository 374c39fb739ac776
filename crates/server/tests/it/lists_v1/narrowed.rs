//! Parameters that narrow the lists of incidents and improvements, to the tick, and refused ones.

use std::collections::BTreeSet;

use serde_json::json;

use super::{IMPROVEMENTS, INCIDENTS, MANY, change, found, found_in, with_many};
use crate::incidents_plant::plant;

#[tokio::test]
async fn bounds_exclude_themselves_to_the_tick() {
    let service = plant().await;
    // 2025-06-02T08:00:00Z in ticks, and one more.
    change(&service, vec![
        "UPDATE incidents SET last_modified = 17488512000000000 WHERE id = 100".to_owned(),
        "UPDATE incidents SET last_modified = 17488512000000001, incident_date = 20001 WHERE id = 101".to_owned(),
        "UPDATE improvements SET last_modified = 17488512000000000 WHERE id = 317".to_owned(),
        "UPDATE improvements SET last_modified = 17488512000000001 WHERE id = 318".to_owned(),
    ])
    .await;
    let instant = "2025-06-02T08:00:00";
    for (query, expected, improvements) in [
        (format!("LastModifiedFrom={instant}Z"), vec![101], vec![318]),
        (
            format!("LastModifiedFrom={instant}.0000001Z"),
            vec![],
            vec![],
        ),
        (format!("LastModifiedTo={instant}Z"), vec![], vec![319]),
        (
            format!("LastModifiedTo={instant}.0000001Z"),
            vec![100],
            vec![317, 319],
        ),
        (
            format!("LastModifiedTo={instant}.0000002Z"),
            vec![100, 101],
            vec![317, 318, 319],
        ),
        (
            format!("LastModifiedFrom={instant}Z&LastModifiedTo={instant}.0000002"),
            vec![101],
            vec![318],
        ),
        // As other clients spell it, and without an offset, which is UTC; with one.
        (format!("lastmodifiedfrom={instant}"), vec![101], vec![318]),
        (
            "LastModifiedFrom=2025-06-02T10:00:00%2B02:00".to_owned(),
            vec![101],
            vec![318],
        ),
        // Not escaped: a space for the `T`, and the `+` of an offset.
        (
            "LastModifiedFrom=2025-06-02+10:00:00+0200".to_owned(),
            vec![101],
            vec![318],
        ),
        // A day is its first instant. Where it has hyphens and begins with two digits, these are the month.
        (
            "LastModifiedFrom=2025-06-02".to_owned(),
            vec![100, 101],
            vec![317, 318],
        ),
        (
            "LastModifiedFrom=06-02-2025".to_owned(),
            vec![100, 101],
            vec![317, 318],
        ),
        ("LastModifiedFrom=06-03-2025".to_owned(), vec![], vec![]),
    ] {
        assert_eq!(found(&service, &query).await.1, expected, "{query}");
        assert_eq!(
            found_in(&service, IMPROVEMENTS, &query).await.1,
            improvements,
            "{query}"
        );
    }
    // Day 20,000 after 1970 is 4 October 2024.
    for (query, expected) in [
        ("IncidentDateFrom=2024-10-04", vec![101]),
        ("IncidentDateFrom=2024-10-04T00:00:00Z", vec![101]),
        (
            "IncidentDateFrom=2024-10-03T23:59:59.9999999Z",
            vec![100, 101],
        ),
        ("IncidentDateFrom=2024-10-04T00:00:00.0000001Z", vec![101]),
        ("IncidentDateFrom=2024-10-05T00:00:00Z", vec![]),
        ("IncidentDateTo=2024-10-05T00:00:00Z", vec![100]),
        (
            "IncidentDateTo=2024-10-05T00:00:00.0000001Z",
            vec![100, 101],
        ),
        ("IncidentDateTo=2024-10-04T23:59:59Z", vec![100]),
        ("IncidentDateTo=2024-10-04", vec![]),
        (
            "IncidentDateFrom=2024-10-03&IncidentDateTo=2024-10-05",
            vec![100],
        ),
        ("IncidentDateFrom=10-04-2024", vec![101]),
        (
            "IncidentDateFrom=10-03-2024&IncidentDateTo=10-05-2024",
            vec![100],
        ),
        // The tenth of April.
        ("IncidentDateFrom=04-10-2024", vec![100, 101]),
        ("$filter=incidentDate gt 2024-10-04T00:00:00Z", vec![101]),
        (
            "$filter=incidentDate in (2024-10-04T00:00:00Z,2024-10-04T02:00:00%2B0200)",
            vec![100],
        ),
        ("IncidentDateFrom=1960-01-01", vec![100, 101]),
        ("IncidentDateTo=1960-01-01T12:00:00Z", vec![]),
    ] {
        assert_eq!(found(&service, query).await.1, expected, "{query}");
    }
}

#[tokio::test]
async fn type_filter_and_bounds_must_all_hold() {
    let service = plant().await;
    with_many(&service).await;
    assert_eq!(found(&service, "TypeId=6").await, (0, vec![]));
    assert_eq!(
        found(&service, "TypeId=3&pageSize=3").await,
        (MANY + 2, vec![100, 101, 1000])
    );
    assert_eq!(
        found(&service, "typeid=3&$filter=id lt 1001").await.1,
        [100, 101, 1000]
    );
    // Stamps go down as ids go up; the 3 last have 1000 and 1001.
    let query = "LastModifiedTo=1970-01-01T00:00:00.0001002Z&$filter=id ge 1000";
    assert_eq!(
        found(&service, query).await.1,
        (1000 + MANY - 5..1000 + MANY).collect::<Vec<_>>()
    );
    // Filters may use the parts of a record.
    assert_eq!(
        found(&service, "$filter=consequences/any(c:c/amount gt 1200)")
            .await
            .1,
        [2200, 2201, 2202]
    );
    assert_eq!(
        found(
            &service,
            "$filter=categories/any(c:c/title eq 'Supplier') and id lt 1010"
        )
        .await
        .1,
        [1001, 1004, 1007]
    );
    assert_eq!(found(&service, "$filter=causes/$count eq 1").await.1, [100]);
    assert_eq!(
        found(&service, "$filter=customFields/any(f:f/label eq 'Machine')")
            .await
            .1,
        [0; 0]
    );
    assert_eq!(
        found_in(
            &service,
            IMPROVEMENTS,
            "$filter=status eq 'Archived' and suggestionDate lt 2026-01-01T00:00:00Z"
        )
        .await,
        (1, vec![318])
    );
    assert_eq!(
        found_in(
            &service,
            IMPROVEMENTS,
            "$orderby=title desc&pageSize=2&page=2"
        )
        .await,
        (3, vec![319])
    );
}

#[tokio::test]
async fn who_reported_an_anonymous_incident_is_revealed_by_no_filter_and_no_order() {
    let service = plant().await;
    // Both were reported by the same user; 101 anonymously, and also with a name.
    for filter in [
        "reportedByUserId eq 'u-117'",
        "contains(reportedBy,'Tomas')",
        "reportedBy ne null",
        "length(reportedBy) gt 0",
        "reportedBy in ('Tomas','Tomas Berg')",
    ] {
        assert_eq!(
            found(&service, &format!("$filter={filter}")).await.1,
            [100],
            "{filter}"
        );
    }
    for key in ["reportedBy", "reportedByUserId"] {
        assert_eq!(
            found(&service, &format!("$orderby={key}")).await.1,
            [101, 100]
        );
        assert_eq!(
            found(&service, &format!("$orderby={key} desc")).await.1,
            [100, 101]
        );
    }
    let alone = service.get("/v1/Incidents/101").await;
    assert!(
        !alone.text().contains("u-117") && !alone.text().contains("Tomas"),
        "{}",
        alone.text()
    );
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_by_its_name() {
    let service = plant().await;
    for (list, queries) in [
        (
            INCIDENTS,
            &[
                (
                    "TypeId",
                    "TypeId=x",
                    "found `x`, expected an integer of 32 bits",
                ),
                (
                    "TypeId",
                    "TypeId=3000000000",
                    "found `3000000000`, expected an integer of 32 bits",
                ),
                (
                    "TypeId",
                    "TypeId=",
                    "found ``, expected an integer of 32 bits",
                ),
                (
                    "TypeId",
                    "TypeId=3&typeId=3",
                    "is given more than once; expected one value",
                ),
                (
                    "IncidentDateFrom",
                    "IncidentDateFrom=today",
                    "found `today`, expected a timestamp such as 2026-03-02T06:12:00Z or a date such as 2026-03-02, also written 03-02-2026 (month, day, year)",
                ),
                (
                    "IncidentDateFrom",
                    "IncidentDateFrom=2025-02-30",
                    "found `2025-02-30`, expected a timestamp such as 2026-03-02T06:12:00Z or a date such as 2026-03-02, also written 03-02-2026 (month, day, year)",
                ),
                (
                    "IncidentDateTo",
                    "IncidentDateTo=31-12-2024",
                    "found `31-12-2024`, expected a timestamp such as 2026-03-02T06:12:00Z or a date such as 2026-03-02, also written 03-02-2026 (month, day, year)",
                ),
                (
                    "IncidentDateFrom",
                    "IncidentDateFrom=2025-03-02&IncidentDateTo=2025-03-01",
                    "lies after `IncidentDateTo`; expected an instant before it",
                ),
            ][..],
        ),
        (IMPROVEMENTS, &[]),
    ] {
        let both = [
            (
                "LastModifiedTo",
                "LastModifiedTo=1",
                "found `1`, expected a timestamp such as 2026-03-02T06:12:00Z or a date such as 2026-03-02, also written 03-02-2026 (month, day, year)",
            ),
            (
                "LastModifiedTo",
                "LastModifiedTo=12/31/2024",
                "found `12/31/2024`, expected a timestamp such as 2026-03-02T06:12:00Z or a date such as 2026-03-02, also written 03-02-2026 (month, day, year)",
            ),
            (
                "LastModifiedFrom",
                "LastModifiedFrom=2025-03-02T00:00:00Z&LastModifiedTo=2025-03-01T00:00:00Z",
                "lies after `LastModifiedTo`; expected an instant before it",
            ),
            (
                "page",
                "page=0",
                "found `0`, expected an integer from 1 to 2147483647",
            ),
            (
                "page",
                "page=1&page=2",
                "is given more than once; expected one value",
            ),
            (
                "pageSize",
                "pageSize=0",
                "found `0`, expected an integer from 1 to 10000",
            ),
            (
                "pageSize",
                "pageSize=10001",
                "found `10001`, expected an integer from 1 to 10000",
            ),
            (
                "pageSize",
                "pageSize=-1",
                "found `-1`, expected an integer from 1 to 10000",
            ),
        ];
        for (name, query, text) in queries.iter().chain(&both) {
            let problem = service
                .get(&format!("{list}?{query}"))
                .await
                .is_problem(400, "query.invalid");
            assert_eq!(problem["errors"], json!({*name: [*text]}), "{query}");
        }
        for (query, code, name) in [
            ("$filter=nosuch eq 1", "odata.unknown_property", "$filter"),
            ("$filter=id eq", "odata.syntax", "$filter"),
            ("$filter=id eq 'x'", "odata.type", "$filter"),
            ("$filter=id div 0 eq 1", "odata.value", "$filter"),
            ("$orderby=nosuch", "odata.unknown_property", "$orderby"),
            ("$top=1", "odata.option", "$top"),
            ("$expand=causes", "odata.option", "$expand"),
            ("$select=id", "odata.option", "$select"),
            ("$search=x", "odata.option", "$search"),
        ] {
            let problem = service
                .get(&format!("{list}?{query}"))
                .await
                .is_problem(400, code);
            let named: BTreeSet<&String> = problem["errors"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name)
                .collect();
            assert!(
                named.iter().all(|found| *found == name) && problem.to_string().contains(name),
                "{query}: {problem}"
            );
        }
    }
    // Equal bounds select nothing and are no error.
    let nothing = "LastModifiedFrom=2025-03-01T00:00:00Z&LastModifiedTo=2025-03-01T00:00:00Z";
    assert_eq!(found(&service, nothing).await, (0, vec![]));
}
