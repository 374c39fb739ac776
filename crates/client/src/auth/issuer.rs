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

use super::discovery::Known;
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
        let document = Some(&answer.body[..]).filter(|_| answer.status.is_success());
        let known = Known::of(&self.auth_url, self.token_url.as_ref(), document);
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

    /// Sends one request of the conversation, again where [`RetryPolicy`] allows it. Asking for a token
    /// changes nothing at the issuer, so it may be repeated like a GET.
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
                // An issuer sends no problem documents.
                Ok(answer) => Fault::Status(answer.status, &answer.headers, None),
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
