//! `$apply` over HTTP: what an answer with groups consists of, its pages, and what a client may group by.

use std::cmp::Reverse;

use serde_json::{Value as Json, json};

use super::incidents_plant::plant;
use crate::reads_plant::{Incidents, Plant, cases};
use crate::support::Answer;

async fn value(plant: &Plant, path: &str) -> Json {
    let answer = plant.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()["value"].take()
}

#[tokio::test]
async fn groups_have_the_requested_values_and_nothing_else() {
    let plant = Plant::new().await;
    let path = "/v2/boards?$apply=groupby((boardType,group/name,group/parent/name),aggregate($count as n,id with max as last))";
    let answer = plant.get(path).await;
    let boards = cases()["fixture"]["boards"].clone();
    let boards = boards.as_array().expect("the boards");
    let mut found = 0;
    for group in answer.json()["value"].as_array().expect("groups") {
        let members = group.as_object().expect("an object");
        let mut names: Vec<&str> = members.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["boardType", "group", "last", "n"]);
        let of_type = boards
            .iter()
            .filter(|it| it["boardType"] == group["boardType"]);
        let ids: Vec<&Json> = of_type.map(|it| &it["id"]).collect();
        assert!(ids.contains(&&group["last"]), "{group} in {ids:?}");
        found += group["n"].as_u64().expect("a number");
    }
    assert_eq!(found, boards.len() as u64);
    // The order of the members is that of the request.
    let first = answer.text();
    let places = [
        "\"boardType\":",
        "\"group\":{\"name\":",
        "\"parent\":{\"name\":",
        "\"n\":",
        "\"last\":",
    ];
    let places = places.map(|member| first.find(member).expect(member));
    assert!(places.is_sorted(), "{first}");
}

#[tokio::test]
async fn options_apply_to_the_result() {
    let plant = Plant::new().await;
    let boards = cases()["fixture"]["boards"].clone();
    let public = |is: bool| {
        let all = boards.as_array().expect("the boards");
        all.iter().filter(|it| it["isPublic"] == is).count()
    };
    let (yes, no) = (public(true), public(false));
    let apply = "$apply=groupby((isPublic),aggregate($count as n))";
    let both = json!([{"isPublic": false, "n": no}, {"isPublic": true, "n": yes}]);
    assert_eq!(value(&plant, &format!("/v2/boards?{apply}")).await, both);
    let some = value(
        &plant,
        &format!("/v2/boards?{apply}&$filter=isPublic&$select=n"),
    )
    .await;
    assert_eq!(some, json!([{"n": yes}]));
    let path = format!("/v2/boards?{apply}&$orderby=isPublic desc&$top=1&$count=true");
    let answer = plant.get(&path).await.json();
    assert_eq!(
        answer,
        json!({"@odata.count": 2, "value": [{"isPublic": true, "n": yes}]})
    );
    let count = plant.get(&format!("/v2/boards/$count?{apply}")).await;
    assert_eq!(count.text(), "2");
    let filtered = value(
        &plant,
        "/v2/boards?$apply=filter(isPublic)&$select=id&$orderby=id",
    )
    .await;
    let other = value(&plant, "/v2/boards?$filter=isPublic&$select=id&$orderby=id").await;
    assert_eq!(filtered, other);
    let computed = value(
        &plant,
        "/v2/areas?$apply=compute(length(name) as l)&$select=id,l&$top=1",
    )
    .await;
    assert_eq!(computed, json!([{"id": 1, "l": "Assembly".len()}]));
}

