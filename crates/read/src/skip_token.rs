//! `$skiptoken`: the position in a list at which a page ended, signed so that only this service can make one.
//!
//! A token is a position and an HMAC-SHA256 signature (RFC 2104) over it and over its list, in base64url. The
//! key is in the store: links outlive a restart and work in every process. The content is no secret from its
//! owner, who has read the row from which it was made. No statement runs here.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use obeya_odata::sql;
use sha2::{Digest as _, Sha256};

use super::error::ReadError;
use obeya_store::engine::{StoreError, present};
use obeya_store::random::random;
use obeya_store::{Store, secrets};

/// The name of the key in the store.
const SECRET: &str = "next-links";
/// The first byte of a token: the version of its layout.
const LAYOUT: u8 = 1;
/// Bytes of the signature in a token: 128 bits cannot be guessed.
const TAG_BYTES: usize = 16;
/// The longest text in a token, in bytes. A longer one is replaced by its digest and read from its row,
/// because proxies and tools limit the length of links.
const TEXT_BYTES: usize = 256;
/// Bytes of the digest of a long text.
const DIGEST_BYTES: usize = 8;

/// The position at which a page ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ListPosition {
    /// The order keys of the last row.
    pub(super) keys: Vec<PositionKey>,
    /// The rows that `$top` still allows.
    pub(super) left: Option<u64>,
    /// The page size, if the client asked for fewer rows than the default.
    pub(super) page_size: Option<u32>,
    /// The value of `now()` on the first page: an order by it must not change from page to page.
    pub(super) now: i64,
}

/// An order key of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PositionKey {
    /// The value.
    Value(sql::Value),
    /// The digest of a text that is too long for a link.
    Digest([u8; DIGEST_BYTES]),
}

impl PositionKey {
    /// A value, or its digest if it is long.
    pub(super) fn of(value: sql::Value) -> Self {
        match &value {
            sql::Value::Text(text) if text.len() > TEXT_BYTES => Self::Digest(digest(text)),
            _ => Self::Value(value),
        }
    }

    /// The value: the stored one, or that of the row if it still has the same digest.
    fn resolve(&self, of_row: Option<&sql::Value>) -> Option<sql::Value> {
        match (self, of_row) {
            (Self::Value(value), _) => Some(value.clone()),
            (Self::Digest(expected), Some(value @ sql::Value::Text(text))) => {
                (digest(text) == *expected).then(|| value.clone())
            }
            (Self::Digest(_), _) => None,
        }
    }
}

/// The start of the next page of a list.
pub struct NextPage {
    pub(super) list: String,
    pub(super) position: ListPosition,
}

impl NextPage {
    /// The `$skiptoken`.
    pub fn token(&self, links: &TokenSigner) -> String {
        links.write(&self.list, &self.position)
    }
}

/// Signs tokens and verifies them.
#[derive(Clone)]
pub struct TokenSigner {
    key: Hmac<Sha256>,
}

