//! The password of a temporary server: its port is open to every user of the machine.

use anyhow::{Result, anyhow};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// A random password of letters and digits.
pub(super) fn random() -> Result<String> {
    Ok(format!("{:032x}", u128::from_le_bytes(bytes()?)))
}

/// The verifier that the server stores (RFC 5803), with one iteration of the hash, not 4096.
/// Those protect a password that can be guessed, and would cost each connection of a test some milliseconds.
pub(super) fn secret(password: &str) -> Result<String> {
    Ok(secret_with(password, &bytes()?))
}

fn bytes() -> Result<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("no random bytes: {error}"))?;
    Ok(bytes)
}

/// Section 3 of RFC 5802, with SHA-256.
fn secret_with(password: &str, salt: &[u8]) -> String {
    let salted = hmac(password.as_bytes(), &[salt, &1_u32.to_be_bytes()].concat());
    let stored = Sha256::digest(hmac(&salted, b"Client Key"));
    let server = hmac(&salted, b"Server Key");
    let [salt, stored, server] = [salt, &stored, &server].map(|bytes| STANDARD.encode(bytes));
    format!("SCRAM-SHA-256$1:{salt}${stored}:{server}")
}

fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected one was made by PostgreSQL 18.4 with `scram_iterations=1`.
    #[test]
    fn the_secret_is_the_one_that_postgresql_makes() {
        let salt = STANDARD.decode("G0JRdCfWuXEWPByaBkQsrQ==").unwrap();
        assert_eq!(
            secret_with("obeyapw", &salt),
            "SCRAM-SHA-256$1:G0JRdCfWuXEWPByaBkQsrQ==$wAg8MUUfXTONuQJUrgQ+Tqy9tyJIkhWymQKXwX3nkvU=:\
             01c6Qey4rMVGoM2MmjrOJKPIG3G6Vc4dwBrKxet3A2s="
        );
    }

    #[test]
    fn no_two_passwords_are_alike() {
        let [one, other] = [random().unwrap(), random().unwrap()];
        assert_ne!(one, other);
        assert_eq!(one.len(), 32);
    }
}
