//! Requests that are still answered while others read without end.

use std::time::Duration;

use obeya_server::admin;

use crate::store::Held;
use crate::support::Service;

/// A separate client, by its id, and a token of it.
async fn client(service: &Service) -> (String, String) {
    let client = service.running.add_client("erp", &["Data.Read"]).await;
    let client = client.expect("a client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", client.client_id.as_str()),
        ("client_secret", client.client_secret.as_str()),
    ];
    let answer = service.ask_token(&form).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let token = answer.json()["access_token"].as_str().map(str::to_owned);
    (client.client_id, token.expect("a token"))
}

/// The service is ready, issues tokens, and sees a revocation by another process.
pub async fn goes_on(service: &Service) {
    let ready = service.get_as(None, "/readyz").await;
    assert_eq!(ready.status, 200, "{}", ready.text());
    let (id, token) = client(service).await;
    let answer = service.get_as(Some(&token), "/v2/areas/1").await;
    assert_ne!(answer.status, 401, "{}", answer.text());
    let revoked = admin::revoke_client(service.db(), &id).await;
    revoked.expect("revoked");
    let out = async { while service.get_as(Some(&token), "/v2/areas/1").await.status != 401 {} };
    tokio::time::timeout(Duration::from_secs(10), out)
        .await
        .expect("out within the poll");
}

/// Not even the readers that are reserved for something are left.
#[tokio::test]
async fn with_every_reader_in_use_the_service_is_ready_gives_tokens_and_hears_of_revocations() {
    let service = Service::start_with(|config| {
        config.limits.database_connections = 1;
        config.limits.database_wait = Duration::from_millis(500);
        config.limits.auth_poll = Duration::from_millis(10);
    })
    .await;
    let held = Held::all(service.store(), 1).await;
    let answer = service.get("/v2/areas/1").await;
    answer.is_problem(503, "unavailable");
    goes_on(&service).await;
    held.release().await;
    assert_eq!(service.get("/v2/areas/1").await.status, 404);
}

/// Of 16 readers, long work uses 12.
#[tokio::test]
async fn with_every_long_reader_in_use_records_and_lists_are_answered() {
    let service =
        Service::start_with(|config| config.limits.auth_poll = Duration::from_millis(10)).await;
    let held = Held::all(service.store(), 12).await;
    goes_on(&service).await;
    // By id alone and with options, of v1 and of v2, and lists.
    for path in ["/v2/areas/1", "/v2/areas/1?$select=name", "/v1/Incidents/1"] {
        assert_eq!(service.get(path).await.status, 404, "{path}");
    }
    for path in ["/v2/areas", "/v2/boards?$count=true"] {
        assert_eq!(service.get(path).await.status, 200, "{path}");
    }
    held.release().await;
}
