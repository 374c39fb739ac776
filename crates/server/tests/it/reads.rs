//! The v2 reads over HTTP: areas, boards, groups and comments, by value on the fixture of
//! [`crate::reads_plant`].

use serde_json::{Value, json};

use crate::reads_plant::{Incidents, Plant, ids};

#[tokio::test]
async fn a_list_is_a_value_array_with_every_property_in_order() {
    let plant = Plant::new().await;
    let answer = plant.get("/v2/areas?$top=2").await;
    assert_eq!(
        answer.text(),
        r#"{"value":[{"id":1,"name":"Assembly","description":"Main assembly line"},{"id":2,"name":"Paint Shop","description":null}]}"#
    );
}

#[tokio::test]
async fn text_is_escaped_as_json_says() {
    let plant = Plant::new().await;
    let answer = plant.get("/v2/areas/7").await;
    assert_eq!(
        answer.text(),
        r#"{"id":7,"name":"  Padded  ","description":"back\\slash and \"quotes\""}"#
    );
}

#[tokio::test]
async fn the_count_is_of_all_matches_whatever_the_page() {
    let plant = Plant::new().await;
    for query in [
        "$count=true&$top=0",
        "$count=true&$top=2",
        "$count=true&$skip=5",
        "$count=true&$skip=100",
    ] {
        assert_eq!(
            plant.get(&format!("/v2/areas?{query}")).await.json()["@odata.count"],
            7,
            "{query}"
        );
    }
    assert_eq!(
        plant
            .get("/v2/boards?$count=true&$top=1&$filter=isPublic")
            .await
            .json()["@odata.count"],
        5
    );
    assert_eq!(
        plant
            .get("/v2/areas?$count=false")
            .await
            .json()
            .get("@odata.count"),
        None
    );
}

#[tokio::test]
async fn top_skip_and_orderby_choose_the_page() {
    let plant = Plant::new().await;
    assert_eq!(plant.ids("/v2/areas?$skip=2&$top=3").await, [3, 4, 5]);
    assert_eq!(plant.ids("/v2/areas?$skip=6").await, [7]);
    assert_eq!(plant.ids("/v2/areas?$skip=7").await, [0; 0]);
    assert_eq!(plant.ids("/v2/areas?$top=0").await, [0; 0]);
    assert_eq!(
        plant
            .ids("/v2/boards?$orderby=group/name desc,id desc&$top=3")
            .await,
        [2, 1, 4]
    );
}

#[tokio::test]
async fn a_group_has_every_property_of_its_type() {
    let plant = Plant::new().await;
    let expected = json!({
        "id": 4, "type": "PROJECT", "name": "Lean 2025", "description": "Improve flow", "parentId": 2, "isSystemGroup": false,
        "level": 2, "sortOrder": 5, "businessUnitId": 10, "projectId": 77, "externalId": "ext-4", "externalName": "Lean", "isMember": true,
    });
    assert_eq!(plant.get("/v2/groups/4").await.json(), expected);
    // The same through the way that takes options.
    assert_eq!(
        plant.get("/v2/groups/4?$count=false").await.json(),
        expected
    );
}

#[tokio::test]
async fn a_board_has_every_property_of_its_type() {
    let plant = Plant::new().await;
    let expected = json!({
        "id": 6, "name": null, "boardType": null, "businessUnitId": null, "isMember": false, "projectId": null, "isPublic": false,
        "groupId": null,
    });
    assert_eq!(plant.get("/v2/boards/6").await.json(), expected);
}

#[tokio::test]
async fn a_comment_tells_its_instant_with_the_digits_it_has() {
    let plant = Plant::new().await;
    let expected = json!({
        "id": 3, "text": "Who reported this?", "commentDate": "2024-03-01T08:15:30.25Z", "commentedBy": "Kari Nordmann",
        "commentedByUserId": "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "parentId": 2, "level": 2, "incidentId": 1,
    });
    assert_eq!(plant.get("/v2/incidents/comments/3").await.json(), expected);
}

#[tokio::test]
async fn select_leaves_only_what_is_named() {
    let plant = Plant::new().await;
    assert_eq!(
        plant.get("/v2/areas/1?$select=name").await.json(),
        json!({"name": "Assembly"})
    );
    let expected = json!({"value": [{"id": 1, "name": "Daily"}]});
    assert_eq!(
        plant.get("/v2/boards?$select=id,name&$top=1").await.json(),
        expected
    );
}

