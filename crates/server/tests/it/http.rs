//! Common behaviour of all paths: methods, media types, bodies, ids, health.

use obeya_server::store::StoreError;
use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant::{plant, refused};
use crate::support::{Answer, COMMON, Service, raw};

#[tokio::test]
async fn a_path_that_is_not_served_is_404_with_or_without_a_token() {
    let service = Service::start().await;
    for path in [
        "/v1",
        "/v3/areas",
        "/v2/areas/",
        "/v2/areas/1/2",
        "/v1/Incidents/1/unknown",
        "/v2//areas",
        "/admin",
    ] {
        service.get(path).await.is_problem(404, "not_found");
        service
            .get_as(None, path)
            .await
            .is_problem(404, "not_found");
    }
}

#[tokio::test]
async fn a_method_the_path_does_not_take_is_405_with_those_it_does() {
    let service = Service::start().await;
    for (method, path, allow) in [
        ("POST", "/v2/areas", "GET, HEAD"),
        ("DELETE", "/v2/areas/1", "GET, HEAD"),
        ("GET", "/v1/Incidents/1/causes", "PUT"),
        ("HEAD", "/v1/Incidents/1/causes", "PUT"),
        ("PATCH", "/v1/Incidents/1/causes", "PUT"),
        ("OPTIONS", "/v1/Incidents/1/causes", "PUT"),
        ("TRACE", "/v2/groups", "GET, HEAD"),
        ("QUERY", "/v2/groups", "GET, HEAD"),
        ("POST", "/healthz", "GET, HEAD"),
    ] {
        let answer = Answer::of(service.request(
            Method::from_bytes(method.as_bytes()).expect("a method"),
            path,
        ))
        .await;
        assert_eq!(answer.header("allow"), allow, "{method} {path}");
        if method == "HEAD" {
            assert_eq!((answer.status, answer.body.len()), (405, 0));
        } else {
            answer.is_problem(405, "method.not_allowed");
        }
    }
}

#[tokio::test]
async fn paths_match_without_regard_to_case() {
    let service = Service::start().await;
    for path in [
        "/v1/datasources/x/values",
        "/V1/DATASOURCES/x/Values",
        "/v1/Datasources/x/values",
    ] {
        service.get(path).await.is_problem(400, "path.invalid");
    }
}

#[tokio::test]
async fn an_id_that_is_no_int32_is_400() {
    let service = Service::start().await;
    for path in [
        "/v2/areas/x",
        "/v2/areas/2147483648",
        "/v2/areas/1.5",
        "/v2/areas/+1",
        "/v2/areas/%00",
        "/v2/areas/1e3",
    ] {
        let problem = service.get(path).await.is_problem(400, "path.invalid");
        assert!(
            problem["errors"]["areaId"][0]
                .as_str()
                .is_some_and(|text| text.starts_with("expected an integer of 32 bits, found `"))
        );
    }
}

