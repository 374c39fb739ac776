//! What all calls have in common.

use crate::{Client, Error, Operation, Reply};

/// An operation with its parameters. Implemented by the structs of [`call`](crate::call), one for each
/// operation.
pub trait Call: Send + Sync {
    /// What a success answers with.
    type Output;

    /// The operation that is called.
    const OPERATION: Operation;

    /// Sends the request.
    ///
    /// # Errors
    /// The executor gave up, the service refused, or its answer is not what the specification says.
    fn send(
        &self,
        client: &Client,
    ) -> impl Future<Output = Result<Reply<Self::Output>, Error>> + Send;
}
