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

    /// Whether the secret has this hash. Every check computes one HMAC. If that does not match and
    /// `argon2id_remains` (some client has such a hash), it computes one argon2id hash too: without a hash of
    /// the client, and with one of the other kind, the work is the same and the secret wrong. 503
    /// `unavailable` if too many argon2id hashes wait already.
    pub(crate) async fn check(
        &self,
        secret: String,
        hash: Option<String>,
        argon2id_remains: bool,
        metrics: &Metrics,
    ) -> Result<Verdict, Problem> {
        metrics.secret_checks.inc();
        let of_kind = |ident: Ident<'_>| {
            let is_of_kind =
                |hash: &&str| PasswordHash::new(hash).is_ok_and(|hash| hash.algorithm == ident);
            hash.as_deref().filter(is_of_kind)
        };
        let keyed = of_kind(HMAC_IDENT);
        metrics.hmac_secrets.inc();
        if matches(&secret, keyed.unwrap_or(DUMMY_HMAC), keyed_hash)? && keyed.is_some() {
            return Ok(Verdict::Right);
        }
        let slow = of_kind(ARGON2ID_IDENT).map(str::to_owned);
        if slow.is_none() && !argon2id_remains {
            return Ok(Verdict::Wrong);
        }
        let is_random = is_random(&secret);
        Ok(match self.check_argon2id(secret, slow, metrics).await? {
            true if is_random => Verdict::RightToRehash,
            // Somebody chose the secret and stored its hash by hand.
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

    async fn check(secret: &str, hash: Option<&str>, argon2id_remains: bool) -> Checked {
        let metrics = Metrics::new(&[]);
        let secrets = Secrets::new(1);
        let checked = secrets.check(
            secret.to_owned(),
            hash.map(str::to_owned),
            argon2id_remains,
            &metrics,
        );
        Checked {
            verdict: checked.await.expect("checked"),
            hmacs: metrics.hmac_secrets.get(),
            argon2ids: metrics.argon2id_secrets.get(),
        }
    }

    #[tokio::test]
    async fn hashes_of_other_implementations_match() {
        assert_eq!(
            check(SECRET, Some(HMAC), false).await.verdict,
            Verdict::Right
        );
        assert_eq!(
            check(SECRET, Some(ARGON2ID), false).await.verdict,
            Verdict::RightToRehash
        );
        // Not random, so it keeps its slow hash.
        let chosen = check("correct horse", Some(CHOSEN), false).await;
        assert_eq!(chosen.verdict, Verdict::Right);
        let hash = hash(SECRET).expect("hashed");
        assert!(
            hash.starts_with("$hmac-sha256$") && hash.len() == HMAC.len(),
            "{hash}"
        );
        assert_eq!(
            check(SECRET, Some(&hash), false).await.verdict,
            Verdict::Right
        );
        assert_ne!(
            hash,
            super::hash(SECRET).expect("hashed"),
            "each has its own key"
        );
    }

    /// Nobody can tell by the work why a secret is refused.
    #[tokio::test]
    async fn a_refused_secret_costs_the_same_whatever_is_stored() {
        for (argon2id_remains, hashes, argon2ids) in [
            (false, &[None, Some(HMAC), Some(DUMMY_HMAC)][..], 0),
            (
                true,
                &[
                    None,
                    Some(HMAC),
                    Some(ARGON2ID),
                    Some(DUMMY_HMAC),
                    Some(DUMMY_ARGON2ID),
                ],
                1,
            ),
        ] {
            for hash in hashes {
                let checked = check("another", *hash, argon2id_remains).await;
                assert_eq!(checked.verdict, Verdict::Wrong, "{hash:?}");
                assert_eq!(
                    (checked.hmacs, checked.argon2ids),
                    (1, argon2ids),
                    "{hash:?}"
                );
            }
        }
        let right = check(SECRET, Some(HMAC), true).await;
        assert_eq!((right.hmacs, right.argon2ids), (1, 0));
    }

    /// While the only permit is taken, 64 argon2id hashes wait; the next is refused at once, and accepted
    /// when one has left. Secrets that HMAC verifies do not wait.
    #[tokio::test]
    async fn not_everybody_may_wait_for_a_turn() {
        let (secrets, metrics) = (Secrets::new(1), Metrics::new(&[]));
        let check = || Box::pin(secrets.check("x".to_owned(), None, true, &metrics));
        let turn = Arc::clone(&secrets.permits).acquire_owned().await;
        let queued = Arc::clone(&secrets.queue).try_acquire_owned();
        let mut waiting: Vec<_> = (0..64).map(|_| check()).collect();
        for one in &mut waiting {
            assert!(futures_util::poll!(one).is_pending());
        }
        let refused = check().await.expect_err("refused");
        assert_eq!(refused.summary(), "503 unavailable");
        let right = secrets.check(SECRET.to_owned(), Some(HMAC.to_owned()), true, &metrics);
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
