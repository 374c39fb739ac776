//! `POST /connect/token` and the documents of the issuer.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use obeya_server::admin;
use obeya_server::store::StoreError;
use ring::signature::{ECDSA_P384_SHA384_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};

use crate::support::{Answer, Database, START, Service};

const FAMILIES: [&str; 2] = ["Data.Read", "Data.ReadWrite"];

/// The form with some fields replaced; an empty value leaves the field out.
pub fn form<'a>(
    id: &'a str,
    secret: &'a str,
    changes: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    let mut fields = vec![
        ("grant_type", "client_credentials"),
        ("client_id", id),
        ("client_secret", secret),
    ];
    for (name, value) in changes {
        fields.retain(|(field, _)| field != name);
        if !value.is_empty() {
            fields.push((name, value));
        }
    }
    fields
}

/// Asserts an error of RFC 6749, 5.2.
#[track_caller]
pub fn is_error(answer: &Answer, status: u16, error: &str) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.json()["error"], error, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(!answer.header("www-authenticate").is_empty(), status == 401);
}

#[tokio::test]
async fn a_token_is_given_for_a_form() {
    let service = Service::start().await;
    let client = service
        .running
        .add_client("erp", &FAMILIES)
        .await
        .expect("a client");
    let answer = service
        .ask_token(&form(&client.client_id, &client.client_secret, &[]))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), "no-store");
    let body = answer.json();
    assert_eq!(body["expires_in"], 86_400);
    assert_eq!(body["token_type"], "Bearer");
    assert_eq!(body["scope"], "Data.Read Data.ReadWrite");
    assert_eq!(body.as_object().map(serde_json::Map::len), Some(4));
    let token = body["access_token"].as_str().expect("a token");
    assert_ne!(service.get_as(Some(token), "/v2/areas/1").await.status, 401);
}

#[tokio::test]
async fn a_token_is_given_for_http_basic() {
    let service = Service::start().await;
    let client = service
        .running
        .add_client("erp", &FAMILIES)
        .await
        .expect("a client");
    let request = service
        .http
        .post(service.url("/connect/token"))
        .form(&[("grant_type", "client_credentials")]);
    let answer =
        Answer::of(request.basic_auth(&client.client_id, Some(&client.client_secret))).await;
    assert_eq!(answer.status, 200, "{}", answer.text());

    let request = service
        .http
        .post(service.url("/connect/token"))
        .form(&[("grant_type", "client_credentials")]);
    is_error(
        &Answer::of(request.basic_auth(&client.client_id, Some("wrong"))).await,
        401,
        "invalid_client",
    );

    let both = form(&client.client_id, &client.client_secret, &[]);
    let request = service.http.post(service.url("/connect/token")).form(&both);
    let answer =
        Answer::of(request.basic_auth(&client.client_id, Some(&client.client_secret))).await;
    is_error(&answer, 400, "invalid_request");

    let request = service
        .http
        .post(service.url("/connect/token"))
        .form(&[("grant_type", "client_credentials")]);
    is_error(
        &Answer::of(request.bearer_auth("x")).await,
        401,
        "invalid_client",
    );
}