/// URL conventions 4.01, 5.1.3.1: computed values are returned unless `$select` leaves them out, and other
/// options can name them.
#[tokio::test]
async fn values_are_computed_beside_those_of_the_records() {
    let plant = Plant::new().await;
    let path = "/v2/areas?$compute=length(name) as l&$filter=l eq 8&$orderby=l,id&$top=1";
    let found = value(&plant, path).await;
    let mut expected = plant.get("/v2/areas(1)").await.json();
    assert_eq!(expected["name"], "Assembly");
    expected["l"] = json!(8);
    assert_eq!(found, json!([expected]));
    for (select, expected) in [
        ("id,l", json!([{"id": 1, "l": 8}])),
        ("id", json!([{"id": 1}])),
        ("l", json!([{"l": 8}])),
    ] {
        let found = value(&plant, &format!("{path}&$select={select}")).await;
        assert_eq!(found, expected, "{select}");
    }
    let count = plant
        .get("/v2/areas/$count?$compute=length(name) as l&$filter=l eq 8")
        .await;
    let filtered = plant
        .get("/v2/areas/$count?$filter=length(name) eq 8")
        .await;
    assert_eq!(count.text(), filtered.text());

    let answer = minimal(
        &plant,
        "/v2/areas?$compute=length(name) as l&$select=l&$top=1",
    )
    .await;
    let expected = format!(
        r##"{{"@odata.context":"{}/v2/$metadata#areas(l)","value":[{{"l@odata.type":"#Int32","l":8}}]}}"##,
        plant.base_url()
    );
    assert_eq!(answer.text(), expected);

    // A record alone is no list; v1 does not have the option.
    for path in ["/v2/areas(1)", "/v2/areas/1", "/v1/Incidents"] {
        let answer = plant.get(&format!("{path}?$compute=id as x")).await;
        answer.is_problem(400, "odata.option");
    }
}

/// The pages of a list follow each other by what it is ordered by, computed or not.
#[tokio::test]
async fn pages_of_computed_values_follow_each_other() {
    let plant = Plant::with(Incidents::Live, |config| config.limits.page_records = 1).await;
    let length = |name: &Json| name.as_str().map(|name| name.chars().count());
    let mut expected = walk(&plant, "/v2/boards?$select=id,name&$orderby=id").await;
    assert!(expected.len() > 2);
    // Equal lengths stay in the order of the ids, and null is less than any.
    expected.sort_by_key(|board| Reverse(length(&board["name"])));
    for board in &mut expected {
        board["l"] = length(&board["name"]).into();
    }
    let path = "/v2/boards?$compute=length(name) as l&$orderby=l desc&$select=id,name,l";
    assert_eq!(walk(&plant, path).await, expected);
}

/// A search finds the same records, in the same order, whether or not values are computed for them.
#[tokio::test]
async fn what_is_searched_for_can_be_computed_with() {
    let plant = Plant::new().await;
    let search = "$search=oil lea*&$select=id";
    let found = value(&plant, &format!("/v2/incidents?{search}")).await;
    assert!(!found.as_array().unwrap().is_empty());
    let path = format!("/v2/incidents?{search},l&$compute=length(title) as l&$orderby=id");
    let mut computed = value(&plant, &path).await;
    for row in computed.as_array_mut().unwrap() {
        assert!(row.as_object_mut().unwrap().remove("l").unwrap().is_u64());
    }
    assert_eq!(computed, found);
}

async fn minimal(plant: &Plant, path: &str) -> Answer {
    let request = plant.service().request(reqwest::Method::GET, path);
    Answer::of(request.header("Accept", "application/json;odata.metadata=minimal")).await
}

/// JSON Format 4.0, 4.5.3 and 4.5.8, and the responses that the extension for aggregation prints.
#[tokio::test]
async fn metadata_says_that_groups_are_no_records() {
    let plant = Plant::new().await;
    let path = "/v2/areas?$apply=filter(id eq 1)/groupby((name),aggregate($count as n,id with average as a))";
    let answer = minimal(&plant, path).await;
    let expected = format!(
        r##"{{"@odata.context":"{}/v2/$metadata#areas(name,n,a)","value":[{{"@odata.id":null,"name":"Assembly","n@odata.type":"#Int64","n":1,"a":1.0}}]}}"##,
        plant.base_url()
    );
    assert_eq!(answer.text(), expected);
}

/// Follows the next links, and returns all rows.
async fn walk(plant: &Plant, path: &str) -> Vec<Json> {
    let mut answer = plant.get(path).await;
    let mut rows = Vec::new();
    loop {
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let mut body = answer.json();
        rows.append(body["value"].as_array_mut().expect("rows"));
        assert!(rows.len() < 1_000, "{path} goes in circles");
        let Some(link) = body["@odata.nextLink"].as_str() else {
            return rows;
        };
        answer = plant.get_url(link).await;
    }
}

