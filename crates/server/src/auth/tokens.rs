//! Access tokens: issued as ES384 JWTs, verified in memory, and cached by hash until they expire or their
//! client is revoked.
//!
//! A P-384 check costs more than the rest of a small request, hence the cache. It contains digests, never
//! tokens.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use super::error::Refusal;
use super::jws::{self, TokenError, Unverified};
use super::keys::{Jwk, KeyRing, insert};
use super::scopes::Scopes;
use crate::config::Clock;
use crate::http::problem::Problem;
use obeya_store::engine::StoreError;
use obeya_store::random::random;
use obeya_store::{Store, clients, keys};

/// The audience of every token.
const AUDIENCE: &str = "obeya";
/// How far the clocks of two replicas may differ, in seconds.
const LEEWAY: i64 = 5;
/// Ours have some 500 bytes. A longer token is refused before it is hashed or parsed.
const MAX_TOKEN_BYTES: usize = 4096;

/// The maximum age of the list of revoked clients when a token is accepted. DECISIONS.md, section 5: a
/// revoked client is refused within 60 seconds.
const REVOCATIONS_LIFETIME: Duration = Duration::from_secs(60);
/// The longest interval between two reads of that list: if one read fails, including its wait and its run,
/// there is time for another.
pub(crate) const LONGEST_POLL: Duration = Duration::from_secs(20);

/// The list of revoked clients is older than [`REVOCATIONS_LIFETIME`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the list of revoked clients is more than a minute old: the store cannot be read")]
pub(crate) struct RevocationsUnknown;

/// The rights of a verified token.
#[derive(Debug)]
pub(crate) struct Grant {
    /// The id of the client.
    pub(crate) client_id: Arc<str>,
    /// The scopes of the token, which may be fewer than those of the client.
    pub(crate) scopes: Scopes,
    expires: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    client_id: String,
    iat: i64,
    nbf: i64,
    exp: i64,
    jti: String,
    scope: String,
}

/// Issues and verifies tokens.
pub(crate) struct Tokens {
    issuer: String,
    /// Seconds.
    lifetime: i64,
    capacity: usize,
    clock: Clock,
    ring: RwLock<Arc<KeyRing>>,
    cache: RwLock<TokenCache>,
    /// Whether a client has a secret with an argon2id hash.
    argon2id_remains: AtomicBool,
    /// When the last successful read of the revoked clients began, in nanoseconds of the monotonic clock.
    revocations_read: AtomicU64,
    /// Limits signature checks to the number of cores: more would only take blocking threads from the store.
    checks: Arc<Semaphore>,
}

#[derive(Default)]
struct TokenCache {
    verified: HashMap<[u8; 32], Arc<Grant>>,
    revoked: HashSet<String>,
}

impl Tokens {
    /// Reads the keys of the store; creates the first one if there is none.
    pub(crate) async fn open(
        store: &Store,
        issuer: &str,
        lifetime: i64,
        capacity: usize,
        clock: Clock,
    ) -> Result<Self, StoreError> {
        let now = clock.ticks();
        let begun = clock.monotonic();
        // Writes only if there is no key: another process may hold the write lock for as long as its import
        // takes.
        let (mut rows, revoked, argon2id_remains) = store
            .read(move |session| {
                let argon2id_remains = clients::has_argon2id(session)?;
                Ok::<_, StoreError>((
                    keys::live(session, now)?,
                    clients::revoked(session)?,
                    argon2id_remains,
                ))
            })
            .await?;
        if rows.is_empty() {
            // Checked again inside the write, so that two replicas that start on an empty database agree on
            // the key.
            rows = store
                .write(move |session| {
                    if keys::live(session, now)?.is_empty() {
                        insert(session, "createKey", now)?;
                    }
                    keys::live(session, now)
                })
                .await?;
        }
        Ok(Self {
            issuer: issuer.to_owned(),
            lifetime,
            capacity,
            clock,
            argon2id_remains: AtomicBool::new(argon2id_remains),
            revocations_read: AtomicU64::new(nanos(begun)),
            ring: RwLock::new(Arc::new(KeyRing::read(&rows)?)),
            cache: RwLock::new(TokenCache {
                verified: HashMap::new(),
                revoked: revoked.into_iter().collect(),
            }),
            checks: Arc::new(Semaphore::new(
                std::thread::available_parallelism().map_or(1, NonZero::get),
            )),
        })
    }

    /// The issuer: `iss`, and the URL in the well-known documents.
    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The lifetime of a new token, in seconds.
    pub(crate) fn lifetime(&self) -> i64 {
        self.lifetime
    }

    /// The public keys.
    pub(crate) fn published(&self) -> Vec<Jwk> {
        self.ring().published(self.clock.ticks())
    }

