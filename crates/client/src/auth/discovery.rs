//! Evaluates the metadata of a token issuer (RFC 8414).
//!
//! The document is not fetched here.

use reqwest::Url;
use serde::Deserialize;

use crate::config::join;
use crate::printable::OneLine;

/// The metadata of an issuer and its service.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// The token endpoint to use.
    pub(super) endpoint: String,
    /// Why the endpoint in the discovery document is not used.
    pub(super) refused: Option<String>,
    /// Whether the service supports `Idempotency-Key`.
    pub(super) supports_idempotency_keys: bool,
    /// Whether every change of a comment gives its incident a later stamp.
    pub(super) stamps_cover_comments: bool,
}

/// A discovery document (RFC 8414, section 2).
#[derive(Default, Deserialize)]
struct Document {
    issuer: Option<String>,
    token_endpoint: Option<String>,
    // The following describe the service and are not standard members. If absent, the service supports
    // neither.
    #[serde(default)]
    idempotency_key_supported: bool,
    #[serde(default)]
    incident_stamps_cover_comments: bool,
}

impl Known {
    /// Evaluates the discovery document of the issuer at `auth_url`, if there is one. `token_url` is the
    /// endpoint the caller configured.
    pub(super) fn of(auth_url: &Url, token_url: Option<&Url>, document: Option<&[u8]>) -> Self {
        let document = document.and_then(|body| serde_json::from_slice::<Document>(body).ok());
        let document = document.unwrap_or_default();
        let (endpoint, refused) = match token_url {
            Some(url) => (url.to_string(), None),
            None => endpoint(auth_url, &document),
        };
        if let Some(reason) = &refused {
            tracing::warn!("the discovery document of {auth_url} is not followed: {reason}");
        }
        Self {
            endpoint,
            refused,
            // These do not affect where the secret is sent, so they apply even if the document is of another
            // issuer.
            supports_idempotency_keys: document.idempotency_key_supported,
            stamps_cover_comments: document.incident_stamps_cover_comments,
        }
    }
}

/// The token endpoint, and why it is not the advertised one. The advertised endpoint is used if the document
/// is of this issuer (RFC 8414, section 3.3) and the endpoint is on its origin; otherwise the default of the
/// interface is used.
fn endpoint(auth_url: &Url, document: &Document) -> (String, Option<String>) {
    let usual = join(auth_url, "/connect/token");
    let named = document.token_endpoint.as_deref().map(Url::parse);
    let Some(Ok(named)) = named.filter(|named| *named != Url::parse(&usual)) else {
        return (usual, None);
    };
    if named.origin() != auth_url.origin() {
        let origin = named.origin().ascii_serialization();
        let reason = format!("its token endpoint is on {origin}; set token_url to allow it");
        return (usual, Some(reason));
    }
    if !is_of(auth_url, document.issuer.as_deref()) {
        let issuer = OneLine(document.issuer.as_deref().unwrap_or("no issuer"));
        let reason = format!("it is the document of {issuer}; set auth_url to the issuer's URL");
        return (usual, Some(reason));
    }
    (named.into(), None)
}

/// Whether `issuer` is this address, ignoring trailing slashes.
fn is_of(auth_url: &Url, issuer: Option<&str>) -> bool {
    let without_slash = |url: &Url| url.as_str().trim_end_matches('/').to_owned();
    let issuer = issuer.and_then(|issuer| Url::parse(issuer).ok());
    issuer.is_some_and(|issuer| without_slash(&issuer) == without_slash(auth_url))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The endpoint taken from a document, for an issuer at this address.
    fn endpoint(auth_url: &str, token_url: Option<&str>, document: &str) -> (String, bool) {
        let url = |text: &str| Url::parse(text).unwrap();
        let token_url = token_url.map(url);
        let document = Some(document.as_bytes());
        let known = Known::of(&url(auth_url), token_url.as_ref(), document);
        (known.endpoint, known.refused.is_some())
    }

    fn document(issuer: &str, endpoint: &str) -> String {
        format!(r#"{{"issuer":"{issuer}","token_endpoint":"{endpoint}"}}"#)
    }

    #[test]
    fn an_endpoint_of_the_issuers_own_origin_is_taken() {
        for (auth_url, issuer, token) in [
            (
                "https://a.example",
                "https://a.example",
                "https://a.example/oauth/token",
            ),
            (
                "https://a.example/",
                "https://a.example",
                "https://a.example/oauth/token",
            ),
            (
                "https://a.example/plant",
                "https://a.example/plant/",
                "https://a.example/t",
            ),
            (
                "https://A.example:443",
                "https://a.example",
                "https://a.example:443/t",
            ),
            (
                "http://a.example:8080",
                "http://a.example:8080",
                "http://a.example:8080/t",
            ),
        ] {
            let taken = endpoint(auth_url, None, &document(issuer, token));
            let expected = Url::parse(token).unwrap().to_string();
            assert_eq!(taken, (expected, false), "{auth_url}");
        }
    }

    #[test]
    fn the_secret_is_led_to_no_other_origin() {
        let usual = "https://a.example/connect/token".to_owned();
        for token in [
            "https://b.example/token",
            "https://a.example:8443/token",
            "http://a.example/token",
            "https://a.example@b.example/token",
            "https://a.example.b.example/token",
            "file:///etc/passwd",
        ] {
            let taken = endpoint(
                "https://a.example",
                None,
                &document("https://a.example", token),
            );
            assert_eq!(taken, (usual.clone(), true), "{token}");
        }
        let elsewhere = document("https://a.example", "https://b.example/token");
        let opted_in = endpoint(
            "https://a.example",
            Some("https://b.example/token"),
            &elsewhere,
        );
        assert_eq!(opted_in, ("https://b.example/token".to_owned(), false));
    }

    /// RFC 8414, section 3.3: the data of such a document must not be used.
    #[test]
    fn a_document_of_another_issuer_names_no_endpoint() {
        let usual = "https://a.example/connect/token".to_owned();
        for issuer in [
            "https://b.example",
            "https://a.example/other",
            "a.example",
            "",
        ] {
            let other = document(issuer, "https://a.example/token");
            let taken = endpoint("https://a.example", None, &other);
            assert_eq!(taken, (usual.clone(), true), "{issuer}");
        }
        let no_issuer = r#"{"token_endpoint":"https://a.example/token"}"#;
        assert_eq!(
            endpoint("https://a.example", None, no_issuer),
            (usual.clone(), true)
        );
        // The default endpoint needs no warning.
        let same = document("http://0.0.0.0:8080", &usual);
        assert_eq!(
            endpoint("https://a.example", None, &same),
            (usual.clone(), false)
        );
        for nothing in ["", "[]", "{}", r#"{"token_endpoint":"not a URL"}"#] {
            let taken = endpoint("https://a.example", None, nothing);
            assert_eq!(taken, (usual.clone(), false), "{nothing}");
        }
    }
}