#[tokio::test]
async fn a_body_is_json_in_its_media_type_and_not_too_large() {
    let service = Service::start().await;
    let put = |content_type: &'static str, body: Vec<u8>| {
        Answer::of(
            service
                .request(Method::PUT, "/v1/Incidents/1")
                .header("content-type", content_type)
                .body(body),
        )
    };
    put("text/plain", b"{}".to_vec())
        .await
        .is_problem(415, "media_type.unsupported");
    put("application/xml", b"<a/>".to_vec())
        .await
        .is_problem(415, "media_type.unsupported");
    Answer::of(service.request(Method::PUT, "/v1/Incidents/1").body("{}"))
        .await
        .is_problem(415, "media_type.unsupported");
    let packed = service
        .request(Method::PUT, "/v1/Incidents/1")
        .header("content-encoding", "gzip");
    let packed = packed.header("content-type", "application/json").body("{}");
    Answer::of(packed)
        .await
        .is_problem(415, "media_type.unsupported");

    let json = "application/json; charset=utf-8";
    put(json, Vec::new())
        .await
        .is_problem(400, "body.malformed");
    put(json, b"{".to_vec())
        .await
        .is_problem(400, "body.malformed");
    put(json, b"{\"title\":\"\\ud800\"}".to_vec())
        .await
        .is_problem(400, "body.malformed");
    put(json, b"{\"title\":\"a\\u0000b\"}".to_vec())
        .await
        .is_problem(400, "body.malformed");
    put(json, [b"[".repeat(1000), b"]".repeat(1000)].concat())
        .await
        .is_problem(400, "body.malformed");
    put(json, b"7".to_vec())
        .await
        .is_problem(400, "body.invalid");

    let blank = vec![b' '; (1 << 20) + 1];
    put(json, blank.clone())
        .await
        .is_problem(413, "body.too_large");
    // Without a declared length, too.
    let pieces = futures_util::stream::iter(
        blank
            .chunks(1 << 16)
            .map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec()))
            .collect::<Vec<_>>(),
    );
    let streamed = service
        .request(Method::PUT, "/v1/Incidents/1")
        .header("content-type", json);
    Answer::of(streamed.body(reqwest::Body::wrap_stream(pieces)))
        .await
        .is_problem(413, "body.too_large");
    // A client that expects `100 Continue` is refused before its body is read.
    let head = format!(
        "PUT /v1/Incidents/1 HTTP/1.1\r\n{COMMON}Authorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: 2000000\r\nExpect: 100-continue\r\n\r\n",
        service.token()
    );
    let answer = raw::exchange(service.running.address(), head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    // A client that declares a body that is too large and sends nothing gets 413 and not a timeout.
    let silent = head.replace("Expect: 100-continue\r\n", "");
    let answer = raw::exchange(service.running.address(), silent.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    // One byte less is read to its end.
    put(json, blank[1..].to_vec())
        .await
        .is_problem(400, "body.malformed");
}

#[tokio::test]
async fn unknown_properties_are_named_only_under_strict_handling() {
    let service = Service::start().await;
    let body = json!({"title": "a", "incidentTypeId": "x", "new": 1});
    let lenient = service.put("/v1/Incidents/1", &body).await;
    let problem = lenient.is_problem(400, "body.invalid");
    assert!(
        problem["errors"]["incidentTypeId"].is_array(),
        "{problem:#}"
    );
    assert_eq!(lenient.header("preference-applied"), "");

    let body = json!({"title": "a", "new": 1});
    let strict = service
        .request(Method::PUT, "/v1/Improvements/1")
        .header("prefer", "handling=strict")
        .json(&body);
    let strict = Answer::of(strict).await;
    let problem = strict.is_problem(400, "body.unknown_property");
    assert_eq!(
        problem["errors"]
            .as_object()
            .map(|errors| errors.keys().cloned().collect::<Vec<_>>()),
        Some(vec!["new".to_owned()])
    );
    assert_eq!(strict.header("preference-applied"), "handling=strict");
    // Without the preference the same body gets as far as the record, which is not there.
    service
        .put("/v1/Improvements/1", &body)
        .await
        .is_problem(404, "not_found");
}

#[tokio::test]
async fn a_v2_read_answers_in_each_of_its_media_types_and_no_other() {
    let service = Service::start().await;
    let ask = |accept: &'static str| {
        Answer::of(
            service
                .request(Method::GET, "/v2/areas")
                .header("accept", accept),
        )
    };
    for (accept, content_type) in [
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("text/json", "text/json; charset=utf-8"),
        (
            "text/plain;q=0.9, application/json;q=0.1",
            "text/plain; charset=utf-8",
        ),
        (
            "application/json;odata.metadata=none;odata.streaming=false",
            "application/json;odata.metadata=none;odata.streaming=false",
        ),
    ] {
        let answer = ask(accept).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, content_type),
            "{accept}: {}",
            answer.text()
        );
        assert!(answer.json()["value"].is_array());
    }
    ask("application/xml")
        .await
        .is_problem(406, "media_type.not_acceptable");
    let v1 = service
        .request(Method::GET, "/v1/Boards/1")
        .header("accept", "text/plain");
    Answer::of(v1)
        .await
        .is_problem(406, "media_type.not_acceptable");
}

