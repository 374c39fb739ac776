//! Headers for browsers, and TLS.

use std::path::Path;
use std::time::Duration;

use obeya_server::{Config, TlsFiles};
use reqwest::{Certificate, Client, Method};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Answer, Service, raw};

fn browser_headers(answer: &Answer) -> [&str; 4] {
    [
        answer.header("x-content-type-options"),
        answer.header("referrer-policy"),
        answer.header("cache-control"),
        answer.header("strict-transport-security"),
    ]
}

#[tokio::test]
async fn no_response_is_guessed_at_or_kept_by_others() {
    let service = Service::start().await;
    for (path, caching) in [
        ("/v2/areas", "no-store"),
        ("/v2/areas/999", "no-store"),
        ("/healthz", "no-store"),
        ("/nowhere", "no-store"),
        // With a tag: the client may keep it, and asks before each use.
        ("/v1/datasources/1/values", "private, no-cache"),
        // Public.
        ("/openapi.json", "public, max-age=300"),
    ] {
        if path.contains("datasources") {
            add_datasource(&service).await;
        }
        let answer = service.get(path).await;
        assert_eq!(
            browser_headers(&answer),
            ["nosniff", "no-referrer", caching, ""],
            "{path}: {}",
            answer.text()
        );
    }
}

async fn add_datasource(service: &Service) {
    use obeya_server::store::StoreError;
    let added = service.store().write(|session| {
        session.execute("INSERT INTO datasources (id, title) VALUES (1, 'x')", &[])
    });
    let added: Result<_, StoreError> = added.await;
    added.expect("a datasource");
}

/// A request as a browser sends it for a page of this origin.
async fn from_page(service: &Service, method: Method, path: &str, origin: &str) -> Answer {
    let request = service.http.request(method, service.url(path));
    let request = request.header("origin", origin);
    let request = request.header("access-control-request-method", "PUT");
    Answer::of(request.header("access-control-request-headers", "authorization,if-match")).await
}

const ALLOWED: &str = "https://app.example";

#[tokio::test]
async fn pages_of_other_origins_read_nothing_unless_configured() {
    let closed = Service::start().await;
    let answer = from_page(&closed, Method::OPTIONS, "/v1/Improvements/1", ALLOWED).await;
    answer.is_problem(405, "method.not_allowed");
    assert_eq!(answer.header("access-control-allow-origin"), "");
    assert_eq!(answer.header("vary"), "");

    let open = Service::start_with(|config| {
        config.cors_origins = vec!["https://other.example".into(), ALLOWED.into()];
    })
    .await;
    let preflight = from_page(&open, Method::OPTIONS, "/v1/Improvements/1", ALLOWED).await;
    assert_eq!((preflight.status, preflight.text().as_str()), (204, ""));
    assert_eq!(preflight.header("access-control-allow-origin"), ALLOWED);
    assert_eq!(
        preflight.header("access-control-allow-methods"),
        "GET, POST, PUT, PATCH, DELETE"
    );
    let headers = preflight.header("access-control-allow-headers");
    for header in [
        "authorization",
        "content-type",
        "idempotency-key",
        "if-match",
    ] {
        assert!(
            headers.split(", ").any(|allowed| allowed == header),
            "{headers}"
        );
    }
    assert_eq!(preflight.header("access-control-max-age"), "600");
    // Also an error is readable, and the tag with which a page sends its change.
    let answer = from_page(&open, Method::GET, "/v2/areas", ALLOWED).await;
    answer.is_problem(401, "token.missing");
    assert_eq!(answer.header("access-control-allow-origin"), ALLOWED);
    assert!(
        answer
            .header("access-control-expose-headers")
            .contains("etag")
    );
    for credentials in [&preflight, &answer] {
        assert_eq!(credentials.header("access-control-allow-credentials"), "");
        assert_eq!(credentials.header("vary"), "origin");
    }
    // No path, no permission; another origin neither, but caches have to keep them apart.
    let nowhere = from_page(&open, Method::OPTIONS, "/nowhere", ALLOWED).await;
    nowhere.is_problem(404, "not_found");
    for origin in ["https://app.example.evil", "http://app.example", "null"] {
        let answer = from_page(&open, Method::OPTIONS, "/v1/Improvements/1", origin).await;
        assert_eq!(answer.status, 405, "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), "", "{origin}");
        assert_eq!(answer.header("vary"), "origin");
    }
}

/// Writes a new certificate for `localhost` and its key; returns the certificate.
fn certify(folder: &Path) -> Certificate {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).expect("written");
    std::fs::write(folder.join("certificate.pem"), made.cert.pem()).expect("written");
    Certificate::from_pem(made.cert.pem().as_bytes()).expect("a certificate")
}

