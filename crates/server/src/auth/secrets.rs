//! Client secrets: created here, stored as keyed hashes, checked at the token endpoint.
//!
//! A secret has 256 random bits, which nobody can guess or try, so one HMAC-SHA-256 hides it as well as a
//! slow hash does. Its key is a salt of its own, stored beside it: a key of the installation would be stored
//! in the same database, or would be one more thing to lose. Earlier versions stored argon2id hashes. Those
//! are checked on the blocking pool with bounded concurrency, and replaced when they are first used.

use std::sync::Arc;

use argon2::password_hash::{Error, Ident, Output, PasswordHash, Salt, SaltString};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use p384::elliptic_curve::rand_core::OsRng;
use sha2::Sha256;
use tokio::sync::Semaphore;

use crate::http::problem::Problem;
use crate::telemetry::Metrics;
use obeya_store::clients::Client;
use obeya_store::random::random;

/// The name of HMAC-SHA-256 in the PHC format, in which both kinds of hash are stored.
const HMAC_IDENT: Ident<'_> = Ident::new_unwrap("hmac-sha256");

/// The memory reserved for an argon2id hash, of which only the first 19 MiB are touched. glibc returns
/// allocations larger than 32 MiB to the system at once. Smaller ones it caches for each thread after the
/// first free: 40 token requests left 60 MB behind.
const RESERVED_KIB: usize = 33 << 10;

/// The hashes that are computed where there is none to compare with, so that the work is the same. No secret
/// has these hashes of zeros. The parameters of the second are those of the earlier versions.
const DUMMY_HMAC: &str =
    "$hmac-sha256$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const DUMMY_ARGON2ID: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The most characters of a secret that are hashed. Ours have 43, so a longer one is wrong, and still wrong
/// when it is cut.
pub(crate) const MAX_SECRET_CHARACTERS: usize = 256;

/// The most argon2id hashes that wait; each takes some 30 ms. Further ones are refused and may be retried.
const MAX_WAITING: usize = 64;

/// Checks secrets.
#[derive(Debug)]
pub(crate) struct Secrets {
    permits: Arc<Semaphore>,
    /// Permits for the argon2id hashes that are computed or wait.
    queue: Arc<Semaphore>,
}

/// The hashes of a client's secrets; none for a client that is unknown or may not call.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredHashes {
    current: Option<String>,
    /// That of the previous secret, as long as it is accepted.
    previous: Option<String>,
}

impl StoredHashes {
    /// Those that are valid at `now`, in ticks.
    pub(crate) fn of(client: &Client, now: i64) -> Self {
        let is_valid = client
            .previous_secret_expires_at
            .is_some_and(|end| now < end);
        let previous = client.previous_secret_hash.clone();
        Self {
            current: Some(client.secret_hash.clone()),
            previous: previous.filter(|_| is_valid),
        }
    }
}

/// Whether a secret that may be used at `now` has an argon2id hash.
pub(crate) fn argon2id_remains(clients: &[Client], now: i64) -> bool {
    let may_call = |client: &&Client| {
        client.revoked_at.is_none() && client.expires_at.is_none_or(|end| now < end)
    };
    let mut clients = clients.iter().filter(may_call);
    clients.any(|client| {
        let StoredHashes { current, previous } = StoredHashes::of(client, now);
        [current, previous]
            .iter()
            .flatten()
            .any(|hash| is_of(hash, ARGON2ID_IDENT))
    })
}

fn is_of(hash: &str, ident: Ident<'_>) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| hash.algorithm == ident)
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Wrong,
    Right,
    /// It matches an argon2id hash, to be replaced by that of [`hash`].
    RightToRehash,
}

/// [`MAX_WAITING`] checks are waiting already.
#[derive(Debug, thiserror::Error)]
#[error("too many secrets are waiting to be checked")]
struct TooManyWaiting;

impl Secrets {
    /// At most `concurrent` argon2id hashes are computed at the same time, because each takes 19 MiB and a
    /// core.
    pub(crate) fn new(concurrent: usize) -> Self {
        let concurrent = concurrent.clamp(1, Semaphore::MAX_PERMITS - MAX_WAITING);
        Self {
            permits: Arc::new(Semaphore::new(concurrent)),
            queue: Arc::new(Semaphore::new(concurrent + MAX_WAITING)),
        }
    }

