//! The pages for a browser, as bytes. That they work in a browser is shown by `cargo xtask pages`.

use reqwest::header::{ACCEPT, ACCEPT_ENCODING};
use serde_json::json;

use crate::support::{Answer, Service, raw};

/// What Chromium sends for a page.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

async fn fetch(service: &Service, path: &str, accept: &str) -> Answer {
    let request = service.http.get(service.url(path));
    Answer::of(request.header(ACCEPT, accept)).await
}

#[tokio::test]
async fn the_front_page_is_html_for_a_browser_and_json_for_the_rest() {
    let service = Service::start().await;
    let page = fetch(&service, "/", BROWSER).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let (html, base) = (page.text(), service.url(""));
    for expected in [
        env!("CARGO_PKG_VERSION"),
        "class=\"ready\"",
        "href=\"docs\"",
        &format!("curl -s {base}/connect/token"),
        &format!("{base}/v2/incidents"),
    ] {
        assert!(html.contains(expected), "{expected} in {html}");
    }

    for accept in ["*/*", "application/json"] {
        let document = fetch(&service, "/", accept).await;
        assert_eq!(document.header("content-type"), "application/json");
        let expected = json!({
            "name": "Obeya",
            "version": env!("CARGO_PKG_VERSION"),
            "ready": true,
            "openapi": format!("{base}/openapi.json"),
            "odata": format!("{base}/v2"),
            "tokenEndpoint": format!("{base}/connect/token"),
            "explorer": format!("{base}/docs"),
            "guide": null,
        });
        assert_eq!(document.json(), expected);
    }
    let refused = fetch(&service, "/", "image/png").await;
    refused.is_problem(406, "media_type.not_acceptable");
}

/// The directives of Content Security Policy Level 3 that keep everything else out.
#[tokio::test]
async fn a_page_may_load_and_reach_nothing_but_this_service_and_its_issuer() {
    let service = Service::start().await;
    for path in ["/", "/docs"] {
        let page = fetch(&service, path, BROWSER).await;
        assert_eq!(
            page.header("content-security-policy"),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "{path}"
        );
        assert_eq!(page.header("x-frame-options"), "DENY", "{path}");
    }
    const LOGIN: &str = "https://login.example:8443/plant";
    const LEAN: &str = "https://lean.example/obeya";
    for (base_url, auth_url, expected) in [
        (None, Some(LOGIN), " https://login.example:8443;"),
        (Some(LEAN), None, " https://lean.example;"),
        (
            Some(LEAN),
            Some("https://lean.example"),
            " https://lean.example;",
        ),
        (
            Some(LEAN),
            Some(LOGIN),
            " https://lean.example https://login.example:8443;",
        ),
    ] {
        let service = Service::start_with(|config| {
            config.base_url = base_url.map(str::to_owned);
            config.auth_url = auth_url.map(str::to_owned);
        })
        .await;
        let page = fetch(&service, "/docs", BROWSER).await;
        let policy = page.header("content-security-policy");
        let expected = format!("connect-src 'self'{expected}");
        assert!(policy.contains(&expected), "{expected} in {policy}");
    }
}

#[tokio::test]
async fn the_explorer_has_its_files_with_and_without_compression() {
    let service = Service::start().await;
    for (path, content_type, beginning) in [
        ("/docs", "text/html; charset=utf-8", "<!doctype html>"),
        ("/docs/explorer.js", "text/javascript; charset=utf-8", "//"),
        (
            "/docs/swagger-ui-bundle.js",
            "text/javascript; charset=utf-8",
            "/*!",
        ),
        (
            "/docs/swagger-ui.css",
            "text/css; charset=utf-8",
            ".swagger-ui",
        ),
        ("/docs/LICENSE", "text/plain; charset=utf-8", ""),
        ("/page.css", "text/css; charset=utf-8", ":root"),
        ("/favicon.svg", "image/svg+xml", "<svg"),
    ] {
        let plain = fetch(&service, path, "*/*").await;
        assert_eq!(
            (plain.status, plain.header("content-type")),
            (200, content_type),
            "{path}"
        );
        assert_eq!(plain.header("content-encoding"), "", "{path}");
        assert!(plain.text().starts_with(beginning), "{path}");
        let request = service.http.get(service.url(path));
        let compressed = Answer::of(request.header(ACCEPT_ENCODING, "gzip")).await;
        assert_eq!(compressed.header("content-encoding"), "gzip", "{path}");
    }
    let missing = fetch(&service, "/docs/explorer.html", BROWSER).await;
    missing.is_problem(404, "not_found");
}

#[tokio::test]
async fn the_address_of_the_explorer_with_a_slash_leads_to_the_one_without() {
    let service = Service::start().await;
    let request = "GET /docs/ HTTP/1.1\r\nHost: plant.example\r\nConnection: close\r\n\r\n";
    let answer = raw::exchange(service.running.address(), request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 308 "), "{answer}");
    assert!(answer.contains("\r\nlocation: ../docs\r\n"), "{answer}");
}

/// The tests are built without it; `cargo xtask clients` reads it in a browser.
#[tokio::test]
async fn a_service_without_the_guide_does_not_serve_it() {
    let service = Service::start().await;
    for path in ["/guide", "/guide/", "/guide/index.html"] {
        let answer = fetch(&service, path, BROWSER).await;
        answer.is_problem(404, "not_found");
    }
    let page = fetch(&service, "/", BROWSER).await;
    assert!(!page.text().contains("guide"), "{}", page.text());
}

#[tokio::test]
async fn the_explorer_can_be_switched_off() {
    let service = Service::start_with(|config| config.has_explorer = false).await;
    for path in ["/docs", "/docs/", "/docs/explorer.js"] {
        let answer = fetch(&service, path, BROWSER).await;
        answer.is_problem(404, "not_found");
    }
    let page = fetch(&service, "/", BROWSER).await;
    assert!(!page.text().contains("href=\"docs\""), "{}", page.text());
    let document = fetch(&service, "/", "application/json").await;
    assert!(document.json()["explorer"].is_null());
}
