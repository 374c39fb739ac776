//! The receiver of an answer's bytes.

use std::ops::ControlFlow;

/// Receives an answer while it is read.
pub trait Sink {
    /// The version of the data, before anything else. `Break` if the client already has this version. Only
    /// called for data that has a version.
    fn begin(&mut self, _version: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The number of all rows that match, before the first piece. Only called where some formats do not
    /// include it.
    fn counted(&mut self, _rows: u64) {}

    /// Takes a piece; may block until there is memory for it (backpressure). `Break` if no more is wanted.
    fn piece(&mut self, bytes: Vec<u8>) -> ControlFlow<()>;

    /// Takes the last piece.
    fn last(&mut self, bytes: Vec<u8>);

    /// Reserves memory for one record that takes more than a page should. False if there is none; then the
    /// read fails with [`ReadError::OutOfMemory`](super::ReadError::OutOfMemory).
    fn reserve(&mut self, _bytes: usize) -> bool {
        true
    }

    /// Whether another piece is wanted, for a read that produces none for long.
    fn is_wanted(&self) -> bool {
        true
    }
}

/// Collects the whole answer.
impl Sink for Vec<u8> {
    fn piece(&mut self, bytes: Vec<u8>) -> ControlFlow<()> {
        self.last(bytes);
        ControlFlow::Continue(())
    }

    fn last(&mut self, mut bytes: Vec<u8>) {
        if self.is_empty() {
            *self = bytes;
        } else {
            self.append(&mut bytes);
        }
    }
}
