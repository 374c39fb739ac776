//! What a token issuer says of itself (RFC 8414), and what of it is used.
//!
//! Fetching the document is not done here.

use reqwest::Url;
use serde::Deserialize;

use crate::config::join;
use crate::printable::OneLine;

/// What is known of an issuer and of its service.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// The token endpoint to use.
    pub(super) endpoint: String,
    /// Why the endpoint that the discovery document names is not used.
    pub(super) refused: Option<String>,
    /// Whether the service does a write once however often it is sent under one key.
    pub(super) keeps_to_keys: bool,
    /// Whether an incident gets a later stamp with every change of the comments on it.
    pub(super) stamps_cover_comments: bool,
}

/// A discovery document (RFC 8414, section 2).
#[derive(Default, Deserialize)]
struct Document {
    issuer: Option<String>,
    token_endpoint: Option<String>,
    // The others are about the service, and no standard has a member for them. An issuer that says nothing
    // speaks for a service that does neither.
    #[serde(default)]
    idempotency_key_supported: bool,
    #[serde(default)]
    incident_stamps_cover_comments: bool,
}

impl Known {
    /// By the discovery document of the issuer at `auth_url`, if it has one. `token_url` is the endpoint that
    /// the caller has named.
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
            // These lead the secret nowhere, whoever the document is about.
            keeps_to_keys: document.idempotency_key_supported,
            stamps_cover_comments: document.incident_stamps_cover_comments,
        }
    }
}

/// The token endpoint, and why it is not the one that the document names. That one is used if the document is
/// of this issuer (RFC 8414, section 3.3) and the endpoint on its origin. Otherwise it is the one that the
/// interface names.
fn endpoint(auth_url: &Url, document: &Document) -> (String, Option<String>) {
    let usual = join(auth_url, "/connect/token");
    let named = document.token_endpoint.as_deref().map(Url::parse);
    let Some(Ok(named)) = named.filter(|named| *named != Url::parse(&usual)) else {
        return (usual, None);
    };
    if named.origin() != auth_url.origin() {
        let origin = named.origin().ascii_serialization();
        let reason =
            format!("it leads to {origin}; set token_url to send the secret to that place");
        return (usual, Some(reason));
    }
    if !is_of(auth_url, document.issuer.as_deref()) {
        let issuer = OneLine(document.issuer.as_deref().unwrap_or("nobody"));
        let reason = format!("it is the document of {issuer}; set auth_url to the issuer's URL");
        return (usual, Some(reason));
    }
    (named.into(), None)
}

/// Whether `issuer` is this address, but for slashes at the end.
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
        let nobody = r#"{"token_endpoint":"https://a.example/token"}"#;
        assert_eq!(
            endpoint("https://a.example", None, nobody),
            (usual.clone(), true)
        );
        // What leads to the usual place is nothing to warn of.
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
