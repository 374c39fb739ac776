//! The P-384 keys that sign tokens: generation, storage, publication, rotation, retirement.
//!
//! A new key verifies at once and signs a little later, when every replica has read it; an old one verifies
//! until the last token that it may have signed has expired. A retired key is gone at once.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use p384::SecretKey;
use p384::ecdsa::SigningKey;
use p384::elliptic_curve::rand_core::OsRng;
use p384::pkcs8::{DecodePrivateKey, EncodePrivateKey};
use serde::Serialize;

use crate::config::TICKS_PER_SECOND;
use crate::key_encryption::{KeyEncryptionKey, NotDecrypted, is_encrypted};
use obeya_store::Session;
use obeya_store::audit::{self, Change, Diff, Origin};
use obeya_store::engine::StoreError;
use obeya_store::keys::{self, StoredKey};
use obeya_store::random::random;

/// The time for which a key is published before it signs, in ticks: several polls of any replica.
const PUBLISHED_FIRST: i64 = 60 * TICKS_PER_SECOND;

/// The keys in use at one moment.
pub(super) struct KeyRing {
    keys: Vec<Key>,
}

/// One key.
#[derive(Clone)]
pub(super) struct Key {
    pub(super) kid: String,
    pub(super) signing: SigningKey,
    jwk: Jwk,
    created_at: i64,
    expires_at: Option<i64>,
}

/// The public key, as in RFC 7517 and RFC 7518.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Jwk {
    kty: &'static str,
    crv: &'static str,
    r#use: &'static str,
    alg: &'static str,
    kid: String,
    x: String,
    y: String,
}

impl KeyRing {
    /// Reads rows of the store, oldest first.
    pub(super) fn read(
        rows: &[StoredKey],
        encryption: Option<&KeyEncryptionKey>,
    ) -> Result<Self, StoreError> {
        let keys = rows.iter().map(|row| Key::read(row, encryption));
        Ok(Self {
            keys: keys.collect::<Result<_, _>>()?,
        })
    }

    /// The same from later rows. A row that cannot be read is logged, and blocks no other; if its key is in
    /// here already, it stays: another process may have encrypted it.
    pub(super) fn updated(
        &self,
        rows: &[StoredKey],
        encryption: Option<&KeyEncryptionKey>,
    ) -> Self {
        let read = |row: &StoredKey| match self.keys.iter().find(|key| key.kid == row.kid) {
            Some(known) => Some(Key {
                expires_at: row.expires_at,
                ..known.clone()
            }),
            None => Key::read(row, encryption)
                .inspect_err(
                    |error| tracing::error!(%error, "ignored a signing key that cannot be read"),
                )
                .ok(),
        };
        Self {
            keys: rows.iter().filter_map(read).collect(),
        }
    }

    /// Whether the key is known, expired or not.
    pub(super) fn has(&self, kid: &str) -> bool {
        self.keys.iter().any(|key| key.kid == kid)
    }

    /// A ring of new keys with these ids.
    #[cfg(test)]
    pub(super) fn of_ids(kids: &[&str]) -> Self {
        let row = |kid: &&str| StoredKey {
            kid: (*kid).to_owned(),
            ..fresh(0, None).expect("a key")
        };
        let rows: Vec<StoredKey> = kids.iter().map(row).collect();
        Self::read(&rows, None).expect("keys")
    }

    /// The key that signs at `now`: the newest that every replica must have read, else the oldest. A key in
    /// its last second signs nothing: no token expires later than its key, and each is valid for a second.
    pub(super) fn signing(&self, now: i64) -> Option<&Key> {
        // Of two keys made at the same instant, the one with an expiry is the older.
        let age = |key: &&Key| (key.created_at, key.expires_at.is_none());
        let second = now.div_euclid(TICKS_PER_SECOND);
        let signs = |key: &&Key| key.last_second().is_none_or(|last| second < last);
        let live = self.keys.iter().filter(signs);
        let published = live
            .clone()
            .filter(|key| key.created_at + PUBLISHED_FIRST <= now);
        published.max_by_key(age).or_else(|| live.min_by_key(age))
    }

    /// The key of a token's header.
    pub(super) fn verifying(&self, kid: &str, now: i64) -> Option<&Key> {
        self.keys
            .iter()
            .find(|key| key.kid == kid && key.is_live(now))
    }

    /// The public keys of all keys that may have signed a valid token.
    pub(super) fn published(&self, now: i64) -> Vec<Jwk> {
        self.keys
            .iter()
            .filter(|key| key.is_live(now))
            .map(|key| key.jwk.clone())
            .collect()
    }
}

impl Key {
    /// The latest `exp` of its tokens, in seconds since 1970.
    pub(super) fn last_second(&self) -> Option<i64> {
        let end = self.expires_at?;
        Some(end.div_euclid(TICKS_PER_SECOND))
    }