#[tokio::test]
async fn expand_puts_related_records_into_each_row() {
    let plant = Plant::new().await;
    let answer = plant.get("/v2/groups?$filter=id in (2,6)&$select=name&$expand=parent($select=id),boards($select=id;$orderby=id desc)").await;
    let expected = json!({"value": [
        {"name": "Production", "parent": {"id": 1}, "boards": [{"id": 2}, {"id": 1}]},
        {"name": null, "parent": null, "boards": []},
    ]});
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn expand_goes_as_deep_as_it_is_nested() {
    let plant = Plant::new().await;
    let answer = plant.get("/v2/boards/8?$select=id&$expand=group($select=id;$expand=parent($select=id;$expand=boards($select=id)))").await;
    let expected =
        json!({"id": 8, "group": {"id": 7, "parent": {"id": 2, "boards": [{"id": 1}, {"id": 2}]}}});
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn expand_counts_and_cuts_for_each_parent() {
    let plant = Plant::new().await;
    let answer = plant
        .get("/v2/groups?$filter=id le 3&$select=id&$expand=boards($select=id;$top=1;$count=true)")
        .await;
    let expected = json!({"value": [
        {"id": 1, "boards@odata.count": 1, "boards": [{"id": 4}]},
        {"id": 2, "boards@odata.count": 2, "boards": [{"id": 1}]},
        {"id": 3, "boards@odata.count": 2, "boards": [{"id": 3}]},
    ]});
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn the_limits_of_query_options_are_of_the_configuration() {
    let plant = Plant::with(Incidents::Live, |config| config.limits.query.nodes = 3).await;
    assert_eq!(plant.get("/v2/areas?$filter=id eq 1").await.status, 200);
    for path in ["/v2/areas", "/v2/areas/1"] {
        let answer = plant.get(&format!("{path}?$filter=not (id eq 1)")).await;
        assert_eq!(answer.status, 400, "{path}");
        assert_eq!(answer.json()["code"], "odata.limit", "{path}");
        assert!(
            answer.text().contains("the limit is 3"),
            "{}",
            answer.text()
        );
    }
}

/// OData 4.01: "The $count segment can be appended to a navigation property name … to return just the count
/// of the related entities."
#[tokio::test]
async fn expand_gives_a_number_alone() {
    let plant = Plant::new().await;
    let answer = plant
        .get("/v2/groups?$filter=id in (2,5)&$select=id&$expand=boards/$count,children/$count($filter=level eq 2)")
        .await;
    let expected = json!({"value": [
        {"id": 2, "boards@odata.count": 2, "children@odata.count": 2},
        {"id": 5, "boards@odata.count": 0, "children@odata.count": 0},
    ]});
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn the_users_of_a_group_come_without_their_addresses() {
    let plant = Plant::new().await;
    let answer = plant.get("/v2/groups/2?$select=id&$expand=users").await;
    let expected = json!({"id": 2, "users": [
        {"id": "u2", "userName": "ola", "displayName": "Ola", "groupId": 2, "userId": "u2", "role": "Member"},
        {"id": "u3", "userName": "per", "displayName": "Per", "groupId": 2, "userId": "u3", "role": "Member"},
    ]});
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn the_incident_of_a_comment_has_the_words_and_dates_of_v2() {
    let plant = Plant::new().await;
    plant
        .change(&["UPDATE incidents SET evaluation_status = 'Good' WHERE id = 3"])
        .await;
    let answer = plant
        .get("/v2/incidents/comments/6?$select=id&$expand=incident")
        .await;
    let incident = &answer.json()["incident"];
    for (property, expected) in [
        ("id", json!(3)),
        ("typeId", json!(1)),
        ("status", json!("Resolved")),
        ("incidentDate", json!("2024-07-15T00:00:00Z")),
        ("createdDate", json!("2024-01-01T06:00:00Z")),
        ("statusImplementedDate", json!("2024-07-16T09:00:00Z")),
        ("evaluationStatus", json!("Smile")),
        ("owner", json!("per")),
        ("ownerDisplayName", json!("Per")),
        ("ownerUserId", json!("u3")),
        ("createdByUserId", json!("u3")),
    ] {
        assert_eq!(incident[property], expected, "{property}");
    }
}

#[tokio::test]
async fn nobody_learns_who_reported_an_anonymous_incident() {
    let plant = Plant::new().await;
    // Every incident of the fixture was reported by u3; 2 is anonymous.
    assert_eq!(
        plant
            .get("/v2/incidents/comments/4?$expand=incident")
            .await
            .json()["incident"]["createdByUserId"],
        Value::Null
    );
    assert_eq!(
        plant
            .ids("/v2/incidents/comments?$filter=incident/createdByUserId eq 'u3'")
            .await,
        [1, 2, 3, 6, 7, 8]
    );
    assert_eq!(
        plant
            .ids("/v2/incidents/comments?$filter=incident/createdByUserId eq null")
            .await,
        [4, 5]
    );
    assert_eq!(
        plant
            .ids("/v2/incidents/comments?$orderby=incident/createdByUserId&$top=2")
            .await,
        [4, 5]
    );
}

#[tokio::test]
async fn comments_are_listed_by_incident() {
    let plant = Plant::new().await;
    assert_eq!(plant.ids("/v2/incidents/2/comments").await, [4, 5]);
    assert_eq!(plant.ids("/v2/incidents/4/comments").await, [0; 0]);
    let answer = plant
        .get("/v2/incidents/1/comments?$count=true&$filter=level gt 0")
        .await;
    assert_eq!(
        (
            answer.json()["@odata.count"].as_i64(),
            ids(&answer.json()["value"])
        ),
        (Some(2), vec![2, 3])
    );
    plant
        .get("/v2/incidents/99/comments")
        .await
        .is_problem(404, "not_found");
}

#[tokio::test]
async fn comments_of_an_incident_in_the_trash_are_nowhere() {
    let plant = Plant::with(Incidents::Live, |_| ()).await;
    plant
        .change(&["UPDATE incidents SET deleted_date = 17000000000000000 WHERE id = 1"])
        .await;
    assert_eq!(plant.ids("/v2/incidents/comments").await, [4, 5, 6, 7, 8]);
    assert_eq!(plant.ids("/v2/incidents/comments?$search=oil").await, [6]);
    plant
        .get("/v2/incidents/comments/1")
        .await
        .is_problem(404, "not_found");
    plant
        .get("/v2/incidents/1/comments")
        .await
        .is_problem(404, "not_found");
}

#[tokio::test]
async fn search_finds_any_word_and_whole_phrases() {
    let plant = Plant::new().await;
    for (search, expected) in [
        ("oil", vec![1, 2, 6]),
        ("OIL", vec![1, 2, 6]),
        ("oil guard", vec![1, 2, 4, 5, 6]),
        ("%22oil leak%22", vec![1]),
        ("%22leak oil%22", vec![]),
        ("%224%22", vec![1]),
        ("oi", vec![]),
    ] {
        assert_eq!(
            plant
                .ids(&format!("/v2/incidents/comments?$search={search}"))
                .await,
            expected,
            "{search}"
        );
    }
}

#[tokio::test]
async fn the_next_link_leads_through_all_pages() {
    let plant = Plant::with(Incidents::Live, |config| config.limits.page_records = 3).await;
    for (query, expected) in [
        ("", vec![vec![1, 2, 3], vec![4, 5, 6], vec![7]]),
        ("?$top=5", vec![vec![1, 2, 3], vec![4, 5]]),
        ("?$top=3", vec![vec![1, 2, 3]]),
        ("?$skip=1", vec![vec![2, 3, 4], vec![5, 6, 7]]),
        (
            "?$skip=1&$orderby=id%20desc&$filter=id%20ge%202",
            vec![vec![6, 5, 4], vec![3, 2]],
        ),
    ] {
        let mut link = Some(format!("{}/v2/areas{query}", plant.base_url()));
        let mut pages = Vec::new();
        while let Some(url) = link {
            let answer = plant.get_url(&url).await;
            assert_eq!(answer.status, 200, "{url}");
            pages.push(ids(&answer.json()["value"]));
            link = answer.json()["@odata.nextLink"].as_str().map(str::to_owned);
        }
        assert_eq!(pages, expected, "{query}");
    }
}

#[tokio::test]
async fn the_options_of_a_record_must_be_right_but_only_shape_it() {
    let plant = Plant::new().await;
    for query in [
        "$filter=id eq 99",
        "$top=0",
        "$skip=5",
        "$orderby=name",
        "$count=true",
        "$search=nothing",
    ] {
        assert_eq!(
            plant.get(&format!("/v2/areas/1?{query}")).await.json()["id"],
            1,
            "{query}"
        );
    }
    plant
        .get("/v2/areas/1?$filter=nosuch eq 1")
        .await
        .is_problem(400, "odata.unknown_property");
    plant
        .get("/v2/areas/1?$expand=nosuch")
        .await
        .is_problem(400, "odata.unknown_property");
}

#[tokio::test]
async fn an_unknown_record_is_not_found() {
    let plant = Plant::new().await;
    for path in [
        "/v2/areas/99",
        "/v2/boards/0",
        "/v2/groups/-1",
        "/v2/incidents/comments/99",
        "/v2/groups/99?$select=id",
    ] {
        plant.get(path).await.is_problem(404, "not_found");
    }
}

#[tokio::test]
async fn a_wrong_request_is_answered_with_what_is_wrong() {
    let plant = Plant::new().await;
    for (path, code) in [
        ("/v2/areas/x", "path.invalid"),
        ("/v2/groups/2147483648", "path.invalid"),
        ("/v2/boards/1.5", "path.invalid"),
        ("/v2/incidents/comments/9999999999", "path.invalid"),
        ("/v2/incidents/one/comments", "path.invalid"),
        (
            "/v2/areas?$search=hall&$filter=id eq 1",
            "odata.search_with_filter",
        ),
        ("/v2/areas?$search=5", "odata.syntax"),
        ("/v2/areas?$filter=nosuch eq 1", "odata.unknown_property"),
        ("/v2/areas?$filter=name gt 5", "odata.type"),
        ("/v2/areas?$filter=(name eq 'x'", "odata.syntax"),
        ("/v2/areas?$orderby=nosuch", "odata.unknown_property"),
        ("/v2/areas?$select=nosuch", "odata.unknown_property"),
        ("/v2/areas?$expand=group", "odata.unknown_property"),
        ("/v2/areas?$top=-1", "odata.value"),
        ("/v2/areas?$skip=-1", "odata.value"),
        ("/v2/areas?$top=1&$top=2", "odata.option"),
        ("/v2/areas?$filter=id eq 1&filter=id eq 2", "odata.option"),
        ("/v2/areas?$nosuch=1", "odata.option"),
    ] {
        let answer = plant.get(path).await;
        answer.is_problem(400, code);
        assert_eq!(
            answer.json()["error"]["code"],
            code,
            "{path}: the OData error"
        );
    }
}

/// Expanding in both directions multiplies the rows that were read: 1,000 comments with an incident that has
/// all of them again. A page then has fewer comments.
#[tokio::test]
async fn a_page_that_expanding_makes_too_large_has_fewer_records() {
    let plant = Plant::new().await;
    plant
        .change(&["WITH RECURSIVE n (i) AS (SELECT CAST(100 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < 3100)
             INSERT INTO incident_comments (id, incident_id, text, comment_date, level) SELECT i, 4, 'Seen again', 0, 0 FROM n"])
        .await;
    let there = plant
        .get("/v2/incidents/comments/100?$expand=incident($expand=comments($select=id))")
        .await;
    assert_eq!(ids(&there.json()["incident"]["comments"]).len(), 3001);
    let and_back = "/v2/incidents/comments?$expand=incident($expand=comments)";
    let page = plant.get(and_back).await;
    assert_eq!(page.status, 200, "{}", page.text());
    assert!(page.body.len() < 5 << 20, "{} bytes", page.body.len());
    let page = page.json();
    let count = ids(&page["value"]).len();
    assert!((1..100).contains(&count), "{count} comments");
    for comment in page["value"].as_array().expect("values") {
        let incident = &comment["incident"];
        assert_eq!(ids(&incident["comments"]).len() > 3000, incident["id"] == 4);
    }
    assert!(page["@odata.nextLink"].is_string());
    // A single record may be longer than a page.
    for one in ["/v2/incidents/4?", "/v2/incidents?$filter=id eq 4&"] {
        let path = format!("{one}$expand=comments($expand=incident($expand=comments");
        let less = plant.get(&format!("{path}($filter=id lt 150)))")).await;
        assert_eq!(less.status, 200, "{}", less.text());
        assert!(less.body.len() > 5 << 20, "{} bytes", less.body.len());
    }
}
