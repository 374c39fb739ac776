//! Authentication and authorisation: every token that must be refused, and every scope.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use obeya_server::admin;
use obeya_server::store::StoreError;
use reqwest::Method;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
};
use serde_json::{Value, json};

use crate::support::{Answer, START, Service};

const PATH: &str = "/v2/areas/1";
const DAY: i64 = 86_400;

/// The header and claims of a token of the service.
pub fn parts(token: &str) -> (Value, Value) {
    let mut parts = token.split('.').map(|part| {
        let part = URL_SAFE_NO_PAD.decode(part).expect("base64url");
        serde_json::from_slice(&part).expect("JSON")
    });
    (
        parts.next().expect("a header"),
        parts.next().expect("claims"),
    )
}

/// A token with the signature that is made of the rest.
pub fn token(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let part = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
    let message = format!("{}.{}", part(header), part(claims));
    let signature = URL_SAFE_NO_PAD.encode(sign(message.as_bytes()));
    format!("{message}.{signature}")
}

/// Signs with another implementation than the service does.
pub fn signed(header: &Value, claims: &Value, key: &EcdsaKeyPair) -> String {
    token(header, claims, |message| {
        let signature = key.sign(&SystemRandom::new(), message).expect("signed");
        signature.as_ref().to_vec()
    })
}

/// The signing key of the service, as an owner of the database could use it.
pub async fn signing_key(service: &Service) -> EcdsaKeyPair {
    let text = service
        .store()
        .read(|session| {
            session.first("SELECT private_key FROM signing_keys", &[], |row| {
                Ok(row.text(0)?.unwrap_or("").to_owned())
            })
        })
        .await
        .map_err(|error: StoreError| error)
        .expect("read")
        .expect("a key");
    let der = STANDARD.decode(text).expect("base64");
    let random = SystemRandom::new();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &der, &random).expect("a key")
}

#[track_caller]
pub fn is_challenged(answer: &Answer, code: &str) {
    answer.is_problem(401, code);
    let challenge = answer.header("www-authenticate");
    assert!(
        challenge.starts_with("Bearer realm=\"obeya\", error=\"invalid_token\""),
        "{challenge}"
    );
}

#[tokio::test]
async fn without_a_bearer_token_there_is_a_plain_challenge() {
    let service = Service::start().await;
    let none = service.get_as(None, PATH).await;
    none.is_problem(401, "token.missing");
    assert_eq!(none.header("www-authenticate"), "Bearer realm=\"obeya\"");
    let basic = Answer::of(
        service
            .http
            .get(service.url(PATH))
            .basic_auth("a", Some("b")),
    )
    .await;
    basic.is_problem(401, "token.missing");
    assert_eq!(basic.header("www-authenticate"), "Bearer realm=\"obeya\"");
}

#[tokio::test]
async fn a_token_that_is_none_is_refused() {
    let service = Service::start().await;
    let token = service.token().to_owned();
    let (head, tail) = token.rsplit_once('.').expect("a signature");
    let long = "x".repeat(5000);
    let broken = [
        "x",
        "a.b.c",
        "..",
        &format!("{head}.AAAA"),
        &format!("{head}."),
        head,
        &format!("{token}.{tail}"),
        &format!("{token}x"),
        &long,
    ]
    .map(str::to_owned);
    for text in &broken {
        is_challenged(&service.get_as(Some(text), PATH).await, "token.invalid");
    }
    let empty = Answer::of(
        service
            .http
            .get(service.url(PATH))
            .header("authorization", "Bearer"),
    )
    .await;
    is_challenged(&empty, "token.invalid");
    let twice = service
        .http
        .get(service.url(PATH))
        .header("authorization", "Bearer a")
        .header("authorization", "Bearer b");
    is_challenged(&Answer::of(twice).await, "token.invalid");
    // The scheme is case-insensitive (RFC 9110, 11.1).
    let lower = service
        .http
        .get(service.url(PATH))
        .header("authorization", format!("bearer {token}"));
    assert_ne!(Answer::of(lower).await.status, 401);
}