    /// Issues a token. Signing takes a millisecond, so not for an asynchronous thread.
    pub(crate) fn issue(&self, client_id: &str, scopes: Scopes) -> Result<String, Problem> {
        let now = self.clock.seconds();
        let ring = self.ring();
        let key = ring
            .signing(self.clock.ticks())
            .ok_or_else(|| Problem::internal("there is no signing key"))?;
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: AUDIENCE.to_owned(),
            sub: client_id.to_owned(),
            client_id: client_id.to_owned(),
            iat: now,
            nbf: now,
            exp: now + self.lifetime,
            jti: random::<12>(),
            scope: scopes.list(),
        };
        jws::sign(&key.kid, &claims, &key.signing).map_err(Problem::internal)
    }

    /// Verifies a token.
    pub(crate) async fn verify(&self, token: &str) -> Result<Arc<Grant>, Refusal> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(Refusal::Invalid("the token is malformed"));
        }
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let cached = self.read().verified.get(&digest).cloned();
        let grant = match cached {
            Some(grant) => grant,
            None => self.check(token, digest).await?,
        };
        if self.clock.seconds() >= grant.expires + LEEWAY {
            return Err(Refusal::Expired);
        }
        self.check_revocations_known()?;
        Ok(grant)
    }

    /// Whether the list of revoked clients is recent enough to accept a token by it.
    pub(crate) fn check_revocations_known(&self) -> Result<(), RevocationsUnknown> {
        let read = Duration::from_nanos(self.revocations_read.load(Ordering::Acquire));
        match self.clock.monotonic().saturating_sub(read) <= REVOCATIONS_LIFETIME {
            true => Ok(()),
            false => Err(RevocationsUnknown),
        }
    }

    async fn check(&self, token: &str, digest: [u8; 32]) -> Result<Arc<Grant>, Refusal> {
        let token = Unverified::parse(token).map_err(refused)?;
        let ring = self.ring();
        let now = self.clock.ticks();
        if ring.verifying(&token.kid, now).is_none() {
            return Err(Refusal::Invalid("the token is signed with an unknown key"));
        }
        // This fails only if the semaphore is closed, which never happens.
        let permit = Arc::clone(&self.checks).acquire_owned().await;
        let verified = tokio::task::spawn_blocking(move || {
            // The work owns its permit: it continues when the client disconnects.
            let _permit = permit;
            let key = ring.verifying(&token.kid, now)?;
            Some(token.verify::<Claims>(key.signing.verifying_key()))
        });
        let claims = match verified.await {
            Ok(Some(claims)) => claims.map_err(refused)?,
            Ok(None) | Err(_) => return Err(refused(TokenError::Malformed)),
        };
        if claims.iss != self.issuer {
            return Err(Refusal::Invalid("the token is of another issuer"));
        }
        if claims.aud != AUDIENCE {
            return Err(Refusal::Invalid("the token is for another audience"));
        }
        let now = self.clock.seconds();
        if claims.nbf > now + LEEWAY {
            return Err(Refusal::Invalid("the token is not valid yet"));
        }
        if now >= claims.exp + LEEWAY {
            return Err(Refusal::Expired);
        }
        let scopes = Scopes::parse_known(&claims.scope);
        self.cache_grant(
            digest,
            Arc::new(Grant {
                client_id: claims.sub.into(),
                scopes,
                expires: claims.exp,
            }),
            now,
        )
    }

    /// Caches a verified token. Under the same lock as the list of revoked clients, so that a token whose
    /// client is revoked meanwhile is not added after the list was applied.
    fn cache_grant(
        &self,
        digest: [u8; 32],
        grant: Arc<Grant>,
        now: i64,
    ) -> Result<Arc<Grant>, Refusal> {
        let mut cache = self.write();
        if cache.revoked.contains(&*grant.client_id) {
            return Err(Refusal::Revoked);
        }
        if cache.verified.len() >= self.capacity {
            cache.verified.retain(|_, grant| now < grant.expires);
        }
        if cache.verified.len() >= self.capacity {
            // Any entry will do: its token is only verified again.
            let victim = cache.verified.keys().next().copied();
            victim.and_then(|digest| cache.verified.remove(&digest));
        }
        cache.verified.insert(digest, Arc::clone(&grant));
        Ok(grant)
    }

    /// Reads the revoked clients and the keys from the store. An unreadable key blocks neither revocations
    /// nor the other keys.
    pub(crate) async fn refresh(&self, store: &Store) -> Result<(), StoreError> {
        let now = self.clock.ticks();
        let begun = self.clock.monotonic();
        let (rows, revoked, argon2id_remains) = store
            .control(move |session| {
                let argon2id_remains = clients::has_argon2id(session)?;
                Ok::<_, StoreError>((
                    keys::live(session, now)?,
                    clients::revoked(session)?,
                    argon2id_remains,
                ))
            })
            .await?;
        self.argon2id_remains
            .store(argon2id_remains, Ordering::Relaxed);
        self.revoke(revoked);
        // Set after the list was applied, and never decreased: reads may overtake one another.
        self.revocations_read
            .fetch_max(nanos(begun), Ordering::Release);
        if let Some(ring) = KeyRing::read_valid(&rows) {
            *self.ring.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(ring);
        }
        Ok(())
    }

    fn revoke(&self, revoked: impl IntoIterator<Item = String>) {
        let mut cache = self.write();
        let TokenCache {
            verified,
            revoked: revoked_clients,
        } = &mut *cache;
        // Only extended: a list read before a revocation may arrive after the one that has it.
        revoked_clients.extend(revoked);
        verified.retain(|_, grant| !revoked_clients.contains(&*grant.client_id));
    }

    /// Whether a client has a secret with an argon2id hash.
    pub(crate) fn argon2id_remains(&self) -> bool {
        self.argon2id_remains.load(Ordering::Relaxed)
    }

    /// The number of cached tokens.
    pub(crate) fn cached(&self) -> usize {
        self.read().verified.len()
    }

    fn ring(&self) -> Arc<KeyRing> {
        Arc::clone(&self.ring.read().unwrap_or_else(PoisonError::into_inner))
    }

    // No code under these locks can panic halfway through a change, so a poisoned lock is still valid.
    fn read(&self) -> RwLockReadGuard<'_, TokenCache> {
        self.cache.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, TokenCache> {
        self.cache.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A time of the monotonic clock in nanoseconds.
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn refused(error: TokenError) -> Refusal {
    Refusal::Invalid(match error {
        TokenError::Malformed => "the token is malformed",
        TokenError::Algorithm => "the token is signed by another algorithm than ES384",
        TokenError::Signature => "the token's signature does not match",
    })
}
