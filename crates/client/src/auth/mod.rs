//! Access tokens: one at a time, remembered until shortly before they expire, fetched once however many wait.
//!
//! Each token has a generation. A call that was refused with a token names that token's generation when it
//! asks for another, so fifty calls refused with one token cause one fetch: the first invalidates the
//! generation, the others find it already replaced. Sending requests to the API is not done here.

mod discovery;
mod issuer;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use http::HeaderValue;
use tokio::sync::Mutex;
use tokio::time::Instant;

pub(crate) use issuer::Issuer;

use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::retry::RetryPolicy;

/// A token as the issuer gave it.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    /// `Bearer …`, marked sensitive so that it prints as `Sensitive`.
    pub(crate) header: HeaderValue,
    /// Lifetime, where the issuer said.
    pub(crate) expires_in: Option<Duration>,
    /// Granted scopes, where the issuer said.
    pub(crate) scopes: Vec<String>,
}

/// A grant in use.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) grant: Arc<Grant>,
    generation: u64,
    refresh_at: Option<Instant>,
}

/// The token store of one client.
#[derive(Debug)]
pub(crate) struct Tokens {
    issuer: Issuer,
    current: StdMutex<Option<Token>>,
    /// Fetches finished so far, failed ones included; also the generation of the last token.
    finished: AtomicU64,
    /// Held while a fetch runs; holds why the last finished one failed, and how often that one would have
    /// tried again.
    fetch: Mutex<Option<(Error, u32)>>,
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

    /// The current token, fetched if there is none or it is about to expire.
    pub(crate) async fn get(
        &self,
        http: &reqwest::Client,
        retry: &RetryPolicy,
        deadline: Deadline,
    ) -> Result<Token> {
        if let Some(token) = self.fresh() {
            return Ok(token);
        }
        let before = self.finished.load(Ordering::Acquire);
        let mut failure = self.fetch.lock().await;
        // Whoever held the lock may have answered for us too, one way or the other: a failing issuer is not
        // asked once more by each of those who waited. (A fetch that was dropped half-way counts for nobody,
        // and one that gave up soon for none who would not have.)
        if let Some(token) = self.fresh() {
            return Ok(token);
        }
        if self.finished.load(Ordering::Acquire) != before
            && let Some((error, retries)) = &*failure
            && *retries >= retry.max_retries
        {
            return Err(error.clone());
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
                *failure = Some((error.clone(), retry.max_retries));
                Err(error)
            }
        }
    }

    /// Whether the service keeps to idempotency keys, as far as its issuer has said so.
    pub(crate) fn keeps_to_keys(&self) -> bool {
        self.issuer.keeps_to_keys()
    }

    /// Whether the stamps of incidents tell of changes of their comments, as far as the service's issuer has
    /// said so.
    pub(crate) fn stamps_cover_comments(&self) -> bool {
        self.issuer.stamps_cover_comments()
    }

    /// Forgets `refused`, unless it was already replaced.
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
        // Nothing can panic while it is held; a poisoned lock still holds a whole value.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The header that carries a token; `None` if no header can hold it.
pub(crate) fn bearer(token: &str) -> Option<HeaderValue> {
    let mut header = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
    header.set_sensitive(true);
    Some(header)
}

/// How long before its end a token is no longer used: a minute, so that it can't expire on the way, or a
/// tenth of a life that is short.
fn margin(life: Duration) -> Duration {
    (life / 10).min(Duration::from_secs(60))
}