impl TokenSigner {
    /// Reads the key from the store; creates it if there is none.
    pub async fn open(store: &Store) -> Result<Self, StoreError> {
        // Writes only if there is no key: another process may hold the write lock for as long as its import
        // takes.
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
    pub(super) fn write(&self, list: &str, position: &ListPosition) -> String {
        let mut bytes = position.to_bytes();
        let tag = self.sign(list, &bytes).finalize().into_bytes();
        bytes.extend_from_slice(&tag[..TAG_BYTES]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The position of a token that was made for this list; an error for every other text.
    pub(super) fn read(&self, list: &str, token: &str) -> Result<ListPosition, ReadError> {
        self.position(list, token).ok_or(ReadError::SkipToken(
            "this token was not issued for this list; follow `@odata.nextLink` unchanged",
        ))
    }

    fn position(&self, list: &str, token: &str) -> Option<ListPosition> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (body, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
        self.sign(list, body).verify_truncated_left(tag).ok()?;
        ListPosition::from_bytes(body)
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

impl ListPosition {
    /// Whether a key is a digest, so that its text must be read from the row.
    pub(super) fn has_digest(&self) -> bool {
        self.keys
            .iter()
            .any(|key| matches!(key, PositionKey::Digest(_)))
    }

    /// The values of the keys, taken from the row where the token has only a digest; `None` if the row has
    /// another value.
    pub(super) fn resolve(&self, row: Option<&[sql::Value]>) -> Option<Vec<sql::Value>> {
        let keys = self.keys.iter().enumerate();
        keys.map(|(at, key)| key.resolve(row.and_then(|row| row.get(at))))
            .collect()
    }

    /// Whether these are the values of the keys.
    pub(super) fn is_of(&self, values: &[sql::Value]) -> bool {
        self.resolve(Some(values)).as_deref() == Some(values)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![LAYOUT];
        // Neither is ever 0, because then there is no next page.
        out.extend_from_slice(&self.left.unwrap_or(0).to_le_bytes());
        out.extend_from_slice(&self.page_size.unwrap_or(0).to_le_bytes());
        out.extend_from_slice(&self.now.to_le_bytes());
        for key in &self.keys {
            match key {
                PositionKey::Value(sql::Value::Null) => out.push(b'n'),
                PositionKey::Value(sql::Value::Int(value)) => {
                    out.push(b'i');
                    out.extend_from_slice(&value.to_le_bytes());
                }
                PositionKey::Value(sql::Value::Real(value)) => {
                    out.push(b'r');
                    out.extend_from_slice(&value.to_bits().to_le_bytes());
                }
                PositionKey::Value(sql::Value::Text(text)) => {
                    out.push(b't');
                    // At most TEXT_BYTES by [`PositionKey::of`].
                    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
                    out.extend_from_slice(text.as_bytes());
                }
                PositionKey::Digest(digest) => {
                    out.push(b'l');
                    out.extend_from_slice(digest);
                }
            }
        }
        out
    }

    /// `None` for an unknown layout.
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
                [b'n'] => PositionKey::Value(sql::Value::Null),
                [b'i'] => PositionKey::Value(sql::Value::Int(i64::from_le_bytes(take(&mut rest)?))),
                [b'r'] => {
                    let bits = u64::from_le_bytes(take(&mut rest)?);
                    PositionKey::Value(sql::Value::Real(f64::from_bits(bits)))
                }
                [b't'] => {
                    let length = usize::try_from(u32::from_le_bytes(take(&mut rest)?)).ok()?;
                    let (text, after) = rest.split_at_checked(length)?;
                    rest = after;
                    PositionKey::Value(sql::Value::Text(String::from_utf8(text.to_vec()).ok()?))
                }
                [b'l'] => PositionKey::Digest(take(&mut rest)?),
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
    let (head, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer() -> TokenSigner {
        TokenSigner::new(b"a secret of the tests").unwrap()
    }

    fn position() -> ListPosition {
        let values = [
            sql::Value::Null,
            sql::Value::Int(i64::MIN),
            sql::Value::Real(-0.1),
            sql::Value::Text("Å'&%".into()),
        ];
        let mut keys: Vec<PositionKey> = values.into_iter().map(PositionKey::of).collect();
        keys.push(PositionKey::of(sql::Value::Text(
            "x".repeat(TEXT_BYTES + 1),
        )));
        ListPosition {
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
            TokenSigner::new(b"another")
                .unwrap()
                .position("boards", &token),
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
        let key = PositionKey::of(text("ab"));
        assert_eq!(key.resolve(Some(&text("ab"))), Some(text("ab")));
        assert_eq!(key.resolve(Some(&text("ac"))), None);
        assert_eq!(key.resolve(Some(&sql::Value::Null)), None);
        assert_eq!(key.resolve(None), None);
        assert_eq!(
            PositionKey::of(sql::Value::Int(5)).resolve(None),
            Some(sql::Value::Int(5))
        );
    }
}
