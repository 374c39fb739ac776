//! Reads a response body into memory, up to a limit.
//!
//! The limit counts decompressed bytes, so it also stops decompression bombs. The body is not decoded here.

use bytes::{Bytes, BytesMut};

/// Why a body could not be read.
#[derive(Debug)]
pub(crate) enum BodyFault {
    /// The body exceeds the limit.
    TooLarge,
    /// The connection broke.
    Broken(reqwest::Error),
}

/// Reads the whole body, at most `limit` bytes of it.
pub(crate) async fn read(mut response: reqwest::Response, limit: u64) -> Result<Bytes, BodyFault> {
    // `content_length` is the announced size (absent for compressed bodies): refuse before reading.
    let announced = response.content_length();
    if announced.is_some_and(|length| length > limit) {
        return Err(BodyFault::TooLarge);
    }
    let Some(first) = response.chunk().await.map_err(BodyFault::Broken)? else {
        return Ok(Bytes::new());
    };
    if announced == Some(first.len() as u64) && first.len() as u64 <= limit {
        return Ok(first);
    }
    let mut whole = BytesMut::with_capacity(announced.unwrap_or(0) as usize);
    let mut next = Some(first);
    while let Some(chunk) = next {
        if (whole.len() + chunk.len()) as u64 > limit {
            return Err(BodyFault::TooLarge);
        }
        whole.extend_from_slice(&chunk);
        next = response.chunk().await.map_err(BodyFault::Broken)?;
    }
    Ok(whole.freeze())
}
