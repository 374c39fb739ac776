//! Expanded lists that end before their last record, because an answer with all of them would exceed the
//! limits: their next links lead to the rest.

use serde_json::Value as Json;

use crate::reads_plant::{Incidents, Plant, ids};

/// The comments of incident 4 beside those of the fixture: more than one answer may expand. A seventh of them
/// have a text that is too long for a token.
const COMMENTS: &str = "WITH RECURSIVE n (i) AS (SELECT CAST(10000 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < 130000)
    INSERT INTO incident_comments (id, incident_id, text, comment_date, level)
    SELECT i, 4, CASE WHEN i % 7 = 0 THEN '@' || (i % 3) ELSE 'Seen ' || (i % 11) END, (i % 100) * 10000000, 0 FROM n";
const LONG_TEXTS: &str = "UPDATE incident_comments SET text = replace(text, '@', '0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789') WHERE id >= 10000 AND id % 7 = 0";

/// A plant whose lists have large pages.
async fn plant() -> Plant {
    Plant::with(Incidents::Live, |config| {
        config.limits.page_records = 20_000;
    })
    .await
}

/// The records of an expanded list, and of the pages behind its next link. Also returns the number of pages.
async fn followed(plant: &Plant, owner: &Json, list: &str) -> (Vec<i64>, usize) {
    let (found, pages) = followed_records(plant, owner, list).await;
    (ids(&Json::Array(found)), pages)
}

async fn followed_records(plant: &Plant, owner: &Json, list: &str) -> (Vec<Json>, usize) {
    let mut found = owner[list].as_array().expect("an expanded list").clone();
    let mut link = owner[format!("{list}@odata.nextLink")]
        .as_str()
        .map(str::to_owned);
    let mut pages = 1;
    while let Some(url) = link {
        let page = plant.get_url(&url).await;
        assert_eq!(page.status, 200, "{url}: {}", page.text());
        let page = page.json();
        let count = |of: &Json, name: &str| of[name].as_i64();
        assert_eq!(
            count(&page, "@odata.count"),
            count(owner, &format!("{list}@odata.count")),
            "{url}"
        );
        found.extend_from_slice(page["value"].as_array().expect("a page"));
        link = page["@odata.nextLink"].as_str().map(str::to_owned);
        pages += 1;
    }
    (found, pages)
}

/// The ids of all records of a list, page by page.
async fn listed(plant: &Plant, path: &str) -> Vec<i64> {
    ids(&Json::Array(listed_records(plant, path).await))
}

async fn listed_records(plant: &Plant, path: &str) -> Vec<Json> {
    let first = plant.get(path).await;
    assert_eq!(first.status, 200, "{path}: {}", first.text());
    let mut page = first.json();
    let mut found = page["value"].as_array().expect("a page").clone();
    while let Some(link) = page["@odata.nextLink"].as_str() {
        page = plant.get_url(link).await.json();
        found.extend_from_slice(page["value"].as_array().expect("a page"));
    }
    found
}

#[tokio::test]
async fn the_rest_of_an_expanded_list_is_behind_its_next_link() {
    let plant = plant().await;
    plant.change(&[COMMENTS, LONG_TEXTS]).await;
    for (options, outside) in [
        ("$select=id", ""),
        ("$select=id;$count=true;$filter=id ge 10005", ""),
        ("$top=110000;$skip=3;$select=id;$orderby=id desc", ""),
        ("$select=text,id;$orderby=text desc,commentDate", ""),
        (
            "$select=id;$filter=id gt @least and contains(text,@part)",
            "&@least=10100&@part='ee'",
        ),
        ("$select=id;$filter=id gt @least;@least=10001", "&@least=5"),
        ("$select=id;$orderby=now() sub commentDate", ""),
    ] {
        let expand = format!("$expand=comments({options}){outside}");
        let record = plant.get(&format!("/v2/incidents/4?{expand}")).await;
        assert_eq!(record.status, 200, "{}", record.text());
        let record = record.json();
        let (found, pages) = followed(&plant, &record, "comments").await;
        assert!(pages > 2, "{options}: {pages} pages");
        let direct = format!(
            "/v2/incidents(4)/comments?{}{outside}",
            options.replace(';', "&")
        );
        // The alias that counts inside the parentheses counts here.
        let direct = direct.replace("&@least=5", "");
        let expected = listed(&plant, &direct).await;
        assert!(expected.len() > 80_000, "{}", expected.len());
        assert!(found == expected, "{options}");
    }
}

