//! The P-384 keys that sign tokens: generation, storage, publication, rotation.
//!
//! A new key verifies at once and signs a little later, when every replica has read it; an old one verifies
//! until the last token that it may have signed has expired.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use p384::SecretKey;
use p384::ecdsa::SigningKey;
use p384::elliptic_curve::rand_core::OsRng;
use p384::pkcs8::{DecodePrivateKey, EncodePrivateKey};
use serde::Serialize;

use obeya_store::Session;
use obeya_store::audit::{self, Change, Diff, Origin};
use obeya_store::engine::StoreError;
use obeya_store::keys::{self, StoredKey};
use obeya_store::random::random;

const TICKS_PER_SECOND: i64 = 10_000_000;
/// The time for which a key is published before it signs, in ticks: several polls of any replica.
const PUBLISHED_FIRST: i64 = 60 * TICKS_PER_SECOND;

/// The keys in use at one moment.
pub(super) struct KeyRing {
    keys: Vec<Key>,
}

/// One key.
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
    pub(super) fn read(rows: &[StoredKey]) -> Result<Self, StoreError> {
        Ok(Self {
            keys: rows.iter().map(Key::read).collect::<Result<_, _>>()?,
        })
    }

    /// The same without rows that cannot be read, which are logged; `None` if no key is left.
    pub(super) fn read_valid(rows: &[StoredKey]) -> Option<Self> {
        let valid = rows.iter().filter_map(|row| {
            let read = Key::read(row);
            read.inspect_err(
                |error| tracing::error!(%error, "ignored a signing key that cannot be read"),
            )
            .ok()
        });
        let keys: Vec<Key> = valid.collect();
        (!keys.is_empty()).then_some(Self { keys })
    }

    /// The key that signs at `now`: the newest that every replica must have read, else the oldest.
    pub(super) fn signing(&self, now: i64) -> Option<&Key> {
        // Of two keys made at the same instant, the one with an expiry is the older.
        let age = |key: &&Key| (key.created_at, key.expires_at.is_none());
        let live = self.keys.iter().filter(|key| key.is_live(now));
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
    fn is_live(&self, now: i64) -> bool {
        self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    fn read(row: &StoredKey) -> Result<Self, StoreError> {
        let broken = |_| {
            StoreError::Schema(format!(
                "the signing key {} in the database is not a P-384 key in PKCS#8",
                row.kid
            ))
        };
        let der = STANDARD.decode(&row.private_key).map_err(|_| broken(()))?;
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

/// A new key, not yet stored.
pub(super) fn fresh(now: i64) -> Result<StoredKey, StoreError> {
    let der = SecretKey::random(&mut OsRng)
        .to_pkcs8_der()
        .map_err(|error| StoreError::Engine(Box::new(error)))?;
    Ok(StoredKey {
        kid: random::<12>(),
        private_key: STANDARD.encode(der.as_bytes()),
        created_at: now,
        expires_at: None,
    })
}

/// Makes a new key and sets the expiry of the others. `lifetime_seconds` is the longest lifetime of a token.
pub(super) fn rotate(
    session: &mut dyn Session,
    now: i64,
    lifetime_seconds: i64,
) -> Result<(), StoreError> {
    keys::retire(
        session,
        now,
        now + 2 * PUBLISHED_FIRST + lifetime_seconds * TICKS_PER_SECOND,
    )?;
    insert(session, "rotateKeys", now)
}

/// Adds a new key, and records it in the audit log.
pub(super) fn insert(
    session: &mut dyn Session,
    operation: &str,
    now: i64,
) -> Result<(), StoreError> {
    let key = fresh(now)?;
    keys::insert(session, &key)?;
    let diff = Diff::default().property("created", None, Some(&true));
    let change = Change::of(format!("keys/{}", key.kid), diff);
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
                ..fresh(*created_at).expect("a key")
            })
            .collect();
        KeyRing::read(&rows).expect("keys")
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
    fn a_key_made_in_the_same_instant_is_told_by_its_end() {
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