#[tokio::test]
async fn a_token_signed_otherwise_is_refused() {
    let service = Service::start().await;
    let (header, claims) = parts(service.token());
    let named = |alg: &str| json!({"alg": alg, "typ": "at+jwt", "kid": header["kid"]});
    for alg in ["none", "None", "NONE", "ES384"] {
        let unsigned = token(&named(alg), &claims, |_| Vec::new());
        is_challenged(
            &service.get_as(Some(&unsigned), PATH).await,
            "token.invalid",
        );
    }
    // The published key must not serve as the secret of a symmetric algorithm.
    let keys = service.get_as(None, "/.well-known/jwks.json").await.body;
    let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA384, &keys);
    for alg in ["HS384", "ES384"] {
        let forged = token(&named(alg), &claims, |message| {
            ring::hmac::sign(&secret, message).as_ref().to_vec()
        });
        is_challenged(&service.get_as(Some(&forged), PATH).await, "token.invalid");
    }

    // A key of the right kind that is not ours, under our key's name and under its own.
    let stranger = Service::start().await;
    let key = signing_key(&stranger).await;
    let under_ours = signed(&header, &claims, &key);
    is_challenged(
        &service.get_as(Some(&under_ours), PATH).await,
        "token.invalid",
    );
    is_challenged(
        &service.get_as(Some(stranger.token()), PATH).await,
        "token.invalid",
    );

    // A key of another curve.
    let random = SystemRandom::new();
    let curve = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let shorter = EcdsaKeyPair::generate_pkcs8(curve, &random).expect("a key");
    let shorter = EcdsaKeyPair::from_pkcs8(curve, shorter.as_ref(), &random).expect("a key");
    for alg in ["ES256", "ES384"] {
        let forged = signed(&named(alg), &claims, &shorter);
        is_challenged(&service.get_as(Some(&forged), PATH).await, "token.invalid");
    }

    // Our own token with part of its signature.
    let cut = &service.token()[..service.token().len() - 4];
    is_challenged(&service.get_as(Some(cut), PATH).await, "token.invalid");

    // With our own key everything is in order, which shows that the cases above fail for the right reason.
    let resigned = signed(&header, &claims, &signing_key(&service).await);
    assert_ne!(service.get_as(Some(&resigned), PATH).await.status, 401);
}

#[tokio::test]
async fn a_token_with_other_claims_is_refused() {
    let service = Service::start().await;
    let (header, claims) = parts(service.token());
    let key = signing_key(&service).await;
    let with = |name: &str, value: Value| {
        let mut claims = claims.clone();
        claims[name] = value;
        signed(&header, &claims, &key)
    };
    for (name, value, code) in [
        ("iss", json!("https://elsewhere.example"), "token.invalid"),
        ("aud", json!("another"), "token.invalid"),
        ("sub", Value::Null, "token.invalid"),
        ("nbf", json!(START + 60), "token.invalid"),
        ("exp", json!(START - 60), "token.expired"),
        ("exp", json!("tomorrow"), "token.invalid"),
    ] {
        is_challenged(&service.get_as(Some(&with(name, value)), PATH).await, code);
    }
}

#[tokio::test]
async fn a_token_expires_remembered_or_not() {
    let service = Service::start().await;
    let remembered = service.token().to_owned();
    let fresh = service.token_for(&["Data.Read"]).await;
    service.clock.advance(DAY - 1);
    assert_ne!(service.get_as(Some(&remembered), PATH).await.status, 401);
    service.clock.advance(60);
    is_challenged(
        &service.get_as(Some(&remembered), PATH).await,
        "token.expired",
    );
    is_challenged(&service.get_as(Some(&fresh), PATH).await, "token.expired");
}

