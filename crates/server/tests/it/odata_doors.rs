//! The addresses that OData tools use: the service document, the metadata document, keys in parentheses,
//! counts, contexts, versions.

use std::collections::BTreeSet;

use reqwest::Method;
use reqwest::header::{ACCEPT, HOST};
use serde_json::{Value, json};

use crate::reads_plant::{Plant, ids};
use crate::support::{Answer, Service};

const MINIMAL: &str = "application/json;odata.metadata=minimal";

/// What Power Query sends with every request.
const POWER_QUERY: &str = "application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,\
                           application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7";

/// A GET without a token, with headers.
async fn open(service: &Service, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = service.http.get(service.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::of(request).await
}

/// A GET with a token and headers.
async fn get(service: &Service, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = service.request(Method::GET, path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::of(request).await
}

#[tokio::test]
async fn the_service_document_lists_the_sets_under_the_name_the_caller_uses() {
    let service = Service::start().await;
    for path in ["/v2", "/v2/", "/V2"] {
        let answer = open(&service, path, &[(HOST.as_str(), "plant.example:8080")]).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), MINIMAL);
        assert_eq!(answer.header("odata-version"), "4.0");
        let set = |name: &str, url: &str| json!({"name": name, "kind": "EntitySet", "url": url});
        assert_eq!(
            answer.json(),
            json!({
                "@odata.context": "http://plant.example:8080/v2/$metadata",
                "value": [
                    set("areas", "areas"),
                    set("boards", "boards"),
                    set("datasources", "datasources"),
                    set("groups", "groups"),
                    set("improvements", "improvements"),
                    set("comments", "incidents/comments"),
                    set("incidents", "incidents"),
                    set("incidentTypes", "incidents/types"),
                    set("tasks", "tasks"),
                    set("taskComments", "tasks/comments"),
                    set("users", "users"),
                ],
            })
        );
    }
}

#[tokio::test]
async fn the_model_is_described_in_xml_unless_json_alone_is_taken() {
    let service = Service::start().await;
    let path = "/v2/$metadata";
    for (query, accept, expected) in [
        ("", "*/*", "application/xml"),
        ("", "application/xml", "application/xml"),
        ("", POWER_QUERY, "application/xml"),
        // What many clients send by default, and then read XML.
        ("", "application/json, text/plain, */*", "application/xml"),
        ("", "application/json", "application/json"),
        ("?$format=json", "application/xml", "application/json"),
        (
            "?%24format=application%2Fxml",
            "application/json",
            "application/xml",
        ),
    ] {
        let answer = open(
            &service,
            &format!("{path}{query}"),
            &[(ACCEPT.as_str(), accept)],
        )
        .await;
        assert_eq!(answer.status, 200, "{query} {accept}");
        assert_eq!(answer.header("content-type"), expected, "{query} {accept}");
        assert_eq!(answer.header("odata-version"), "4.0");
        match expected {
            "application/xml" => assert!(answer.text().starts_with("<?xml ")),
            _ => assert_eq!(answer.json()["$EntityContainer"], "Obeya.Service"),
        }
    }
    open(&service, "/v2/%24metadata", &[]).await;
    let answer = open(&service, path, &[(ACCEPT.as_str(), "image/png")]).await;
    answer.is_problem(406, "media_type.not_acceptable");
    let answer = open(&service, "/v2/$metadata?$format=atom", &[]).await;
    answer.is_problem(400, "odata.option");
    let answer = Answer::of(service.request(Method::POST, path)).await;
    answer.is_problem(405, "method.not_allowed");
}

