//! Links lead to the service under the name that the client uses for it.

use reqwest::Method;
use reqwest::header::HOST;
use serde_json::{Value, json};

use crate::incidents_plant::{fill, least};
use crate::support::{Answer, Service};

async fn discovery(service: &Service, host: &str) -> Value {
    let url = service.url("/.well-known/openid-configuration");
    Answer::of(service.http.get(url).header(HOST, host))
        .await
        .json()
}

async fn next_link(service: &Service, host: &str) -> String {
    let request = service.request(Method::GET, "/v2/areas");
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
        let request = service.request(Method::GET, "/v2/areas");
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

#[tokio::test]
async fn the_description_names_the_address_that_was_asked_and_the_token_endpoint() {
    const LEAN: &str = "https://lean.example/obeya";
    for (base_url, auth_url, address, token_url) in [
        (
            None,
            None,
            "http://plant.example:8080",
            "http://plant.example:8080/connect/token",
        ),
        (
            Some("https://lean.example/obeya/"),
            None,
            LEAN,
            "https://lean.example/obeya/connect/token",
        ),
        (
            Some(LEAN),
            Some("https://login.example"),
            LEAN,
            "https://login.example/connect/token",
        ),
    ] {
        let service = Service::start_with(|config| {
            config.base_url = base_url.map(str::to_owned);
            config.auth_url = auth_url.map(str::to_owned);
        })
        .await;
        for path in ["/openapi.json", "/openapi.yaml"] {
            let request = service.http.get(service.url(path));
            let answer = Answer::of(request.header(HOST, "plant.example:8080")).await;
            let text = answer.text();
            if path == "/openapi.json" {
                let document = answer.json();
                let servers = json!([{"url": address, "description": "This service."}]);
                assert_eq!(document["servers"], servers);
                let oauth2 = &document["components"]["securitySchemes"]["oauth2"];
                let flow = &oauth2["flows"]["clientCredentials"];
                assert_eq!(flow["tokenUrl"], token_url);
            } else {
                let servers = format!(
                    "\nservers:\n  - url: \"{address}\"\n    description: This service.\n\n"
                );
                let flow = format!("\n          tokenUrl: \"{token_url}\"\n          scopes:\n");
                for expected in [servers, flow] {
                    assert_eq!(text.matches(&expected).count(), 1, "{expected}");
                }
            }
            for placeholder in ["{base_url}", "{token_url}"] {
                assert!(!text.contains(placeholder), "{placeholder} in {path}");
            }
        }
    }
}

/// A service on the plant, with a datasource.
async fn filled(base_url: Option<&str>) -> Service {
    let service = Service::start_with(|config| config.base_url = base_url.map(str::to_owned)).await;
    let datasource = service.store().write(|session| {
        fill(session)?;
        session.execute("INSERT INTO datasources (id) VALUES (12)", &[])
    });
    datasource.await.expect("the rows fit the schema");
    service
}

async fn create(service: &Service, path: &str, body: &Value) -> Answer {
    let request = service
        .request(Method::POST, path)
        .header(HOST, "plant.example");
    let request = request.header("idempotency-key", format!("of-{}", path.len()));
    let answer = Answer::of(request.json(body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

#[tokio::test]
async fn a_created_record_has_its_address() {
    let value = json!({"value": 1.5, "valueDate": "2025-06-01T00:00:00Z"});
    let improvement = json!({"title": "Light", "suggestedByUserId": "u-104"});
    for (base_url, base) in [
        (None, "http://plant.example"),
        (
            Some("https://lean.example/obeya"),
            "https://lean.example/obeya",
        ),
    ] {
        let service = filled(base_url).await;
        for (posted, body, collection) in [
            ("/v1/incidents", &least(), "/v1/Incidents"),
            ("/v1/Improvements", &improvement, "/v1/Improvements"),
            (
                "/V1/datasources/12/Values",
                &value,
                "/v1/Datasources/12/values",
            ),
        ] {
            let created = create(&service, posted, body).await;
            let path = format!("{collection}/{}", created.json()["id"]);
            assert_eq!(created.header("location"), format!("{base}{path}"));
            // The same to the request sent again, and where a record is changed none.
            let again = create(&service, posted, body).await;
            assert_eq!(again.header("idempotency-replayed"), "true");
            assert_eq!(again.header("location"), created.header("location"));
            let deleted = Answer::of(service.request(Method::DELETE, &path)).await;
            assert_eq!((deleted.status, deleted.header("location")), (200, ""));
        }
        let severity = json!({"severity": "Low"});
        let changed = service.put("/v1/Incidents/100/severity", &severity).await;
        assert_eq!((changed.status, changed.header("location")), (200, ""));
        let batch = create(&service, "/v1/Datasources/12/values/batch", &json!([value])).await;
        assert_eq!(batch.header("location"), "");
    }
}