/// To the second, with the leeway of DECISIONS.md, section 7: 5 seconds after `exp`, which is a day after the
/// token was made.
#[tokio::test]
async fn a_token_is_good_until_five_seconds_after_its_end() {
    let service = Service::start().await;
    let remembered = service.token().to_owned();
    assert_ne!(service.get_as(Some(&remembered), PATH).await.status, 401);
    let mut fresh = Vec::new();
    for _ in 0..2 {
        fresh.push(service.token_for(&["Data.Read"]).await);
    }
    assert_eq!(service.figure("obeya_tokens_remembered").await, 1);
    service.clock.advance(DAY + 4);
    for token in [&remembered, &fresh[0]] {
        assert_ne!(service.get_as(Some(token), PATH).await.status, 401);
    }
    assert_eq!(service.figure("obeya_tokens_remembered").await, 2);
    service.clock.advance(1);
    for token in [&remembered, &fresh[0], &fresh[1]] {
        is_challenged(&service.get_as(Some(token), PATH).await, "token.expired");
    }
    // An expired token does not displace valid ones from the cache.
    assert_eq!(service.figure("obeya_tokens_remembered").await, 2);
}

/// Where the memory is full, tokens that have expired go before others do.
#[tokio::test]
async fn tokens_that_have_expired_make_room_for_others() {
    let service = Service::start_with(|config| config.limits.remembered_tokens = 2).await;
    let other = service.token_for(&["Data.Read"]).await;
    for token in [service.token(), &other] {
        assert_ne!(service.get_as(Some(token), PATH).await.status, 401);
    }
    assert_eq!(service.figure("obeya_tokens_remembered").await, 2);
    service.clock.advance(DAY);
    let new = service.token_for(&["Data.Read"]).await;
    assert_ne!(service.get_as(Some(&new), PATH).await.status, 401);
    assert_eq!(service.figure("obeya_tokens_remembered").await, 1);
}

/// No token is accepted once the list of revoked clients is a minute old: DECISIONS.md, section 5.
#[tokio::test]
async fn no_token_is_accepted_while_nobody_knows_who_is_revoked() {
    let service =
        Service::start_with(|config| config.limits.auth_poll = Duration::from_millis(10)).await;
    let rename = async |from: &str, to: &str| {
        let sql = format!("ALTER TABLE {from} RENAME TO {to}");
        let renamed = service
            .store()
            .write(move |session| session.execute(&sql, &[]).map(drop));
        let renamed: Result<(), StoreError> = renamed.await;
        renamed.expect("renamed");
    };
    rename("clients", "mislaid").await;
    service.clock.elapse(60);
    assert_eq!(service.get("/v2/areas").await.status, 200);
    service.clock.elapse(1);
    for path in ["/v2/areas", "/v2/areas/1", "/readyz"] {
        let answer = service.get(path).await;
        answer.is_problem(503, "unavailable");
        assert_eq!(answer.header("retry-after"), "1");
    }
    // Requests that would be refused anyway still get their reason.
    is_challenged(&service.get_as(Some("a.b.c"), PATH).await, "token.invalid");
    rename("mislaid", "clients").await;
    let known = async { while service.get("/v2/areas").await.status != 200 {} };
    tokio::time::timeout(Duration::from_secs(10), known)
        .await
        .expect("let in again");
    assert_eq!(service.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn a_revoked_client_is_out_at_once() {
    let service = Service::start().await;
    let client = service
        .running
        .add_client("erp", &["Data.Read"])
        .await
        .expect("a client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", client.client_id.as_str()),
        ("client_secret", client.client_secret.as_str()),
    ];
    let token = |answer: Answer| {
        answer.json()["access_token"]
            .as_str()
            .expect("a token")
            .to_owned()
    };
    let used = token(service.ask_token(&form).await);
    let unused = token(service.ask_token(&form).await);
    assert_ne!(service.get_as(Some(&used), PATH).await.status, 401);
    service
        .running
        .revoke_client(&client.client_id)
        .await
        .expect("revoked");
    is_challenged(&service.get_as(Some(&used), PATH).await, "token.revoked");
    is_challenged(&service.get_as(Some(&unused), PATH).await, "token.revoked");
    // Others are not touched.
    assert_ne!(service.get(PATH).await.status, 401);
}

#[tokio::test]
async fn a_client_revoked_by_another_process_is_out_soon() {
    let service =
        Service::start_with(|config| config.limits.auth_poll = Duration::from_millis(20)).await;
    let client = service
        .running
        .add_client("erp", &["Data.Read"])
        .await
        .expect("a client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", client.client_id.as_str()),
        ("client_secret", client.client_secret.as_str()),
    ];
    let token = service.ask_token(&form).await.json()["access_token"]
        .as_str()
        .expect("a token")
        .to_owned();
    assert_ne!(service.get_as(Some(&token), PATH).await.status, 401);
    admin::revoke_client(service.db(), &client.client_id)
        .await
        .expect("revoked");
    let out = async { while service.get_as(Some(&token), PATH).await.status != 401 {} };
    tokio::time::timeout(Duration::from_secs(10), out)
        .await
        .expect("out within the poll");
    is_challenged(&service.get_as(Some(&token), PATH).await, "token.revoked");
}

