//! The keys that sign tokens: retired when they leak, and encrypted in the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use obeya_server::admin::ClientChanges;
use obeya_server::store::StoreError;
use obeya_server::{Clock, Config, KeyEncryptionKey, Server, admin};
use serde_json::Value;

use super::auth::{is_challenged, parts, signed, signing_key};
use crate::support::{Database, START, Service};

const PATH: &str = "/v2/areas";
const DAY: Duration = Duration::from_secs(86_400);

fn issuer(config: &mut Config) {
    config.auth_url = Some("https://login.plant.example".to_owned());
}

fn key(byte: u8) -> KeyEncryptionKey {
    use base64::Engine;
    let text = base64::engine::general_purpose::STANDARD.encode([byte; 32]);
    text.parse().expect("a key")
}

fn kid(token: &str) -> Value {
    parts(token).0["kid"].clone()
}

async fn kids(service: &Service) -> Vec<Value> {
    let keys = service.get_as(None, "/.well-known/jwks.json").await.json();
    let keys = keys["keys"].as_array().expect("keys");
    keys.iter().map(|key| key["kid"].clone()).collect()
}

/// Who has a leaked key signs tokens of any client and scope.
#[tokio::test]
async fn a_retired_key_verifies_nothing_in_any_process() {
    let service = Service::start_with(issuer).await;
    let replica = Service::start_on(service.database.clone(), |config| {
        issuer(config);
        config.limits.auth_poll = Duration::from_millis(20);
    })
    .await;
    let (header, claims) = parts(service.token());
    let key = signing_key(&service).await;
    let forged = |jti: &str| {
        let mut claims = claims.clone();
        claims["jti"] = jti.into();
        signed(&header, &claims, &key)
    };
    let (used, unused) = (forged("used"), forged("unused"));
    for service in [&service, &replica] {
        assert_eq!(service.get_as(Some(&used), PATH).await.status, 200);
    }
    let leaked = header["kid"].as_str().expect("an id");
    let created = service.running.retire_key(leaked).await.expect("retired");
    for token in [&used, &unused] {
        is_challenged(&service.get_as(Some(token), PATH).await, "token.invalid");
    }
    assert_eq!(
        kids(&service).await,
        [created.expect("no other key was left")]
    );
    let read = async { while replica.get_as(Some(&used), PATH).await.status != 401 {} };
    tokio::time::timeout(Duration::from_secs(10), read)
        .await
        .expect("read within the poll");
    is_challenged(&replica.get_as(Some(&unused), PATH).await, "token.invalid");
    // Clients get new tokens, which both accept.
    let new = service.token_for(&["Data.Read"]).await;
    for service in [&service, &replica] {
        assert_eq!(service.get_as(Some(&new), PATH).await.status, 200);
    }
    let again = service
        .running
        .retire_key(leaked)
        .await
        .expect_err("refused");
    assert_eq!(
        again.to_string(),
        format!("there is no signing key `{leaked}`")
    );
}

#[tokio::test]
async fn the_key_that_follows_signs_when_a_key_is_retired() {
    let service = Service::start().await;
    service.running.rotate_keys().await.expect("rotated");
    let old = kid(service.token());
    let next = kids(&service).await.into_iter().find(|kid| *kid != old);
    let next = next.expect("two keys");
    let retired = service
        .running
        .retire_key(old.as_str().expect("an id"))
        .await;
    assert_eq!(
        retired.expect("retired"),
        None,
        "there is a key to sign with"
    );
    assert_eq!(kids(&service).await, std::slice::from_ref(&next));
    assert_eq!(kid(&service.token_for(&["Data.Read"]).await), next);
}

/// `expires_in` and the remaining time of `exp` of a new token, and its key.
async fn issued(service: &Service, form: &[(&str, &str)]) -> (i64, i64, Value) {
    let answer = service.ask_token(form).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    let (header, claims) = parts(answer["access_token"].as_str().expect("a token"));
    let of = |claim: &str| claims[claim].as_i64().expect("a number");
    let expires_in = answer["expires_in"].as_i64().expect("a number");
    (expires_in, of("exp") - of("iat"), header["kid"].clone())
}

/// The newest key is retired long after it followed another one, whose own end is near.
#[tokio::test]
async fn no_token_expires_later_than_the_key_that_signed_it() {
    const LIFETIME: i64 = 3_600;
    let service =
        Service::start_with(|config| config.token_lifetime = Duration::from_secs(3_600)).await;
    let client = service.running.add_client("erp", &["Data.Read"]).await;
    let client = client.expect("a client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", client.client_id.as_str()),
        ("client_secret", client.client_secret.as_str()),
    ];
    let old = kid(service.token());
    service.running.rotate_keys().await.expect("rotated");
    // The old key verifies for two minutes and a lifetime; the new one signs from a minute on.
    service.clock.advance(120 + LIFETIME - 10);
    let (expires_in, remaining, new) = issued(&service, &form).await;
    assert_eq!((expires_in, remaining), (LIFETIME, LIFETIME));
    assert_ne!(new, old);
    let retired = service.running.retire_key(new.as_str().expect("an id"));
    let next = retired.await.expect("retired").expect("another key");
    for (left, step) in [(10, 1), (9, 8), (1, 1)] {
        let token = issued(&service, &form).await;
        assert_eq!(token, (left, left, old.clone()));
        service.clock.advance(step);
    }
    let token = issued(&service, &form).await;
    assert_eq!(token, (LIFETIME, LIFETIME, next.into()));
}