/// Readers that follow the metadata refuse a record with missing, additional or different members.
#[tokio::test]
async fn the_description_is_that_of_the_records() {
    let plant = Plant::new().await;
    plant.change(&["INSERT INTO attachments (id, incident_id, file_id, name, file_extension, content_type, file_size_in_bytes, sha256, created_date)
        VALUES (2, 1, 'f-2', 'note', 'txt', 'text/plain', 2, '8f43', 10)",
        "INSERT INTO improvements (id, status, group_id, responsible_user_id, last_modified) VALUES (1, 'Open', 2, 'u2', 10)"]).await;
    let json = [(ACCEPT.as_str(), "application/json")];
    let description = open(plant.service(), "/v2/$metadata", &json).await.json();
    let types = &description["Obeya"];
    let mut checked = BTreeSet::new();
    for set in [
        "areas",
        "boards",
        "datasources",
        "groups",
        "improvements",
        "comments",
        "incidents",
        "incidentTypes",
        "tasks",
        "taskComments",
        "users",
    ] {
        let name = types["Service"][set]["$Type"].as_str().expect("a type");
        let answer = plant.get(&format!("/v2/{set}?$expand=*")).await;
        let records = answer.json()["value"].take();
        for record in records
            .as_array()
            .unwrap_or_else(|| panic!("{}", answer.text()))
        {
            check_record(types, name, record, true, &mut checked);
        }
    }
    let described = types.as_object().expect("types").iter();
    let described = described.filter(|(_, of)| of["$Kind"] == "EntityType");
    let described: BTreeSet<String> = described.map(|(name, _)| name.clone()).collect();
    assert_eq!(checked, described);
}

/// A record against its type; `whole` if its navigations are expanded.
fn check_record(
    types: &Value,
    name: &str,
    record: &Value,
    whole: bool,
    seen: &mut BTreeSet<String>,
) {
    let name = name.trim_start_matches("Obeya.");
    seen.insert(name.to_owned());
    let members = types[name].as_object().expect("a type");
    let members = members.iter().filter(|(name, _)| !name.starts_with('$'));
    let (navigations, properties): (Vec<_>, Vec<_>) =
        members.partition(|(_, member)| member["$Kind"] == "NavigationProperty");
    let mut described: BTreeSet<&String> = properties.iter().map(|(name, _)| *name).collect();
    if whole {
        described.extend(navigations.iter().map(|(name, _)| *name));
    }
    let found: BTreeSet<&String> = record.as_object().expect("a record").keys().collect();
    assert_eq!(found, described, "{name}");
    for (property, of) in properties {
        let value = &record[property];
        let ty = of["$Type"].as_str().unwrap_or("Edm.String");
        let is_text = |value: &Value| value.is_string();
        let fits = match ty {
            "Edm.String" if of["$Collection"] == true => value
                .as_array()
                .is_some_and(|texts| texts.iter().all(is_text)),
            "Edm.Int32" | "Edm.Int64" => value.is_i64(),
            "Edm.Double" => value.is_number(),
            "Edm.Boolean" => value.is_boolean(),
            "Edm.String" => is_text(value),
            "Edm.DateTimeOffset" => value.as_str().is_some_and(|text| text.ends_with('Z')),
            of => {
                let members = types[of.trim_start_matches("Obeya.")].as_object();
                let members = members.unwrap_or_else(|| panic!("{of} is not described"));
                value
                    .as_str()
                    .is_some_and(|text| members.contains_key(text))
            }
        };
        let may_lack = value.is_null() && of["$Nullable"] == true;
        assert!(fits || may_lack, "{name}.{property}: {value} is no {of}");
    }
    for (navigation, of) in navigations.into_iter().filter(|_| whole) {
        let target = of["$Type"].as_str().expect("a type");
        let related = &record[navigation];
        match related.as_array() {
            Some(many) => {
                assert_eq!(of["$Collection"], true, "{name}.{navigation}");
                for one in many {
                    check_record(types, target, one, false, seen);
                }
            }
            None if related.is_null() => assert_eq!(of["$Nullable"], true),
            None => check_record(types, target, related, false, seen),
        }
    }
}