    /// Whether the secret has one of these hashes. Every check computes two HMACs. If neither matches and
    /// `argon2id_remains` (some client has such a hash), it computes one argon2id hash too. Where there is no
    /// hash of a kind to compare with, the work is the same and the secret wrong. 503 `unavailable` if too
    /// many argon2id hashes wait already.
    pub(crate) async fn check(
        &self,
        secret: String,
        hashes: StoredHashes,
        argon2id_remains: bool,
        metrics: &Metrics,
    ) -> Result<Verdict, Problem> {
        metrics.secret_checks.inc();
        let StoredHashes { current, previous } = hashes;
        let mut is_right = false;
        for hash in [&current, &previous] {
            let hash = hash.as_deref().filter(|hash| is_of(hash, HMAC_IDENT));
            let is_match = matches(&secret, hash.unwrap_or(DUMMY_HMAC), keyed_hash)?;
            metrics.hmac_secrets.inc();
            is_right |= is_match && hash.is_some();
        }
        if is_right {
            return Ok(Verdict::Right);
        }
        // A new secret never has such a hash, so at most one of the two does.
        let of_argon2id = |hash: &String| is_of(hash, ARGON2ID_IDENT);
        let replaces = current.as_ref().is_some_and(of_argon2id) && is_random(&secret);
        let hash = current.into_iter().chain(previous).find(of_argon2id);
        if hash.is_none() && !argon2id_remains {
            return Ok(Verdict::Wrong);
        }
        Ok(match self.check_argon2id(secret, hash, metrics).await? {
            true if replaces => Verdict::RightToRehash,
            // The previous secret, or one that somebody chose and whose hash they stored by hand.
            true => Verdict::Right,
            false => Verdict::Wrong,
        })
    }

    async fn check_argon2id(
        &self,
        secret: String,
        hash: Option<String>,
        metrics: &Metrics,
    ) -> Result<bool, Problem> {
        let queued = Arc::clone(&self.queue)
            .try_acquire_owned()
            .map_err(|_| Problem::unavailable(TooManyWaiting))?;
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(Problem::internal)?;
        let hashes = metrics.argon2id_secrets.clone();
        let check = move || {
            // The work owns its permits: it continues when the client disconnects, and such work must not
            // pile up.
            let _permits = (queued, permit);
            let is_match = matches(
                &secret,
                hash.as_deref().unwrap_or(DUMMY_ARGON2ID),
                slow_hash,
            );
            hashes.inc();
            is_match.map(|is_match| is_match && hash.is_some())
        };
        tokio::task::spawn_blocking(check)
            .await
            .map_err(Problem::internal)?
    }
}

/// Whether the secret has this hash in PHC format, computed by `derive`.
fn matches(
    secret: &str,
    hash: &str,
    derive: fn(&str, &PasswordHash<'_>, Salt<'_>) -> Result<Output, Error>,
) -> Result<bool, Problem> {
    let broken = |error: Error| Problem::internal(error.to_string());
    let given = PasswordHash::new(hash).map_err(broken)?;
    let (Some(salt), Some(expected)) = (given.salt, given.hash) else {
        return Err(broken(Error::PhcStringField));
    };
    // `Output` compares in constant time.
    Ok(derive(secret, &given, salt).map_err(broken)? == expected)
}

/// The HMAC-SHA-256 of a secret; the salt is the key.
fn keyed_hash(secret: &str, _: &PasswordHash<'_>, salt: Salt<'_>) -> Result<Output, Error> {
    let mut key = [0; Salt::MAX_LENGTH];
    let mut mac = Hmac::<Sha256>::new_from_slice(salt.decode_b64(&mut key)?)
        .expect("HMAC takes a key of any length");
    mac.update(secret.as_bytes());
    Output::new(&mac.finalize().into_bytes())
}

