//! Links lead to the service under the name that the client uses for it.

use reqwest::header::HOST;

use crate::support::{Answer, Service};

async fn discovery(service: &Service, host: &str) -> serde_json::Value {
    let url = service.url("/.well-known/openid-configuration");
    Answer::of(service.http.get(url).header(HOST, host))
        .await
        .json()
}

async fn next_link(service: &Service, host: &str) -> String {
    let request = service.request(reqwest::Method::GET, "/v2/areas");
    let body = Answer::of(request.header(HOST, host)).await.json();
    let link = body["@odata.nextLink"].as_str().unwrap_or_default();
    // What follows is the position in the list, which only the service reads.
    let (address, _) = link
        .split_once("$skiptoken=")
        .expect("a place to go on from");
    address.to_owned()
}

/// A service with three areas in pages of two.
async fn service(base_url: Option<&str>) -> Service {
    let service = Service::start_with(|config| {
        config.limits.page_records = 2;
        config.base_url = base_url.map(str::to_owned);
    })
    .await;
    let areas = service.store().write(|session| {
        session.execute(
            "INSERT INTO areas (id, name) VALUES (1, 'A'), (2, 'B'), (3, 'C')",
            &[],
        )
    });
    areas.await.expect("three areas");
    service
}

#[tokio::test]
async fn links_name_the_host_that_was_asked() {
    let service = service(None).await;
    for host in ["plant.example:8080", "localhost:9", "[::1]:80"] {
        assert_eq!(
            next_link(&service, host).await,
            format!("http://{host}/v2/areas?")
        );
        let found = discovery(&service, host).await;
        assert_eq!(
            found["token_endpoint"],
            format!("http://{host}/connect/token")
        );
        assert_eq!(
            found["jwks_uri"],
            format!("http://{host}/.well-known/jwks.json")
        );
        // Tokens name the same issuer under every name of the service.
        assert_eq!(found["issuer"], service.running.auth_url());
    }
    // An empty name is allowed; what is no host is refused (RFC 9112, 3.2).
    assert_eq!(next_link(&service, "").await, service.url("/v2/areas?"));
    for odd in ["who@plant.example", "a b"] {
        let request = service.request(reqwest::Method::GET, "/v2/areas");
        let answer = Answer::of(request.header(HOST, odd)).await;
        assert_eq!(answer.status, 400, "{odd:?}");
    }
}

#[tokio::test]
async fn a_configured_address_is_used_whatever_was_asked() {
    let service = service(Some("https://obeya.plant.example/")).await;
    assert_eq!(
        next_link(&service, "10.0.0.7:8080").await,
        "https://obeya.plant.example/v2/areas?"
    );
    assert_eq!(
        discovery(&service, "10.0.0.7:8080").await["token_endpoint"],
        "https://obeya.plant.example/connect/token"
    );
}
