//! Reads a response body into memory, up to a limit.
//!
//! The limit counts decompressed bytes, so it also stops decompression bombs. The body is not decoded here.

use std::pin::pin;

use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt as _;

/// The most bytes that are reserved before they arrive.
const MOST_RESERVED: u64 = 64 << 20;

/// Reads the whole body; `None` if it has more than `limit` bytes.
pub(crate) async fn read(
    response: reqwest::Response,
    limit: u64,
) -> reqwest::Result<Option<Bytes>> {
    let announced = announced(&response);
    // Refuse before reading.
    if announced.is_some_and(|length| length > limit) {
        return Ok(None);
    }
    let mut chunks = pin!(response.bytes_stream());
    let Some(first) = chunks.try_next().await? else {
        return Ok(Some(Bytes::new()));
    };
    if announced == Some(first.len() as u64) {
        return Ok(Some(first));
    }
    // What was announced need not arrive, and a failed allocation ends the process.
    let reserved = announced.unwrap_or(0).min(MOST_RESERVED);
    let mut whole = BytesMut::with_capacity(reserved as usize);
    let mut next = Some(first);
    while let Some(chunk) = next {
        if (whole.len() + chunk.len()) as u64 > limit {
            return Ok(None);
        }
        whole.extend_from_slice(&chunk);
        next = chunks.try_next().await?;
    }
    Ok(Some(whole.freeze()))
}

/// The announced size of the body, if it is sent as it is. A browser decompresses a body, and shows the size
/// that was sent.
fn announced(response: &reqwest::Response) -> Option<u64> {
    (!cfg!(target_arch = "wasm32"))
        .then(|| response.content_length())
        .flatten()
}