/// HEAD is GET without the body: the same status, type and length.
#[tokio::test]
async fn head_is_get_without_the_body() {
    let service = Service::start().await;
    // The document has the name of the service in it.
    let get = service.http.get(service.url("/openapi.json"));
    let get = Answer::of(get.header("host", "plant.example")).await;
    let request = format!("HEAD /openapi.json HTTP/1.1\r\n{COMMON}\r\n");
    let head = raw::exchange(service.running.address(), request.as_bytes())
        .await
        .to_lowercase();
    assert!(head.starts_with("http/1.1 200 ok\r\n"), "{head}");
    assert!(
        head.contains(&format!("content-length: {}\r\n", get.body.len())),
        "{head}"
    );
    assert!(
        head.contains("content-type: application/json\r\n"),
        "{head}"
    );
    assert!(head.ends_with("\r\n\r\n"), "{head}");

    let list = Answer::of(service.request(Method::HEAD, "/v2/areas")).await;
    assert_eq!((list.status, list.body.len()), (200, 0));
}

#[tokio::test]
async fn every_answer_has_a_request_id_and_problems_name_the_trace() {
    let service = Service::start().await;
    let ours = service.get_as(None, "/healthz").await;
    assert_eq!(ours.header("x-request-id").len(), 32);

    let request = service
        .http
        .get(service.url("/nowhere"))
        .header("x-request-id", "order-7");
    let theirs = Answer::of(request).await;
    assert_eq!(theirs.header("x-request-id"), "order-7");
    assert_eq!(theirs.is_problem(404, "not_found")["traceId"], "order-7");

    let odd = Answer::of(
        service
            .http
            .get(service.url("/nowhere"))
            .header("x-request-id", "<script>"),
    )
    .await;
    assert_eq!(odd.header("x-request-id").len(), 32);

    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let request = service
        .http
        .get(service.url("/nowhere"))
        .header("traceparent", format!("00-{trace}-00f067aa0ba902b7-01"));
    assert_eq!(
        Answer::of(request).await.is_problem(404, "not_found")["traceId"],
        trace
    );
}

#[tokio::test]
async fn health_readiness_figures_and_the_spec_are_open() {
    let service = Service::start().await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(service.get_as(None, path).await.status, 200);
    }
    service
        .get("/v2/areas/x")
        .await
        .is_problem(400, "path.invalid");
    assert_eq!(
        service
            .figure(r#"obeya_http_requests_total{operation="getArea",status="4xx"}"#)
            .await,
        1
    );
    assert_eq!(service.figure("obeya_tokens_issued_total").await, 1);
    assert!(service.figure("obeya_http_requests_in_flight").await >= 1);

    // Both notations are the specification, except for the addresses.
    let yaml = service.get_as(None, "/openapi.yaml").await;
    assert_eq!(yaml.header("content-type"), "application/yaml");
    let written = include_str!("../../../../spec/openapi.yaml");
    let (before, after) = (written.find("  - url:"), written.find("\ntags:"));
    let (before, after) = (before.expect("servers"), after.expect("tags"));
    let address = service.url("");
    let servers = format!("  - url: \"{address}\"\n    description: This service.\n");
    let token_url = format!("{address}/connect/token");
    let rest = written[after..].replace(
        "tokenUrl: /connect/token\n",
        &format!("tokenUrl: \"{token_url}\"\n"),
    );
    assert_eq!(
        yaml.text(),
        format!("{}{servers}{rest}", &written[..before])
    );
    let json = service.get_as(None, "/openapi.json").await.json();
    let generated = include_str!("../../../../spec/generated/openapi.json");
    let mut generated: Value = serde_json::from_str(generated).expect("JSON");
    generated["servers"] = json!([{"url": address, "description": "This service."}]);
    let oauth2 = &mut generated["components"]["securitySchemes"]["oauth2"];
    oauth2["flows"]["clientCredentials"]["tokenUrl"] = token_url.into();
    assert_eq!(json, generated);
}

