//! gzip, for clients that name it in `Accept-Encoding`.
//!
//! A wildcard does not count: on a plant's own network sending a page of values costs less than compressing
//! it.

use std::convert::Infallible;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use http::{HeaderMap, HeaderValue, Request};
use http_body_util::BodyExt as _;
use tower::ServiceExt;
use tower_http::CompressionLevel;
use tower_http::compression::Compression;
use tower_http::compression::predicate::{NotForContentType, Predicate as _, SizeAbove};

use super::body::{Body, Response};
use super::etag;

/// The smallest body that is compressed, in bytes; decompressing a smaller one costs more than sending it.
const MIN_BYTES: u16 = 1024;

/// Whether the client accepts gzip by name.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut codings = values.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        let quality = quality.trim().strip_prefix("q=").unwrap_or("1");
        name.trim().eq_ignore_ascii_case("gzip")
            && quality.parse::<f32>().is_ok_and(|quality| quality > 0.0)
    })
}

/// Compresses the body while it is sent, unless it is small, already encoded or an image.
pub(crate) async fn gzip(response: Response) -> Response {
    let mut request = Request::new(Body::empty());
    request
        .headers_mut()
        .insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    // The middleware is applied to this one response, so that only clients that accept gzip pay for it.
    let mut response = Some(response.map(copied));
    let service = tower::service_fn(move |_: Request<Body>| {
        let response = response.take().unwrap_or_default();
        async move { Ok::<_, Infallible>(response) }
    });
    let compression = Compression::new(service)
        .gzip(true)
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(MIN_BYTES).and(NotForContentType::IMAGES));
    let mut compressed = match compression.oneshot(request).await {
        Ok(compressed) => compressed.map(Body::stream),
        Err(never) => match never {},
    };
    if compressed.headers().contains_key(CONTENT_ENCODING) {
        etag::mark_compressed(compressed.headers_mut());
    }
    compressed
}

/// The body with each part of a stream copied. The compressor keeps a part until it gets the next one, and
/// the reader of the stream may wait for the memory of that part first: then neither would go on.
fn copied(body: Body) -> Body {
    match body {
        Body::Stream(body) => Body::stream(
            body.map_frame(|frame| frame.map_data(|part| Bytes::copy_from_slice(&part))),
        ),
        whole @ Body::Whole(_) => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_must_be_named() {
        let takes = |value| {
            takes_gzip(&HeaderMap::from_iter([(
                ACCEPT_ENCODING,
                HeaderValue::from_static(value),
            )]))
        };
        assert!(takes("gzip"));
        assert!(takes("br;q=1, GZIP;q=0.5"));
        assert!(!takes("*"));
        assert!(!takes("gzip;q=0"));
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
