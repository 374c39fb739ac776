//! What the generated client sends and what it makes of the answers, without a network: the executor is the
//! wire.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use obeya_api::{BoxFuture, Client, Error, ExecuteError, Executor, Operation, call, types};

/// Remembers the request and gives a prepared answer.
struct Wire {
    seen: Mutex<Vec<(Operation, reqwest::Request)>>,
    status: u16,
    body: &'static str,
}

impl Executor for Wire {
    fn execute(
        &self,
        operation: Operation,
        request: reqwest::Request,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, ExecuteError>> {
        self.seen
            .lock()
            .expect("no panic in a test's executor")
            .push((operation, request));
        let answer = http::Response::builder()
            .status(self.status)
            .header("x-request-id", "r-1")
            .body(Bytes::from_static(self.body.as_bytes()))
            .map_err(ExecuteError::from);
        Box::pin(async move { answer })
    }
}

/// Fails before it sends anything.
struct Failing;

#[derive(Debug)]
struct NoToken(u32);

impl std::fmt::Display for NoToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no token after {} attempts", self.0)
    }
}

impl std::error::Error for NoToken {}

impl Executor for Failing {
    fn execute(
        &self,
        _: Operation,
        _: reqwest::Request,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, ExecuteError>> {
        Box::pin(async { Err(NoToken(7).into()) })
    }
}

impl Wire {
    fn answers(status: u16, body: &'static str) -> (Arc<Self>, Client) {
        // Fails only when another test of this binary was first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let wire = Arc::new(Wire {
            seen: Mutex::default(),
            status,
            body,
        });
        let client = Client::new(
            "http://plant.test/api/",
            reqwest::Client::new(),
            wire.clone(),
        );
        (wire, client)
    }

    fn only(&self) -> (Operation, reqwest::Request) {
        let mut seen = self.seen.lock().expect("no panic in a test's executor");
        assert_eq!(seen.len(), 1);
        seen.remove(0)
    }
}

#[tokio::test]
async fn an_executors_error_comes_out_as_it_went_in() {
    // Installs what a client needs for TLS.
    let (_, _) = Wire::answers(200, "");
    let client = Client::new(
        "http://plant.test",
        reqwest::Client::new(),
        Arc::new(Failing),
    );
    let failed = call::GetBoardV1::new(7).send(&client).await;
    let error = failed.expect_err("nothing was sent");
    assert_eq!(error.to_string(), "no token after 7 attempts");
    let inner = error.into_executor::<NoToken>();
    assert_eq!(inner.expect("its own error").0, 7);
}

#[tokio::test]
async fn parameters_go_by_name_and_dollars_are_escaped() {
    let (wire, client) = Wire::answers(
        200,
        r#"{"value":[{"id":2,"name":"Assembly"}],"@odata.count":1}"#,
    );
    let reply = call::ListAreas {
        filter: Some("name eq 'A&B'"),
        orderby: Some("id desc"),
        top: Some(5),
        ..Default::default()
    }
    .send(&client)
    .await
    .expect("a page");
    assert_eq!(reply.odata_count, Some(1));
    assert_eq!(reply.value[0].name.as_deref(), Some("Assembly"));
    assert_eq!(reply.headers()["x-request-id"], "r-1");

    let (operation, request) = wire.only();
    assert_eq!(operation, Operation::ListAreas);
    assert_eq!(request.method(), operation.method());
    assert_eq!(
        request.url().as_str(),
        "http://plant.test/api/v2/areas?%24filter=name+eq+%27A%26B%27&%24orderby=id+desc&%24top=5"
    );
    assert_eq!(request.headers()["accept"], "application/json");
    assert!(!request.headers().contains_key("api-version"));
}

#[tokio::test]
async fn a_bare_null_is_sent_as_a_body() {
    let (wire, client) = Wire::answers(500, "");
    let outcome = call::UpdateIncidentExternalId::new(4, None)
        .send(&client)
        .await;
    assert!(outcome.is_err());
    let (_, request) = wire.only();
    assert_eq!(request.url().path(), "/api/v1/Incidents/4/externalId");
    assert_eq!(request.headers()["content-type"], "application/json");
    assert_eq!(
        request.body().and_then(reqwest::Body::as_bytes),
        Some(&b"null"[..])
    );
}

#[tokio::test]
async fn a_raw_call_gives_the_bytes_and_asks_for_what_it_wants() {
    let (wire, client) = Wire::answers(200, "ARROW1");
    let from = "2025-03-01T00:00:00+01:00".parse().expect("a timestamp");
    let reply = call::ListDatasourceValuesV1Raw {
        from: Some(&from),
        page_size: Some(10_000),
        accept: Some("application/vnd.apache.arrow.stream, application/json;q=0.5"),
        ..call::ListDatasourceValuesV1Raw::new(7)
    }
    .send(&client)
    .await
    .expect("bytes");
    assert_eq!(&reply[..], b"ARROW1");

    let (operation, request) = wire.only();
    assert_eq!(operation, Operation::ListDatasourceValuesV1);
    assert_eq!(
        request.url().as_str(),
        "http://plant.test/api/v1/Datasources/7/values?from=2025-02-28T23%3A00%3A00Z&pageSize=10000"
    );
    assert_eq!(
        request.headers()["accept"],
        "application/vnd.apache.arrow.stream, application/json;q=0.5"
    );
}

#[tokio::test]
async fn a_problem_is_typed_and_a_proxys_page_is_not_one() {
    let problem =
        r#"{"type":"urn:x","title":"No such board","status":404,"traceId":"t","code":"not_found"}"#;
    let (_, client) = Wire::answers(404, problem);
    let error = call::GetBoardV1::new(9)
        .send(&client)
        .await
        .expect_err("404");
    assert_eq!(error.to_string(), "404 not_found: No such board");
    let Error::Answer {
        problem: Some(problem),
        headers,
        ..
    } = error
    else {
        panic!("not the problem");
    };
    assert_eq!(
        (problem.code.as_str(), &headers["x-request-id"]),
        ("not_found", &"r-1".parse().expect("a value"))
    );

    let (_, client) = Wire::answers(502, "<html>secret</html>");
    let error = call::GetBoardV1::new(9)
        .send(&client)
        .await
        .expect_err("502");
    assert_eq!(
        error.to_string(),
        "502 Bad Gateway, without a problem document"
    );
    assert!(!format!("{error:?}").contains("secret"));
}

#[tokio::test]
async fn a_success_that_does_not_fit_says_where() {
    let (_, client) = Wire::answers(200, r#"{"value":[{"id":"x"}]}"#);
    let error = call::ListGroupsV2::default()
        .send(&client)
        .await
        .expect_err("a string for an id");
    let Error::Decode { path, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(path, "value[0].id");
}

#[tokio::test]
async fn a_new_word_does_not_fail_a_page() {
    let (_, client) = Wire::answers(
        200,
        r#"{"value":[{"boardType":"Hexagonal"},{"boardType":"Kanban"}]}"#,
    );
    let page = call::ListBoardsV2::default()
        .send(&client)
        .await
        .expect("a page");
    assert_eq!(
        page.value[0].board_type,
        Some(types::BoardType::Unknown("Hexagonal".to_owned()))
    );
    assert_eq!(page.value[1].board_type, Some(types::BoardType::Kanban));
}
