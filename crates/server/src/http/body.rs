//! The body of an answer, and the response that carries it.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;

/// The error of a body.
pub(crate) type BodyError = Box<dyn Error + Send + Sync>;

/// The response to a request.
pub(crate) type Response = http::Response<Body>;

/// A body. Most are complete, and need no allocation besides their bytes.
#[derive(Debug)]
pub(crate) enum Body {
    /// The bytes that are not sent yet.
    Whole(Bytes),
    /// A body that is sent while it is produced.
    Stream(UnsyncBoxBody<Bytes, BodyError>),
}

impl Body {
    /// A body without bytes.
    pub(crate) fn empty() -> Self {
        Self::Whole(Bytes::new())
    }

    /// A body that is sent while it is produced.
    pub(crate) fn stream<B>(body: B) -> Self
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BodyError>,
    {
        Self::Stream(body.map_err(Into::into).boxed_unsync())
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::empty()
    }
}

impl<T: Into<Bytes>> From<T> for Body {
    fn from(bytes: T) -> Self {
        Self::Whole(bytes.into())
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Stream(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Stream(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream(body) => body.size_hint(),
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;

    use super::*;

    #[tokio::test]
    async fn a_whole_body_and_a_stream_give_the_same_bytes_and_the_same_length() {
        let text = Bytes::from_static(b"all");
        for body in [
            Body::from(text.clone()),
            Body::stream(Full::new(text.clone())),
        ] {
            assert_eq!(body.size_hint().exact(), Some(3));
            assert!(!body.is_end_stream());
            assert_eq!(body.collect().await.unwrap().to_bytes(), text);
        }
        for body in [Body::default(), Body::stream(Full::new(Bytes::new()))] {
            assert_eq!(body.size_hint().exact(), Some(0));
            assert!(body.is_end_stream());
            assert!(body.collect().await.unwrap().to_bytes().is_empty());
        }
    }
}
