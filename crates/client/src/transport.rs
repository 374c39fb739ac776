//! Carries out a call: authorises, sends, reads the response, and retries.
//!
//! Everything that all operations share is here: the token and its refresh after a 401, retries, the
//! deadline, the body limit, the observer, the `tracing` span of a call, and the typed error of an error
//! response. Callers decode the body.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::header::AUTHORIZATION;
use tracing::Instrument as _;

use crate::auth::{Grant, Issuer, Token, Tokens, bearer};
use crate::config::{Config, Credentials};
use crate::deadline::Deadline;
use crate::error::{Cause, ConfigError, Error, Result};
use crate::expanded_lists;
use crate::http_clients::HttpClients;
use crate::observe::{Exchange, Observer};
use crate::problem;
use crate::retry::{self, AttemptFailure, IDEMPOTENCY_KEY};
use crate::runtime::{Instant, sleep};

/// The shared state of clients. A clone shares its connections and tokens.
#[derive(Clone)]
pub(crate) struct Transport {
    pub(crate) config: Config,
    pub(crate) http: HttpClients,
    authority: Authority,
    observer: Option<Arc<dyn Observer>>,
}

/// The source of the `Authorization` header.
#[derive(Clone)]
enum Authority {
    Tokens(Arc<Tokens>),
    Fixed(http::HeaderValue),
    None,
}

/// A complete response.
pub(crate) type Reply = http::Response<Bytes>;