/// The argon2id hash of a secret. Takes some tens of milliseconds, so not for an asynchronous thread.
fn slow_hash(secret: &str, given: &PasswordHash<'_>, salt: Salt<'_>) -> Result<Output, Error> {
    let params = Params::try_from(given)?;
    let mut salt_bytes = [0; Salt::MAX_LENGTH];
    let salt = salt.decode_b64(&mut salt_bytes)?;
    let blocks = params.block_count();
    let mut memory = Vec::with_capacity(blocks.max(RESERVED_KIB));
    memory.resize(blocks, Block::new());
    let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params).hash_password_into_with_memory(
        secret.as_bytes(),
        salt,
        &mut output,
        &mut memory,
    )?;
    Output::new(&output)
}

/// The hash under which a secret is stored, in PHC format. Only for secrets of [`fresh`]: anybody who has the
/// hash of a short secret could try all of them.
pub(crate) fn hash(secret: &str) -> Result<String, Error> {
    let salt = SaltString::generate(&mut OsRng);
    let mut hash = PasswordHash::new(DUMMY_HMAC)?;
    hash.salt = Some(salt.as_salt());
    hash.hash = Some(keyed_hash(secret, &hash, salt.as_salt())?);
    Ok(hash.to_string())
}

/// A new secret: 256 random bits in base64url, so that forms and HTTP Basic need no escapes.
pub(crate) fn fresh() -> String {
    random::<32>()
}

/// Whether a secret has the form of [`fresh`].
fn is_random(secret: &str) -> bool {
    URL_SAFE_NO_PAD
        .decode(secret)
        .is_ok_and(|bytes| bytes.len() == 32)
}