/// An unreadable key row blocks neither revocations nor new keys.
#[tokio::test]
async fn a_broken_key_stops_neither_revocations_nor_new_keys() {
    let service = Service::start().await;
    let client = service
        .running
        .add_client("erp", &["Data.Read"])
        .await
        .expect("a client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", client.client_id.as_str()),
        ("client_secret", client.client_secret.as_str()),
    ];
    let answer = service.ask_token(&form).await.json();
    let token = answer["access_token"].as_str().expect("a token");
    let written = service.store().write(|session| {
        session.execute(
            "INSERT INTO signing_keys (kid, private_key, created_at) VALUES ('broken', 'bm8ga2V5', 0)",
            &[],
        )
    });
    let written: Result<_, StoreError> = written.await;
    assert_eq!(written.expect("written"), 1);
    service
        .running
        .revoke_client(&client.client_id)
        .await
        .expect("revoked");
    is_challenged(&service.get_as(Some(token), PATH).await, "token.revoked");
    service.running.rotate_keys().await.expect("rotated");
    let keys = service.get_as(None, "/.well-known/jwks.json").await.json();
    assert_eq!(keys["keys"].as_array().map(Vec::len), Some(2));
    // Others are not touched.
    assert_ne!(service.get(PATH).await.status, 401);
}

#[tokio::test]
async fn keys_rotate_without_anybody_noticing() {
    let service = Service::start().await;
    let old = service.token().to_owned();
    let kid = |token: &str| parts(token).0["kid"].clone();
    let published = async || {
        service.get_as(None, "/.well-known/jwks.json").await.json()["keys"]
            .as_array()
            .map(Vec::len)
    };
    service.running.rotate_keys().await.expect("rotated");
    assert_eq!(published().await, Some(2));
    assert_eq!(
        kid(&service.token_for(&["Data.Read"]).await),
        kid(&old),
        "published before it signs"
    );
    service.clock.advance(61);
    let new = service.token_for(&["Data.Read"]).await;
    assert_ne!(kid(&new), kid(&old));
    for token in [&old, &new] {
        assert_ne!(service.get_as(Some(token), PATH).await.status, 401);
    }
    // Once no token of the old key can be alive, it is gone; the new one stays.
    service.clock.advance(DAY + 300);
    assert_eq!(published().await, Some(1));
    assert_eq!(kid(&service.token_for(&["Data.Read"]).await), kid(&new));
}

/// Two services over one database, as replicas are, take each other's tokens; another issuer's are refused.
#[tokio::test]
async fn replicas_share_tokens() {
    let issuer = |config: &mut obeya_server::Config| {
        config.auth_url = Some("https://login.plant.example".to_owned());
    };
    let first = Service::start_with(issuer).await;
    let second = Service::start_on(first.database.clone(), issuer).await;
    assert_ne!(second.get_as(Some(first.token()), PATH).await.status, 401);
    let third = Service::start_on(first.database.clone(), |_| {}).await;
    is_challenged(
        &third.get_as(Some(first.token()), PATH).await,
        "token.invalid",
    );
}

