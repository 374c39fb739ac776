//! The pages for a browser: the front page at `/`, which other clients get as JSON, the explorer at
//! `/docs`, and the guide below `/guide/` if it is built in.
//!
//! Their content is that of `obeya_pages`; here are their addresses and what a browser may do on them.

use std::sync::LazyLock;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, VARY,
    X_FRAME_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use obeya_pages::{Asset, FrontPage};
use serde_json::json;

use super::meta;
use crate::app::App;
use crate::http::accept::Offers;
use crate::http::body::Response;
use crate::http::encoding;
use crate::http::problem::Problem;

const HTML: &str = "text/html";
static FRONT_OFFERS: LazyLock<Offers> =
    LazyLock::new(|| Offers::in_order(&["application/json", HTML]));

/// Assets may be kept for an hour: their addresses do not name their version.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=3600");
const FOLDER: &str = "/docs/";
const GUIDE: &str = "/guide/";

/// `/`: a page for a browser, else JSON.
pub(crate) async fn front(app: &App, head: &Parts) -> Result<Response, Problem> {
    let chosen = FRONT_OFFERS.negotiate(&head.headers)?;
    let base = app.base_for(&head.headers);
    let token_url = app.token_url_for(&head.headers);
    let page = FrontPage {
        version: env!("CARGO_PKG_VERSION"),
        base: &base,
        token_url: &token_url,
        is_ready: meta::ready(app).await.is_ok(),
        has_explorer: app.config.has_explorer,
        has_guide: app.config.has_explorer && obeya_pages::guide_paths().next().is_some(),
    };
    let is_html = chosen.as_bytes().starts_with(HTML.as_bytes());
    let content = if is_html {
        page.html()
    } else {
        document(&page).to_string()
    };
    let mut response = Response::new(Bytes::from(content).into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, chosen);
    headers.insert(VARY, HeaderValue::from_static("accept"));
    if is_html {
        guard(headers, &[]);
    }
    Ok(response)
}

/// `/page.css`: the style of the front page.
pub(crate) fn style(head: &Parts) -> Response {
    file(obeya_pages::STYLE, &head.headers)
}

/// `/favicon.svg`: the icon of the pages.
pub(crate) fn icon(head: &Parts) -> Response {
    file(obeya_pages::FAVICON, &head.headers)
}

/// `/docs`: the explorer.
pub(crate) fn explorer(app: &App, head: &Parts) -> Response {
    let mut response = file(obeya_pages::EXPLORER, &head.headers);
    let configured = [&app.config.base_url, &app.config.auth_url];
    let mut origins: Vec<String> = configured
        .into_iter()
        .flatten()
        .filter_map(|url| origin(url))
        .collect();
    origins.dedup();
    guard(response.headers_mut(), &origins);
    response
}

/// `/docs/{file}`: what the explorer loads; `/docs/` leads to the explorer, whose links are relative to
/// `/docs`.
pub(crate) fn explorer_file(head: &Parts) -> Result<Response, Problem> {
    let path = head.uri.path();
    // The route matches its name in any case, which has the same length.
    let name = path.get(FOLDER.len()..).unwrap_or_default();
    if name.is_empty() {
        return Ok(redirect("../docs"));
    }
    match obeya_pages::explorer_asset(name) {
        Some(asset) => Ok(file(asset, &head.headers)),
        None => Err(Problem::unserved_path()),
    }
}

/// `/guide/…`: a file of the guide. `/guide` leads to its folder, to which its links are relative.
pub(crate) fn guide_file(head: &Parts) -> Result<Response, Problem> {
    let path = head.uri.path().get(GUIDE.len()..);
    let name = path.filter(|path| !path.is_empty());
    let asset = obeya_pages::guide_asset(name.unwrap_or("index.html"));
    let asset = asset.ok_or_else(Problem::unserved_path)?;
    if path.is_none() {
        return Ok(redirect("guide/"));
    }
    let mut response = file(asset, &head.headers);
    if asset.content_type.starts_with(HTML) {
        guard(response.headers_mut(), &[]);
    }
    Ok(response)
}

fn redirect(to: &'static str) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    response
        .headers_mut()
        .insert(LOCATION, HeaderValue::from_static(to));
    response
}

/// What the front page says, for other clients than browsers.
fn document(page: &FrontPage<'_>) -> serde_json::Value {
    let base = page.base;
    json!({
        "name": "Obeya",
        "version": page.version,
        "ready": page.is_ready,
        "openapi": format!("{base}/openapi.json"),
        "odata": format!("{base}/v2"),
        "tokenEndpoint": page.token_url,
        "explorer": page.has_explorer.then(|| format!("{base}/docs")),
        "guide": page.has_guide.then(|| format!("{base}/guide/")),
    })
}

/// An asset, compressed unless the client does not accept that.
fn file(asset: Asset, request: &HeaderMap) -> Response {
    let is_compressed = encoding::takes_gzip(request);
    let content = if is_compressed {
        Bytes::from_static(asset.gzip)
    } else {
        asset.decompressed().into()
    };
    let mut response = Response::new(content.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
    headers.insert(CACHE_CONTROL, CACHED);
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_compressed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Restricts a page to its own files, and to requests to its own origin and to `origins`: those of the
/// service and of its issuer in the description, if they are configured. No other page may frame it, and no
/// form of it is sent.
fn guard(headers: &mut HeaderMap, origins: &[String]) {
    let connect: String = origins.iter().map(|it| format!(" {it}")).collect();
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'{connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    // An origin has no characters that a header must not have.
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
}

/// Scheme and authority of a URL.
fn origin(url: &str) -> Option<String> {
    let url = url.parse::<Uri>().ok()?;
    Some(format!("{}://{}", url.scheme()?, url.authority()?))
}
