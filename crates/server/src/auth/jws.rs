//! Tokens in the compact serialization of RFC 7515, with one algorithm: ES384 (RFC 7518, section 3.4).
//!
//! A token does not choose how it is verified: its header must name ES384 and the type of an access token,
//! and the key is one of the service's. The caller checks the claims.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p384::ecdsa::signature::{Signer as _, Verifier as _};
use p384::ecdsa::{Signature, SigningKey, VerifyingKey};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

const ALGORITHM: &str = "ES384";
/// The type of an access token (RFC 9068, 2.1), without `application/`.
const ACCESS_TOKEN: &str = "at+jwt";

/// A well-formed token whose signature was not verified.
pub(super) struct Unverified {
    /// The id of the key that its header names.
    pub(super) kid: String,
    /// The signed text: header and claims, as received.
    message: String,
    claims: Vec<u8>,
    signature: Signature,
}

/// Why a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenError {
    Malformed,
    /// Its header names another algorithm, or `none`.
    Algorithm,
    Signature,
}

/// The header of an issued token.
#[derive(Serialize)]
struct Header<'a> {
    typ: &'static str,
    alg: &'static str,
    kid: &'a str,
}

/// The relevant part of the header of a received token.
#[derive(Deserialize)]
struct Received {
    alg: String,
    typ: Option<String>,
    kid: Option<String>,
    /// Whether it names extensions that must be understood; none is supported.
    #[serde(default, rename = "crit", deserialize_with = "is_present")]
    has_crit: bool,
}

/// Whether a member is there, `null` or not.
fn is_present<'de, D: Deserializer<'de>>(member: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(member).map(|_| true)
}

/// Whether a type in a header is that of an access token. Media types have no case.
fn is_access_token(typ: &str) -> bool {
    let typ = typ.to_ascii_lowercase();
    typ.strip_prefix("application/").unwrap_or(&typ) == ACCESS_TOKEN
}

/// A signed access token (RFC 9068) with these claims.
pub(super) fn sign<T: Serialize>(
    kid: &str,
    claims: &T,
    key: &SigningKey,
) -> Result<String, serde_json::Error> {
    let header = Header {
        typ: ACCESS_TOKEN,
        alg: ALGORITHM,
        kid,
    };
    let header = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&header)?);
    let claims = URL_SAFE_NO_PAD.encode(serde_json::to_vec(claims)?);
    let message = format!("{header}.{claims}");
    let signature: Signature = key.sign(message.as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(signature.to_bytes());
    Ok(format!("{message}.{signature}"))
}

