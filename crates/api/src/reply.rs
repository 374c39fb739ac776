//! The result of a call.

use bytes::{Bytes, BytesMut};
use progenitor_client::ByteStream;

use crate::Error;

/// The value of a response, with its status and headers. It dereferences to the value; `into_inner` returns
/// it.
pub type Reply<T> = progenitor_client::ResponseValue<T>;

/// Takes the bytes of a raw response, which the executor has already read into memory.
pub(crate) async fn collect(reply: Reply<ByteStream>) -> Result<Reply<Bytes>, Error> {
    let (status, headers) = (reply.status(), reply.headers().clone());
    let mut stream = reply.into_inner_stream();
    let mut next = std::future::poll_fn(|context| stream.as_mut().poll_next(context)).await;
    let mut whole = Bytes::new();
    while let Some(chunk) = next {
        let chunk = chunk.map_err(|error| Error::Execute(Box::new(error)))?;
        whole = if whole.is_empty() {
            chunk
        } else {
            let mut longer = BytesMut::from(whole);
            longer.extend_from_slice(&chunk);
            longer.freeze()
        };
        next = std::future::poll_fn(|context| stream.as_mut().poll_next(context)).await;
    }
    Ok(Reply::new(whole, status, headers))
}