/// The store is gone: the process lives, but must not be sent requests.
#[tokio::test]
async fn without_a_store_the_service_is_not_ready() {
    let service = Service::start().await;
    service.store().close().await;
    assert_eq!(service.get_as(None, "/healthz").await.status, 200);
    let answer = service.get_as(None, "/readyz").await;
    answer.is_problem(503, "unavailable");
    assert_eq!(answer.header("retry-after"), "1");
}

#[tokio::test]
async fn gzip_is_given_to_whom_it_is_worth() {
    let service = Service::start().await;
    let ask = |path: &'static str, coding: &'static str| {
        Answer::of(
            service
                .http
                .get(service.url(path))
                .header("accept-encoding", coding),
        )
    };
    let plain = ask("/openapi.json", "identity").await;
    let packed = ask("/openapi.json", "br, gzip;q=0.5").await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert!(
        packed.body.starts_with(&[0x1f, 0x8b]),
        "the magic bytes of RFC 1952"
    );
    assert!(packed.body.len() * 3 < plain.body.len());
    assert_eq!(plain.header("content-encoding"), "");
    assert_eq!(ask("/healthz", "gzip").await.header("content-encoding"), "");
    assert_eq!(
        ask("/openapi.json", "gzip;q=0")
            .await
            .header("content-encoding"),
        ""
    );
}

/// A page of 4 MiB, of which 2 MiB may be buffered: the reader waits until the first part is compressed.
#[tokio::test]
async fn a_page_that_is_larger_than_its_buffer_is_compressed_whole() {
    let service = Service::start().await;
    let text = "Valve 7 leaks. ".repeat(280);
    let written = service.store().write(move |session| {
        for id in 1..=1_000 {
            let sql = "INSERT INTO improvements (id, status, title, text, last_modified) VALUES (?1, 'Suggested', 'Valve', ?2, ?1)";
            session.execute(sql, &[id.into(), text.as_str().into()])?;
        }
        Ok::<_, StoreError>(())
    });
    written.await.expect("improvements");
    let path = "/v1/Improvements?pageSize=1000";
    let plain = service.get(path).await;
    assert!(plain.body.len() > 4 << 20, "{}", plain.body.len());
    let unpacking = reqwest::Client::builder().no_proxy().build();
    let request = unpacking.expect("a client").get(service.url(path));
    let packed = Answer::of(request.bearer_auth(service.token())).await;
    assert!(packed.body == plain.body, "{}", packed.body.len());
}

/// Problems on v1 have no OData member; those on v2 have one with the option at fault as its target.
#[tokio::test]
async fn a_v2_problem_is_an_odata_error_too() {
    let service = Service::start().await;
    let v2 = service.get("/v2/areas?$top=x").await;
    assert_eq!(v2.status, 400, "{}", v2.text());
    assert_eq!(v2.json()["error"]["target"], "$top");
    assert_eq!(v2.json()["error"]["message"], v2.json()["detail"]);
    let v1 = service
        .get("/v1/Boards/x")
        .await
        .is_problem(400, "path.invalid");
    assert_eq!(v1["error"], Value::Null);
}

/// A body may name 75,000 parts that are not there; each would be looked up, and complained about.
#[tokio::test]
async fn not_every_wrong_part_of_a_body_is_looked_up_and_reported() {
    let service = plant().await;
    let body: Vec<Value> = (1000..2000).map(|id| json!({ "id": id })).collect();
    let path = "/v1/Incidents/100/causes";
    let problem = refused(
        &service,
        "PUT",
        path,
        &Value::from(body),
        422,
        "reference.unknown",
    )
    .await;
    assert_eq!(
        problem["errors"].as_object().map(serde_json::Map::len),
        Some(20)
    );
}