fn with_tls(folder: &Path) -> impl FnOnce(&mut Config) + use<> {
    let files = TlsFiles {
        certificate: folder.join("certificate.pem"),
        key: folder.join("key.pem"),
    };
    |config| config.tls = Some(files)
}

/// A client that trusts this certificate only.
fn client(service: &Service, certificate: &Certificate) -> Client {
    Client::builder()
        .no_proxy()
        .tls_certs_only([certificate.clone()])
        .resolve("localhost", service.running.address())
        .build()
        .expect("a client")
}

async fn health(service: &Service, client: &Client) -> Result<Answer, reqwest::Error> {
    let port = service.running.address().port();
    let response = client
        .get(format!("https://localhost:{port}/healthz"))
        .send()
        .await?;
    Ok(Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.bytes().await?.to_vec(),
    })
}

async fn start_with_tls(folder: &TempDir, change: impl FnOnce(&mut Config)) -> Service {
    let tls = with_tls(folder.path());
    Service::start_without_token(|config| {
        tls(config);
        change(config);
    })
    .await
}

#[tokio::test]
async fn the_service_ends_tls_itself_and_its_urls_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let certificate = certify(folder.path());
    let service = start_with_tls(&folder, |_| {}).await;
    let client = client(&service, &certificate);
    let answer = health(&service, &client).await.expect("trusted");
    assert_eq!((answer.status, answer.text().as_str()), (200, "ok\n"));
    assert_eq!(browser_headers(&answer)[3], "max-age=31536000");
    let port = service.running.address().port();
    assert_eq!(
        service.running.base_url(),
        format!("https://127.0.0.1:{port}")
    );
    let url = format!("https://localhost:{port}/.well-known/openid-configuration");
    let discovery = Answer::of(client.get(url)).await.json();
    assert_eq!(
        discovery["token_endpoint"],
        format!("https://localhost:{port}/connect/token")
    );
    // Whoever speaks plain HTTP gets no answer, and nothing waits for one who says nothing.
    let mut plain = raw::connect(service.running.address()).await;
    plain
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await
        .expect("sent");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    let _silent = raw::connect(service.running.address()).await;
    tokio::time::timeout(Duration::from_secs(8), service.running.shutdown())
        .await
        .expect("no handshake is waited for");
}

/// A handshake that does not come is like a head that does not come.
#[tokio::test]
async fn a_handshake_has_a_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    certify(folder.path());
    let limit = Duration::from_millis(100);
    let service = start_with_tls(&folder, |config| config.limits.header_read = limit).await;
    let mut silent = raw::connect(service.running.address()).await;
    let mut bytes = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(30), silent.read_to_end(&mut bytes));
    assert_eq!(closed.await.expect("closed").expect("no error"), 0);
}

#[tokio::test]
async fn a_changed_certificate_is_used_by_new_connections() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = certify(folder.path());
    let often = Duration::from_millis(20);
    let service = start_with_tls(&folder, |config| config.limits.certificate_check = often).await;
    let of_first = client(&service, &first);
    health(&service, &of_first).await.expect("trusted");

    // A key that does not belong to the certificate: the last ones stay in use.
    std::fs::write(folder.path().join("key.pem"), "no key").expect("written");
    let refused = service.running.reload_certificate().await;
    let error = refused.expect_err("no key").to_string();
    assert!(
        error.ends_with("key.pem contains no private key in PEM"),
        "{error}"
    );
    health(&service, &client(&service, &first))
        .await
        .expect("trusted");

    let second = certify(folder.path());
    let followed = async {
        while health(&service, &client(&service, &second)).await.is_err() {
            tokio::time::sleep(often).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), followed)
        .await
        .expect("followed");
    assert!(health(&service, &client(&service, &first)).await.is_err());
    // The connection that was open before has its certificate.
    health(&service, &of_first).await.expect("still open");
}

#[tokio::test]
async fn without_a_usable_certificate_the_service_does_not_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = Config::new(format!(
        "sqlite:{}",
        folder.path().join("plant.db").display()
    ));
    with_tls(folder.path())(&mut config);
    let error = obeya_server::Server::start(config.clone())
        .await
        .expect_err("no files");
    let expected = format!(
        "cannot read {}",
        folder.path().join("certificate.pem").display()
    );
    assert_eq!(error.to_string(), expected);
    // The certificate of one with the key of another.
    certify(folder.path());
    let key = std::fs::read(folder.path().join("key.pem")).expect("a key");
    certify(folder.path());
    std::fs::write(folder.path().join("key.pem"), key).expect("written");
    let error = obeya_server::Server::start(config)
        .await
        .expect_err("another key");
    assert!(
        error.to_string().ends_with("cannot be used with its key"),
        "{error}"
    );
}
