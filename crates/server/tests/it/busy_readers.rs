//! Requests that are still answered while others read without end.

use std::sync::mpsc;
use std::time::Duration;

use obeya_server::admin;
use obeya_server::store::{Session, StoreError};

use crate::store::Held;
use crate::support::{Answer, Service};

/// A separate client, by its id, and a token of it.
pub async fn client(service: &Service, scope: &str) -> (String, String) {
    let client = service.running.add_client("erp", &[scope]).await;
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
    let (id, token) = client(service, "public.api.read").await;
    let answer = service.get_as(Some(&token), "/v2/boards/1").await;
    assert_ne!(answer.status, 401, "{}", answer.text());
    let revoked = admin::revoke_client(service.db(), &id).await;
    revoked.expect("revoked");
    let out = async { while service.get_as(Some(&token), "/v2/boards/1").await.status != 401 {} };
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
    for path in [
        "/v2/areas",
        "/v2/boards?$count=true",
        "/v1/Incidents",
        "/v1/Improvements?$filter=id gt 7",
        "/v1/Boards",
        "/v1/Incidents/types",
    ] {
        assert_eq!(service.get(path).await.status, 200, "{path}");
    }
    held.release().await;
}

/// Anybody may send these, without a token. The first of them never ends, so that the others wait for the
/// connection as they would behind an endless number.
#[tokio::test]
async fn token_requests_and_probes_of_readiness_do_not_delay_the_poll() {
    const EACH: u64 = 40;
    let service = Service::start_with(|config| {
        config.limits.auth_poll = Duration::from_millis(10);
        // None of them is refused because it waited for too long.
        config.limits.database_wait = Duration::from_secs(600);
        config.limits.request = Duration::from_secs(600);
    })
    .await;
    let (id, token) = client(&service, "public.api.read").await;
    let (begin, begun) = tokio::sync::oneshot::channel();
    let (end, ended) = mpsc::channel::<()>();
    let store = service.store().clone();
    let first = tokio::spawn(async move {
        let work = move |_: &mut dyn Session| {
            begin.send(()).expect("somebody waits");
            // Ends when the sender goes.
            let _ = ended.recv();
            Ok::<_, StoreError>(())
        };
        store.control(work).await.expect("nothing to fail");
    });
    begun.await.expect("begun");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", "c-unknown"),
        ("client_secret", "x"),
    ];
    let ask = |request: reqwest::RequestBuilder| tokio::spawn(Answer::of(request));
    let tokens =
        (0..EACH).map(|_| ask(service.http.post(service.url("/connect/token")).form(&form)));
    let tokens: Vec<_> = tokens.collect();
    let probes = (0..EACH).map(|_| ask(service.http.get(service.url("/readyz"))));
    let probes: Vec<_> = probes.collect();
    let patience = Duration::from_secs(30);
    // The request for the metrics is one of those in flight.
    let in_flight =
        async { while service.figure("obeya_http_requests_in_flight").await < 2 * EACH + 1 {} };
    tokio::time::timeout(patience, in_flight)
        .await
        .expect("all of them wait");

    // Without a poll, every token would be refused after these 61 seconds.
    let age = "obeya_auth_read_age_seconds";
    let polled = async { while service.figure(age).await > 0 {} };
    service.clock.elapse(61);
    tokio::time::timeout(patience, polled)
        .await
        .expect("the poll goes on");
    assert_eq!(service.get("/v2/boards/1").await.status, 404);
    admin::revoke_client(service.db(), &id)
        .await
        .expect("revoked");
    let out = async { while service.get_as(Some(&token), "/v2/boards/1").await.status != 401 {} };
    tokio::time::timeout(patience, out)
        .await
        .expect("out within the poll");

    drop(end);
    first.await.expect("no panic");
    for token in tokens {
        let status = token.await.expect("no panic").status;
        assert!([401, 429].contains(&status), "{status}");
    }
    for probe in probes {
        let ready = probe.await.expect("no panic");
        assert_eq!(ready.status, 200, "{}", ready.text());
    }
    // The probes shared one look-up.
    let waits = r#"obeya_store_reader_wait_seconds_count{work="control"}"#;
    assert_eq!(service.figure(waits).await, EACH + 1);
    let waits = r#"obeya_store_reader_wait_seconds_count{work="poll"}"#;
    assert_eq!(service.figure(waits).await, 0);
}

/// A list of v1 that is long work from the start, and small here.
const LONG: &str = "/v1/Improvements?pageSize=10000";

