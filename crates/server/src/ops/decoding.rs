//! The decode stage of a write: reads and checks the body and the headers of an authorised request.
//!
//! A handler gets a body only as part of a [`Decoded`], together with the headers that are conditions of the
//! write. So the digest of the request always includes the body.

use std::marker::PhantomData;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::request::Parts;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use super::call::Call;
use crate::http::etag::Condition;
use crate::http::idempotency;
use crate::http::json::{BoundedList, FixedDepth};
use crate::http::problem::Problem;
use crate::http::{extract, json};
use obeya_rules::value::BATCH_MAX;
use obeya_store::sha256;

/// The longest list that is parsed on the thread of the request, in bytes: that takes less time than two
/// thread switches.
pub(super) const INLINE_BYTES: usize = 16 << 10;
/// Bytes of a body that are digested between two yields.
const DIGESTED_BYTES: usize = 64 << 10;

/// A decoded write request.
pub(super) struct Decoded<B> {
    pub(super) body: B,
    pub(super) preconditions: Preconditions,
}

/// The conditions of a write from its headers.
pub(super) struct Preconditions {
    /// `If-Match`.
    pub(super) condition: Option<Condition>,
    /// `Idempotency-Key`, and the digest of path, query and body.
    pub(super) idempotency: Option<(String, String)>,
}

/// A way to decode a body.
pub(super) trait Decode {
    /// The type of the decoded body.
    type Body;

    /// Reads the body, then the headers. Refuses, in this order: 415 (not `application/json`, or encoded),
    /// 413 (too large), 408 (too slow), 400 `body.malformed` (not JSON, a lone surrogate, too deep, NUL in a
    /// text), 400 `body.invalid` (against the schema) or `body.unknown_property` (nothing of an object is
    /// known; under `Prefer: handling=strict` every unknown property), 400 `header.invalid`.
    fn decode(
        self,
        call: &mut Call,
    ) -> impl Future<Output = Result<Decoded<Self::Body>, Problem>> + Send;
}

/// Ignores the body.
pub(super) struct NoBody;

/// A body as `T`.
pub(super) struct Json<T>(PhantomData<fn() -> T>);

/// A body that is a list, with a larger size limit.
pub(super) struct Items<T> {
    /// The most invalid items that an error names.
    most: usize,
    item: PhantomData<fn() -> T>,
}

/// A list of a body, and the SHA-256 of the body in hexadecimal, which stands for it in the audit log.
pub(super) struct Batch<T> {
    /// Of a list that is too long only a part is here, and it has to be refused.
    pub(super) list: BoundedList<T, BATCH_MAX>,
    pub(super) sha256: String,
}

/// A body as `T`.
pub(super) fn json<T>() -> Json<T> {
    Json(PhantomData)
}

/// A list of `T`; an error names up to `most` invalid items.
pub(super) fn items<T>(most: usize) -> Items<T> {
    Items {
        most,
        item: PhantomData,
    }
}

impl Decode for NoBody {
    type Body = ();

    async fn decode(self, call: &mut Call) -> Result<Decoded<()>, Problem> {
        Ok(Decoded {
            body: (),
            preconditions: Preconditions::of(call, &Bytes::new()).await?,
        })
    }
}

impl<T: DeserializeOwned + Send> Decode for Json<T> {
    type Body = T;

    async fn decode(self, call: &mut Call) -> Result<Decoded<T>, Problem> {
        let bytes = call.body(call.app.config.limits.body_bytes).await?;
        let body = json::parse(&bytes, extract::is_strict(call.headers()))?;
        let preconditions = Preconditions::of(call, &bytes).await?;
        Ok(Decoded {
            body,
            preconditions,
        })
    }
}

impl<T: FixedDepth + Send + 'static> Decode for Items<T> {
    type Body = Batch<T>;

    async fn decode(self, call: &mut Call) -> Result<Decoded<Batch<T>>, Problem> {
        let bytes = call.body(call.app.config.limits.batch_bytes).await?;
        let strict = extract::is_strict(call.headers());
        let most = self.most;
        let parse = move |bytes: &[u8]| json::parse_items(bytes, strict, most);
        let digest = |bytes: &[u8]| sha256::hex(&[bytes]);
        let body = if bytes.len() <= INLINE_BYTES {
            Batch {
                list: parse(&bytes)?,
                sha256: digest(&bytes),
            }
        } else {
            // Side by side: the digest takes some 1 ms for 2 MB, and parsing several.
            let (list, sha256) = tokio::try_join!(
                on_another_thread(call, &bytes, parse),
                on_another_thread(call, &bytes, digest)
            )?;
            Batch {
                list: list?,
                sha256,
            }
        };
        let preconditions = Preconditions::of(call, &bytes).await?;
        Ok(Decoded {
            body,
            preconditions,
        })
    }
}

/// Works on a body outside the async runtime: its client determines how long that takes.
async fn on_another_thread<R: Send + 'static>(
    call: &Call,
    body: &Bytes,
    work: impl FnOnce(&[u8]) -> R + Send + 'static,
) -> Result<R, Problem> {
    let (body, memory) = (body.clone(), call.body_memory());
    let work = move || {
        let result = work(&body);
        drop((body, memory));
        result
    };
    tokio::task::spawn_blocking(work)
        .await
        .map_err(Problem::internal)
}

impl Preconditions {
    /// Those of a request with this body, or with what tells its body apart from others.
    pub(super) async fn of(call: &Call, body: &Bytes) -> Result<Self, Problem> {
        let condition = Condition::if_match(call.headers())?;
        let idempotency = match idempotency::key(call.headers())? {
            Some(key) => Some((key, digest(call.head(), body).await)),
            None => None,
        };
        Ok(Self {
            condition,
            idempotency,
        })
    }
}

/// The digest of path, query and body of a request.
async fn digest(head: &Parts, body: &Bytes) -> String {
    let path = head.uri.path().to_ascii_lowercase();
    let query = head.uri.query().unwrap_or("");
    let mut digest = Sha256::new()
        .chain_update(path)
        .chain_update([b'?'])
        .chain_update(query)
        .chain_update([0]);
    for (at, piece) in body.chunks(DIGESTED_BYTES).enumerate() {
        if at > 0 {
            tokio::task::yield_now().await;
        }
        digest.update(piece);
    }
    URL_SAFE_NO_PAD.encode(digest.finalize())
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    /// Retries are compared with digests that an earlier build stored.
    #[tokio::test]
    async fn the_digest_of_a_request_is_that_of_its_path_query_and_body() {
        let of = async |uri: &str, body: &'static str| {
            let (head, ()) = Request::get(uri).body(()).unwrap().into_parts();
            digest(&head, &Bytes::from_static(body.as_bytes())).await
        };
        // printf '/v1/incidents?a=B\0{"x":1}' | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' |
        //     tr -d =
        let known = "vvyWJx-uiS4YcbQEPQ_YT35rX7B_v65Ka2xZphgnaM0";
        assert_eq!(of("/v1/Incidents?a=B", "{\"x\":1}").await, known);
        assert_eq!(of("/V1/incidents?a=B", "{\"x\":1}").await, known);
        for (uri, body) in [
            ("/v1/incidents?a=b", "{\"x\":1}"),
            ("/v1/incidents?a=B", "{\"x\":2}"),
            ("/v1/incidents/7?a=B", "{\"x\":1}"),
            ("/v1/incidents?a=B", ""),
        ] {
            assert_ne!(of(uri, body).await, known, "{uri} {body}");
        }
    }
}
