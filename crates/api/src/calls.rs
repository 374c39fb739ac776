//! The trait of all calls.

use crate::{Client, Error, Operation, Reply};

/// An operation with its parameters. Implemented by the structs of [`call`](crate::call), one for each
/// operation.
pub trait Call: Send + Sync {
    /// The result of a success.
    type Output;

    /// The operation.
    const OPERATION: Operation;

    /// Sends the request.
    ///
    /// # Errors
    /// The executor failed, the service responded with an error, or its response does not match the
    /// specification.
    fn send(
        &self,
        client: &Client,
    ) -> impl Future<Output = Result<Reply<Self::Output>, Error>> + Send;
}