#[tokio::test]
async fn pages_lead_through_all_groups() {
    let whole = Plant::new().await;
    let paged = Plant::with(Incidents::Live, |config| config.limits.page_records = 2).await;
    // A text that no link could have as a whole.
    static LONG: &[&str] = &[
        "UPDATE boards SET name = CAST(id % 3 AS text) || replace(hex(zeroblob(150)), '00', 'long')",
        "UPDATE boards SET name = name || 'er' WHERE id % 2 = 0",
    ];
    static LONG_POSTGRES: &[&str] = &[
        "UPDATE boards SET name = CAST(id % 3 AS text) || repeat('long', 150)",
        "UPDATE boards SET name = name || 'er' WHERE id % 2 = 0",
    ];
    for plant in [&whole, &paged] {
        let is_sqlite = !plant.service().db().starts_with("postgres");
        plant
            .change(if is_sqlite { LONG } else { LONG_POSTGRES })
            .await;
    }
    for query in [
        "groupby((group/name,isPublic),aggregate($count as n))",
        "groupby((name),aggregate($count as n))",
        "groupby((name),aggregate($count as n))&$orderby=n desc&$skip=1&$top=4",
        "groupby((name))&$skip=3&$top=3",
        "concat(groupby((name),aggregate($count as n)),groupby((group/name,isPublic),aggregate($count as n)),aggregate($count as n))",
        "compute(length(name) as l)&$orderby=name desc",
    ] {
        let path = format!("/v2/boards?$apply={query}");
        let expected = walk(&whole, &path).await;
        assert!(expected.len() > 2, "{query}");
        assert_eq!(walk(&paged, &path).await, expected, "{query}");
    }
}

/// The transformation `concat` of OData Data Aggregation 4.0: the results of the sequences, one after
/// another.
#[tokio::test]
async fn groups_and_their_total_are_one_answer() {
    let plant = Plant::new().await;
    let boards = cases()["fixture"]["boards"].clone();
    let boards = boards.as_array().expect("the boards");
    let of = |public: bool| boards.iter().filter(|it| it["isPublic"] == public).count();
    let concat = "concat(groupby((isPublic),aggregate($count as n)),aggregate($count as n,id with max as last))";
    let expected = json!([
        {"isPublic": false, "n": of(false), "last": null},
        {"isPublic": true, "n": of(true), "last": null},
        {"isPublic": null, "n": boards.len(), "last": boards.iter().map(|it| it["id"].as_i64()).max()},
    ]);
    let path = format!("/v2/boards?$apply={concat}");
    assert_eq!(value(&plant, &path).await, expected);
    let count = plant
        .get(&format!("/v2/boards/$count?$apply={concat}"))
        .await;
    assert_eq!(count.text(), "3");
    // What follows applies to all of them.
    let path = format!(
        "/v2/boards?$apply={concat}/filter(last ne null)/compute(n mul 2 as twice)&$select=twice"
    );
    assert_eq!(
        value(&plant, &path).await,
        json!([{"twice": boards.len() * 2}])
    );
}

#[tokio::test]
async fn a_link_to_groups_belongs_to_them() {
    let plant = Plant::with(Incidents::Live, |config| config.limits.page_records = 1).await;
    let body = plant
        .get("/v2/boards?$apply=groupby((isPublic))")
        .await
        .json();
    let link = body["@odata.nextLink"].as_str().expect("a further page");
    assert_eq!(plant.get_url(link).await.status, 200);
    for other in [
        "",
        "$apply=groupby((isMember))&",
        "$apply=groupby((isPublic),aggregate($count as n))&",
    ] {
        let (_, token) = link.split_once("$skiptoken=").expect("a token");
        let path = format!("/v2/boards?{other}$skiptoken={token}");
        plant.get(&path).await.is_problem(400, "odata.value");
    }
}