#[tokio::test]
async fn a_record_is_also_found_by_its_key_in_parentheses() {
    let plant = Plant::new().await;
    for (plain, keyed) in [
        ("/v2/areas/1", "/v2/areas(1)"),
        ("/v2/boards/1", "/v2/boards(id=1)"),
        (
            "/v2/groups/1?$select=name",
            "/v2/Groups%281%29?$select=name",
        ),
        ("/v2/groups/1", "/v2/groups(id%3D1)"),
        ("/v2/incidents/comments/1", "/v2/incidents/comments(1)"),
        ("/v2/incidents/comments/1", "/v2/comments(1)"),
        ("/v2/incidents/comments/1", "/v2/comments/1"),
        ("/v2/incidents/1", "/v2/incidents(1)"),
        ("/v2/incidents/types/1", "/v2/incidents/types(1)"),
        ("/v2/incidents/types/1", "/v2/incidentTypes(1)"),
    ] {
        let (plain, keyed) = (plant.get(plain).await, plant.get(keyed).await);
        assert_eq!(keyed.status, 200, "{}", keyed.text());
        assert_eq!(keyed.text(), plain.text());
    }
    let answer = plant.get("/v2/groups(x)").await;
    let body = answer.is_problem(400, "path.invalid");
    assert_eq!(
        body["errors"]["groupId"][0],
        "expected an integer of 32 bits, found `x`"
    );
    plant
        .get("/v2/groups(name=1)")
        .await
        .is_problem(400, "path.invalid");
    for path in [
        "/v2/groups()",
        "/v2/groups(1)(2)",
        "/v2/groups(1)/name",
        "/v2/groups(4711)",
        "/v2/incidents(4711)",
        "/v1/Boards(1)",
    ] {
        plant.get(path).await.is_problem(404, "not_found");
    }
    let service = plant.service();
    let answer = service.get_as(None, "/v2/groups(1)").await;
    answer.is_problem(401, "token.missing");
}

#[tokio::test]
async fn a_count_is_a_number_as_text_whatever_is_to_be_given_out() {
    let plant = Plant::new().await;
    for set in [
        "areas",
        "boards",
        "groups",
        "comments",
        "incidents/comments",
    ] {
        let all = plant.ids(&format!("/v2/{set}")).await.len();
        let answer = plant.get(&format!("/v2/{set}/$count")).await;
        assert_eq!(answer.header("content-type"), "text/plain");
        assert_eq!(answer.text(), all.to_string(), "{set}");
        assert!(all > 0, "{set}");
    }
    let matching = plant.ids("/v2/groups?$filter=level ge 1").await.len();
    let path = "/v2/groups/%24count?$filter=level ge 1&$top=1&$skip=1&$orderby=name&$select=id";
    let answer = get(
        plant.service(),
        path,
        &[(ACCEPT.as_str(), "application/json")],
    )
    .await;
    assert_eq!(answer.text(), matching.to_string());
    assert!(matching > 1);

    plant
        .get("/v2/groups/$count?$filter=nmae eq 1")
        .await
        .is_problem(400, "odata.unknown_property");
    let service = plant.service();
    let path = "/v2/groups/$count";
    service
        .get_as(None, path)
        .await
        .is_problem(401, "token.missing");
    let token = service.token_for(&["Boards.Read"]).await;
    service
        .get_as(Some(&token), path)
        .await
        .is_problem(403, "scope.missing");
}

