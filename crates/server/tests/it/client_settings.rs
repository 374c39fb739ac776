//! What an operator sets for a client, and its two secrets during a change.

use std::time::Duration;

use obeya_server::admin::{self, ClientChanges, NewClient};

use obeya_server::store::audit::Filter;
use serde_json::json;

use super::audit::{change, entries};
use super::auth::is_challenged;
use super::token::{form, hashes, is_error};
use crate::support::{Answer, START, Service, sql};

const DAY: Duration = Duration::from_secs(86_400);

async fn client(service: &Service) -> NewClient {
    let added = service
        .running
        .add_client("erp", &["Data.Read", "Boards.Read"]);
    added.await.expect("a client")
}

async fn ask(service: &Service, client: &NewClient) -> Answer {
    let form = form(&client.client_id, &client.client_secret, &[]);
    service.ask_token(&form).await
}

async fn token(service: &Service, client: &NewClient) -> String {
    let answer = ask(service, client).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["access_token"]
        .as_str()
        .expect("a token")
        .to_owned()
}

async fn set(service: &Service, client: &NewClient, change: impl FnOnce(&mut ClientChanges)) {
    let mut changes = ClientChanges::default();
    change(&mut changes);
    let set = service.running.set_client(&client.client_id, &changes);
    set.await.expect("set");
}

fn scopes(scopes: &[&str]) -> Option<Vec<String>> {
    Some(scopes.iter().map(|&scope| scope.to_owned()).collect())
}

#[tokio::test]
async fn a_token_loses_the_scopes_that_its_client_loses() {
    let service = Service::start().await;
    let client = client(&service).await;
    let (used, unused) = (
        token(&service, &client).await,
        token(&service, &client).await,
    );
    let status = async |token: &str, path: &str| service.get_as(Some(token), path).await.status;
    assert_eq!(status(&used, "/v2/areas").await, 200);
    set(&service, &client, |changes| {
        changes.scopes = scopes(&["Boards.Read", "Incidents.Read"]);
    })
    .await;
    for token in [&used, &unused] {
        let refused = service.get_as(Some(token), "/v2/areas").await;
        refused.is_problem(403, "scope.missing");
        assert_eq!(status(token, "/v2/boards").await, 200);
        // A token never gains what it was not issued for.
        let refused = service.get_as(Some(token), "/v2/incidents").await;
        refused.is_problem(403, "scope.missing");
    }
    assert_eq!(
        ask(&service, &client).await.json()["scope"],
        "Boards.Read Incidents.Read"
    );
    set(&service, &client, |changes| {
        changes.scopes = scopes(&["Data.Read"]);
    })
    .await;
    assert_eq!(status(&used, "/v2/areas").await, 200);
    service
        .get_as(Some(&used), "/v2/boards")
        .await
        .is_problem(403, "scope.missing");
}

#[tokio::test]
async fn a_client_is_refused_from_its_expiry_on() {
    let service = Service::start().await;
    let client = client(&service).await;
    let early = token(&service, &client).await;
    let at = |seconds| jiff::Timestamp::from_second(START + seconds).expect("in range");
    set(&service, &client, |changes| {
        changes.expires_at = Some(Some(at(100)));
    })
    .await;
    let answer = ask(&service, &client).await.json();
    assert_eq!(answer["expires_in"], 100);
    let late = answer["access_token"].as_str().expect("a token").to_owned();
    for token in [&early, &late] {
        assert_eq!(service.get_as(Some(token), "/v2/areas").await.status, 200);
    }
    service.clock.advance(99);
    assert_eq!(ask(&service, &client).await.json()["expires_in"], 1);
    service.clock.advance(1);
    let before = hashes(&service).await;
    let expired = ask(&service, &client).await;
    is_error(&expired, 401, "invalid_client");
    assert_eq!(hashes(&service).await, [before[0] + 2, before[1]]);
    let unknown = service.ask_token(&form("nobody", "wrong", &[])).await;
    assert_eq!(expired.text(), unknown.text());
    // The leeway of DECISIONS.md, section 7.
    service.clock.advance(5);
    for token in [&early, &late] {
        is_challenged(
            &service.get_as(Some(token), "/v2/areas").await,
            "token.expired",
        );
    }
    set(&service, &client, |changes| changes.expires_at = Some(None)).await;
    assert_eq!(ask(&service, &client).await.json()["expires_in"], 86_400);
    assert_eq!(service.get_as(Some(&early), "/v2/areas").await.status, 200);
    is_challenged(
        &service.get_as(Some(&late), "/v2/areas").await,
        "token.expired",
    );
}

