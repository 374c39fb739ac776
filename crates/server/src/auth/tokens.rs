//! Access tokens: issued as ES384 JWTs, verified in memory, and cached until they expire or their
//! client or key is withdrawn.
//!
//! A P-384 check costs more than the rest of a small request, hence the cache.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::error::Refusal;
use super::jws::{self, TokenError, Unverified};
use super::keys::{self as signing_keys, Jwk, KeyRing};
use super::scopes::Scopes;
use super::secrets;
use super::token_cache::{Grant, TokenCache, VerifiedToken, settings_of};
use crate::config::{Clock, TICKS_PER_SECOND};
use crate::http::problem::Problem;
use crate::key_encryption::{KeyEncryptionKey, is_encrypted};
use obeya_store::clients::{self, Client};
use obeya_store::engine::StoreError;
use obeya_store::random::random;
use obeya_store::{Session, Store, keys};

/// The audience of every token.
const AUDIENCE: &str = "obeya";
/// How far the clocks of two replicas may differ, in seconds.
const LEEWAY: i64 = 5;
/// Ours have some 500 bytes. A longer token is refused before it is hashed or parsed.
const MAX_TOKEN_BYTES: usize = 4096;

/// The maximum age of the list of clients when a token is accepted. DECISIONS.md, section 5: a revoked
/// client is refused within 60 seconds.
const REVOCATIONS_LIFETIME: Duration = Duration::from_secs(60);
/// The longest interval between two reads of that list: if one read fails, including its wait and its run,
/// there is time for another.
pub(crate) const LONGEST_POLL: Duration = Duration::from_secs(20);

/// The list of clients is older than [`REVOCATIONS_LIFETIME`], or lacks the client of a token and cannot be
/// read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the list of revoked clients is more than a minute old: the store cannot be read")]
pub(crate) struct RevocationsUnknown;

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
    clock: Clock,
    encryption: Option<KeyEncryptionKey>,
    cache: RwLock<TokenCache>,
    /// The number of reads of the clients and keys that have begun.
    reads: AtomicU64,
    /// Whether a client has a secret with an argon2id hash.
    argon2id_remains: AtomicBool,
    /// When the last successful read of the clients began, in nanoseconds of the monotonic clock.
    revocations_read: AtomicU64,
    /// Limits signature checks to the number of cores: more would only take blocking threads from the store.
    checks: Arc<Semaphore>,
}

/// A new token.
pub(crate) struct IssuedToken {
    pub(crate) text: String,
    /// Its lifetime in seconds.
    pub(crate) lifetime: i64,
}

impl Tokens {
    /// Reads the keys of the store; creates the first one if there is none, and encrypts them if there is a
    /// key for that.
    pub(crate) async fn open(
        store: &Store,
        issuer: &str,
        lifetime: i64,
        capacity: usize,
        clock: Clock,
        encryption: Option<KeyEncryptionKey>,
    ) -> Result<Self, StoreError> {
        let now = clock.ticks();
        let begun = clock.monotonic();
        // Writes only if there is something to do: another process may hold the write lock for as long as its
        // import takes.
        let (mut rows, clients) = store.read(clients_and_keys(now)).await?;
        let is_clear = |key: &keys::StoredKey| !is_encrypted(&key.private_key);
        if rows.is_empty() || encryption.is_some() && rows.iter().any(is_clear) {
            let encryption = encryption.clone();
            // Read again inside the write, so that two replicas that start on an empty database agree on the
            // key.
            rows = store
                .write(move |session| {
                    signing_keys::ensure(session, now, encryption.as_ref())?;
                    if let Some(encryption) = &encryption {
                        signing_keys::encrypt_all(session, now, encryption)?;
                    }
                    keys::live(session, now)
                })
                .await?;
        }
        let ring = KeyRing::read(&rows, encryption.as_ref())?;
        Ok(Self {
            issuer: issuer.to_owned(),
            lifetime,
            argon2id_remains: AtomicBool::new(secrets::argon2id_remains(&clients, now)),
            revocations_read: AtomicU64::new(nanos(begun)),
            reads: AtomicU64::new(0),
            cache: RwLock::new(TokenCache::new(capacity, ring, settings_of(&clients))),
            clock,
            encryption,
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

    /// The key that encrypts the signing keys in the database.
    pub(crate) fn encryption(&self) -> Option<&KeyEncryptionKey> {
        self.encryption.as_ref()
    }

    /// The public keys.
    pub(crate) fn published(&self) -> Vec<Jwk> {
        self.ring().published(self.clock.ticks())
    }

    /// Issues a token, which expires with its client and with the key that signs it at the latest; 503 if
    /// that is now. Signing takes a millisecond, so not for an asynchronous thread.
    pub(crate) fn issue(&self, client: &Client, scopes: Scopes) -> Result<IssuedToken, Problem> {
        let ticks = self.clock.ticks();
        let now = ticks.div_euclid(TICKS_PER_SECOND);
        let ring = self.ring();
        let key = ring
            .signing(ticks)
            .ok_or_else(|| Problem::unavailable("there is no signing key"))?;
        let client_end = client.expires_at.map(|at| at.div_euclid(TICKS_PER_SECOND));
        let ends = [client_end, key.last_second()].into_iter().flatten();
        let lifetime = ends.map(|end| end - now).fold(self.lifetime, i64::min);
        if lifetime <= 0 {
            return Err(Problem::unavailable(
                "the client expired while its token was issued",
            ));
        }
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: AUDIENCE.to_owned(),
            sub: client.id.clone(),
            client_id: client.id.clone(),
            iat: now,
            nbf: now,
            exp: now + lifetime,
            jti: random::<12>(),
            scope: scopes.list(),
        };
        let text = jws::sign(&key.kid, &claims, &key.signing).map_err(Problem::internal)?;
        // Otherwise the first request with the token would read the clients.
        self.write().add_client(client);
        Ok(IssuedToken { text, lifetime })
    }

    /// Verifies a token.
    pub(crate) async fn verify(&self, store: &Store, token: &str) -> Result<Arc<Grant>, Refusal> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(Refusal::Invalid("the token is malformed"));
        }
        let cached = self.read().get(token);
        let grant = match cached {
            Some(grant) => grant,
            // Boxed: only the first request with a token comes here, and all have the size of this future.
            None => Box::pin(self.check(store, token)).await?,
        };
        if self.clock.seconds() >= grant.expires + LEEWAY {
            return Err(Refusal::Expired);
        }
        self.check_revocations_known()?;
        Ok(grant)
    }

