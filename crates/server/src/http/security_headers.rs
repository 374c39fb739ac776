//! The headers that tell a browser not to make more of a response than it is.
//!
//! `Content-Security-Policy` and `X-Frame-Options` are set with the pages (`ops/pages.rs`): other responses
//! are none.

use http::header::{
    CACHE_CONTROL, ETAG, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};

/// A response with a tag may be kept by its client, who asks with the tag before each use.
const REVALIDATED: HeaderValue = HeaderValue::from_static("private, no-cache");
const NOT_KEPT: HeaderValue = HeaderValue::from_static("no-store");
/// A year, as browsers' preload lists demand; without subdomains, which are not ours.
const HTTPS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Adds them. `is_encrypted` is whether the connection has TLS.
pub(crate) fn add(headers: &mut HeaderMap, is_encrypted: bool) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if !headers.contains_key(CACHE_CONTROL) {
        let has_tag = headers.contains_key(ETAG);
        headers.insert(CACHE_CONTROL, if has_tag { REVALIDATED } else { NOT_KEPT });
    }
    if is_encrypted {
        headers.insert(STRICT_TRANSPORT_SECURITY, HTTPS_ONLY);
    }
}