#[tokio::test]
async fn a_client_calls_from_its_networks_only() {
    let service = Service::start().await;
    let client = client(&service).await;
    let token = token(&service, &client).await;
    let networks = |list: &[&str]| {
        let networks = list
            .iter()
            .map(|network| network.parse().expect("a network"));
        Some(networks.collect())
    };
    for (list, is_allowed) in [
        (&["10.0.0.0/8", "127.0.0.2"][..], false),
        (&["10.0.0.0/8", "127.0.0.0/8"], true),
        (&["2001:db8::/32"], false),
        (&[], true),
    ] {
        set(&service, &client, |changes| {
            changes.networks = networks(list);
        })
        .await;
        let answer = service.get_as(Some(&token), "/v2/areas").await;
        let before = hashes(&service).await;
        let asked = ask(&service, &client).await;
        assert_eq!(hashes(&service).await, [before[0] + 2, before[1]]);
        if is_allowed {
            assert_eq!((answer.status, asked.status), (200, 200), "{list:?}");
        } else {
            answer.is_problem(403, "address.refused");
            // A stolen token tells nobody elsewhere what it is good for.
            let write = service.http.delete(service.url("/v1/Incidents/1"));
            let answer = Answer::of(write.bearer_auth(&token)).await;
            answer.is_problem(403, "address.refused");
            is_error(&asked, 401, "invalid_client");
        }
        // Others are not touched.
        assert_eq!(service.get("/v2/areas").await.status, 200);
    }
}

/// A client's own rate counts instead of the one for all clients, which the service has here too.
#[tokio::test]
async fn a_client_has_a_rate_of_its_own() {
    let service =
        Service::start_with(|config| config.limits.client_rate = "50/60".parse().ok()).await;
    let client = client(&service).await;
    let token = token(&service, &client).await;
    let policy = async |token: &str, status: u16| {
        let answer = service.get_as(Some(token), "/v2/areas").await;
        assert_eq!(answer.status, status, "{}", answer.text());
        answer.header("ratelimit-policy").to_owned()
    };
    let common = "\"client\";q=50;w=60";
    assert_eq!(policy(&token, 200).await, common);
    set(&service, &client, |changes| {
        changes.rate = Some("2/60".parse().ok());
    })
    .await;
    for status in [200, 429, 429] {
        assert_eq!(policy(&token, status).await, "\"client\";q=2;w=60");
        assert_eq!(policy(service.token(), 200).await, common);
    }
    set(&service, &client, |changes| changes.rate = Some(None)).await;
    assert_eq!(policy(&token, 200).await, common);
}

#[tokio::test]
async fn two_secrets_are_valid_while_a_client_changes_over() {
    let service = Service::start().await;
    let first = client(&service).await;
    let rotate = async |overlap| {
        let rotated = service.running.rotate_secret(&first.client_id, overlap);
        rotated.await.expect("rotated")
    };
    let second = rotate(DAY).await;
    assert_eq!(
        (&second.client_id, &second.scopes),
        (&first.client_id, &first.scopes)
    );
    assert_ne!(second.client_secret, first.client_secret);
    let statuses = async |clients: &[&NewClient]| {
        let mut statuses = Vec::new();
        for client in clients {
            statuses.push(ask(&service, client).await.status);
        }
        statuses
    };
    assert_eq!(statuses(&[&first, &second]).await, [200, 200]);
    service.clock.advance(86_399);
    assert_eq!(statuses(&[&first, &second]).await, [200, 200]);
    service.clock.advance(1);
    assert_eq!(statuses(&[&first, &second]).await, [401, 200]);
    // Of three, only the last two are valid.
    let third = rotate(DAY).await;
    let fourth = rotate(DAY).await;
    let all = [&first, &second, &third, &fourth];
    assert_eq!(statuses(&all).await, [401, 401, 200, 200]);
    // Without an overlap, none but the new one.
    let fifth = rotate(Duration::ZERO).await;
    assert_eq!(statuses(&[&third, &fourth, &fifth]).await, [401, 401, 200]);
    // Tokens belong to the client, not to a secret.
    let token = token(&service, &fifth).await;
    rotate(Duration::ZERO).await;
    assert_eq!(service.get_as(Some(&token), "/v2/areas").await.status, 200);
}

