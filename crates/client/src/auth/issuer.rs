//! Requests tokens from the issuer: discovery, then the client credentials grant (RFC 6749, section 4.4).
//!
//! This module caches no tokens and does not repeat a request that the issuer refused. Responses of the
//! issuer are never passed to an observer, since they contain tokens.

use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use reqwest::Url;
use serde::Deserialize;

use super::discovery::Known;
use super::{Grant, bearer};
use crate::config::join;
use crate::deadline::Deadline;
use crate::error::{Error, Result, connection};
use crate::http_clients::HttpClients;
use crate::retry::{AttemptFailure, RetryPolicy, retry_after};
use crate::runtime::{Instant, sleep};
use crate::secret::Secret;

/// The operation in this module's errors.
const OPERATION: &str = "token";

/// A token response is a few kilobytes at most.
const MAX_ANSWER_BYTES: u64 = 1 << 20;

/// The issuer and the client's credentials.
#[derive(Debug)]
pub(crate) struct Issuer {
    auth_url: Url,
    /// The token endpoint, if the caller configured it.
    token_url: Option<Url>,
    client_id: String,
    client_secret: Secret,
    scopes: Vec<String>,
    /// The issuer's metadata, once discovered.
    known: OnceLock<Known>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    expires_in: Option<Seconds>,
    token_type: Option<String>,
    scope: Option<String>,
}

/// A lifetime. RFC 6749, section 5.1, has it as a number; some issuers send a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(f64),
    Text(String),
}

impl Seconds {
    /// `None` for what is no lifetime: the token is used until it is refused.
    fn duration(self) -> Option<Duration> {
        let seconds = match self {
            Self::Number(seconds) => seconds,
            Self::Text(text) => text.trim().parse().ok()?,
        };
        Duration::try_from_secs_f64(seconds).ok()
    }
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
    error_description: Option<String>,
}

/// A response of the issuer.
type Answer = http::Response<Bytes>;

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

    /// Requests a token, within `deadline`.
    pub(crate) async fn fetch(
        &self,
        http: &HttpClients,
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
            .exchange(http, retry, deadline, || {
                http.request_builder()
                    .post(known.endpoint.as_str())
                    .form(&form)
            })
            .await?;
        if answer.status().is_success() {
            grant(&answer)
        } else {
            Err(refusal(&answer, known.refused.as_deref()))
        }
    }

    /// The discovery document, requested once.
    async fn discover(
        &self,
        http: &HttpClients,
        retry: &RetryPolicy,
        deadline: Deadline,
    ) -> Result<Known> {
        if let Some(known) = self.known.get() {
            return Ok(known.clone());
        }
        let url = join(&self.auth_url, "/.well-known/openid-configuration");
        let get = || http.request_builder().get(url.as_str());
        let answer = self.exchange(http, retry, deadline, get).await?;
        let document = answer.status().is_success().then_some(&answer.body()[..]);
        let known = Known::of(&self.auth_url, self.token_url.as_ref(), document);
        if answer.status().is_server_error() || answer.status() == StatusCode::TOO_MANY_REQUESTS {
            // The document may be available next time.
            return Ok(known);
        }
        Ok(self.known.get_or_init(|| known).clone())
    }

    /// Whether the service supports idempotency keys, according to the issuer's metadata.
    pub(crate) fn supports_idempotency_keys(&self) -> bool {
        self.known
            .get()
            .is_some_and(|known| known.supports_idempotency_keys)
    }

    /// Whether a change of a comment changes its incident's stamp, according to the issuer's metadata.
    pub(crate) fn stamps_cover_comments(&self) -> bool {
        let known = self.known.get();
        known.is_some_and(|known| known.stamps_cover_comments)
    }

    /// Sends a request and retries it as [`RetryPolicy`] allows. A token request changes nothing at the
    /// issuer, so it may be repeated like a GET.
    async fn exchange(
        &self,
        http: &HttpClients,
        retry: &RetryPolicy,
        deadline: Deadline,
        request: impl Fn() -> reqwest::RequestBuilder,
    ) -> Result<Answer> {
        let mut retries = 0;
        loop {
            let request = request().build();
            let request = request.map_err(|error| connection(OPERATION, false, error))?;
            let started = Instant::now();
            let outcome = http.exchange(OPERATION, request, MAX_ANSWER_BYTES).await;
            let attempt = retries + 1;
            let milliseconds = started.elapsed().as_millis();
            // No body: it has the token.
            match &outcome {
                Ok(answer) => {
                    let status = answer.status().as_u16();
                    tracing::debug!(
                        operation = OPERATION,
                        attempt,
                        status,
                        milliseconds,
                        "answered"
                    );
                }
                Err(error) => {
                    tracing::debug!(operation = OPERATION, attempt, milliseconds, %error, "no answer");
                }
            }
            let failure = match &outcome {
                // An issuer sends no problem documents.
                Ok(answer) => AttemptFailure::Status(answer.status(), answer.headers(), None),
                Err(Error::Connection {
                    connecting: true, ..
                }) => AttemptFailure::Connect,
                Err(Error::Connection { .. }) => AttemptFailure::Broken,
                Err(_) => return outcome,
            };
            let wait = retry
                .wait(true, retries, failure, fastrand::f64())
                // The issuer's answer and its `Retry-After` say more than a timeout.
                .filter(|wait| !deadline.ends_within(*wait));
            let Some(wait) = wait else {
                return outcome;
            };
            retries += 1;
            sleep(wait).await;
        }
    }
}