/// A token is verified once; after that the digest is enough.
#[tokio::test]
async fn verified_tokens_are_remembered_up_to_a_bound() {
    let service = Service::start_with(|config| config.limits.remembered_tokens = 2).await;
    let mut tokens = vec![service.token().to_owned()];
    for _ in 0..3 {
        tokens.push(service.token_for(&["Data.Read"]).await);
    }
    for token in tokens.iter().chain(&tokens) {
        assert_ne!(service.get_as(Some(token), PATH).await.status, 401);
    }
    assert_eq!(service.figure("obeya_tokens_remembered").await, 2);
}

/// Every operation but `ping`, and the family of scopes that DECISIONS.md, section 5, puts it in.
const OPERATIONS: &[(Method, &str, &str)] = &[
    (Method::GET, "/v2/areas/1", "Data"),
    (Method::GET, "/v2/areas", "Data"),
    (Method::GET, "/v2/boards/1", "Boards"),
    (Method::GET, "/v2/boards", "Boards"),
    (Method::GET, "/v2/groups/1", "UserManagement"),
    (Method::GET, "/v2/groups", "UserManagement"),
    (Method::GET, "/v2/incidents/comments", "Incidents"),
    (Method::GET, "/v2/incidents/comments/1", "Incidents"),
    (Method::GET, "/v2/incidents/1/comments", "Incidents"),
    (Method::GET, "/v2/incidents/1/comments/1", "Incidents"),
    (Method::GET, "/v2/incidents/1/types", "Incidents"),
    (Method::GET, "/v2/incidents/1/types/1", "Incidents"),
    (Method::GET, "/v2/incidents", "Incidents"),
    (Method::GET, "/v2/incidents/1", "Incidents"),
    (Method::GET, "/v2/incidents/types", "Incidents"),
    (Method::GET, "/v2/incidents/types/1", "Incidents"),
    (Method::GET, "/v1/Incidents", "Incidents"),
    (Method::GET, "/v1/Incidents/1", "Incidents"),
    (Method::GET, "/v1/Incidents/1/comments", "Incidents"),
    (Method::GET, "/v1/Incidents/types", "Incidents"),
    (Method::GET, "/v1/Incidents/types/1", "Incidents"),
    (Method::GET, "/v1/Incidents/trash", "Incidents"),
    (Method::POST, "/v1/Incidents", "Incidents"),
    (Method::PUT, "/v1/Incidents/1", "Incidents"),
    (Method::DELETE, "/v1/Incidents/1", "Incidents"),
    (Method::PUT, "/v1/Incidents/1/consequences", "Incidents"),
    (Method::PUT, "/v1/Incidents/1/causes", "Incidents"),
    (Method::PUT, "/v1/Incidents/1/externalId", "Incidents"),
    (Method::PUT, "/v1/Incidents/1/status", "Incidents"),
    (Method::PUT, "/v1/Incidents/1/severity", "Incidents"),
    (Method::PUT, "/v1/Incidents/1/responsible", "Incidents"),
    (Method::PUT, "/v1/Incidents/1/categories", "Incidents"),
    (Method::PUT, "/v1/Incidents/1/customfields/1", "Incidents"),
    (Method::PUT, "/v1/Incidents/trash/1/restore", "Incidents"),
    (Method::GET, "/v1/Improvements", "Improvements"),
    (Method::GET, "/v1/Improvements/1", "Improvements"),
    (Method::POST, "/v1/Improvements", "Improvements"),
    (Method::PUT, "/v1/Improvements/1", "Improvements"),
    (Method::DELETE, "/v1/Improvements/1", "Improvements"),
    (Method::GET, "/v1/Datasources", "Data"),
    (Method::GET, "/v1/Datasources/1", "Data"),
    (Method::GET, "/v1/Datasources/1/values", "Data"),
    (Method::GET, "/v2/improvements", "Improvements"),
    (Method::GET, "/v2/improvements/1", "Improvements"),
    (Method::GET, "/v2/datasources", "Data"),
    (Method::GET, "/v2/datasources/1", "Data"),
    (Method::GET, "/v2/datasources/1/values", "Data"),
    (Method::POST, "/v1/Datasources/1/values", "Data"),
    (Method::PUT, "/v1/Datasources/1/values/1", "Data"),
    (Method::DELETE, "/v1/Datasources/1/values/1", "Data"),
    (Method::POST, "/v1/Datasources/1/values/batch", "Data"),
    (Method::DELETE, "/v1/Datasources/1/values/batch", "Data"),
    (Method::PUT, "/v1/Datasources/1/values/batchReplace", "Data"),
    (Method::GET, "/v1/Boards", "Boards"),
    (Method::GET, "/v1/Boards/1", "Boards"),
    (Method::GET, "/v1/Groups", "UserManagement"),
    (Method::POST, "/v1/Groups", "UserManagement"),
    (Method::DELETE, "/v1/Groups/1", "UserManagement"),
    (Method::GET, "/v1/Groups/1/members", "UserManagement"),
    (Method::PUT, "/v1/Groups/1/members", "UserManagement"),
    (Method::DELETE, "/v1/Groups/1/members/1", "UserManagement"),
    (Method::GET, "/v1/Datalists", "Data"),
    (Method::GET, "/v1/Datalists/1/items", "Data"),
    (Method::POST, "/v1/Datalists/1/items", "Data"),
    (Method::GET, "/v1/Projects", "Projects"),
    (Method::POST, "/v1/Projects", "Projects"),
    (Method::GET, "/v1/Projects/1", "Projects"),
    (Method::DELETE, "/v1/Projects/1", "Projects"),
    (Method::GET, "/v1/Projects/1/milestones", "Projects"),
    (Method::POST, "/v1/Projects/1/milestones", "Projects"),
    (Method::PUT, "/v1/Projects/1/milestones/1", "Projects"),
    (Method::DELETE, "/v1/Projects/1/milestones/1", "Projects"),
    (Method::GET, "/v1/Boards/1/tasks", "Tasks"),
    (Method::POST, "/v1/Boards/1/tasks", "Tasks"),
    (Method::GET, "/v1/Incidents/1/tasks", "Tasks"),
    (Method::GET, "/v1/Projects/1/tasks", "Tasks"),
    (Method::POST, "/v1/Projects/1/tasks", "Tasks"),
    (Method::POST, "/v1/Tasks", "Tasks"),
    (Method::GET, "/v1/Incidents/1/attachments", "Incidents"),
    (Method::POST, "/v2/incidents/1/attachments", "Incidents"),
    (Method::DELETE, "/v2/incidents/1/attachments/1", "Incidents"),
    (
        Method::GET,
        "/v2/incidents/1/attachments/1/content",
        "Incidents",
    ),
    (Method::POST, "/v2/tasks/1/attachments", "Tasks"),
    (Method::DELETE, "/v2/tasks/1/attachments/1", "Tasks"),
    (Method::GET, "/v2/tasks/1/attachments/1/content", "Tasks"),
    (Method::GET, "/v2/tasks", "Tasks"),
    (Method::GET, "/v1/Users", "UserManagement"),
    (Method::POST, "/v1/Users", "UserManagement"),
    (Method::PUT, "/v1/Users/UpdateByUserName", "UserManagement"),
    (Method::GET, "/v1/Users/u-1", "UserManagement"),
    (Method::PUT, "/v1/Users/u-1", "UserManagement"),
    (Method::DELETE, "/v1/Users/u-1", "UserManagement"),
    (Method::GET, "/v1/Users/u-1/groups", "UserManagement"),
    (Method::GET, "/v1/Users/roles/Lead", "UserManagement"),
    (Method::PUT, "/v1/Users/u-1/roles/Lead", "UserManagement"),
    (Method::DELETE, "/v1/Users/u-1/roles/Lead", "UserManagement"),
    (Method::GET, "/v2/users", "UserManagement"),
    (Method::POST, "/v2/users", "UserManagement"),
    (Method::GET, "/v2/users/u-1", "UserManagement"),
    (Method::PUT, "/v2/users/u-1", "UserManagement"),
    (Method::PATCH, "/v2/users/u-1", "UserManagement"),
    (Method::DELETE, "/v2/users/u-1", "UserManagement"),
    (Method::POST, "/v2/tasks", "Tasks"),
    (Method::GET, "/v2/tasks/1", "Tasks"),
    (Method::PUT, "/v2/tasks/1", "Tasks"),
    (Method::PATCH, "/v2/tasks/1", "Tasks"),
    (Method::DELETE, "/v2/tasks/1", "Tasks"),
    (Method::GET, "/v2/tasks/comments", "Tasks"),
    (Method::POST, "/v2/tasks/comments", "Tasks"),
    (Method::GET, "/v2/tasks/comments/1", "Tasks"),
    (Method::DELETE, "/v2/tasks/comments/1", "Tasks"),
    (Method::GET, "/v2/tasks/1/comments", "Tasks"),
    (Method::GET, "/v2/tasks/1/comments/1", "Tasks"),
    (Method::DELETE, "/v2/tasks/1/comments/1", "Tasks"),
    (Method::GET, "/v1/Tasks/1", "Tasks"),
    (Method::PUT, "/v1/Tasks/1", "Tasks"),
    (Method::DELETE, "/v1/Tasks/1", "Tasks"),
    (Method::POST, "/v1/Tasks/1/SubTasks", "Tasks"),
];

