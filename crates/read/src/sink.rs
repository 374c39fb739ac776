//! Where the bytes of an answer go.

use std::ops::ControlFlow;

/// Takes an answer as it is read.
pub trait Sink {
    /// The version of the data that is read, before anything else of it: `Break` where nobody needs to see it
    /// again. Only said of what has a version.
    fn begin(&mut self, _version: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The number of all rows that match, before the first piece. Only said where it is not part of the
    /// answer's bytes in every form.
    fn counted(&mut self, _rows: u64) {}

    /// Takes a piece, which may block until there is room for it; `Break` where nobody wants any more.
    fn piece(&mut self, bytes: Vec<u8>) -> ControlFlow<()>;

    /// Takes the last piece.
    fn last(&mut self, bytes: Vec<u8>);

    /// Whether another piece is wanted, for a read that has none to give for long.
    fn is_wanted(&self) -> bool {
        true
    }
}

/// An answer that is made whole.
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