/// Of 16 readers, long work uses 12, and one client 9.
#[tokio::test]
async fn a_client_with_as_many_long_reads_as_it_may_have_takes_no_reader_from_another() {
    let service = Service::start_with(|config| {
        config.limits.database_wait = Duration::from_millis(100);
        config.limits.client_reads = 12;
    })
    .await;
    let (heavy, heavy_token) = client(&service, "public.api.read").await;
    let (_, other_token) = client(&service, "public.api.read").await;
    let held = Held::all(&service.store().for_client(&heavy.into()), 9).await;
    let refused = service.get_as(Some(&heavy_token), LONG).await;
    refused.is_problem(503, "unavailable");
    assert_eq!(refused.header("retry-after"), "1");
    let answer = service.get_as(Some(&other_token), LONG).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    // Its small reads go on.
    for path in ["/v1/Improvements", "/v2/areas"] {
        let answer = service.get_as(Some(&heavy_token), path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
    held.release().await;
    assert_eq!(service.get_as(Some(&heavy_token), LONG).await.status, 200);
}

/// Of 12 readers for long work. Its share, while others read, is half of its limit.
#[tokio::test]
async fn a_client_runs_no_more_long_reads_than_its_limit() {
    let service = Service::start_with(|config| {
        config.limits.database_wait = Duration::from_millis(100);
        config.limits.client_reads = 4;
    })
    .await;
    let (heavy, heavy_token) = client(&service, "public.api.read").await;
    let (other, other_token) = client(&service, "public.api.read").await;
    let store = |client: &str| service.store().for_client(&client.into());
    let few = Held::all(&store(&heavy), 2).await;
    let more = Held::all(&store(&heavy), 1).await;
    assert_eq!(service.get_as(Some(&heavy_token), LONG).await.status, 200);
    let most = Held::all(&store(&heavy), 1).await;
    let refused = service.get_as(Some(&heavy_token), LONG).await;
    refused.is_problem(503, "unavailable");
    let others = Held::all(&store(&other), 1).await;
    assert_eq!(service.get_as(Some(&other_token), LONG).await.status, 200);
    more.release().await;
    most.release().await;
    let refused = service.get_as(Some(&heavy_token), LONG).await;
    refused.is_problem(503, "unavailable");
    others.release().await;
    assert_eq!(service.get_as(Some(&heavy_token), LONG).await.status, 200);
    few.release().await;
}

/// On two processors, its second read would slow down the read of the other client. It starts once that one
/// has lasted for half of the wait, and probably waits for a slow receiver.
#[tokio::test]
async fn a_client_waits_before_it_slows_down_one_with_fewer_long_reads() {
    for (client_share, waits) in [(50, 1), (100, 0)] {
        let service = Service::start_with(|config| {
            config.limits.client_reads = 4;
            config.limits.client_share = client_share;
        })
        .await;
        let (heavy, heavy_token) = client(&service, "public.api.read").await;
        let (other, _) = client(&service, "public.api.read").await;
        let store = |client: &str| service.store().for_client(&client.into());
        let held = Held::all(&store(&heavy), 1).await;
        let others = Held::all(&store(&other), 1).await;
        assert_eq!(service.get_as(Some(&heavy_token), LONG).await.status, 200);
        let waited = r#"obeya_store_reader_wait_seconds_count{work="long"}"#;
        assert_eq!(service.figure(waited).await, waits, "share {client_share}");
        held.release().await;
        others.release().await;
    }
}

/// Two of the long reads were granted while nobody else asked; when they end, they are not granted again.
#[tokio::test]
async fn a_client_gets_back_to_half_as_soon_as_another_asks() {
    let service = Service::start_with(|config| {
        config.limits.database_wait = Duration::from_millis(100);
        config.limits.client_reads = 12;
    })
    .await;
    let (heavy, heavy_token) = client(&service, "public.api.read").await;
    let (other, other_token) = client(&service, "public.api.read").await;
    let store = |client: &str| service.store().for_client(&client.into());
    let few = Held::all(&store(&heavy), 6).await;
    let more = Held::all(&store(&heavy), 2).await;
    let others = Held::all(&store(&other), 4).await;
    service
        .get_as(Some(&other_token), LONG)
        .await
        .is_problem(503, "unavailable");
    more.release().await;
    let refused = service.get_as(Some(&heavy_token), LONG).await;
    refused.is_problem(503, "unavailable");
    let answer = service.get_as(Some(&other_token), LONG).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    others.release().await;
    assert_eq!(service.get_as(Some(&heavy_token), LONG).await.status, 200);
    few.release().await;
}