#[tokio::test]
async fn a_navigation_has_an_address_behind_that_of_its_record() {
    let plant = Plant::new().await;
    let groups = plant.get("/v2/groups").await.json()["value"].clone();
    let mut listed = 0;
    for group in groups.as_array().expect("groups") {
        let id = &group["id"];
        for (navigation, same) in [
            ("boards", format!("/v2/boards?$filter=groupId eq {id}")),
            ("children", format!("/v2/groups?$filter=parentId eq {id}")),
        ] {
            let path = format!("/v2/groups({id})/{navigation}");
            let answer = plant.get(&path).await;
            assert_eq!(answer.text(), plant.get(&same).await.text(), "{path}");
            let found = ids(&answer.json()["value"]).len();
            let count = plant.get(&format!("{path}/$count")).await;
            assert_eq!(count.text(), found.to_string(), "{path}");
            listed += found;
        }
        let parent = plant
            .get(&format!("/v2/groups/{id}/parent?$select=id"))
            .await;
        if group["parentId"].is_null() {
            assert_eq!((parent.status, parent.body.len()), (204, 0));
        } else {
            assert_eq!(parent.json(), json!({"id": group["parentId"]}));
        }
    }
    assert!(listed > 0);
    let filtered = plant
        .ids("/v2/groups(1)/children?$filter=id gt 2&$orderby=id desc")
        .await;
    assert!(
        filtered.is_sorted_by(|a, b| a > b) && !filtered.contains(&2),
        "{filtered:?}"
    );
    for path in [
        "/v2/comments(1)/incident",
        "/v2/incidents/comments/1/incident",
    ] {
        assert_eq!(plant.get(path).await.json()["id"], 1, "{path}");
    }
    for path in [
        "/v2/groups(4711)/boards",
        "/v2/groups(4711)/boards/$count",
        "/v2/boards(4711)/group",
    ] {
        plant.get(path).await.is_problem(404, "not_found");
    }
    plant
        .get("/v2/groups(x)/boards")
        .await
        .is_problem(400, "path.invalid");
    let answer = plant.service().get_as(None, "/v2/groups(1)/boards").await;
    answer.is_problem(401, "token.missing");
}

#[tokio::test]
async fn minimal_metadata_begins_with_the_context() {
    let plant = Plant::new().await;
    let base = plant.base_url();
    for (path, context) in [
        ("/v2/groups", "groups"),
        ("/v2/groups?$select=id,name&$count=true", "groups(id,name)"),
        (
            "/v2/groups?$select=id&$expand=boards($select=id)",
            "groups(id,boards(id))",
        ),
        ("/v2/groups(1)", "groups/$entity"),
        ("/v2/groups/1?$select=id", "groups(id)/$entity"),
        ("/v2/comments?$top=0", "comments"),
        ("/v2/incidents/comments/1", "comments/$entity"),
        ("/v2/incidents/1/comments", "comments"),
        ("/v2/boards(1)/group?$select=id", "groups(id)/$entity"),
        ("/v2/groups(1)/children", "groups"),
        ("/v2/groups(1)/users", "groups(1)/users"),
        (
            "/v2/comments(1)/incident?$select=id",
            "incidents(id)/$entity",
        ),
    ] {
        let answer = get(plant.service(), path, &[(ACCEPT.as_str(), MINIMAL)]).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert_eq!(answer.header("content-type"), MINIMAL, "{path}");
        let opening = format!("{{\"@odata.context\":\"{base}/v2/$metadata#{context}\",\"");
        assert!(
            answer.text().starts_with(&opening),
            "{path}: {}",
            answer.text()
        );
        // Everything else is the same as without.
        let mut body = answer.json();
        body.as_object_mut()
            .expect("an object")
            .remove("@odata.context");
        assert_eq!(body, plant.get(path).await.json(), "{path}");
    }
    let groups = get(
        plant.service(),
        "/v2/groups",
        &[("odata-maxversion", "4.0")],
    )
    .await;
    assert_eq!(groups.header("content-type"), MINIMAL);
    assert!(groups.text().starts_with("{\"@odata.context\":"));
    let full = [(ACCEPT.as_str(), "application/json;odata.metadata=full")];
    let answer = get(plant.service(), "/v2/groups", &full).await;
    answer.is_problem(406, "media_type.not_acceptable");
}

