//! Public documents of the issuer: its metadata (RFC 8414) and its public keys (RFC 7517).

use bytes::Bytes;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::json;

use crate::auth::Tokens;
use crate::auth::scopes::NAMES;
use crate::http::body::Response;

/// `/.well-known/openid-configuration`. `url` is the issuer's URL as this client sees it, which may differ
/// from the issuer in tokens.
pub(crate) fn discovery(tokens: &Tokens, url: &str) -> Response {
    let document = json!({
        "issuer": tokens.issuer(),
        "token_endpoint": format!("{url}/connect/token"),
        "jwks_uri": format!("{url}/.well-known/jwks.json"),
        "scopes_supported": NAMES,
        "grant_types_supported": ["client_credentials"],
        "response_types_supported": ["token"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "id_token_signing_alg_values_supported": ["ES384"],
        "subject_types_supported": ["public"],
        // A feature of the service and not of the issuer, for which there is no standard: our SDKs check it
        // here before they repeat a POST.
        "idempotency_key_supported": true,
        // `pull` and `sync` check it before they read only the comments of incidents that changed
        // (import/comments.rs, import/renamed.rs).
        "incident_stamps_cover_comments": true,
    });
    reply(document.to_string(), "application/json")
}

/// `/.well-known/jwks.json`.
pub(crate) fn jwks(tokens: &Tokens) -> Response {
    reply(
        json!({ "keys": tokens.published() }).to_string(),
        "application/jwk-set+json",
    )
}

fn reply(text: String, content_type: &'static str) -> Response {
    let mut response = Response::new(Bytes::from(text).into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    // Short, so that caches have a new key before it signs.
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=30"),
    );
    response
}