#[tokio::test]
async fn nothing_distinguishes_an_unknown_client_a_wrong_secret_and_a_revoked_client() {
    let service = Service::start().await;
    let client = service
        .running
        .add_client("erp", &FAMILIES)
        .await
        .expect("a client");
    let revoked = service
        .running
        .add_client("old", &FAMILIES)
        .await
        .expect("a client");
    service
        .running
        .revoke_client(&revoked.client_id)
        .await
        .expect("revoked");
    let attempts = [
        (client.client_id.as_str(), "wrong"),
        ("nobody", client.client_secret.as_str()),
        ("nobody\0", "wrong"),
        (&revoked.client_id, &revoked.client_secret),
        // Longer than any secret of ours, and starting with the right one.
        (
            &client.client_id,
            &format!("{}{}", client.client_secret, "x".repeat(10_000)),
        ),
    ];
    let mut bodies = Vec::new();
    for (id, secret) in attempts {
        let before = hashes(&service).await;
        let answer = service.ask_token(&form(id, secret, &[])).await;
        is_error(&answer, 401, "invalid_client");
        // The same time, because the same work: two hashes, as a client may have two secrets.
        assert_eq!(hashes(&service).await, [before[0] + 2, before[1]]);
        bodies.push(answer.text());
    }
    // While a secret has a hash of an earlier version, every refusal also costs one of that kind.
    let legacy = legacy_client(&service).await;
    for (id, secret) in attempts.into_iter().chain([(legacy.as_str(), "wrong")]) {
        let before = hashes(&service).await;
        let answer = service.ask_token(&form(id, secret, &[])).await;
        is_error(&answer, 401, "invalid_client");
        assert_eq!(hashes(&service).await, [before[0] + 2, before[1] + 1]);
        bodies.push(answer.text());
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
}

/// How many HMACs and argon2id hashes of secrets were computed.
pub async fn hashes(service: &Service) -> [u64; 2] {
    let computed = async |algorithm: &str| {
        let series = format!("obeya_secret_hashes_total{{algorithm=\"{algorithm}\"}}");
        service.figure(&series).await
    };
    [computed("hmac-sha256").await, computed("argon2id").await]
}

/// The secret of [`legacy_client`].
const LEGACY_SECRET: &str = "mEacMCwuJbdI5ZSc9nJ-423Ju5R61lO8qPR7fZ7ipKQ";

/// A client as an earlier version of the program stored it; returns its id.
async fn legacy_client(service: &Service) -> String {
    let id = "c-6Adbz3UWGKYrkBMA";
    let stored = service.store().write(move |session| {
        session.execute(
            "INSERT INTO clients (id, name, secret_hash, scopes, created_at) VALUES (?1, 'legacy', \
             '$argon2id$v=19$m=19456,t=2,p=1$UMoNNg4jby/Dh/AOnC1Aow$4vdpZPBtw4g5JB6zyC0YXpoMoKBJno+9Qo3aB4/0T3E', \
             'Data.Read', 17488512000000000)",
            &[id.into()],
        )
    });
    let stored: Result<u64, StoreError> = stored.await;
    assert_eq!(stored.expect("stored"), 1);
    // Reads the clients again.
    service.running.rotate_keys().await.expect("rotated");
    id.to_owned()
}

/// The hash of an earlier version is replaced at the first correct secret, and costs nothing from then on.
#[tokio::test]
async fn a_hash_of_an_earlier_version_is_replaced_when_its_secret_is_used() {
    let service = Service::start().await;
    let id = legacy_client(&service).await;
    let asked = form(&id, LEGACY_SECRET, &[]);
    let before = hashes(&service).await;
    assert_eq!(service.ask_token(&asked).await.status, 200);
    assert_eq!(hashes(&service).await, [before[0] + 2, before[1] + 1]);
    let stored = async || {
        let read = service.store().read(|session| {
            session.first(
                "SELECT secret_hash FROM clients WHERE name = 'legacy'",
                &[],
                |row| row.string(0),
            )
        });
        let read: Result<_, StoreError> = read.await;
        read.expect("read").flatten().expect("a hash")
    };
    // The token does not wait for the write.
    let replaced = async { while stored().await.starts_with("$argon2id$") {} };
    tokio::time::timeout(Duration::from_secs(10), replaced)
        .await
        .expect("replaced");
    assert!(
        stored().await.starts_with("$hmac-sha256$"),
        "{}",
        stored().await
    );
    service
        .running
        .rotate_keys()
        .await
        .expect("the clients were read again");
    let before = hashes(&service).await;
    assert_eq!(service.ask_token(&asked).await.status, 200);
    is_error(
        &service.ask_token(&form(&id, "wrong", &[])).await,
        401,
        "invalid_client",
    );
    assert_eq!(hashes(&service).await, [before[0] + 4, before[1]]);
}

#[tokio::test]
async fn a_request_that_is_not_complete_or_not_known_is_refused() {
    let service = Service::start().await;
    let client = service
        .running
        .add_client("erp", &FAMILIES)
        .await
        .expect("a client");
    let (id, secret) = (client.client_id.as_str(), client.client_secret.as_str());
    for (changes, status, error) in [
        (
            vec![("grant_type", "password")],
            400,
            "unsupported_grant_type",
        ),
        (vec![("grant_type", "")], 400, "invalid_request"),
        (vec![("client_id", "")], 401, "invalid_client"),
        (vec![("client_secret", "")], 401, "invalid_client"),
        (vec![("scope", "Incidents.Read")], 400, "invalid_scope"),
        (
            vec![("scope", "Data.Read Incidents.Read")],
            400,
            "invalid_scope",
        ),
        (vec![("scope", "data.read")], 400, "invalid_scope"),
    ] {
        is_error(
            &service.ask_token(&form(id, secret, &changes)).await,
            status,
            error,
        );
    }
    let mut twice = form(id, secret, &[]);
    twice.push(("client_id", id));
    is_error(&service.ask_token(&twice).await, 400, "invalid_request");

    let url = service.url("/connect/token");
    let as_json = service.http.post(&url).json(
        &json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret}),
    );
    is_error(&Answer::of(as_json).await, 400, "invalid_request");
    let not_utf8 = service
        .http
        .post(&url)
        .header("content-type", "application/x-www-form-urlencoded")
        .body("client_id=%ff");
    is_error(&Answer::of(not_utf8).await, 400, "invalid_request");
    let large = service
        .http
        .post(&url)
        .form(&[("client_id", "x".repeat(20_000))]);
    let large = Answer::of(large).await;
    is_error(&large, 413, "invalid_request");
    assert_eq!(large.header("connection"), "close");

    let get = Answer::of(service.http.get(&url)).await;
    get.is_problem(405, "method.not_allowed");
    assert_eq!(get.header("allow"), "POST");
}

