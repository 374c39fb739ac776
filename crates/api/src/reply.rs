//! The result of a call, made of the whole response.

use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::Error;

/// The value of a response, with its status and headers. It dereferences to the value; `into_inner` returns
/// it.
pub type Reply<T> = progenitor_client::ResponseValue<T>;

/// The value that the body contains.
pub(crate) fn json<T: DeserializeOwned>(answer: http::Response<Bytes>) -> Result<Reply<T>, Error> {
    let (head, body) = answer.into_parts();
    match serde_json::from_slice(&body) {
        Ok(value) => Ok(Reply::new(value, head.status, head.headers)),
        Err(_) => Err(Error::decode::<T>(&head.headers, &body)),
    }
}

/// The body as it is.
pub(crate) fn bytes(answer: http::Response<Bytes>) -> Result<Reply<Bytes>, Error> {
    let (head, body) = answer.into_parts();
    Ok(Reply::new(body, head.status, head.headers))
}

/// The reply of an operation whose success has no body.
pub(crate) fn empty(answer: http::Response<Bytes>) -> Result<Reply<()>, Error> {
    let (head, _) = answer.into_parts();
    Ok(Reply::new((), head.status, head.headers))
}