#[tokio::test]
async fn lists_are_cut_at_each_level_and_in_each_kind_of_answer() {
    let plant = plant().await;
    plant.change(&[COMMENTS]).await;
    let all = listed(&plant, "/v2/incidents(4)/comments?$select=id").await;
    assert!(all.len() > 100_000, "{}", all.len());
    let comments = "$expand=comments($select=id)";

    // A page has fewer records until it is one that is too large alone.
    let mut url = Some(format!("{}/v2/incidents?{comments}", plant.base_url()));
    let mut seen = Vec::new();
    while let Some(page) = url {
        let page = plant.get_url(&page).await.json();
        seen.extend(ids(&page["value"]));
        for incident in page["value"].as_array().expect("incidents") {
            if incident["id"] == 4 {
                assert_eq!(followed(&plant, incident, "comments").await.0, all);
            } else {
                assert_eq!(incident["comments@odata.nextLink"], Json::Null);
            }
        }
        url = page["@odata.nextLink"].as_str().map(str::to_owned);
    }
    assert_eq!(seen, listed(&plant, "/v2/incidents").await);

    let of_comment = format!("/v2/comments/10000?$expand=incident({comments})");
    let record = plant.get(&of_comment).await;
    let body = record.json();
    assert_eq!(followed(&plant, &body["incident"], "comments").await.0, all);
    // The same record has the same tag, and so the same links.
    assert_eq!(plant.get(&of_comment).await.body, record.body);

    let navigated = format!("/v2/comments(10000)/incident?{comments}");
    let body = plant.get(&navigated).await.json();
    assert_eq!(followed(&plant, &body, "comments").await.0, all);

    // Each comment has the incident with all comments again.
    let both = "/v2/incidents/4?$expand=comments($select=id;$expand=incident($expand=comments($select=id)))";
    let answer = plant.get(both).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    let first = body["comments"][0].clone();
    assert_eq!(
        followed(&plant, &first["incident"], "comments").await.0,
        all
    );
    let rest = body["comments@odata.nextLink"].as_str().expect("a link");
    let page = plant.get_url(rest).await.json();
    let further = page["value"].as_array().expect("a page");
    assert!(
        further.len() >= ids(&body["comments"]).len(),
        "{}",
        further.len()
    );
    for comment in further {
        let next = &comment["incident"]["comments@odata.nextLink"];
        assert!(next.is_string(), "{comment}");
    }
}

/// The link has the levels that are left, and not `max`, which would count again from its own address.
#[tokio::test]
async fn levels_count_from_the_record_that_was_read() {
    let plant = plant().await;
    const CHILDREN: &str = "WITH RECURSIVE n (i) AS (SELECT CAST(1000 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < 111000)
        INSERT INTO groups (id, name, type, parent_id) SELECT i, 'Group', 'GENERAL', CASE WHEN i < 1010 THEN 2 ELSE 1000 + i % 10 END FROM n";
    plant.change(&[CHILDREN]).await;
    let body = plant
        .get("/v2/groups(2)?$select=id&$expand=children($levels=max;$select=id)")
        .await;
    let body = body.json();
    let children = body["children"].as_array().expect("children");
    let mut links = children
        .iter()
        .filter_map(|child| child["children@odata.nextLink"].as_str());
    let link = links.next().expect("a link");
    assert!(
        link.contains("/children?") && !link.contains("max"),
        "{link}"
    );
}

/// A link that the service would not accept loses records, so the request is refused as before.
#[tokio::test]
async fn a_link_that_is_too_long_is_no_link() {
    let plant = plant().await;
    plant.change(&[COMMENTS]).await;
    // Each of these is one byte in the request, and three in the link.
    let text = "!".repeat(18_000);
    let path =
        format!("/v2/incidents/4?$expand=comments($select=id;$filter=text ne @p)&@p='{text}'");
    let answer = plant.get(&path).await;
    answer.is_problem(400, "odata.limit");
    const GROUPS: &str = "WITH RECURSIVE n (i) AS (SELECT CAST(1001 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
        INSERT INTO groups (id, name, type) SELECT i, 'Group', 'GENERAL' FROM n";
    const USER: &str = "INSERT INTO users (id, user_name, display_name) VALUES ('(x)', 'x', 'X')";
    const MEMBERSHIPS: &str = "INSERT INTO group_members (group_id, user_id) SELECT id, '(x)' FROM groups WHERE id > 1000";
    plant.change(&[GROUPS, USER, MEMBERSHIPS]).await;
    let path = "/v2/users/%28x%29?$expand=groups($expand=user($expand=groups))";
    plant.get(path).await.is_problem(400, "odata.limit");
}