impl Unverified {
    /// Parses a token.
    ///
    /// # Errors
    /// It is malformed or names another algorithm.
    pub(super) fn parse(token: &str) -> Result<Self, TokenError> {
        let (message, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
        let (header, claims) = message.split_once('.').ok_or(TokenError::Malformed)?;
        // An extra dot is no base64url character.
        let decode = |text| {
            URL_SAFE_NO_PAD
                .decode(text)
                .map_err(|_| TokenError::Malformed)
        };
        let header: Received =
            serde_json::from_slice(&decode(header)?).map_err(|_| TokenError::Malformed)?;
        if header.alg != ALGORITHM {
            return Err(TokenError::Algorithm);
        }
        // A token of another type, such as an ID token, may not be used as one (RFC 9068, 4).
        let is_access_token = header.typ.as_deref().is_some_and(is_access_token);
        let Some(kid) = header.kid.filter(|_| is_access_token && !header.has_crit) else {
            return Err(TokenError::Malformed);
        };
        let claims = decode(claims)?;
        // Two numbers of 48 bytes; values out of range are refused here too.
        let signature =
            Signature::from_slice(&decode(signature)?).map_err(|_| TokenError::Signature)?;
        Ok(Self {
            kid,
            message: message.to_owned(),
            claims,
            signature,
        })
    }

    /// The claims, if this key signed them. Takes a millisecond, so not for an asynchronous thread.
    ///
    /// # Errors
    /// Another key signed them, or the claims do not have this type.
    pub(super) fn verify<T: DeserializeOwned>(&self, key: &VerifyingKey) -> Result<T, TokenError> {
        key.verify(self.message.as_bytes(), &self.signature)
            .map_err(|_| TokenError::Signature)?;
        serde_json::from_slice(&self.claims).map_err(|_| TokenError::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The private key of RFC 6979, A.2.6.
    const KEY: &str = "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5";
    /// Header, claims `{"sub":"erp"}` and signature, made with that key by Python's `cryptography` (OpenSSL),
    /// deterministically (RFC 6979).
    const HEADER: &str = "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFUzM4NCIsImtpZCI6ImsxIn0";
    const CLAIMS: &str = "eyJzdWIiOiJlcnAifQ";
    const SIGNATURE: &str = "_GSDzeqFeh2Jz93uv6gQldkeSjyI-D_TK2ze6ssEbCBI8n85UcGXNlRaHrOusT31eJX4MvbtSFIyUDs-vlpXkNLbAnX_Qi00WYCIJ9EIYc-EsigF4qDDRofly_EJ9poB";

    fn key() -> SigningKey {
        let bytes: Vec<u8> = (0..KEY.len())
            .step_by(2)
            .map(|start| u8::from_str_radix(&KEY[start..start + 2], 16).unwrap())
            .collect();
        SigningKey::from_slice(&bytes).unwrap()
    }

    /// Verifies a token with the key above.
    fn read(token: &str) -> Result<Value, TokenError> {
        let token = Unverified::parse(token)?;
        assert_eq!(token.kid, "k1");
        token.verify(key().verifying_key())
    }

    #[test]
    fn a_token_is_the_one_that_another_implementation_makes() {
        let token = format!("{HEADER}.{CLAIMS}.{SIGNATURE}");
        let claims = json!({"sub": "erp"});
        assert_eq!(sign("k1", &claims, &key()).unwrap(), token);
        assert_eq!(read(&token), Ok(claims));
    }

    #[test]
    fn another_header_is_refused() {
        let with = |header: Value| {
            let header = URL_SAFE_NO_PAD.encode(header.to_string());
            read(&format!("{header}.{CLAIMS}.{SIGNATURE}"))
        };
        for alg in ["none", "None", "es384", "ES256", "HS384", "RS256", ""] {
            let found = with(json!({"alg": alg, "kid": "k1"}));
            assert_eq!(found, Err(TokenError::Algorithm), "{alg}");
        }
        let good = json!({"alg": "ES384", "typ": "at+jwt", "kid": "k1"});
        let changed = |name: &str, value: Value| {
            let mut header = good.clone();
            header[name] = value;
            header
        };
        for header in [
            json!({"kid": "k1", "typ": "at+jwt"}),
            json!({"alg": "ES384", "typ": "at+jwt"}),
            json!({"alg": "ES384", "kid": "k1"}),
            changed("kid", json!(1)),
            changed("typ", json!("JWT")),
            changed("typ", json!("text/at+jwt")),
            changed("typ", Value::Null),
            changed("crit", json!(["b64"])),
            changed("crit", json!([])),
            changed("crit", Value::Null),
        ] {
            assert_eq!(with(header.clone()), Err(TokenError::Malformed), "{header}");
        }
        // Only the signature is wrong: it was made over another header.
        for header in [
            changed("extra", json!(1)),
            changed("typ", json!("AT+JWT")),
            changed("typ", json!("application/at+jwt")),
        ] {
            assert_eq!(with(header.clone()), Err(TokenError::Signature), "{header}");
        }
    }

    #[test]
    fn a_signature_of_another_form_is_refused() {
        let bytes = URL_SAFE_NO_PAD.decode(SIGNATURE).unwrap();
        let with = |signature: &[u8]| {
            let signature = URL_SAFE_NO_PAD.encode(signature);
            read(&format!("{HEADER}.{CLAIMS}.{signature}"))
        };
        let other: Vec<u8> = bytes.iter().map(|byte| byte ^ 1).collect();
        let longer = [&bytes[..], &[0]].concat();
        // The encoding used in certificates, and a signature of a P-256 key.
        let der = Signature::from_slice(&bytes).unwrap().to_der();
        let shapes = [
            &[][..],
            &bytes[..95],
            &bytes[..64],
            &longer,
            der.as_bytes(),
            &other,
            &[0; 96],
            &[0xff; 96],
        ];
        for signature in shapes {
            assert_eq!(with(signature), Err(TokenError::Signature), "{signature:?}");
        }
    }

    #[test]
    fn what_is_no_compact_form_is_refused() {
        for token in [
            "".to_owned(),
            HEADER.to_owned(),
            format!("{HEADER}.{SIGNATURE}"),
            format!("{HEADER}.{CLAIMS}.{CLAIMS}.{SIGNATURE}"),
            format!("{HEADER}.{CLAIMS}.{SIGNATURE}="),
            format!("{HEADER}=.{CLAIMS}.{SIGNATURE}"),
            format!(" {HEADER}.{CLAIMS}.{SIGNATURE}"),
            format!("{HEADER}.{CLAIMS}.{SIGNATURE}."),
        ] {
            assert_eq!(read(&token), Err(TokenError::Malformed), "{token}");
        }
    }
}
