//! `$skiptoken`: the place in a list where a page ended, written so that only this service can have written
//! it.
//!
//! A token is a position and a signature (HMAC-SHA256, RFC 2104) over it and over the list it belongs to, in
//! base64url. The key is in the store: links outlive a restart and lead from one process to the next. What is
//! inside is no secret to its owner, who read the row it tells of. No statement is run here.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use obeya_odata::sql;
use sha2::{Digest, Sha256};

use super::error::ReadError;
use obeya_store::engine::{StoreError, present};
use obeya_store::random::random;
use obeya_store::{Store, secrets};

/// What the key is kept under in the store.
const SECRET: &str = "next-links";
/// The first byte of a token: another layout gets another number.
const LAYOUT: u8 = 1;
/// Bytes of the signature that a token carries: nobody guesses 128 bits.
const TAG_BYTES: usize = 16;
/// The longest text that a token carries itself, in bytes; of a longer one it holds a digest, and the text is
/// read from its row. Links would outgrow what proxies and tools take.
const TEXT_BYTES: usize = 256;
/// Bytes of the digest of a long text.
const DIGEST_BYTES: usize = 8;

/// Where a page ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Position {
    /// The order keys of its last row.
    pub(super) keys: Vec<Key>,
    /// Rows that `$top` still lets through.
    pub(super) left: Option<u64>,
    /// Rows of a page, where the caller asked for fewer than usual.
    pub(super) page_size: Option<u32>,
    /// What `now()` meant on the first page: an order by it must not move from page to page.
    pub(super) now: i64,
}

/// An order key of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Key {
    /// The value.
    Value(sql::Value),
    /// The digest of a text that is too long for a link.
    Long([u8; DIGEST_BYTES]),
}

impl Key {
    /// A value, or its digest.
    pub(super) fn of(value: sql::Value) -> Self {
        match &value {
            sql::Value::Text(text) if text.len() > TEXT_BYTES => Self::Long(digest(text)),
            _ => Self::Value(value),
        }
    }

    /// The value: its own, or that of the row if it is still the one that was digested.
    fn settle(&self, of_row: Option<&sql::Value>) -> Option<sql::Value> {
        match (self, of_row) {
            (Self::Value(value), _) => Some(value.clone()),
            (Self::Long(expected), Some(value @ sql::Value::Text(text))) => {
                (digest(text) == *expected).then(|| value.clone())
            }
            (Self::Long(_), _) => None,
        }
    }
}

/// Where the next page of a list begins.
pub struct Next {
    pub(super) list: String,
    pub(super) position: Position,
}

impl Next {
    /// As a `$skiptoken`.
    pub fn token(&self, links: &Signer) -> String {
        links.write(&self.list, &self.position)
    }
}

/// Signs positions and reads signed ones.
pub struct Signer {
    key: Hmac<Sha256>,
}

impl Signer {
    /// With the key of the store; it is made if there is none.
    pub async fn open(store: &Store) -> Result<Self, StoreError> {
        // Only a store without a key is written to: another process may hold the lock for as long as its
        // import takes.
        let mut secret = store.read(|session| secrets::find(session, SECRET)).await?;
        if secret.is_none() {
            secret = store
                .write(|session| secrets::keep(session, SECRET, &random::<32>()))
                .await?;
        }
        Self::new(present(secret)?.as_bytes())
    }

    fn new(secret: &[u8]) -> Result<Self, StoreError> {
        let key = Hmac::new_from_slice(secret);
        let key = key.map_err(|error| StoreError::Engine(Box::new(error)))?;
        Ok(Self { key })
    }

