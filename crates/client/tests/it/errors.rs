//! Every way to fail has its own type, and none prints what it should not.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use obeya::{Client, Error};
use tokio::io::AsyncWriteExt as _;

use crate::support::{area, json, serve, with_credentials, with_token};

async fn failure(answer: impl Fn() -> Response + Clone + Send + Sync + 'static) -> Error {
    let (routes, _) = area(move |_| answer());
    let url = serve(routes).await;
    let client = with_token(&url)
        .max_body_bytes(1000)
        .max_retries(0)
        .build()
        .unwrap();
    client.areas().get(1).await.unwrap_err()
}

#[tokio::test]
async fn a_problem_comes_as_it_was_sent() {
    let error = failure(|| {
        let mut response = json(
            404,
            r#"{"type":"urn:obeya:problem:not_found","title":"There is nothing here","status":404,
                "detail":"No area 1.","instance":"/v2/areas/1","traceId":"4bf9","code":"not_found",
                "errors":{"areaId":["unknown"]},"error":{"code":"not_found","message":"No area 1."}}"#,
        );
        response.headers_mut().insert("x-request-id", "r-17".parse().unwrap());
        response
    })
    .await;
    assert!(error.is_not_found());
    assert!(!error.is_retryable());
    assert_eq!(error.code(), Some("not_found"));
    assert_eq!(error.request_id(), Some("r-17"));
    assert_eq!(error.operation(), Some("getArea"));
    assert_eq!(
        error.to_string(),
        "getArea: 404 There is nothing here: No area 1. (not_found)"
    );
    let problem = error.problem().unwrap();
    assert_eq!(problem.errors.as_ref().unwrap()["areaId"], ["unknown"]);
    assert_eq!(problem.error.as_ref().unwrap().message, "No area 1.");
}

/// What a terminal would take for a command is shown, in the message alone.
#[tokio::test]
async fn a_message_has_one_line_and_no_control_characters() {
    let error = failure(|| {
        json(
            409,
            r#"{"title":"No\u001b[2J","status":409,"detail":"Pump\nerror: fake\u202e","code":"a\u009bb","traceId":"t"}"#,
        )
    })
    .await;
    assert_eq!(
        error.to_string(),
        r"getArea: 409 No\u{1b}[2J: Pump\u{a}error: fake\u{202e} (a\u{9b}b)"
    );
    assert_eq!(error.problem().unwrap().title, "No\u{1b}[2J");
    let refuse = post(async || {
        json(
            400,
            r#"{"error":"invalid_client","error_description":"\u001b]0;owned\u0007"}"#,
        )
    });
    let url = serve(Router::new().route("/connect/token", refuse)).await;
    let error = with_credentials(&url).build().unwrap().authenticate().await;
    assert_eq!(
        error.unwrap_err().to_string(),
        r"no access token: invalid_client: \u{1b}]0;owned\u{7}"
    );
}

#[tokio::test]
async fn a_proxys_page_is_an_error_of_its_status() {
    let error = failure(|| json(502, "<html>internal-host-7</html>")).await;
    assert_eq!(
        (error.status(), error.code()),
        (Some(502), Some("http.502"))
    );
    assert!(!format!("{error:?}{error}").contains("internal-host-7"));
}