#[tokio::test]
async fn every_answer_under_the_root_tells_its_version_and_no_other() {
    let service = Service::start().await;
    for (path, version) in [
        ("/v2/areas", "4.0"),
        ("/v2/areas?$filter=x", "4.0"),
        ("/v2/areas(4711)", "4.0"),
        ("/v2/nothing", "4.0"),
        ("/v2/areas/$count", "4.0"),
        ("/v1/Boards/1", ""),
        ("/v20", ""),
        ("/healthz", ""),
    ] {
        assert_eq!(
            service.get(path).await.header("odata-version"),
            version,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_caller_that_does_not_read_4_0_is_refused() {
    let service = Service::start().await;
    let old = [("odata-maxversion", "3.0")];
    for path in [
        "/v2/",
        "/v2/$metadata",
        "/v2/areas",
        "/v2/areas/$count",
        "/v2/areas(1)",
    ] {
        let body = get(&service, path, &old)
            .await
            .is_problem(400, "odata.option");
        assert_eq!(
            body["errors"]["OData-MaxVersion"][0],
            "answers are of version 4.0; expected 4.0 or later, found `3.0`"
        );
    }
    let spec = get(&service, "/openapi.json", &old).await;
    assert_eq!(spec.status, 200);
}

/// As Power Query reads a table: its headers, page by page over absolute links.
#[tokio::test]
async fn a_set_is_read_to_its_end_over_its_links() {
    let plant = Plant::with(crate::reads_plant::Incidents::Live, |config| {
        config.limits.page_records = 1;
    })
    .await;
    let headers = [(ACCEPT.as_str(), POWER_QUERY), ("odata-maxversion", "4.0")];
    for set in [
        "areas",
        "boards",
        "groups",
        "comments",
        "groups(1)/children",
    ] {
        let count: usize = plant
            .get(&format!("/v2/{set}/$count"))
            .await
            .text()
            .parse()
            .expect("a number");
        let mut found = Vec::new();
        let mut next = Some(format!("{}/v2/{set}", plant.base_url()));
        while let Some(url) = next {
            assert!(url.len() <= 2048, "{url}");
            let path = url
                .strip_prefix(plant.base_url())
                .expect("an address of the service");
            let page = get(plant.service(), path, &headers).await.json();
            assert!(page["@odata.context"].is_string());
            found.extend(ids(&page["value"]));
            next = page["@odata.nextLink"].as_str().map(str::to_owned);
        }
        assert_eq!(found.len(), count, "{set}");
        assert!(count > 1, "{set}");
        assert!(found.is_sorted(), "{set}: {found:?}");
    }
}

#[tokio::test]
async fn a_format_in_the_query_takes_precedence_over_accept() {
    let plant = Plant::new().await;
    let service = plant.service();
    for path in [
        "/v2/areas",
        "/v2/boards(1)",
        "/v2/groups/1/boards",
        "/v1/Groups",
        "/v1/Boards/1",
        "/v1/Incidents/types",
        "/v1/Datasources/1/values",
        "/v1/Datasources",
    ] {
        let plain = service.get(path).await;
        assert_eq!(plain.status, 200, "{path}");
        for (query, accept) in [
            ("$format=json", "application/xml"),
            ("FORMAT=Application/JSON", "text/csv"),
            (
                "%24format=application%2Fjson%3Bodata.metadata%3Dnone",
                MINIMAL,
            ),
        ] {
            let path = format!("{path}?{query}");
            let answer = get(service, &path, &[(ACCEPT.as_str(), accept)]).await;
            assert_eq!(answer.status, 200, "{path}");
            assert_eq!(answer.header("content-type"), "application/json", "{path}");
            assert_eq!(answer.text(), plain.text(), "{path}");
        }
        for query in ["$format=xml", "format=csv", "$format=json&$format=json"] {
            let path = format!("{path}?{query}");
            service.get(&path).await.is_problem(400, "odata.option");
        }
    }
    let answer = service.get("/v2/areas?$format=application/json;odata.metadata=minimal");
    assert_eq!(answer.await.header("content-type"), MINIMAL);
    let answer = service.get("/v2/areas?$format=application/json;odata.metadata=full");
    answer.await.is_problem(406, "media_type.not_acceptable");
    // A number is text whatever is asked for.
    let count = service.get("/v2/areas/$count?$format=json").await;
    assert_eq!(count.header("content-type"), "text/plain");
    let small = [("prefer", "odata.maxpagesize=1")];
    let first = get(service, "/v2/areas?$format=json", &small).await.json();
    let next = first["@odata.nextLink"].as_str().expect("more areas");
    assert!(next.contains("?$format=json&"), "{next}");
}
