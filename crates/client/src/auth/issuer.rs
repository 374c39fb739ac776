//! Talking to the token issuer: discovery, then the client credentials grant (RFC 6749, section 4.4).
//!
//! One fetch is one conversation without memory of tokens, and without repetition of what the issuer refused.
//! Answers of the issuer are never shown to an observer: they hold tokens.

use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use reqwest::Url;
use serde::Deserialize;

use super::{Grant, bearer};
use crate::body::{self, BodyFault};
use crate::config::join;
use crate::deadline::Deadline;
use crate::error::{Error, Result, connection};
use crate::retry::{Fault, RetryPolicy, retry_after};
use crate::secret::Secret;

/// What the failures of this module name as their operation.
const OPERATION: &str = "token";

/// A token answer is a few kilobytes at most.
const MAX_ANSWER_BYTES: u64 = 1 << 20;

/// Where tokens come from, and for whom.
#[derive(Debug)]
pub(crate) struct Issuer {
    auth_url: Url,
    /// The token endpoint, where the caller has named it.
    token_url: Option<Url>,
    client_id: String,
    client_secret: Secret,
    scopes: Vec<String>,
    /// What the issuer has said of itself, once it has.
    known: OnceLock<Known>,
}

/// What the issuer says of itself and of its service.
#[derive(Clone, Debug)]
struct Known {
    /// The token endpoint to use.
    endpoint: String,
    /// Why the endpoint that the discovery document names is not used.
    refused: Option<String>,
    keeps_to_keys: bool,
    stamps_cover_comments: bool,
}

/// A discovery document (RFC 8414, section 2).
#[derive(Default, Deserialize)]
struct Document {
    issuer: Option<String>,
    token_endpoint: Option<String>,
    /// Whether the service of this issuer does a write once however often it is sent under one key. No standard has a member for it; an issuer
    /// that says nothing speaks for a service that does not.
    #[serde(default)]
    idempotency_key_supported: bool,
    /// Whether an incident gets a later stamp with every change of the comments on it. No standard has a member for this either.
    #[serde(default)]
    incident_stamps_cover_comments: bool,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    expires_in: Option<u64>,
    token_type: Option<String>,
    scope: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
    error_description: Option<String>,
}

/// An answer of the issuer, read whole.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Issuer {
    pub(crate) fn new(
        auth_url: Url,
        token_url: Option<Url>,
        client_id: String,
        client_secret: Secret,
        scopes: Vec<String>,
    ) -> Self {
        Self {
            auth_url,
            token_url,
            client_id,
            client_secret,
            scopes,
            known: OnceLock::new(),
        }
    }

    /// Asks for a token. Beyond `deadline` nothing is waited for.
    pub(crate) async fn fetch(
        &self,
        http: &reqwest::Client,
        retry: &RetryPolicy,
        deadline: Deadline,
    ) -> Result<Grant> {
        let known = self.discover(http, retry, deadline).await?;
        let scope = self.scopes.join(" ");
        let mut form = vec![
            ("grant_type", "client_credentials"),
            ("client_id", self.client_id.as_str()),
            ("client_secret", self.client_secret.expose()),
        ];
        if !scope.is_empty() {
            form.push(("scope", scope.as_str()));
        }
        let answer = self
            .exchange(retry, deadline, || {
                http.post(known.endpoint.as_str()).form(&form)
            })
            .await?;
        if answer.status.is_success() {
            grant(&answer)
        } else {
            Err(refusal(&answer, known.refused.as_deref()))
        }
    }

    /// What the discovery document says, asked for once.
    async fn discover(
        &self,
        http: &reqwest::Client,
        retry: &RetryPolicy,
        deadline: Deadline,
    ) -> Result<Known> {
        if let Some(known) = self.known.get() {
            return Ok(known.clone());
        }
        let url = join(&self.auth_url, "/.well-known/openid-configuration");
        let get = || http.get(url.as_str());
        let answer = self.exchange(retry, deadline, get).await?;
        let known = self.known_from(&answer);
        if answer.status.is_server_error() || answer.status == StatusCode::TOO_MANY_REQUESTS {
            // Perhaps the document comes next time.
            return Ok(known);
        }
        Ok(self.known.get_or_init(|| known).clone())
    }

    /// Whether the service keeps to idempotency keys, as far as the issuer has said so.
    pub(crate) fn keeps_to_keys(&self) -> bool {
        self.known.get().is_some_and(|known| known.keeps_to_keys)
    }

    /// Whether the stamps of incidents tell of changes of their comments, as far as the issuer has said so.
    pub(crate) fn stamps_cover_comments(&self) -> bool {
        let known = self.known.get();
        known.is_some_and(|known| known.stamps_cover_comments)
    }

    fn known_from(&self, answer: &Answer) -> Known {
        let document = Some(&answer.body).filter(|_| answer.status.is_success());
        let document = document.and_then(|body| serde_json::from_slice::<Document>(body).ok());
        let document = document.unwrap_or_default();
        let (endpoint, refused) = self.endpoint(&document);
        if let Some(reason) = &refused {
            tracing::warn!(
                "the discovery document of {} is not followed: {reason}",
                self.auth_url
            );
        }
        Known {
            endpoint,
            refused,
            // Of the service and not of the issuer: these lead the secret nowhere, whoever the document is about.
            keeps_to_keys: document.idempotency_key_supported,
            stamps_cover_comments: document.incident_stamps_cover_comments,
        }
    }

    /// The token endpoint, and why it is not the one that the document names. The secret is sent to the place that the
    /// caller has named, or to one of the issuer's own origin that a document of this issuer names (RFC 8414, section
    /// 3.3). Any other document leaves the place that the interface names.
    fn endpoint(&self, document: &Document) -> (String, Option<String>) {
        if let Some(url) = &self.token_url {
            return (url.to_string(), None);
        }
        let usual = join(&self.auth_url, "/connect/token");
        let named = document.token_endpoint.as_deref().map(Url::parse);
        let Some(Ok(named)) = named.filter(|named| *named != Url::parse(&usual)) else {
            return (usual, None);
        };
        let without_slash = |url: &Url| url.as_str().trim_end_matches('/').to_owned();
        let issuer = document.issuer.as_deref().map(Url::parse);
        let is_ours = matches!(issuer, Some(Ok(issuer)) if without_slash(&issuer) == without_slash(&self.auth_url));
        if named.origin() != self.auth_url.origin() {
            let origin = named.origin().ascii_serialization();
            let reason =
                format!("it leads to {origin}; set token_url to send the secret to that place");
            return (usual, Some(reason));
        }
        if !is_ours {
            let issuer = document.issuer.as_deref().unwrap_or("nobody");
            let reason =
                format!("it is the document of {issuer}; set auth_url to the issuer's URL");
            return (usual, Some(reason));
        }
        (named.into(), None)
    }

    /// Sends one request of the conversation, again where [`RetryPolicy`] allows it. Asking for a token changes
    /// nothing at the issuer, so it may be repeated like a GET.
    async fn exchange(
        &self,
        retry: &RetryPolicy,
        deadline: Deadline,
        request: impl Fn() -> reqwest::RequestBuilder,
    ) -> Result<Answer> {
        let mut retries = 0;
        loop {
            let outcome = read(request()).await;
            let fault = match &outcome {
                Ok(answer) => Fault::Status(answer.status, &answer.headers, &answer.body),
                Err(Error::Connection {
                    connecting: true, ..
                }) => Fault::Connect,
                Err(Error::Connection { .. }) => Fault::Broken,
                Err(_) => return outcome,
            };
            let wait = retry
                .wait(true, retries, fault, fastrand::f64())
                // What the issuer said, and how long it asks to wait, tells more than a timeout.
                .filter(|wait| !deadline.ends_within(*wait));
            let Some(wait) = wait else {
                return outcome;
            };
            retries += 1;
            tokio::time::sleep(wait).await;
        }
    }
}