#[tokio::test]
async fn a_body_that_does_not_fit_names_the_place_only() {
    let list = r#"{"value":[{"id":1,"name":"private text"},{"id":"personal"}]}"#;
    let routes = Router::new().route("/v2/areas", get(async move || json(200, list)));
    let client = with_token(&serve(routes).await).build().unwrap();
    let error = client.areas().list().await.unwrap_err();
    let Error::Decode {
        operation,
        path,
        reason,
        ..
    } = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!((*operation, path.as_str()), ("listAreas", "value[1].id"));
    assert!(
        reason.starts_with("invalid type: string, expected i32"),
        "{reason}"
    );
    let shown = format!("{error:?}{error}");
    assert!(!shown.contains("private text") && !shown.contains("personal"));
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_not_read_on() {
    let announced = failure(|| json(200, "x".repeat(1001))).await;
    assert!(
        matches!(announced, Error::TooLarge { limit: 1000, .. }),
        "{announced:?}"
    );
    // Without an announced length, and without an end.
    let endless = failure(|| {
        let part =
            std::iter::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 64])));
        Response::new(Body::from_stream(futures_util::stream::iter(part)))
    })
    .await;
    assert!(
        matches!(endless, Error::TooLarge { limit: 1000, .. }),
        "{endless:?}"
    );
    assert_eq!(
        endless.to_string(),
        "getArea: the response is larger than the limit of 1000 bytes"
    );
}

#[tokio::test]
async fn an_error_with_a_body_beyond_the_limit_keeps_its_status() {
    let error = failure(|| json(503, "x".repeat(1001))).await;
    assert_eq!((error.status(), error.is_retryable()), (Some(503), true));
}

/// The length of a body that never comes.
#[tokio::test]
async fn an_announced_length_is_not_reserved_whole() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n{";
        stream.write_all(head).await.unwrap();
        stream.shutdown().await.unwrap();
    });
    let settings = with_token(&url).max_body_bytes(u64::MAX).max_retries(0);
    let error = settings.build().unwrap().areas().get(1).await.unwrap_err();
    assert!(matches!(error, Error::Connection { .. }), "{error:?}");
}

#[tokio::test]
async fn a_page_for_people_is_named_as_one() {
    let error = failure(|| axum::response::Html("<form>Log in</form>").into_response()).await;
    assert_eq!(
        error.to_string(),
        "getArea: the response does not match the interface at .: \
         found the media type text/html; charset=utf-8, expected JSON"
    );
}

#[tokio::test]
async fn the_limit_counts_unpacked_bytes() {
    // `gzip.compress(b" " * 2000, mtime=0)` of Python.
    const SPACES: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x53\x50\x18\x05\xa3\x60\x14\x8c\x82\x51\x30\x0a\x46\
        \xc1\x50\x07\x00\x2a\xca\x16\x55\xd0\x07\x00\x00";
    let (routes, _) = area(|_| {
        let mut response = Response::new(Body::from(SPACES));
        response
            .headers_mut()
            .insert("content-encoding", "gzip".parse().unwrap());
        response
    });
    let url = serve(routes).await;
    let client = with_token(&url)
        .max_body_bytes(1999)
        .compression(true)
        .build()
        .unwrap();
    let error = client.areas().get(1).await.unwrap_err();
    assert!(
        matches!(error, Error::TooLarge { limit: 1999, .. }),
        "{error:?}"
    );
    // One byte more, and it is read whole, unpacked, and found not to be an area.
    let client = with_token(&url)
        .max_body_bytes(2000)
        .compression(true)
        .build()
        .unwrap();
    let error = client.areas().get(1).await.unwrap_err();
    assert!(matches!(error, Error::Decode { .. }), "{error:?}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let error = failure(|| {
        let mut response = json(307, "");
        response
            .headers_mut()
            .insert("location", "http://127.0.0.1:1/".parse().unwrap());
        response
    })
    .await;
    assert_eq!(error.status(), Some(307));
}

#[tokio::test]
async fn a_client_without_an_address_is_not_made() {
    for (settings, missing) in [
        (Client::builder().token(""), "token"),
        (
            Client::builder().client_id("").client_secret("x"),
            "client_id",
        ),
        (
            Client::builder().client_id("x").client_secret(""),
            "client_secret",
        ),
    ] {
        let error = settings.base_url("http://127.0.0.1:9").build().unwrap_err();
        assert_eq!(error.to_string(), format!("{missing} is not set"));
    }
    let error = Client::builder().token("t").build().unwrap_err();
    assert!(matches!(error, Error::Config(_)), "{error:?}");
    assert_eq!(error.to_string(), "base_url is not set");
}