#[tokio::test]
async fn scope_narrows() {
    let service = Service::start().await;
    let client = service
        .running
        .add_client("erp", &["Data.Read", "Boards.Read"])
        .await
        .expect("a client");
    let asked = form(
        &client.client_id,
        &client.client_secret,
        &[("scope", "Boards.Read")],
    );
    let body = service.ask_token(&asked).await.json();
    assert_eq!(body["scope"], "Boards.Read");
    let token = body["access_token"].as_str().expect("a token");
    assert_ne!(
        service.get_as(Some(token), "/v2/boards/1").await.status,
        403
    );
    service
        .get_as(Some(token), "/v2/areas/1")
        .await
        .is_problem(403, "scope.missing");
}

#[tokio::test]
async fn a_token_says_what_the_standards_ask_for_and_its_key_is_published() {
    let service =
        Service::start_with(|config| config.token_lifetime = Duration::from_secs(600)).await;
    let base = service.running.base_url().to_owned();
    let discovery = service
        .get_as(None, "/.well-known/openid-configuration")
        .await
        .json();
    assert_eq!(discovery["issuer"], base);
    assert_eq!(discovery["token_endpoint"], format!("{base}/connect/token"));
    assert_eq!(
        discovery["jwks_uri"],
        format!("{base}/.well-known/jwks.json")
    );
    for promise in [
        "idempotency_key_supported",
        "incident_stamps_cover_comments",
    ] {
        assert_eq!(discovery[promise], true, "{promise}");
    }

    let keys = service.get_as(None, "/.well-known/jwks.json").await;
    let token: Vec<&str> = service.token().split('.').collect();
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64url");
    let json = |text| serde_json::from_slice::<Value>(&decode(text)).expect("JSON");
    let header = json(token[0]);
    assert_eq!(
        (&header["alg"], &header["typ"]),
        (&json!("ES384"), &json!("at+jwt"))
    );
    let keys = keys.json();
    let keys = keys["keys"].as_array().expect("a key set");
    let jwk = keys.iter().find(|jwk| jwk["kid"] == header["kid"]);
    let jwk = jwk.expect("the key of the token");
    assert_eq!((&jwk["kty"], &jwk["crv"]), (&json!("EC"), &json!("P-384")));
    // As another implementation checks it: an uncompressed point (SEC 1, 2.3.3), and both halves of the
    // signature.
    let coordinate = |name: &str| decode(jwk[name].as_str().expect("a coordinate"));
    let point = [&[4], &coordinate("x")[..], &coordinate("y")].concat();
    let message = format!("{}.{}", token[0], token[1]);
    UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, point)
        .verify(message.as_bytes(), &decode(token[2]))
        .expect("verified");
    let claims = json(token[1]);
    assert_eq!(claims["iss"], base);
    assert_eq!(claims["aud"], "obeya");
    assert_eq!(claims["iat"], START);
    assert_eq!(claims["nbf"], START);
    assert_eq!(claims["exp"], START + 600);
    assert_eq!(claims["sub"], claims["client_id"]);
    assert_eq!(claims["scope"], "public.api.read public.api.write");
}

#[tokio::test]
async fn the_issuer_may_have_another_address() {
    let service =
        Service::start_with(|config| config.auth_url = Some("https://login.plant.example/".into()))
            .await;
    let discovery = service
        .get_as(None, "/.well-known/openid-configuration")
        .await
        .json();
    assert_eq!(discovery["issuer"], "https://login.plant.example");
    assert_eq!(
        discovery["token_endpoint"],
        "https://login.plant.example/connect/token"
    );
    assert_ne!(service.get("/v2/areas/1").await.status, 401);
}

#[tokio::test]
async fn clients_are_made_listed_and_revoked_over_a_database() {
    let database = Database::new();
    let db = database.url();
    let made = admin::add_client(db, "erp", &FAMILIES).await.expect("made");
    assert_eq!(made.scopes, FAMILIES);
    let listed = admin::list_clients(db).await.expect("listed");
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0].client_id.as_str(), listed[0].name.as_str()),
        (made.client_id.as_str(), "erp")
    );
    assert_eq!(listed[0].revoked_at, None);
    admin::revoke_client(db, &made.client_id)
        .await
        .expect("revoked");
    admin::revoke_client(db, &made.client_id)
        .await
        .expect("revoking twice is no error");
    assert!(
        admin::list_clients(db).await.expect("listed")[0]
            .revoked_at
            .is_some()
    );

    let error = |result: Result<_, admin::AdminError>| {
        result
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    assert_eq!(
        error(admin::revoke_client(db, "nobody").await),
        "there is no client `nobody`"
    );
    let add = admin::add_client(db, "erp", &["Data.Write"])
        .await
        .map(drop);
    assert!(
        error(add).starts_with("found the scope `Data.Write`, expected one of public.api.read, ")
    );
    assert!(
        error(admin::add_client::<&str>(db, "erp", &[]).await.map(drop))
            .starts_with("a client needs at least one scope")
    );
    assert!(
        error(admin::add_client(db, "", &FAMILIES).await.map(drop))
            .starts_with("found the client name ``")
    );
    assert_eq!(admin::list_clients(db).await.expect("listed").len(), 1);
}
