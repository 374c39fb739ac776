//! Client secrets: created once, stored as argon2id hashes, checked on the blocking pool with bounded
//! concurrency.

use std::sync::Arc;

use argon2::password_hash::{Error, Output, ParamsString, PasswordHash, Salt, SaltString};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use p384::elliptic_curve::rand_core::OsRng;
use prometheus_client::metrics::counter::Counter;
use tokio::sync::Semaphore;

use crate::http::problem::Problem;
use crate::telemetry::Metrics;
use obeya_store::random::random;

/// OWASP's first choice for argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// The memory reserved for a hash, of which only the first 19 MiB are touched. glibc returns allocations
/// larger than 32 MiB to the system at once. Smaller ones it caches for each thread after the first free: 40
/// token requests left 60 MB behind.
const RESERVED_KIB: usize = 33 << 10;

/// The hash that is checked for unknown clients, so that their answer takes as long. No secret has this hash
/// of zeros.
const DUMMY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The most characters of a secret that are hashed. Ours have 43, so a longer one is wrong, and still wrong
/// when it is cut.
pub(crate) const MAX_SECRET_CHARACTERS: usize = 256;

/// The most checks that wait; each takes some 30 ms. Further ones are refused and may be retried.
const MAX_WAITING: usize = 64;

/// Checks secrets.
#[derive(Debug)]
pub(crate) struct Secrets {
    permits: Arc<Semaphore>,
    /// Permits for the checks that run or wait.
    queue: Arc<Semaphore>,
}

/// [`MAX_WAITING`] checks are waiting already.
#[derive(Debug, thiserror::Error)]
#[error("too many secrets are waiting to be checked")]
struct TooManyWaiting;

impl Secrets {
    /// At most `concurrent` checks run at the same time, because each takes 19 MiB and a core.
    pub(crate) fn new(concurrent: usize) -> Self {
        let concurrent = concurrent.clamp(1, Semaphore::MAX_PERMITS - MAX_WAITING);
        Self {
            permits: Arc::new(Semaphore::new(concurrent)),
            queue: Arc::new(Semaphore::new(concurrent + MAX_WAITING)),
        }
    }

    /// Whether the secret has this hash. Without a hash the work is the same and the result false. 503
    /// `unavailable` if too many checks wait already.
    pub(crate) async fn check(
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
        let hashes = metrics.secret_checks.clone();
        let check = move || {
            // The work owns its permits: it continues when the client disconnects, and such work must not
            // pile up.
            let _permits = (queued, permit);
            matches(&secret, hash.as_deref(), &hashes)
        };
        tokio::task::spawn_blocking(check)
            .await
            .map_err(Problem::internal)?
    }
}

/// Whether the secret has this hash. Counts the hash computed for that, also if there is none to compare it
/// with.
fn matches(secret: &str, hash: Option<&str>, hashes: &Counter) -> Result<bool, Problem> {
    let given = PasswordHash::new(hash.unwrap_or(DUMMY)).map_err(broken)?;
    let (Some(salt), Some(expected)) = (given.salt, given.hash) else {
        return Err(broken(Error::PhcStringField));
    };
    let params = Params::try_from(&given).map_err(broken)?;
    let found = derive(secret, salt, params).map_err(broken)?;
    hashes.inc();
    // `Output` compares in constant time.
    Ok(found == expected && given.algorithm == ARGON2ID_IDENT && hash.is_some())
}

fn broken(error: Error) -> Problem {
    Problem::internal(error.to_string())
}

fn derive(secret: &str, salt: Salt<'_>, params: Params) -> Result<Output, Error> {
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

/// The argon2id hash of a secret, in PHC format. Takes some tens of milliseconds, so not for an asynchronous
/// thread.
pub(crate) fn hash(secret: &str) -> Result<String, Error> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None)?;
    let salt = SaltString::generate(&mut OsRng);
    let hash = PasswordHash {
        algorithm: ARGON2ID_IDENT,
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&params)?,
        salt: Some(salt.as_salt()),
        hash: Some(derive(secret, salt.as_salt(), params)?),
    };
    Ok(hash.to_string())
}

/// A new secret: 256 random bits in base64url, so that forms and HTTP Basic need no escapes.
pub(crate) fn fresh() -> String {
    random::<32>()
}

/// A new client id: 96 random bits, unique without a check.
pub(crate) fn fresh_client_id() -> String {
    format!("c-{}", random::<12>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the library's PHC functions, which share only the inner function with ours.
    #[test]
    fn our_hashes_are_those_of_everybody() {
        use argon2::password_hash::PasswordVerifier;
        let hash = hash("correct horse").expect("hashed");
        let parsed = PasswordHash::new(&hash).expect("PHC");
        assert!(
            Argon2::default()
                .verify_password(b"correct horse", &parsed)
                .is_ok()
        );
        assert!(
            Argon2::default()
                .verify_password(b"correct", &parsed)
                .is_err()
        );
    }

    /// While the only permit is taken, 64 checks wait; the next is refused at once, and accepted when one has
    /// left.
    #[tokio::test]
    async fn not_everybody_may_wait_for_a_turn() {
        let (secrets, metrics) = (Secrets::new(1), Metrics::new(&[]));
        let check = || Box::pin(secrets.check("x".to_owned(), None, &metrics));
        let turn = Arc::clone(&secrets.permits).acquire_owned().await;
        let queued = Arc::clone(&secrets.queue).try_acquire_owned();
        let mut waiting: Vec<_> = (0..64).map(|_| check()).collect();
        for one in &mut waiting {
            assert!(futures_util::poll!(one).is_pending());
        }
        let refused = check().await.expect_err("refused");
        assert_eq!(refused.summary(), "503 unavailable");
        waiting.pop();
        assert!(futures_util::poll!(check()).is_pending());
        drop((waiting, queued, turn));
        assert!(!check().await.expect("checked"));
    }

    #[test]
    fn only_the_secret_matches_its_hash() {
        let secret = fresh();
        let hash = hash(&secret).expect("hashed");
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        let hashes = Counter::default();
        assert!(matches(&secret, Some(&hash), &hashes).expect("checked"));
        assert!(!matches("another", Some(&hash), &hashes).expect("checked"));
        assert!(!matches(&secret, None, &hashes).expect("checked"));
        assert_eq!(hashes.get(), 3, "without a hash the work is the same");
    }

    /// The parameters alone determine the work of argon2.
    #[test]
    fn the_dummy_costs_what_a_real_hash_does() {
        let real = hash("correct horse").expect("hashed");
        let cost = |hash: &str| {
            let hash = PasswordHash::new(hash).expect("PHC");
            let params = Params::try_from(&hash).expect("parameters of argon2");
            (hash.algorithm == ARGON2ID_IDENT, hash.version, params)
        };
        assert_eq!(cost(DUMMY), cost(&real));
    }
}
