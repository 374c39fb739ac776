//! Rate limits of clients, addresses and failed token requests. The test's clock moves the buckets.

use std::time::Duration;

use obeya_server::Config;
use reqwest::Method;

use crate::support::{Answer, Service};

/// A service behind a trusted proxy, which is the test.
async fn start(change: impl FnOnce(&mut Config)) -> Service {
    Service::start_with(|config| {
        config.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
        change(config);
    })
    .await
}

/// A request from an address.
async fn from(service: &Service, address: &str, path: &str) -> Answer {
    let request = service.request(Method::GET, path);
    Answer::of(request.header("x-forwarded-for", address)).await
}

/// The headers that show what is left.
fn shown(answer: &Answer) -> [&str; 2] {
    [
        answer.header("ratelimit-policy"),
        answer.header("ratelimit"),
    ]
}

#[tokio::test]
async fn a_client_has_its_rate_and_others_have_theirs() {
    let service = start(|config| {
        config.limits.client_rate = Some("3/60".parse().expect("a rate"));
    })
    .await;
    let other = service.token_for(&["Data.Read"]).await;
    for left in ["r=2;t=20", "r=1;t=40", "r=0;t=60"] {
        let answer = service.get("/v2/areas").await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let left = format!("\"client\";{left}");
        assert_eq!(shown(&answer), ["\"client\";q=3;w=60", &left]);
    }
    let refused = service.get("/v2/areas").await;
    let problem = refused.is_problem(429, "rate.limited");
    assert!(
        problem["detail"]
            .as_str()
            .is_some_and(|text| text.contains("20 seconds"))
    );
    assert_eq!(refused.header("retry-after"), "20");
    assert_eq!(
        shown(&refused),
        ["\"client\";q=3;w=60", "\"client\";r=0;t=60"]
    );
    // Another client at the same address, and a request without one.
    let answer = service.get_as(Some(&other), "/v2/areas").await;
    assert_eq!(
        (answer.status, shown(&answer)[1]),
        (200, "\"client\";r=2;t=20")
    );
    let answer = service.get_as(None, "/v2/areas").await;
    assert_eq!((answer.status, shown(&answer)), (401, ["", ""]));
    // A write is a request like any other.
    let body = serde_json::json!({"title": "x"});
    let answer = service.put("/v1/Improvements/1", &body).await;
    answer.is_problem(429, "rate.limited");
    service.clock.elapse(20);
    assert_eq!(service.get("/v2/areas").await.status, 200);
    service
        .get("/v2/areas")
        .await
        .is_problem(429, "rate.limited");
}

/// What a client may not do uses up its rate as well.
#[tokio::test]
async fn requests_without_their_scope_are_requests_like_any_other() {
    let service = start(|config| {
        config.limits.client_rate = Some("2/60".parse().expect("a rate"));
    })
    .await;
    let writer = service.token_for(&["public.api.write"]).await;
    for _ in 0..2 {
        let answer = service.get_as(Some(&writer), "/v2/areas").await;
        answer.is_problem(403, "scope.missing");
    }
    let answer = service.get_as(Some(&writer), "/v2/areas").await;
    answer.is_problem(429, "rate.limited");
}

#[tokio::test]
async fn an_address_has_its_rate_whatever_it_asks_for() {
    let service = start(|config| {
        config.limits.address_rate = Some("2/60".parse().expect("a rate"));
    })
    .await;
    let first = from(&service, "192.0.2.1", "/v2/areas").await;
    assert_eq!(first.status, 200, "{}", first.text());
    assert_eq!(
        shown(&first),
        ["\"address\";q=2;w=60", "\"address\";r=1;t=30"]
    );
    from(&service, "192.0.2.1", "/nowhere")
        .await
        .is_problem(404, "not_found");
    for path in ["/v2/areas", "/nowhere", "/openapi.json"] {
        let refused = from(&service, "192.0.2.1", path).await;
        refused.is_problem(429, "rate.limited");
        assert_eq!(refused.header("retry-after"), "30");
    }
    let token = service.http.post(service.url("/connect/token"));
    let token = token.header("x-forwarded-for", "192.0.2.1");
    Answer::of(token).await.is_problem(429, "rate.limited");
    // Those who watch the service are never refused.
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(
            from(&service, "192.0.2.1", path).await.status,
            200,
            "{path}"
        );
    }
    assert_eq!(from(&service, "192.0.2.2", "/v2/areas").await.status, 200);
    // A host of IPv6 has 2^64 addresses.
    for (address, status) in [
        ("2001:db8::1", 200),
        ("2001:db8::2", 200),
        ("2001:db8::3", 429),
        ("2001:db8:0:1::3", 200),
    ] {
        assert_eq!(
            from(&service, address, "/v2/areas").await.status,
            status,
            "{address}"
        );
    }
    service.clock.elapse(30);
    assert_eq!(from(&service, "192.0.2.1", "/v2/areas").await.status, 200);
}

/// By default. An attacker has to wait; a client with the right secret does not, even at the same address.
#[tokio::test]
async fn failed_token_requests_of_an_address_are_limited_and_right_secrets_are_not() {
    let service = start(|_| {}).await;
    let client = service.running.add_client("erp", &["Data.Read"]).await;
    let client = client.expect("a client");
    let ask = async |address: &str, id: &str, secret: &str| {
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", id),
            ("client_secret", secret),
        ];
        let request = service.http.post(service.url("/connect/token")).form(&form);
        Answer::of(request.header("x-forwarded-for", address)).await
    };
    for attempt in 1..=30 {
        let id = if attempt % 2 == 0 {
            "unknown"
        } else {
            &client.client_id
        };
        let answer = ask("192.0.2.1", id, "guess").await;
        assert_eq!(answer.status, 401, "{attempt}");
        let left = format!("\"token-failures\";r={};t={}", 30 - attempt, attempt * 2);
        assert_eq!(shown(&answer), ["\"token-failures\";q=30;w=60", &left]);
    }
    for id in ["unknown", &client.client_id] {
        let answer = ask("192.0.2.1", id, "guess").await;
        assert_eq!(answer.status, 429, "{}", answer.text());
        assert_eq!(answer.json()["error"], "invalid_client");
        assert_eq!(answer.header("retry-after"), "2");
    }
    let answer = ask("192.0.2.1", &client.client_id, &client.client_secret).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(ask("192.0.2.2", "unknown", "guess").await.status, 401);
    service.clock.elapse(2);
    assert_eq!(ask("192.0.2.1", "unknown", "guess").await.status, 401);
    assert_eq!(ask("192.0.2.1", "unknown", "guess").await.status, 429);
}

/// The SDK waits as long as `Retry-After` says, and sends the request again.
#[tokio::test]
async fn the_sdk_comes_back_after_429() {
    let service = Service::start_with(|config| {
        config.limits.client_rate = Some("1/1".parse().expect("a rate"));
    })
    .await;
    let client = obeya::Client::builder()
        .base_url(service.running.base_url())
        .token(service.token())
        .build()
        .expect("a client");
    assert_eq!(service.get("/v2/areas").await.status, 200);
    const REFUSED: &str = r#"obeya_http_requests_total{operation="listAreas",status="4xx"}"#;
    let list = async { client.areas().list().await };
    let refused_once = async {
        while service.figure(REFUSED).await == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        service.clock.elapse(1);
    };
    let both = async { tokio::join!(list, refused_once) };
    let (listed, ()) = tokio::time::timeout(Duration::from_secs(60), both)
        .await
        .expect("refused once, then answered");
    assert!(listed.expect("areas").items.is_empty());
    assert_eq!(service.figure(REFUSED).await, 1);
}