    fn is_live(&self, now: i64) -> bool {
        self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    fn read(row: &StoredKey, encryption: Option<&KeyEncryptionKey>) -> Result<Self, StoreError> {
        let broken = |_| {
            StoreError::Schema(format!(
                "the signing key {} in the database is not a P-384 key in PKCS#8",
                row.kid
            ))
        };
        let der = match decrypted(row, encryption)? {
            Some(der) => der,
            None => STANDARD.decode(&row.private_key).map_err(|_| broken(()))?,
        };
        let signing = SigningKey::from_pkcs8_der(&der).map_err(|_| broken(()))?;
        let point = signing.verifying_key().to_encoded_point(false);
        let (Some(x), Some(y)) = (point.x(), point.y()) else {
            return Err(broken(()));
        };
        Ok(Self {
            kid: row.kid.clone(),
            signing,
            jwk: Jwk {
                kty: "EC",
                crv: "P-384",
                r#use: "sig",
                alg: "ES384",
                kid: row.kid.clone(),
                x: URL_SAFE_NO_PAD.encode(x),
                y: URL_SAFE_NO_PAD.encode(y),
            },
            created_at: row.created_at,
            expires_at: row.expires_at,
        })
    }
}

/// The private key of a row that is stored encrypted; `None` for one that is not.
fn decrypted(
    row: &StoredKey,
    encryption: Option<&KeyEncryptionKey>,
) -> Result<Option<Vec<u8>>, StoreError> {
    if !is_encrypted(&row.private_key) {
        return Ok(None);
    }
    let failed = |found: &str| {
        StoreError::Schema(format!(
            "the signing key {} in the database is encrypted, and {found}: give the one it was encrypted with \
             (OBEYA_KEY_ENCRYPTION_KEY or --key-encryption-file)",
            row.kid
        ))
    };
    let Some(encryption) = encryption else {
        return Err(failed("no key encryption key was given"));
    };
    match encryption.decrypt(&row.kid, &row.private_key) {
        Ok(der) => Ok(Some(der)),
        Err(NotDecrypted) => Err(failed("the given key encryption key does not decrypt it")),
    }
}

/// A new key, not yet stored.
fn fresh(now: i64, encryption: Option<&KeyEncryptionKey>) -> Result<StoredKey, StoreError> {
    let der = SecretKey::random(&mut OsRng)
        .to_pkcs8_der()
        .map_err(|error| StoreError::Engine(Box::new(error)))?;
    // The prefix: an id that began with a hyphen would look like a flag to `obeya keys retire`.
    let kid = format!("k-{}", random::<12>());
    Ok(StoredKey {
        private_key: match encryption {
            Some(encryption) => encryption.encrypt(&kid, der.as_bytes()),
            None => STANDARD.encode(der.as_bytes()),
        },
        kid,
        created_at: now,
        expires_at: None,
    })
}

/// Makes the first key, unless there is one.
pub(super) fn ensure(
    session: &mut dyn Session,
    now: i64,
    encryption: Option<&KeyEncryptionKey>,
) -> Result<(), StoreError> {
    let live = keys::live(session, now)?;
    if live.is_empty() {
        add(session, now, "createKey", encryption, &live)?;
    }
    Ok(())
}

/// Removes a key; `None` if there is none of this id. Makes a new key if none is left that does not expire,
/// and returns its id.
pub(super) fn retire(
    session: &mut dyn Session,
    kid: &str,
    now: i64,
    encryption: Option<&KeyEncryptionKey>,
) -> Result<Option<Option<String>>, StoreError> {
    let (retired, left): (Vec<_>, Vec<_>) = keys::live(session, now)?
        .into_iter()
        .partition(|key| key.kid == kid);
    let Some(retired) = retired.first() else {
        return Ok(None);
    };
    keys::delete(session, kid)?;
    record(session, now, "retireKey", kid, "retired")?;
    if left.iter().any(|key| key.expires_at.is_none()) {
        return Ok(Some(None));
    }
    if is_encrypted(&retired.private_key) && encryption.is_none() {
        // One that is lost does not have to be given: its keys are removed, and the next key has another.
        return Err(StoreError::Schema(
            "the last signing key is encrypted, and the key that follows it must be too: give a key encryption key \
             (OBEYA_KEY_ENCRYPTION_KEY or --key-encryption-file)"
                .to_owned(),
        ));
    }
    add(session, now, "createKey", encryption, &left).map(|kid| Some(Some(kid)))
}

/// Encrypts the keys that are stored without encryption.
pub(super) fn encrypt_all(
    session: &mut dyn Session,
    now: i64,
    encryption: &KeyEncryptionKey,
) -> Result<(), StoreError> {
    for row in keys::live(session, now)? {
        if decrypted(&row, Some(encryption))?.is_some() {
            continue;
        }
        // A text that is not base64 is no key, and is refused where the keys are read.
        if let Ok(der) = STANDARD.decode(&row.private_key) {
            let encrypted = encryption.encrypt(&row.kid, &der);
            keys::replace_private_key(session, &row, &encrypted)?;
            record(session, now, "encryptKey", &row.kid, "encrypted")?;
        }
    }
    Ok(())
}

/// Makes a new key and sets the expiry of the others. `lifetime_seconds` is the longest lifetime of a token.
/// Returns the id of the key.
pub(super) fn rotate(
    session: &mut dyn Session,
    now: i64,
    lifetime_seconds: i64,
    encryption: Option<&KeyEncryptionKey>,
) -> Result<String, StoreError> {
    let live = keys::live(session, now)?;
    keys::expire_others(
        session,
        now,
        now + 2 * PUBLISHED_FIRST + lifetime_seconds * TICKS_PER_SECOND,
    )?;
    add(session, now, "rotateKeys", encryption, &live)
}

/// Adds a new key beside these. A key encryption key that does not decrypt them is refused: the service has
/// only one.
fn add(
    session: &mut dyn Session,
    now: i64,
    operation: &str,
    encryption: Option<&KeyEncryptionKey>,
    live: &[StoredKey],
) -> Result<String, StoreError> {
    for row in live {
        decrypted(row, encryption)?;
    }
    let key = fresh(now, encryption)?;
    keys::insert(session, &key)?;
    record(session, now, operation, &key.kid, "created")?;
    Ok(key.kid)
}

/// Records in the audit log what was done with a key.
fn record(
    session: &mut dyn Session,
    now: i64,
    operation: &str,
    kid: &str,
    done: &str,
) -> Result<(), StoreError> {
    let change = Change::of(
        format!("keys/{kid}"),
        Diff::default().property(done, None, Some(&true)),
    );
    audit::append(session, now, &Origin::default(), operation, &change)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400 * TICKS_PER_SECOND;

    fn ring(rows: &[(&str, i64, Option<i64>)]) -> KeyRing {
        let rows: Vec<StoredKey> = rows
            .iter()
            .map(|(kid, created_at, expires_at)| StoredKey {
                kid: (*kid).to_owned(),
                expires_at: *expires_at,
                ..fresh(*created_at, None).expect("a key")
            })
            .collect();
        KeyRing::read(&rows, None).expect("keys")
    }

    fn signing(ring: &KeyRing, now: i64) -> Option<&str> {
        ring.signing(now).map(|key| key.kid.as_str())
    }

    #[test]
    fn a_new_key_signs_once_it_is_known_everywhere() {
        let ring = ring(&[("old", 0, Some(2 * DAY)), ("new", DAY, None)]);
        assert_eq!(signing(&ring, DAY), Some("old"));
        assert_eq!(signing(&ring, DAY + PUBLISHED_FIRST), Some("new"));
        assert!(ring.verifying("old", DAY + PUBLISHED_FIRST).is_some());
        assert_eq!(ring.published(DAY).len(), 2);
        assert!(ring.verifying("old", 2 * DAY).is_none());
        assert_eq!(ring.published(2 * DAY).len(), 1);
    }

    #[test]
    fn a_key_made_in_the_same_instant_is_identified_by_its_end() {
        for (first, second) in [("a", "b"), ("b", "a")] {
            let ring = ring(&[(first, 0, Some(DAY)), (second, 0, None)]);
            assert_eq!(signing(&ring, 0), Some(first));
            assert_eq!(signing(&ring, PUBLISHED_FIRST), Some(second));
        }
    }

    #[test]
    fn the_first_key_signs_at_once() {
        assert_eq!(signing(&ring(&[("only", 0, None)]), 0), Some("only"));
        assert_eq!(signing(&ring(&[]), 0), None);
    }

    /// Otherwise a token would be valid for no time at all.
    #[test]
    fn a_key_in_its_last_second_signs_nothing_and_verifies() {
        let end = DAY + 7 * TICKS_PER_SECOND + 4_000_000;
        let ring = ring(&[("old", 0, Some(end)), ("new", DAY, None)]);
        let last = DAY + 7 * TICKS_PER_SECOND;
        assert_eq!(signing(&ring, last - 1), Some("old"));
        assert_eq!(signing(&ring, last), Some("new"));
        assert!(ring.verifying("old", end - 1).is_some());
        let only = self::ring(&[("old", 0, Some(end))]);
        assert_eq!(signing(&only, last), None);
    }

    /// Another process encrypts the keys, or breaks one, while this one has them.
    #[test]
    fn a_known_key_is_not_read_again_and_a_removed_one_is_forgotten() {
        let ring = ring(&[("known", 0, None), ("retired", 0, None)]);
        let row = |kid: &str, expires_at| StoredKey {
            kid: kid.to_owned(),
            private_key: "chacha20-poly1305$unreadable".to_owned(),
            created_at: 0,
            expires_at,
        };
        let updated = ring.updated(&[row("known", Some(DAY)), row("new", None)], None);
        assert!(updated.verifying("known", DAY - 1).is_some());
        assert!(updated.verifying("known", DAY).is_none());
        assert!(!updated.has("retired") && !updated.has("new"));
    }

    /// The published key must be complete: 48 bytes of each coordinate (RFC 7518, 6.2.1.2).
    #[test]
    fn the_public_half_has_full_coordinates() {
        for jwk in ring(&[("a", 0, None), ("b", 0, None)]).published(0) {
            for coordinate in [&jwk.x, &jwk.y] {
                assert_eq!(
                    URL_SAFE_NO_PAD.decode(coordinate).expect("base64url").len(),
                    48
                );
            }
        }
    }
}