/// The scopes for reading and writing, family by family.
#[tokio::test]
async fn each_operation_asks_for_its_scopes() {
    let service = Service::start().await;
    let mut tokens = Vec::new();
    for scope in admin::SCOPES {
        tokens.push((*scope, service.token_for(&[scope]).await));
    }
    for (method, path, family) in OPERATIONS {
        let is_read = method == Method::GET;
        let mut accepted = vec![format!("{family}.ReadWrite")];
        if is_read {
            accepted.insert(0, format!("{family}.Read"));
        }
        accepted.push(if is_read {
            "public.api.read".to_owned()
        } else {
            "public.api.write".to_owned()
        });
        for (scope, token) in &tokens {
            let request = service
                .http
                .request(method.clone(), service.url(path))
                .bearer_auth(token);
            let answer = Answer::of(request).await;
            if accepted.iter().any(|name| name == scope) {
                assert!(
                    ![401, 403].contains(&answer.status),
                    "{method} {path} with {scope}: {}",
                    answer.text()
                );
            } else {
                answer.is_problem(403, "scope.missing");
                let challenge = answer.header("www-authenticate");
                assert!(
                    challenge.contains("error=\"insufficient_scope\""),
                    "{challenge}"
                );
                let named = challenge
                    .split("scope=\"")
                    .nth(1)
                    .and_then(|rest| rest.strip_suffix('"'))
                    .expect("scopes");
                let mut named: Vec<&str> = named.split(' ').collect();
                named.sort_unstable();
                let mut expected: Vec<&str> = accepted.iter().map(String::as_str).collect();
                expected.sort_unstable();
                assert_eq!(named, expected, "{method} {path}");
            }
        }
    }
}

/// It belongs to no family.
#[tokio::test]
async fn the_time_is_served_to_who_may_read_anything() {
    let service = Service::start().await;
    for scope in admin::SCOPES {
        let token = service.token_for(&[scope]).await;
        let answer = service.get_as(Some(&token), "/v2/ping").await;
        // Nothing is served of these two families, and writing alone reads nothing.
        if scope.starts_with("Projects.")
            || scope.starts_with("Tasks.")
            || *scope == "public.api.write"
        {
            answer.is_problem(403, "scope.missing");
        } else {
            assert_eq!(answer.status, 200, "{scope}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn no_operation_is_left_out_of_the_scopes_that_are_asked_for() {
    let service = Service::start().await;
    let described = service.get_as(None, "/openapi.json").await.json();
    let paths = described["paths"].as_object().expect("paths");
    let operations = paths
        .values()
        .flat_map(|path| path.as_object().expect("a path").values());
    let operations = operations.filter(|operation| operation["operationId"].is_string());
    assert_eq!(operations.count(), OPERATIONS.len() + 1);
}
