//! Client secrets: made once, stored as argon2id hashes, checked on the blocking pool and only a few at a time.

use std::sync::Arc;

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p384::elliptic_curve::rand_core::{OsRng, RngCore};
use tokio::sync::Semaphore;

use crate::http::problem::Problem;
use crate::telemetry::Metrics;

/// OWASP's first choice for argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Checked in place of the hash of a client that does not exist, so that its answer takes as long. No secret has this hash: it is made of zeros.
const DUMMY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Longer secrets are refused unread; ours have 43 characters.
pub(crate) const MAX_SECRET_BYTES: usize = 256;

/// Checks secrets.
#[derive(Debug)]
pub(crate) struct Secrets {
    permits: Arc<Semaphore>,
}

impl Secrets {
    /// At most `concurrent` checks run at the same time, for each takes 19 MiB and a core.
    pub(crate) fn new(concurrent: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(concurrent.max(1))),
        }
    }

    /// Whether the secret has this hash. Without a hash the work is the same and the answer no.
    pub(crate) async fn check(
        &self,
        secret: String,
        hash: Option<String>,
        metrics: &Metrics,
    ) -> Result<bool, Problem> {
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(Problem::internal)?;
        metrics.secret_checks.inc();
        let check = move || {
            // Held by the work itself: a caller that goes away does not end it, and many such must not pile up.
            let _permit = permit;
            matches(&secret, hash.as_deref())
        };
        tokio::task::spawn_blocking(check)
            .await
            .map_err(Problem::internal)?
    }
}

fn matches(secret: &str, hash: Option<&str>) -> Result<bool, Problem> {
    let parsed = PasswordHash::new(hash.unwrap_or(DUMMY)).map_err(broken)?;
    let matched = hasher()
        .map_err(broken)?
        .verify_password(secret.as_bytes(), &parsed)
        .is_ok();
    Ok(matched && hash.is_some())
}

fn broken(error: argon2::password_hash::Error) -> Problem {
    Problem::internal(error.to_string())
}

fn hasher() -> Result<Argon2<'static>, argon2::password_hash::Error> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// The argon2id hash of a secret, in PHC form. Takes some tens of milliseconds: not for an asynchronous thread.
pub(crate) fn hash(secret: &str) -> Result<String, argon2::password_hash::Error> {
    let salt = SaltString::generate(&mut OsRng);
    Ok(hasher()?
        .hash_password(secret.as_bytes(), &salt)?
        .to_string())
}

/// A new secret: 256 random bits in base64url, so that it survives a form and HTTP Basic unescaped.
pub(crate) fn fresh() -> String {
    random::<32>()
}

/// A new client id: 96 random bits, enough to be unique without asking.
pub(crate) fn fresh_client_id() -> String {
    format!("c-{}", random::<12>())
}

/// `N` random bytes of the operating system in base64url.
pub(crate) fn random<const N: usize>() -> String {
    let mut bytes = [0_u8; N];
    OsRng.fill_bytes(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_secret_matches_its_hash() {
        let secret = fresh();
        let hash = hash(&secret).expect("hashed");
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        assert!(matches(&secret, Some(&hash)).expect("checked"));
        assert!(!matches("another", Some(&hash)).expect("checked"));
        assert!(!matches(&secret, None).expect("checked"));
    }
}