#[tokio::test]
async fn only_lists_have_transformations() {
    let plant = Plant::new().await;
    for path in [
        "/v2/boards/1",
        "/v2/boards(1)",
        "/v2/boards/1/group",
        "/v2/ping",
    ] {
        let answer = plant
            .get(&format!("{path}?$apply=aggregate($count as n)"))
            .await;
        answer.is_problem(400, "odata.option");
    }
    let related = value(&plant, "/v2/groups(3)/boards?$apply=aggregate($count as n)").await;
    assert_eq!(related, json!([{"n": 2}]));
    for (apply, code) in [
        ("aggregate(name with sum as s)", "odata.type"),
        (
            "aggregate($count as n)/filter(id eq 1)",
            "odata.unknown_property",
        ),
        ("median(id)", "odata.unknown_function"),
        ("aggregate($count as id)", "odata.option"),
        ("aggregate(", "odata.syntax"),
    ] {
        let answer = plant.get(&format!("/v2/boards?$apply={apply}")).await;
        answer.is_problem(400, code);
    }
}

/// Each step of a whole number, also one that later steps would bring back: SQLite computes them as doubles.
#[tokio::test]
async fn whole_numbers_of_a_result_fit_64_bits() {
    let plant = Plant::new().await;
    for apply in [
        "aggregate(id mul 9223372036854775807 with sum as s)",
        "aggregate(id mul 9223372036854775807 mod 10 with max as m)",
        "compute(id mul 9223372036854775807 div 9223372036854775807 as x)/groupby((x))",
        "compute(9223372036854775807 add id sub 9223372036854775807 as x)",
        "aggregate(id with sum as s)/compute(s mul 9223372036854775807 sub s as x)",
    ] {
        let answer = plant.get(&format!("/v2/boards?$apply={apply}")).await;
        answer.is_problem(400, "odata.value");
    }
    let path =
        "/v2/boards?$apply=filter(id eq 1)/compute(id mul 9223372036854775807 as x)&$select=x";
    assert_eq!(value(&plant, path).await, json!([{"x": i64::MAX}]));
}

/// OData JSON Format 4.01, 7.1.
#[tokio::test]
async fn infinities_are_not_null() {
    let plant = Plant::new().await;
    let path = "/v2/boards?$apply=compute(case(id gt 1:INF,true:-INF) as x)/groupby((x))";
    let expected = json!([{"x": "-INF"}, {"x": "INF"}]);
    assert_eq!(value(&plant, path).await, expected);
    let path = "/v2/boards?$apply=compute(case(id gt 1:INF,true:-INF) as x)/compute(x sub x as y)/groupby((y))";
    assert_eq!(value(&plant, path).await, json!([{"y": null}]));
}

/// What a client may not read it does not learn from groups either: the names with which users sign in, and
/// who reported an anonymous incident.
#[tokio::test]
async fn hidden_values_are_null_in_groups() {
    let service = plant().await;
    let sql = "UPDATE incidents SET responsible_user_id = 'u-104'";
    let done = service
        .store()
        .write(move |session| session.execute(sql, &[]));
    let done: Result<u64, obeya_server::store::StoreError> = done.await;
    assert!(done.expect("updated") > 0);
    let token = service.token_for(&["Incidents.Read"]).await;
    for (by, may_be) in [
        ("ownerUser/userName", "ingrid.solheim"),
        ("createdByUser", "tomas.berg"),
    ] {
        let path = format!("/v2/incidents?$apply=groupby(({by}),aggregate({by} with max as m))");
        let seen = service.get(&path).await.text();
        assert!(seen.contains(may_be), "{seen}");
        let unseen = service.get_as(Some(&token), &path).await;
        assert_eq!(unseen.status, 200, "{}", unseen.text());
        assert!(!unseen.text().contains(may_be), "{}", unseen.text());
    }
    // One of the two incidents is anonymous.
    let path = "/v2/incidents?$apply=groupby((createdByUserId),aggregate($count as n))";
    let rows = service.get(path).await.json()["value"].take();
    assert_eq!(
        rows,
        json!([{"createdByUserId": null, "n": 1}, {"createdByUserId": "u-117", "n": 1}])
    );
}