/// Each look at this clock is a second later than the one before.
#[tokio::test]
async fn a_token_is_never_issued_without_a_lifetime() {
    let now = Arc::new(AtomicI64::new(START));
    let clock = Arc::clone(&now);
    let service = Service::start_with(|config| {
        config.clock = Clock::new(move || {
            let second = clock.fetch_add(1, Ordering::SeqCst);
            jiff::Timestamp::from_second(second).expect("in range")
        });
        // Only the requests of this test look at it.
        config.limits.auth_poll = DAY;
        config.limits.file_check = DAY;
        config.limits.purge = DAY;
    })
    .await;
    let client = service.running.add_client("erp", &["Data.Read"]).await;
    let client = client.expect("a client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", client.client_id.as_str()),
        ("client_secret", client.client_secret.as_str()),
    ];
    // Wherever between the checks of a request the client expires.
    let mut unavailable = 0;
    for seconds in 1..=12 {
        let end = now.load(Ordering::SeqCst) + seconds;
        let changes = ClientChanges {
            expires_at: Some(Some(jiff::Timestamp::from_second(end).expect("in range"))),
            ..ClientChanges::default()
        };
        let set = service.running.set_client(&client.client_id, &changes);
        set.await.expect("set");
        let answer = service.ask_token(&form).await;
        match answer.status {
            200 => {
                let lifetime = answer.json()["expires_in"].as_i64().expect("a number");
                assert!(lifetime > 0, "{lifetime}");
            }
            401 => {}
            503 => unavailable += 1,
            status => panic!("{status}: {}", answer.text()),
        }
    }
    assert!(unavailable > 0, "it never expired during a request");
}

/// The private keys as they are stored.
async fn stored(service: &Service) -> Vec<String> {
    let read = service.store().read(|session| {
        let sql = "SELECT private_key FROM signing_keys ORDER BY created_at, expires_at";
        session.all(sql, &[], |row| Ok(row.string(0)?.unwrap_or_default()))
    });
    let read: Result<_, StoreError> = read.await;
    read.expect("read")
}

#[tokio::test]
async fn keys_are_encrypted_from_the_first_start_with_a_key_encryption_key() {
    let database = Arc::new(Database::new());
    let plain = Service::start_on(Arc::clone(&database), issuer).await;
    let token = plain.token().to_owned();
    plain.running.rotate_keys().await.expect("rotated");
    let before = stored(&plain).await;
    let encrypted = Service::start_on(Arc::clone(&database), |config| {
        issuer(config);
        config.key_encryption = Some(key(1));
    })
    .await;
    let after = stored(&encrypted).await;
    assert_eq!((before.len(), after.len()), (2, 2));
    for stored in &after {
        assert!(stored.starts_with("chacha20-poly1305$"), "{stored}");
        assert!(before.iter().all(|clear| !stored.contains(clear)));
    }
    // They are the same keys, also for a process that was started before and reads the change.
    assert_eq!(encrypted.get_as(Some(&token), PATH).await.status, 200);
    let other = plain
        .running
        .add_client("other", &["Data.Read"])
        .await
        .expect("a client");
    plain
        .running
        .revoke_client(&other.client_id)
        .await
        .expect("the keys were read again");
    assert_eq!(plain.get_as(Some(&token), PATH).await.status, 200);

    // A service or a rotation without the key, or with another one, is refused and changes nothing.
    let db = database.url();
    for (wrong, said) in [
        (None, "no key encryption key was given"),
        (
            Some(key(2)),
            "the given key encryption key does not decrypt it",
        ),
    ] {
        let mut config = Config::new(db);
        config.key_encryption = wrong.clone();
        let error = Server::start(config).await.expect_err("refused");
        let cause = std::error::Error::source(&error)
            .expect("a cause")
            .to_string();
        assert!(
            cause.contains(said) && cause.contains("--key-encryption-file"),
            "{cause}"
        );
        let rotated = admin::rotate_keys(db, DAY, wrong.as_ref()).await;
        assert!(rotated.expect_err("refused").to_string().contains(said));
        assert_eq!(stored(&encrypted).await, after);
    }
    let created = admin::rotate_keys(db, DAY, Some(&key(1)))
        .await
        .expect("rotated");
    let listed = admin::list_keys(db).await.expect("listed");
    assert!(listed.iter().all(|key| key.is_encrypted), "{listed:?}");
    assert!(
        listed
            .iter()
            .any(|key| key.kid == created && key.expires_at.is_none())
    );

    // The last key is followed by an encrypted one; the key for that may be another, if the first was lost.
    for key in listed.iter().filter(|key| key.kid != created) {
        assert_eq!(
            admin::retire_key(db, &key.kid, None)
                .await
                .expect("retired"),
            None
        );
    }
    let refused = admin::retire_key(db, &created, None)
        .await
        .expect_err("refused")
        .to_string();
    assert!(
        refused.contains("the last signing key is encrypted"),
        "{refused}"
    );
    let new = admin::retire_key(db, &created, Some(&key(3)))
        .await
        .expect("retired");
    let listed = admin::list_keys(db).await.expect("listed");
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (Some(&listed[0].kid), listed[0].is_encrypted),
        (new.as_ref(), true)
    );
}
