//! `POST …/$query`: what a GET answers, with options in the body.

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, IF_NONE_MATCH};

use crate::reads_plant::{Plant, ids};
use crate::support::{Answer, Service};

async fn posted(service: &Service, path: &str, body: &str) -> Answer {
    let request = service
        .request(Method::POST, path)
        .header(CONTENT_TYPE, "text/plain");
    Answer::of(request.body(body.to_owned())).await
}

#[tokio::test]
async fn options_in_the_body_are_those_of_the_url() {
    let plant = Plant::new().await;
    let service = plant.service();
    for (path, query, body) in [
        ("/v2/incidents", "", ""),
        (
            "/v2/incidents",
            "",
            "$filter=id%20gt%205&$top=3&$count=true",
        ),
        (
            "/v2/incidents",
            "$top=3",
            "$filter=contains(title,'a%26b')%20or%20id%20gt%202&$skip=1",
        ),
        ("/v2/incidents", "$orderby=id%20desc", ""),
        ("/v2/incidents/$count", "", "$filter=id%20gt%205"),
        ("/v2/groups(1)", "", "$select=id,name&$expand=boards"),
        ("/v2/groups(1)/boards", "", "$orderby=name"),
        ("/V2/Incidents/Types", "", "top=2"),
    ] {
        let together = [query, body].into_iter().filter(|part| !part.is_empty());
        let together = together.collect::<Vec<_>>().join("&");
        let got = plant.get(&format!("{path}?{together}")).await;
        for segment in ["$query", "%24Query"] {
            let answer = posted(service, &format!("{path}/{segment}?{query}"), body).await;
            assert_eq!((answer.status, answer.text()), (200, got.text()), "{path}");
            assert_eq!(answer.header("content-type"), got.header("content-type"));
            assert_eq!(answer.header("odata-version"), "4.0");
        }
    }
}

#[tokio::test]
async fn a_filter_that_no_proxy_takes_in_a_url_is_answered_page_by_page() {
    let plant = Plant::new().await;
    let all = plant.ids("/v2/incidents?$orderby=id&$top=5").await;
    let wanted: Vec<String> = all.iter().map(|id| format!("id%20eq%20{id}")).collect();
    let never = format!("%20or%20title%20eq%20'{}'", "%C3%B8".repeat(3_000));
    let filter = format!("$filter={}{never}&$orderby=id", wanted.join("%20or%20"));
    assert!(filter.len() > 16 << 10, "{}", filter.len());
    let request = plant
        .service()
        .request(Method::POST, "/v2/incidents/$query")
        .header(CONTENT_TYPE, "text/plain;charset=utf-8")
        .header("prefer", "maxpagesize=2");
    let mut answer = Answer::of(request.body(filter)).await;
    let mut found = Vec::new();
    loop {
        assert_eq!(answer.status, 200, "{}", answer.text());
        let page = answer.json();
        found.extend(ids(&page["value"]));
        let Some(next) = page["@odata.nextLink"].as_str() else {
            break;
        };
        assert!(!next.contains("$query"), "{next}");
        answer = plant.get_url(next).await;
    }
    assert_eq!(found, all);
}

#[tokio::test]
async fn it_is_a_read_and_needs_the_scope_of_one() {
    let service = Service::start().await;
    let path = "/v2/incidents/$query";
    let as_client = |token: Option<String>| {
        let mut request = service
            .http
            .post(service.url(path))
            .header(CONTENT_TYPE, "text/plain");
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        Answer::of(request)
    };
    as_client(None).await.is_problem(401, "token.missing");
    let boards = service.token_for(&["Boards.Read"]).await;
    as_client(Some(boards))
        .await
        .is_problem(403, "scope.missing");
    let incidents = service.token_for(&["Incidents.Read"]).await;
    assert_eq!(as_client(Some(incidents)).await.status, 200);

    // A 304 would not be an answer to a POST.
    let group = Plant::new().await;
    let tag = group.get("/v2/groups/1").await.header("etag").to_owned();
    let request = group.service().request(Method::POST, "/v2/groups/1/$query");
    let request = request
        .header(CONTENT_TYPE, "text/plain")
        .header(IF_NONE_MATCH, tag);
    assert_eq!(Answer::of(request).await.status, 200);
}

#[tokio::test]
async fn what_cannot_be_a_query_is_refused_with_the_fault() {
    let service = Service::start_with(|config| config.limits.uri_bytes = 200).await;
    let path = "/v2/areas/$query";
    for (body, found) in [
        ("$filter=id gt 5", "' '"),
        ("$top=5\n", "'\\n'"),
        ("$top=5#", "'#'"),
        ("$filter=name%20eq%20'ø'", "'ø'"),
    ] {
        let problem = posted(&service, path, body)
            .await
            .is_problem(400, "body.malformed");
        let detail = problem["detail"].as_str().expect("a text");
        assert!(detail.contains(found), "{detail}");
        assert!(detail.contains("percent-encoded"), "{detail}");
    }
    let twice = posted(&service, &format!("{path}?$top=5"), "$top=6").await;
    twice.is_problem(400, "odata.option");

    let longest = format!("$top=1&x={}", "x".repeat(200 - path.len() - 9));
    assert_eq!(posted(&service, path, &longest).await.status, 200);
    let longer = posted(&service, path, &format!("{longest}x")).await;
    longer.is_problem(413, "body.too_large");

    for media in [
        None,
        Some("application/json"),
        Some("application/x-www-form-urlencoded"),
    ] {
        let mut request = service.request(Method::POST, path).body("$top=5");
        if let Some(media) = media {
            request = request.header(CONTENT_TYPE, media);
        }
        let answer = Answer::of(request).await;
        let problem = answer.is_problem(415, "media_type.unsupported");
        let detail = problem["detail"].as_str().expect("a text");
        assert!(
            detail.contains(media.unwrap_or("no Content-Type")),
            "{detail}"
        );
        assert_eq!(answer.header("accept"), "text/plain");
    }
}

#[tokio::test]
async fn other_methods_and_addresses_have_no_query_in_a_body() {
    let service = Service::start().await;
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let answer = Answer::of(service.request(method, "/v2/areas/$query")).await;
        answer.is_problem(405, "method.not_allowed");
        assert_eq!(answer.header("allow"), "POST");
    }
    let deep = format!("/v2/areas{}", "/$query".repeat(5_000));
    for path in [
        "/v2/$metadata/$query",
        "/v2/nothing/$query",
        "/v1/nothing/$query",
        &deep,
    ] {
        let answer = posted(&service, path, "").await;
        answer.is_problem(404, "not_found");
    }
}