/// A new client id: 96 random bits, unique without a check.
pub(crate) fn fresh_client_id() -> String {
    format!("c-{}", random::<12>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A secret and its hash by an earlier version of the program.
    const SECRET: &str = "mEacMCwuJbdI5ZSc9nJ-423Ju5R61lO8qPR7fZ7ipKQ";
    const ARGON2ID: &str = "$argon2id$v=19$m=19456,t=2,p=1$UMoNNg4jby/Dh/AOnC1Aow$4vdpZPBtw4g5JB6zyC0YXpoMoKBJno+9Qo3aB4/0T3E";
    /// The same secret under the key `0123456789abcdef`, by Python's `hmac` and `base64`.
    const HMAC: &str =
        "$hmac-sha256$MDEyMzQ1Njc4OWFiY2RlZg$TxBjVNyK8NXIeg4O5MgRZcq9hAemNhNxixhxyyvjVAc";

    /// The hash of `correct horse`, by the library of the reference implementation.
    const CHOSEN: &str = "$argon2id$v=19$m=19456,t=2,p=1$I3WZuAP/K55d7eeqS1R8Vg$ks+wl9hehgm8PrRiiN9eBvY5XRnZOamnGWdkYOCWuBU";

    struct Checked {
        verdict: Verdict,
        hmacs: u64,
        argon2ids: u64,
    }

    fn stored(current: Option<&str>, previous: Option<&str>) -> StoredHashes {
        StoredHashes {
            current: current.map(str::to_owned),
            previous: previous.map(str::to_owned),
        }
    }

    async fn check(secret: &str, hashes: StoredHashes, argon2id_remains: bool) -> Checked {
        let metrics = Metrics::new(&[]);
        let secrets = Secrets::new(1);
        let checked = secrets.check(secret.to_owned(), hashes, argon2id_remains, &metrics);
        Checked {
            verdict: checked.await.expect("checked"),
            hmacs: metrics.hmac_secrets.get(),
            argon2ids: metrics.argon2id_secrets.get(),
        }
    }

    #[tokio::test]
    async fn hashes_of_other_implementations_match() {
        let own = hash(SECRET).expect("hashed");
        assert!(
            own.starts_with("$hmac-sha256$") && own.len() == HMAC.len(),
            "{own}"
        );
        assert_ne!(own, hash(SECRET).expect("hashed"), "each has its own key");
        for (secret, current, previous, verdict) in [
            (SECRET, HMAC, None, Verdict::Right),
            (SECRET, &own, None, Verdict::Right),
            (SECRET, DUMMY_HMAC, Some(HMAC), Verdict::Right),
            (SECRET, ARGON2ID, None, Verdict::RightToRehash),
            (SECRET, DUMMY_HMAC, Some(ARGON2ID), Verdict::Right),
            // Not random, so it keeps its slow hash.
            ("correct horse", CHOSEN, None, Verdict::Right),
        ] {
            let checked = check(secret, stored(Some(current), previous), false).await;
            assert_eq!(checked.verdict, verdict, "{current} {previous:?}");
        }
    }

    /// Nobody can tell by the work why a secret is refused.
    #[tokio::test]
    async fn a_refused_secret_costs_the_same_whatever_is_stored() {
        let keyed = [None, Some(HMAC), Some(DUMMY_HMAC)];
        let all = [
            None,
            Some(HMAC),
            Some(DUMMY_HMAC),
            Some(ARGON2ID),
            Some(DUMMY_ARGON2ID),
        ];
        for (argon2id_remains, hashes, argon2ids) in [(false, &keyed[..], 0), (true, &all[..], 1)] {
            for current in hashes {
                for previous in hashes {
                    let checked = check("another", stored(*current, *previous), argon2id_remains);
                    let checked = checked.await;
                    assert_eq!(checked.verdict, Verdict::Wrong, "{current:?} {previous:?}");
                    let work = (checked.hmacs, checked.argon2ids);
                    assert_eq!(work, (2, argon2ids), "{current:?} {previous:?}");
                }
            }
        }
        let right = check(SECRET, stored(Some(HMAC), None), true).await;
        assert_eq!((right.hmacs, right.argon2ids), (2, 0));
    }

    #[test]
    fn a_previous_secret_has_an_end() {
        let client = Client {
            secret_hash: HMAC.to_owned(),
            previous_secret_hash: Some(ARGON2ID.to_owned()),
            previous_secret_expires_at: Some(10),
            ..Client::default()
        };
        assert!(StoredHashes::of(&client, 9).previous.is_some());
        assert!(StoredHashes::of(&client, 10).previous.is_none());
        let remains = |now| argon2id_remains(std::slice::from_ref(&client), now);
        assert!(remains(9) && !remains(10));
    }

    #[test]
    fn the_secret_of_an_expired_client_does_not_remain() {
        let client = Client {
            secret_hash: ARGON2ID.to_owned(),
            expires_at: Some(10),
            ..Client::default()
        };
        let remains = |now| argon2id_remains(std::slice::from_ref(&client), now);
        assert!(remains(9) && !remains(10));
    }

    /// While the only permit is taken, 64 argon2id hashes wait; the next is refused at once, and accepted
    /// when one has left. Secrets that HMAC verifies do not wait.
    #[tokio::test]
    async fn not_everybody_may_wait_for_a_turn() {
        let (secrets, metrics) = (Secrets::new(1), Metrics::new(&[]));
        let check = || Box::pin(secrets.check("x".to_owned(), stored(None, None), true, &metrics));
        let turn = Arc::clone(&secrets.permits).acquire_owned().await;
        let queued = Arc::clone(&secrets.queue).try_acquire_owned();
        let mut waiting: Vec<_> = (0..64).map(|_| check()).collect();
        for one in &mut waiting {
            assert!(futures_util::poll!(one).is_pending());
        }
        let refused = check().await.expect_err("refused");
        assert_eq!(refused.summary(), "503 unavailable");
        let right = secrets.check(SECRET.to_owned(), stored(Some(HMAC), None), true, &metrics);
        assert_eq!(right.await.expect("checked"), Verdict::Right);
        waiting.pop();
        assert!(futures_util::poll!(check()).is_pending());
        drop((waiting, queued, turn));
        assert_eq!(check().await.expect("checked"), Verdict::Wrong);
    }

    /// The parameters alone determine the work of argon2.
    #[test]
    fn the_dummy_costs_what_a_real_hash_does() {
        let cost = |hash: &str| {
            let hash = PasswordHash::new(hash).expect("PHC");
            let params = Params::try_from(&hash).expect("parameters of argon2");
            (hash.algorithm == ARGON2ID_IDENT, hash.version, params)
        };
        assert_eq!(cost(DUMMY_ARGON2ID), cost(ARGON2ID));
    }
}
