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
    client_id: String,
    client_secret: Secret,
    scopes: Vec<String>,
    /// What the issuer has said of itself, once it has.
    known: OnceLock<Known>,
}

/// What the discovery document says.
#[derive(Clone, Debug, Deserialize)]
struct Known {
    #[serde(rename = "token_endpoint")]
    endpoint: String,
    /// Whether the service of this issuer does a write once however often it is sent under one key. No standard has a member for it; an issuer
    /// that says nothing speaks for a service that does not.
    #[serde(default, rename = "idempotency_key_supported")]
    keeps_to_keys: bool,
    /// Whether an incident gets a later stamp with every change of the comments on it. No standard has a member for this either.
    #[serde(default, rename = "incident_stamps_cover_comments")]
    stamps_cover_comments: bool,
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
        client_id: String,
        client_secret: Secret,
        scopes: Vec<String>,
    ) -> Self {
        Self {
            auth_url,
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
        let endpoint = self.endpoint(http, retry, deadline).await?;
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
            .exchange(retry, deadline, || http.post(endpoint.as_str()).form(&form))
            .await?;
        if answer.status.is_success() {
            grant(&answer)
        } else {
            Err(refusal(&answer))
        }
    }

    /// The token endpoint: what the discovery document says, else the place the interface names.
    async fn endpoint(
        &self,
        http: &reqwest::Client,
        retry: &RetryPolicy,
        deadline: Deadline,
    ) -> Result<String> {
        if let Some(known) = self.known.get() {
            return Ok(known.endpoint.clone());
        }
        let url = join(&self.auth_url, "/.well-known/openid-configuration");
        let get = || http.get(url.as_str());
        let answer = self.exchange(retry, deadline, get).await?;
        let known = self.discovered(&answer).unwrap_or_else(|| Known {
            endpoint: join(&self.auth_url, "/connect/token"),
            keeps_to_keys: false,
            stamps_cover_comments: false,
        });
        if answer.status.is_server_error() || answer.status == StatusCode::TOO_MANY_REQUESTS {
            // Perhaps the document comes next time.
            return Ok(known.endpoint);
        }
        Ok(self.known.get_or_init(|| known).endpoint.clone())
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

    /// The document's endpoint. One that would send the secret over plain HTTP though the issuer is reached over
    /// TLS is not taken.
    fn discovered(&self, answer: &Answer) -> Option<Known> {
        if !answer.status.is_success() {
            return None;
        }
        let document: Known = serde_json::from_slice(&answer.body).ok()?;
        let endpoint = Url::parse(&document.endpoint).ok()?;
        let downgrade = self.auth_url.scheme() == "https" && endpoint.scheme() != "https";
        (matches!(endpoint.scheme(), "http" | "https") && !downgrade).then(|| Known {
            endpoint: endpoint.into(),
            ..document
        })
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

/// The error of an answer that is not a success.
fn refusal(answer: &Answer) -> Error {
    let refusal = serde_json::from_slice::<Refusal>(&answer.body).unwrap_or_else(|_| Refusal {
        error: "invalid_response".to_owned(),
        error_description: Some(format!("the issuer answered with status {}", answer.status)),
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
    fn discovered(auth_url: &str, status: StatusCode, document: &'static str) -> Option<String> {
        let auth_url = Url::parse(auth_url).unwrap();
        let secret = Secret::new("s");
        Issuer::new(auth_url, String::new(), secret, Vec::new())
            .discovered(&Answer {
                status,
                headers: HeaderMap::new(),
                body: Bytes::from_static(document.as_bytes()),
            })
            .map(|known| known.endpoint)
    }

    #[test]
    fn only_an_endpoint_that_keeps_the_secret_safe_is_taken() {
        let secure = r#"{"token_endpoint":"https://login.example/token"}"#;
        let plain = r#"{"token_endpoint":"http://login.example/token"}"#;
        let taken = |auth_url, document| discovered(auth_url, StatusCode::OK, document);
        let endpoint = Some("https://login.example/token".to_owned());
        assert_eq!(taken("https://a.example", secure), endpoint);
        assert_eq!(taken("http://a.example", secure), endpoint);
        assert_eq!(taken("https://a.example", plain), None);
        assert!(taken("http://a.example", plain).is_some());
        for document in ["", "[]", "{}", r#"{"token_endpoint":"file:///etc/passwd"}"#] {
            assert_eq!(taken("https://a.example", document), None, "{document}");
        }
        assert_eq!(
            discovered("https://a.example", StatusCode::NOT_FOUND, secure),
            None
        );
    }
}