impl Transport {
    pub(crate) fn new(
        config: Config,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Self, ConfigError> {
        let http = HttpClients::new(&config)?;
        let authority = match &config.credentials {
            Credentials::Client { id, secret, scopes } => {
                let issuer = Issuer::new(
                    config.auth_url.clone(),
                    config.token_url.clone(),
                    id.clone(),
                    secret.clone(),
                    scopes.clone(),
                );
                Authority::Tokens(Arc::new(Tokens::new(issuer)))
            }
            Credentials::Token(token) => {
                Authority::Fixed(bearer(token.expose()).ok_or(ConfigError::Invalid {
                    setting: "token",
                    reason: "has characters that a header cannot contain".to_owned(),
                })?)
            }
            Credentials::Anonymous => Authority::None,
        };
        Ok(Self {
            config,
            http,
            authority,
            observer,
        })
    }

    /// Carries out a call; returns its successful response or an error.
    pub(crate) async fn call(
        &self,
        operation: &'static str,
        request: &reqwest::Request,
    ) -> Result<Reply> {
        let deadline = Deadline::after(self.config.timeout);
        let attempts = self.run_attempts(deadline, operation, request);
        // No URL: it may contain a filter with personal data.
        let span = tracing::debug_span!("call", operation, method = %request.method());
        let reply = self
            .with_deadline(deadline, operation, attempts)
            .instrument(span)
            .await?;
        expanded_lists::check(operation, request.url(), reply.body())?;
        Ok(reply)
    }

    /// The current token's lifetime and scopes; fetches one if needed. `None` without client credentials.
    pub(crate) async fn authenticate(&self) -> Result<Option<Arc<Grant>>> {
        let Authority::Tokens(tokens) = &self.authority else {
            return Ok(None);
        };
        let deadline = Deadline::after(self.config.timeout);
        let token = tokens.get(&self.http, &self.config.retry, deadline);
        let token = self.with_deadline(deadline, "token", token).await?;
        Ok(Some(token.grant))
    }

    /// Whether a change of a comment changes its incident's stamp, according to the issuer's metadata; false
    /// without an issuer.
    pub(crate) async fn stamps_cover_comments(&self) -> Result<bool> {
        let Authority::Tokens(tokens) = &self.authority else {
            return Ok(false);
        };
        // The first token request also discovers the metadata.
        self.authenticate().await?;
        Ok(tokens.stamps_cover_comments())
    }

    async fn with_deadline<T>(
        &self,
        deadline: Deadline,
        operation: &'static str,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let after = self.config.timeout;
        deadline
            .limit(work)
            .await
            .unwrap_or(Err(Error::Timeout { operation, after }))
    }

    /// The idempotency key that all attempts of a write carry, unless the caller set one. It lets the service
    /// recognise a retry: without it the retry of a DELETE that succeeded would fail with 404.
    fn generated_key(request: &reqwest::Request) -> Option<http::HeaderValue> {
        let headers = request.headers();
        let writes = !request.method().is_safe();
        (writes && !headers.contains_key(IDEMPOTENCY_KEY)).then(retry::new_key)
    }

    /// Whether applying the call twice has the same effect as once.
    fn is_idempotent(&self, request: &reqwest::Request) -> bool {
        // A key of the caller's implies that the service supports keys.
        request.method().is_idempotent()
            || request.headers().contains_key(IDEMPOTENCY_KEY)
            || self
                .config
                .supports_idempotency_keys
                .unwrap_or(match &self.authority {
                    Authority::Tokens(tokens) => tokens.supports_idempotency_keys(),
                    Authority::Fixed(_) | Authority::None => false,
                })
    }

    /// Attempts the call until it succeeds, or fails with an error that a retry within the deadline cannot
    /// repair.
    async fn run_attempts(
        &self,
        deadline: Deadline,
        operation: &'static str,
        request: &reqwest::Request,
    ) -> Result<Reply> {
        let mut refreshed = false;
        let mut retries = 0;
        let mut attempt = 0;
        // The last failure after which the request may have been applied.
        let mut undecided = None;
        let key = Self::generated_key(request);
        loop {
            attempt += 1;
            let (mut copy, token) = match self.authorised(operation, request, deadline).await {
                Ok(authorised) => authorised,
                Err(error) => return Err(error.after(undecided)),
            };
            if let Some(key) = &key {
                copy.headers_mut().insert(IDEMPOTENCY_KEY, key.clone());
            }
            let outcome = self.attempt(operation, attempt, copy).await;
            if let (Ok(reply), Some(token)) = (&outcome, token)
                && reply.status() == StatusCode::UNAUTHORIZED
                && !refreshed
                && let Authority::Tokens(tokens) = &self.authority
            {
                // The token was revoked, or signed with a retired key. Refresh it once; if the new token is
                // refused too, return the 401.
                tokens.invalidate(&token);
                refreshed = true;
                continue;
            }
            let problem = outcome.as_ref().ok().and_then(problem_of);
            let code = problem.as_ref().and_then(problem::Document::code);
            let failure = match &outcome {
                Ok(reply) => AttemptFailure::Status(reply.status(), reply.headers(), code),
                Err(Error::Connection {
                    connecting: true, ..
                }) => AttemptFailure::Connect,
                Err(Error::Connection { .. }) => AttemptFailure::Broken,
                Err(_) => return outcome.map_err(|error| error.after(undecided)),
            };
            let policy = &self.config.retry;
            let wait = policy
                .wait(
                    self.is_idempotent(request),
                    retries,
                    failure,
                    fastrand::f64(),
                )
                // If the deadline would end the wait, return this failure instead of a timeout.
                .filter(|wait| !deadline.ends_within(*wait));
            let may_have_been_applied =
                failure.may_have_been_applied() && !request.method().is_safe();
            let outcome = outcome.and_then(|reply| match problem {
                None => Ok(reply),
                Some(problem) => {
                    Err(problem.into_error(operation, reply.status(), reply.headers()))
                }
            });
            let Some(wait) = wait else {
                return outcome.map_err(|error| error.after(undecided));
            };
            if may_have_been_applied {
                undecided = outcome.err().map(|error| Arc::new(error) as Cause);
            }
            retries += 1;
            let milliseconds = wait.as_millis();
            tracing::debug!(
                operation,
                attempt,
                milliseconds,
                "waits for another attempt"
            );
            sleep(wait).await;
        }
    }

    /// A copy of the request with `Authorization`, and the token used.
    async fn authorised(
        &self,
        operation: &'static str,
        request: &reqwest::Request,
        deadline: Deadline,
    ) -> Result<(reqwest::Request, Option<Token>)> {
        let (header, token) = match &self.authority {
            Authority::Tokens(tokens) => {
                let retry = &self.config.retry;
                let token = tokens.get(&self.http, retry, deadline).await?;
                (Some(token.grant.header.clone()), Some(token))
            }
            Authority::Fixed(header) => (Some(header.clone()), None),
            Authority::None => (None, None),
        };
        let mut copy = request.try_clone().ok_or_else(|| Error::Request {
            operation,
            reason: "its body can be sent only once".to_owned(),
        })?;
        if let Some(header) = header {
            copy.headers_mut().insert(AUTHORIZATION, header);
        }
        Ok((copy, token))
    }

    /// One attempt: sends the request, reads the body, and calls the observer.
    async fn attempt(
        &self,
        operation: &'static str,
        attempt: u32,
        request: reqwest::Request,
    ) -> Result<Reply> {
        let started = Instant::now();
        let described = self
            .observer
            .as_ref()
            .map(|observer| (observer, request.method().clone(), request.url().clone()));
        let limit = self.config.max_body_bytes;
        let outcome = self.http.exchange(operation, request, limit).await;
        let milliseconds = started.elapsed().as_millis();
        match &outcome {
            Ok(reply) => tracing::debug!(
                operation,
                attempt,
                status = reply.status().as_u16(),
                request_id = request_id(reply),
                milliseconds,
                "answered"
            ),
            Err(error) => tracing::debug!(operation, attempt, milliseconds, %error, "no answer"),
        }
        if let Some((observer, method, url)) = described {
            let reply = outcome.as_ref().ok();
            observer.exchange(&Exchange {
                operation,
                method: method.as_str(),
                url: url.as_str(),
                attempt,
                duration: started.elapsed(),
                status: reply.map(|reply| reply.status().as_u16()),
                request_id: reply.and_then(request_id),
                content_type: reply.and_then(|reply| {
                    reply
                        .headers()
                        .get(http::header::CONTENT_TYPE)?
                        .to_str()
                        .ok()
                }),
                body: reply.map_or(&[], |reply| reply.body()),
            });
        }
        outcome
    }
}

/// What names the request in the log of the service.
fn request_id(reply: &Reply) -> Option<&str> {
    reply.headers().get("x-request-id")?.to_str().ok()
}

/// The problem document; `None` for a success.
fn problem_of(reply: &Reply) -> Option<problem::Document> {
    (!reply.status().is_success()).then(|| problem::Document::parse(reply.body()))
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