/// Sends a request and reads its answer.
async fn read(request: reqwest::RequestBuilder) -> Result<Answer> {
    let response = request
        .send()
        .await
        .map_err(|error| connection(OPERATION, error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    match body::read(response, MAX_ANSWER_BYTES).await {
        Ok(body) => Ok(Answer {
            status,
            headers,
            body,
        }),
        Err(BodyFault::Broken(error)) => Err(connection(OPERATION, error)),
        Err(BodyFault::TooLarge) => Err(Error::TooLarge {
            operation: OPERATION,
            limit: MAX_ANSWER_BYTES,
        }),
    }
}

/// Reads the token out of a success. What the body was is not told: it may hold a token all the same.
fn grant(answer: &Answer) -> Result<Grant> {
    let invalid = |description: &str| Error::Auth {
        status: answer.status.as_u16(),
        code: "invalid_response".to_owned(),
        description: Some(description.to_owned()),
        retry_after: None,
    };
    let token: TokenAnswer = serde_json::from_slice(&answer.body)
        .map_err(|_| invalid("the issuer's answer is not a token response"))?;
    if let Some(kind) = &token.token_type
        && !kind.eq_ignore_ascii_case("bearer")
    {
        return Err(invalid("the issuer's token is not a bearer token"));
    }
    Ok(Grant {
        header: bearer(&token.access_token)
            .ok_or_else(|| invalid("the issuer's token has characters that no header can hold"))?,
        expires_in: token.expires_in.map(Duration::from_secs),
        scopes: token
            .scope
            .unwrap_or_default()
            .split_ascii_whitespace()
            .map(str::to_owned)
            .collect(),
    })
}

/// The error of an answer that is not a success. `refused` says why another endpoint was not asked.
fn refusal(answer: &Answer, refused: Option<&str>) -> Error {
    let refusal = serde_json::from_slice::<Refusal>(&answer.body).unwrap_or_else(|_| {
        let refused = refused
            .map(|reason| format!("; the issuer's discovery document is not followed: {reason}"));
        let status = answer.status;
        let refused = refused.unwrap_or_default();
        Refusal {
            error: "invalid_response".to_owned(),
            error_description: Some(format!("the issuer answered with status {status}{refused}")),
        }
    });
    Error::Auth {
        status: answer.status.as_u16(),
        code: refusal.error,
        description: refusal.error_description,
        retry_after: retry_after(&answer.headers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The endpoint taken from a document, for an issuer at this address.
    fn endpoint(auth_url: &str, token_url: Option<&str>, document: &str) -> (String, bool) {
        let url = |text: &str| Url::parse(text).unwrap();
        let secret = Secret::new("s");
        let token_url = token_url.map(url);
        let issuer = Issuer::new(url(auth_url), token_url, String::new(), secret, Vec::new());
        let known = issuer.known_from(&Answer {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            body: Bytes::copy_from_slice(document.as_bytes()),
        });
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