/// Another process over the database makes the changes.
#[tokio::test]
async fn changes_by_another_process_are_read_within_the_poll() {
    let service =
        Service::start_with(|config| config.limits.auth_poll = Duration::from_millis(20)).await;
    let client = client(&service).await;
    let token = token(&service, &client).await;
    assert_eq!(service.get_as(Some(&token), "/v2/areas").await.status, 200);
    let mut changes = ClientChanges {
        scopes: scopes(&["Boards.Read"]),
        rate: Some(Some("100/60".parse().expect("a rate"))),
        ..ClientChanges::default()
    };
    let set = admin::set_client(service.db(), &client.client_id, &changes);
    set.await.expect("set");
    let read = async { while service.get_as(Some(&token), "/v2/areas").await.status != 403 {} };
    tokio::time::timeout(Duration::from_secs(10), read)
        .await
        .expect("read within the poll");
    let listed = admin::list_clients(service.db()).await.expect("listed");
    let listed = listed
        .iter()
        .find(|listed| listed.client_id == client.client_id);
    assert_eq!(
        listed.and_then(|listed| listed.rate),
        changes.rate.flatten()
    );

    // Nothing is changed by what cannot be.
    changes.scopes = scopes(&["Data.Read", "Data.Write"]);
    let error = async |id: &str, changes: &ClientChanges| {
        let set = admin::set_client(service.db(), id, changes).await;
        set.expect_err("refused").to_string()
    };
    assert!(
        error(&client.client_id, &changes)
            .await
            .starts_with("found the scope `Data.Write`")
    );
    changes.scopes = None;
    assert_eq!(
        error("nobody", &changes).await,
        "there is no client `nobody`"
    );
    service
        .running
        .revoke_client(&client.client_id)
        .await
        .expect("revoked");
    let revoked = format!("the client `{}` is revoked", client.client_id);
    assert_eq!(error(&client.client_id, &changes).await, revoked);
    let rotated = admin::rotate_secret(service.db(), &client.client_id, DAY).await;
    assert_eq!(rotated.expect_err("refused").to_string(), revoked);
}

/// The audit log names each change of a client, of a secret and of a key, without the secret or its hash.
#[tokio::test]
async fn every_change_is_in_the_audit_log() {
    let service = Service::start().await;
    let client = client(&service).await;
    let before = entries(service.store(), Filter::default()).await.len();
    for _ in 0..2 {
        // The second time nothing changes.
        set(&service, &client, |changes| {
            changes.scopes = scopes(&["Boards.Read"]);
            changes.rate = Some("100/60".parse().ok());
        })
        .await;
    }
    let rotated = service
        .running
        .rotate_secret(&client.client_id, DAY)
        .await
        .expect("rotated");
    let kid = admin::list_keys(service.db()).await.expect("listed")[0]
        .kid
        .clone();
    let created = service
        .running
        .retire_key(&kid)
        .await
        .expect("retired")
        .expect("a new key");
    let entries = entries(service.store(), Filter::default()).await;
    let logged: Vec<_> = entries[before..]
        .iter()
        .map(|entry| {
            (
                entry.operation.as_str(),
                entry.record.as_deref(),
                change(entry),
            )
        })
        .collect();
    let path = format!("clients/{}", client.client_id);
    let keys = [format!("keys/{kid}"), format!("keys/{created}")];
    let expected = [
        (
            "setClient",
            Some(path.as_str()),
            json!({
                "before": {"scopes": "Boards.Read Data.Read", "rateRequests": null, "rateSeconds": null},
                "after": {"scopes": "Boards.Read", "rateRequests": "100", "rateSeconds": "60"},
            }),
        ),
        (
            "rotateSecret",
            Some(&path),
            json!({
                "before": {"secret": "previous"},
                "after": {"secret": "new", "previousSecretExpiresAt": "2025-06-03T08:00:00Z"},
            }),
        ),
        (
            "retireKey",
            Some(&keys[0]),
            json!({"after": {"retired": true}}),
        ),
        (
            "createKey",
            Some(&keys[1]),
            json!({"after": {"created": true}}),
        ),
    ];
    assert_eq!(logged, expected);
    let text = sql_dump(&service).await;
    for secret in [&client.client_secret, &rotated.client_secret, "hmac"] {
        assert!(!text.contains(secret), "{text}");
    }
}

/// The audit log as text.
async fn sql_dump(service: &Service) -> String {
    let text = service
        .store()
        .read(|session| sql::dump(session, "audit_entries"));
    text.await.expect("the table")
}

/// A client that another process created since the last poll is read before its first token is accepted.
#[tokio::test]
async fn the_settings_of_a_new_client_apply_in_every_process_at_once() {
    let issuer = |config: &mut obeya_server::Config| {
        config.auth_url = Some("https://login.plant.example".to_owned());
    };
    let first = Service::start_with(issuer).await;
    let second = Service::start_on(first.database.clone(), issuer).await;
    let client = client(&first).await;
    let token = token(&first, &client).await;
    set(&first, &client, |changes| {
        changes.networks = Some(vec!["10.0.0.0/8".parse().expect("a network")]);
    })
    .await;
    for service in [&first, &second] {
        let answer = service.get_as(Some(&token), "/v2/areas").await;
        answer.is_problem(403, "address.refused");
    }
}