    /// The token of a position in a list.
    pub(super) fn write(&self, list: &str, position: &Position) -> String {
        let mut bytes = position.to_bytes();
        let tag = self.sign(list, &bytes).finalize().into_bytes();
        bytes.extend_from_slice(&tag[..TAG_BYTES]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The position of a token that was written for this list; an error for every other text.
    pub(super) fn read(&self, list: &str, token: &str) -> Result<Position, ReadError> {
        self.position(list, token).ok_or(ReadError::SkipToken(
            "it was not given out for this list; follow `@odata.nextLink` as it was given",
        ))
    }

    fn position(&self, list: &str, token: &str) -> Option<Position> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (body, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
        self.sign(list, body).verify_truncated_left(tag).ok()?;
        Position::from_bytes(body)
    }

    fn sign(&self, list: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.key.clone();
        mac.update(&(body.len() as u64).to_le_bytes());
        mac.update(body);
        mac.update(list.as_bytes());
        mac
    }
}

fn digest(text: &str) -> [u8; DIGEST_BYTES] {
    let mut short = [0; DIGEST_BYTES];
    short.copy_from_slice(&Sha256::digest(text)[..DIGEST_BYTES]);
    short
}

impl Position {
    /// Whether it holds a text that must be read from its row.
    pub(super) fn has_long_key(&self) -> bool {
        self.keys.iter().any(|key| matches!(key, Key::Long(_)))
    }

    /// The values of the keys, those of the row where the link did not hold them; `None` when the row has
    /// others.
    pub(super) fn settle(&self, row: Option<&[sql::Value]>) -> Option<Vec<sql::Value>> {
        let keys = self.keys.iter().enumerate();
        keys.map(|(at, key)| key.settle(row.and_then(|row| row.get(at))))
            .collect()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![LAYOUT];
        // Neither is ever 0: there would be no next page.
        out.extend_from_slice(&self.left.unwrap_or(0).to_le_bytes());
        out.extend_from_slice(&self.page_size.unwrap_or(0).to_le_bytes());
        out.extend_from_slice(&self.now.to_le_bytes());
        for key in &self.keys {
            match key {
                Key::Value(sql::Value::Null) => out.push(b'n'),
                Key::Value(sql::Value::Int(value)) => {
                    out.push(b'i');
                    out.extend_from_slice(&value.to_le_bytes());
                }
                Key::Value(sql::Value::Real(value)) => {
                    out.push(b'r');
                    out.extend_from_slice(&value.to_bits().to_le_bytes());
                }
                Key::Value(sql::Value::Text(text)) => {
                    out.push(b't');
                    // At most TEXT_BYTES by [`Key::of`].
                    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
                    out.extend_from_slice(text.as_bytes());
                }
                Key::Long(digest) => {
                    out.push(b'l');
                    out.extend_from_slice(digest);
                }
            }
        }
        out
    }

    /// `None` for bytes that no version of this service signs today.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        if take::<1>(&mut rest)? != [LAYOUT] {
            return None;
        }
        let left = u64::from_le_bytes(take(&mut rest)?);
        let page_size = u32::from_le_bytes(take(&mut rest)?);
        let now = i64::from_le_bytes(take(&mut rest)?);
        let mut keys = Vec::new();
        while !rest.is_empty() {
            keys.push(match take::<1>(&mut rest)? {
                [b'n'] => Key::Value(sql::Value::Null),
                [b'i'] => Key::Value(sql::Value::Int(i64::from_le_bytes(take(&mut rest)?))),
                [b'r'] => {
                    let bits = u64::from_le_bytes(take(&mut rest)?);
                    Key::Value(sql::Value::Real(f64::from_bits(bits)))
                }
                [b't'] => {
                    let length = usize::try_from(u32::from_le_bytes(take(&mut rest)?)).ok()?;
                    let (text, after) = rest.split_at_checked(length)?;
                    rest = after;
                    Key::Value(sql::Value::Text(String::from_utf8(text.to_vec()).ok()?))
                }
                [b'l'] => Key::Long(take(&mut rest)?),
                _ => return None,
            });
        }
        Some(Self {
            keys,
            left: (left > 0).then_some(left),
            page_size: (page_size > 0).then_some(page_size),
            now,
        })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer() -> Signer {
        Signer::new(b"a secret of the tests").unwrap()
    }

    fn position() -> Position {
        let values = [
            sql::Value::Null,
            sql::Value::Int(i64::MIN),
            sql::Value::Real(-0.1),
            sql::Value::Text("Å'&%".into()),
        ];
        let mut keys: Vec<Key> = values.into_iter().map(Key::of).collect();
        keys.push(Key::of(sql::Value::Text("x".repeat(TEXT_BYTES + 1))));
        Position {
            keys,
            left: Some(1500),
            page_size: Some(100),
            now: -7,
        }
    }

    #[test]
    fn a_position_comes_back_as_it_was() {
        let token = signer().write("boards", &position());
        assert_eq!(signer().position("boards", &token), Some(position()));
        assert!(
            token
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
            "{token} needs no encoding in a URL"
        );
    }

    #[test]
    fn only_what_was_signed_for_the_list_is_read() {
        let token = signer().write("boards", &position());
        assert_eq!(signer().position("groups", &token), None);
        assert_eq!(
            Signer::new(b"another").unwrap().position("boards", &token),
            None
        );
        for at in 0..token.len() {
            let mut forged = token.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            assert_eq!(signer().position("boards", &forged), None, "{forged}");
        }
        for text in ["", "A", "####", &token[..token.len() - 2]] {
            assert_eq!(signer().position("boards", text), None, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_taken_from_its_row_if_it_is_still_there() {
        let text = |text: &str| sql::Value::Text(text.repeat(TEXT_BYTES));
        let key = Key::of(text("ab"));
        assert_eq!(key.settle(Some(&text("ab"))), Some(text("ab")));
        assert_eq!(key.settle(Some(&text("ac"))), None);
        assert_eq!(key.settle(Some(&sql::Value::Null)), None);
        assert_eq!(key.settle(None), None);
        assert_eq!(
            Key::of(sql::Value::Int(5)).settle(None),
            Some(sql::Value::Int(5))
        );
    }
}