/// Extracts the token from a success. Errors do not quote the body, since it may contain a token.
fn grant(answer: &Answer) -> Result<Grant> {
    let invalid = |description: &str| Error::Auth {
        status: answer.status().as_u16(),
        code: "invalid_response".to_owned(),
        description: Some(description.to_owned()),
        retry_after: None,
        earlier: None,
    };
    let mut json = serde_json::Deserializer::from_slice(answer.body());
    let no_token = |place: &str| {
        invalid(&format!(
            "the issuer's answer is not a token response{place}"
        ))
    };
    let token: TokenAnswer = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        match error.path().iter().len() {
            0 => no_token(""),
            _ => no_token(&format!(" at {}", error.path())),
        }
    })?;
    json.end().map_err(|_| no_token(""))?;
    if token.access_token.is_empty() {
        return Err(invalid("the issuer's token is empty"));
    }
    if let Some(kind) = &token.token_type
        && !kind.eq_ignore_ascii_case("bearer")
    {
        return Err(invalid("the issuer's token is not a bearer token"));
    }
    Ok(Grant {
        header: bearer(&token.access_token).ok_or_else(|| {
            invalid("the issuer's token has characters that a header cannot contain")
        })?,
        expires_in: token.expires_in.and_then(Seconds::duration),
        scopes: token
            .scope
            .unwrap_or_default()
            .split_ascii_whitespace()
            .map(str::to_owned)
            .collect(),
    })
}

/// The error for a response that is not a success. `refused` is the reason why the advertised endpoint was
/// not used.
fn refusal(answer: &Answer, refused: Option<&str>) -> Error {
    let refusal = serde_json::from_slice::<Refusal>(answer.body()).unwrap_or_else(|_| {
        let refused = refused
            .map(|reason| format!("; the issuer's discovery document is not followed: {reason}"));
        let status = answer.status();
        let refused = refused.unwrap_or_default();
        Refusal {
            error: "invalid_response".to_owned(),
            error_description: Some(format!("the issuer answered with status {status}{refused}")),
        }
    });
    Error::Auth {
        status: answer.status().as_u16(),
        code: refusal.error,
        description: refusal.error_description,
        retry_after: retry_after(answer.headers()),
        earlier: None,
    }
}
