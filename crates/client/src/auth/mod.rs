//! Caches one access token until shortly before it expires; concurrent callers share one fetch.
//!
//! Each token has a generation. A call that was refused invalidates the generation of its token, so fifty
//! calls that were refused with one token cause one fetch: the first invalidates it, the others find it
//! already replaced. Requests to the API are not sent here.

mod discovery;
mod issuer;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use futures_util::lock::Mutex;
use http::HeaderValue;

pub(crate) use issuer::Issuer;

use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::http_clients::HttpClients;
use crate::retry::RetryPolicy;
use crate::runtime::Instant;

/// A token as issued.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    /// `Bearer …`, marked sensitive so that it prints as `Sensitive`.
    pub(crate) header: HeaderValue,
    /// Lifetime, if the issuer sent it.
    pub(crate) expires_in: Option<Duration>,
    /// Granted scopes, if the issuer sent them.
    pub(crate) scopes: Vec<String>,
}

/// A grant and its expiry.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) grant: Arc<Grant>,
    generation: u64,
    refresh_at: Option<Instant>,
}

/// The token cache of one client.
#[derive(Debug)]
pub(crate) struct Tokens {
    issuer: Issuer,
    current: StdMutex<Option<Token>>,
    /// The number of fetches finished, including failed ones; also the generation of the last token.
    finished: AtomicU64,
    /// Locked during a fetch. Contains the failure of the last fetch, if it failed.
    fetch: Mutex<Option<Failure>>,
}

/// A failed fetch, and what it was allowed.
#[derive(Debug)]
struct Failure {
    error: Error,
    max_retries: u32,
    /// The timeout of the call that needed the token.
    timeout: Duration,
}

impl Tokens {
    pub(crate) fn new(issuer: Issuer) -> Self {
        Self {
            issuer,
            current: StdMutex::new(None),
            finished: AtomicU64::new(0),
            fetch: Mutex::new(None),
        }
    }

    /// The current token. Fetches one if there is none or it is about to expire.
    pub(crate) async fn get(
        &self,
        http: &HttpClients,
        retry: &RetryPolicy,
        deadline: Deadline,
    ) -> Result<Token> {
        if let Some(token) = self.fresh() {
            return Ok(token);
        }
        let before = self.finished.load(Ordering::Acquire);
        let mut failure = self.fetch.lock().await;
        // The previous holder of the lock may have fetched a token or failed for us too, so that not every
        // waiting caller asks a failing issuer again. (A dropped fetch does not count, nor does one with
        // fewer retries or a shorter timeout than ours.)
        if let Some(token) = self.fresh() {
            return Ok(token);
        }
        if self.finished.load(Ordering::Acquire) != before
            && let Some(failure) = &*failure
            && failure.max_retries >= retry.max_retries
            && failure.timeout >= deadline.timeout()
        {
            return Err(failure.error.clone());
        }
        let outcome = self.issuer.fetch(http, retry, deadline).await;
        let generation = self.finished.fetch_add(1, Ordering::AcqRel) + 1;
        match outcome {
            Ok(grant) => {
                *failure = None;
                let token = Token {
                    refresh_at: grant
                        .expires_in
                        .and_then(|life| Instant::now().checked_add(life - margin(life))),
                    generation,
                    grant: Arc::new(grant),
                };
                *self.lock() = Some(token.clone());
                Ok(token)
            }
            Err(error) => {
                *failure = Some(Failure {
                    error: error.clone(),
                    max_retries: retry.max_retries,
                    timeout: deadline.timeout(),
                });
                Err(error)
            }
        }
    }

    /// Whether the service supports idempotency keys, according to its issuer.
    pub(crate) fn supports_idempotency_keys(&self) -> bool {
        self.issuer.supports_idempotency_keys()
    }

    /// Whether a change of a comment changes its incident's stamp, according to the service's issuer.
    pub(crate) fn stamps_cover_comments(&self) -> bool {
        self.issuer.stamps_cover_comments()
    }

    /// Drops `refused` from the cache, unless it was already replaced.
    pub(crate) fn invalidate(&self, refused: &Token) {
        let mut current = self.lock();
        if current
            .as_ref()
            .is_some_and(|token| token.generation == refused.generation)
        {
            *current = None;
        }
    }

    fn fresh(&self) -> Option<Token> {
        let token = self.lock().clone()?;
        let fresh = token.refresh_at.is_none_or(|at| Instant::now() < at);
        fresh.then_some(token)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Token>> {
        // Nothing can panic while it is locked; the value of a poisoned lock is still consistent.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The header for a token; `None` if the token has characters that a header cannot contain.
pub(crate) fn bearer(token: &str) -> Option<HeaderValue> {
    let mut header = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
    header.set_sensitive(true);
    Some(header)
}

/// How long before its expiry a token is no longer used: a minute, so that it cannot expire in transit, or a
/// tenth of a short lifetime.
fn margin(life: Duration) -> Duration {
    (life / 10).min(Duration::from_secs(60))
}
