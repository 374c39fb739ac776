//! Encrypts the signing keys in the database with a key that is not in it: ChaCha20-Poly1305 (RFC 8439).
//!
//! The id of a signing key is authenticated with it, so that stored keys cannot be exchanged.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};

/// The beginning of an encrypted key. The nonce and the ciphertext follow, in base64. `$` is no character of
/// base64, in which other keys are stored.
const PREFIX: &str = "chacha20-poly1305$";

/// The key that encrypts the signing keys in a database.
#[derive(Clone)]
pub struct KeyEncryptionKey(Arc<LessSafeKey>);

/// A text that is no [`KeyEncryptionKey`]. It is not quoted, because it may be a key with a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the key encryption key must be 32 random bytes in base64, as `openssl rand -base64 32` prints them"
)]
pub struct InvalidKeyEncryptionKey;

/// A stored key that this key does not decrypt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotDecrypted;

impl FromStr for KeyEncryptionKey {
    type Err = InvalidKeyEncryptionKey;

    fn from_str(text: &str) -> Result<Self, InvalidKeyEncryptionKey> {
        let bytes = STANDARD
            .decode(text.trim())
            .map_err(|_| InvalidKeyEncryptionKey)?;
        let key =
            UnboundKey::new(&CHACHA20_POLY1305, &bytes).map_err(|_| InvalidKeyEncryptionKey)?;
        Ok(Self(Arc::new(LessSafeKey::new(key))))
    }
}

impl fmt::Debug for KeyEncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyEncryptionKey")
    }
}

/// Whether a private key is stored encrypted.
pub(crate) fn is_encrypted(stored: &str) -> bool {
    stored.starts_with(PREFIX)
}

impl KeyEncryptionKey {
    /// The stored form of the private key with this id. Random nonces suffice: an installation encrypts a few
    /// keys a year, and a nonce of 96 bits repeats after billions.
    pub(crate) fn encrypt(&self, kid: &str, private_key: &[u8]) -> String {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new()
            .fill(&mut nonce)
            .expect("the operating system gives random bytes");
        let mut bytes = private_key.to_vec();
        let nonce_used = Nonce::assume_unique_for_key(nonce);
        self.0
            .seal_in_place_append_tag(nonce_used, Aad::from(kid), &mut bytes)
            .expect("a private key is shorter than the 256 GiB that the cipher takes");
        format!(
            "{PREFIX}{}${}",
            STANDARD.encode(nonce),
            STANDARD.encode(bytes)
        )
    }

    /// The private key of a stored form.
    pub(crate) fn decrypt(&self, kid: &str, stored: &str) -> Result<Vec<u8>, NotDecrypted> {
        let parts = stored
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split_once('$'));
        let (nonce, bytes) = parts.ok_or(NotDecrypted)?;
        let decode = |text| STANDARD.decode(text).map_err(|_| NotDecrypted);
        let nonce = decode(nonce)?;
        let nonce = Nonce::try_assume_unique_for_key(&nonce).map_err(|_| NotDecrypted)?;
        let mut bytes = decode(bytes)?;
        let opened = self.0.open_in_place(nonce, Aad::from(kid), &mut bytes);
        opened.map(|key| key.to_vec()).map_err(|_| NotDecrypted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    /// `private` under that key and the id `k1`, by Python's `cryptography`.
    const STORED: &str = "chacha20-poly1305$AAECAwQFBgcICQoL$+YlhdkhjwAa3N4eRf4gnGM8xVOFfY5Y=";

    fn key() -> KeyEncryptionKey {
        KEY.parse().expect("a key")
    }

    #[test]
    fn another_implementation_makes_the_same() {
        assert_eq!(key().decrypt("k1", STORED).as_deref(), Ok(&b"private"[..]));
        let stored = key().encrypt("k1", b"private");
        assert!(
            is_encrypted(&stored) && stored.len() == STORED.len(),
            "{stored}"
        );
        assert_eq!(key().decrypt("k1", &stored).as_deref(), Ok(&b"private"[..]));
        assert_ne!(
            stored,
            key().encrypt("k1", b"private"),
            "each has its own nonce"
        );
    }

    #[test]
    fn nothing_else_is_decrypted() {
        let other: KeyEncryptionKey = STANDARD.encode([7; 32]).parse().expect("a key");
        assert_eq!(other.decrypt("k1", STORED), Err(NotDecrypted));
        assert_eq!(
            key().decrypt("k2", STORED),
            Err(NotDecrypted),
            "the id is part of it"
        );
        let changed = STORED.replacen("chacha20-poly1305$A", "chacha20-poly1305$B", 1);
        assert_ne!(changed, STORED);
        for stored in [changed.as_str(), "", PREFIX, "cHJpdmF0ZQ==", &STORED[..40]] {
            assert_eq!(key().decrypt("k1", stored), Err(NotDecrypted), "{stored}");
        }
    }

    #[test]
    fn a_key_is_32_bytes_and_is_never_shown() {
        assert!(
            format!("{KEY}\n").parse::<KeyEncryptionKey>().is_ok(),
            "a file ends with a newline"
        );
        for wrong in [
            "",
            "AAEC",
            &KEY[4..],
            "not base64 at all, whatever one may think",
        ] {
            assert!(wrong.parse::<KeyEncryptionKey>().is_err(), "{wrong}");
        }
        assert_eq!(format!("{:?}", key()), "KeyEncryptionKey");
    }
}
