//! The body of a request, which tells its connection if it was not read to its end.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::connections::Connection;

/// A body on a connection.
pub(crate) struct RequestBody {
    incoming: Incoming,
    has_ended: bool,
    connection: Arc<Connection>,
}

impl RequestBody {
    pub(crate) fn new(incoming: Incoming, connection: Arc<Connection>) -> Self {
        Self {
            has_ended: incoming.is_end_stream(),
            incoming,
            connection,
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.incoming).poll_frame(context));
        self.has_ended = frame.is_none();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if !self.has_ended {
            self.connection.leave_unread();
        }
    }
}