#[tokio::test]
async fn a_record_is_only_cut_when_it_exceeds_the_limits() {
    let plant = plant().await;
    plant.change(&[COMMENTS]).await;
    let whole = "/v2/incidents/4?$expand=comments($top=99000;$select=id,text)";
    let body = plant.get(whole).await.json();
    assert_eq!(ids(&body["comments"]).len(), 99_000);
    assert_eq!(body["comments@odata.nextLink"], Json::Null);
}

/// More than 1,000 records in every expanded list that there is, and in one list of each owner more than an
/// answer may expand.
#[tokio::test]
async fn every_expanded_list_can_be_followed() {
    const N: &str = "WITH RECURSIVE n (i) AS (SELECT CAST(1001 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < LAST) ";
    let plant = plant().await;
    for (last, insert) in [
        (102_000, "boards (id, name, group_id) SELECT i, 'Board', 2 FROM n"),
        (2_200, "groups (id, name, type, parent_id) SELECT i, 'Group', 'GENERAL', 2 FROM n"),
        (2_200, "users (id, user_name, display_name) SELECT 'it''s ' || i, 'n' || i, 'Somebody' FROM n"),
        (2_200, "group_members (group_id, user_id) SELECT 2, 'it''s ' || i FROM n"),
        (2_200, "group_members (group_id, user_id) SELECT i, 'it''s 1001' FROM n"),
        (102_000, "tasks (id, title, status, board_id, incident_id, last_modified) SELECT i, 'Task', 'Blocked', 1001, 4, 10 FROM n"),
        (102_000, "task_comments (id, task_id, text, comment_date) SELECT i, 1001, 'Comment', 10 FROM n"),
        (2_200, "attachments (id, task_id, file_id, name, file_extension, content_type, file_size_in_bytes, sha256, created_date)
            SELECT i, 1001, 't-' || i, 'note', 'txt', 'text/plain', 2, '8f43', 10 FROM n"),
        (4_200, "attachments (id, incident_id, file_id, name, file_extension, content_type, file_size_in_bytes, sha256, created_date)
            SELECT i, 4, 'i-' || i, 'note', 'txt', 'text/plain', 2, '8f43', 10 FROM n WHERE i > 2200"),
        (102_000, "incident_comments (id, incident_id, text, comment_date, level) SELECT i, 4, 'Comment', 10, 0 FROM n"),
        (102_000, "datasource_values (id, datasource_id, value_date, registration_date, value) SELECT i, 1, i * 600000000, 10, 1 FROM n"),
    ] {
        let sql = format!("{}INSERT INTO {insert}", N.replace("LAST", &last.to_string()));
        let ran = plant.service().store().write(move |session| session.execute(&sql, &[]));
        ran.await.expect(insert);
    }
    for (record, lists, further) in [
        (
            "groups(2)",
            [("boards", "id"), ("children", "id"), ("users", "userId")].as_slice(),
            "",
        ),
        ("boards(1001)", &[("tasks", "id")], ""),
        (
            "tasks(1001)",
            &[("comments", "id"), ("attachments", "id")],
            "",
        ),
        (
            "incidents(4)",
            &[("comments", "id"), ("tasks", "id"), ("attachments", "id")],
            "",
        ),
        // Each membership has all memberships of its user again.
        (
            "users('it''s 1001')",
            &[("groups", "groupId")],
            ";$expand=user($expand=groups)",
        ),
        ("datasources(1)", &[("values", "id")], ""),
    ] {
        let items = lists
            .iter()
            .map(|(list, key)| format!("{list}($select={key}{further})"));
        let expand = items.collect::<Vec<_>>().join(",");
        let answer = plant.get(&format!("/v2/{record}?$expand={expand}")).await;
        assert_eq!(answer.status, 200, "{record}: {}", answer.text());
        let answer = answer.json();
        for (list, key) in lists {
            let (found, pages) = followed_records(&plant, &answer, list).await;
            assert!(pages > 1, "{record}/{list}");
            let direct = format!("/v2/{record}/{list}?$select={key}");
            let expected = listed_records(&plant, &direct).await;
            assert_eq!(found.len(), expected.len(), "{record}/{list}");
            let same = found
                .iter()
                .zip(&expected)
                .all(|(found, expected)| found[key] == expected[key]);
            assert!(same, "{record}/{list}");
        }
    }
}