    /// Whether the list of clients is recent enough to accept a token by it.
    pub(crate) fn check_revocations_known(&self) -> Result<(), RevocationsUnknown> {
        match self.age() <= REVOCATIONS_LIFETIME {
            true => Ok(()),
            false => Err(RevocationsUnknown),
        }
    }

    async fn check(&self, store: &Store, text: &str) -> Result<Arc<Grant>, Refusal> {
        let token = Unverified::parse(text).map_err(refused)?;
        let ring = self.ring();
        let now = self.clock.ticks();
        if ring.verifying(&token.kid, now).is_none() {
            return Err(Refusal::UNKNOWN_KEY);
        }
        let kid = token.kid.clone();
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
        let token = VerifiedToken {
            client_id: claims.sub.into(),
            scopes: Scopes::parse_known(&claims.scope),
            expires: claims.exp,
            kid,
        };
        if !self.read().knows(&token.client_id) {
            // Another process created the client after the last read.
            self.refresh(store).await.map_err(|error| {
                tracing::warn!(%error, "cannot read the client of a token");
                RevocationsUnknown
            })?;
        }
        self.write().add(text, token, now)
    }

    /// Reads the clients and the keys from the store, and applies their changes to all tokens. Only for the
    /// upkeep, whose reads must not wait for those of requests.
    pub(crate) async fn poll(&self, store: &Store) -> Result<(), StoreError> {
        let begun = self.begin_read();
        let found = store.poll(clients_and_keys(begun.now)).await?;
        self.apply(&begun, found);
        Ok(())
    }

    /// The same for a request.
    pub(crate) async fn refresh(&self, store: &Store) -> Result<(), StoreError> {
        let begun = self.begin_read();
        let found = store.control(clients_and_keys(begun.now)).await?;
        self.apply(&begun, found);
        Ok(())
    }

    /// How long ago the last successful read of the clients and keys began.
    pub(crate) fn age(&self) -> Duration {
        let read = Duration::from_nanos(self.revocations_read.load(Ordering::Acquire));
        self.clock.monotonic().saturating_sub(read)
    }

    fn begin_read(&self) -> BegunRead {
        BegunRead {
            number: self.reads.fetch_add(1, Ordering::Relaxed) + 1,
            now: self.clock.ticks(),
            monotonic: self.clock.monotonic(),
        }
    }

    fn apply(&self, begun: &BegunRead, (rows, clients): (Vec<keys::StoredKey>, Vec<Client>)) {
        let remains = secrets::argon2id_remains(&clients, begun.now);
        self.argon2id_remains.store(remains, Ordering::Relaxed);
        // Parsing is slow, so not under the lock. A ring that another read changes meanwhile is only read
        // from.
        let ring = self.ring().updated(&rows, self.encryption.as_ref());
        let clients = settings_of(&clients);
        self.write().apply(begun.number, ring, clients);
        // Set after the list was applied, and never decreased: reads may overtake one another.
        self.revocations_read
            .fetch_max(nanos(begun.monotonic), Ordering::Release);
    }

    /// Whether a client has a secret with an argon2id hash.
    pub(crate) fn argon2id_remains(&self) -> bool {
        self.argon2id_remains.load(Ordering::Relaxed)
    }

    /// The number of cached tokens.
    pub(crate) fn cached(&self) -> usize {
        self.read().len()
    }

    fn ring(&self) -> Arc<KeyRing> {
        self.read().ring()
    }

    // No code under these locks can panic halfway through a change, so a poisoned lock is still valid.
    fn read(&self) -> RwLockReadGuard<'_, TokenCache> {
        self.cache.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, TokenCache> {
        self.cache.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A read of the clients and keys that has begun.
struct BegunRead {
    /// Reads may overtake one another.
    number: u64,
    /// In ticks.
    now: i64,
    monotonic: Duration,
}

/// Reads the keys that are live at `now` (ticks), and all clients.
fn clients_and_keys(
    now: i64,
) -> impl FnOnce(&mut dyn Session) -> Result<(Vec<keys::StoredKey>, Vec<Client>), StoreError> + Send
{
    move |session| Ok((keys::live(session, now)?, clients::list(session)?))
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
