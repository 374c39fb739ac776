//! The result of a read besides the bytes that it wrote.

use super::skip_token::NextPage;

/// The result of a read besides the bytes that it wrote.
pub enum ReadOutcome {
    /// One record. The answer is complete.
    Record,
    /// A navigation without a target. The answer has no content.
    NoContent,
    /// A page of a list. The answer is incomplete until [`super::end_list`] ends it.
    OpenList(Option<NextPage>),
    /// An answer that is complete and needs no headers of its own.
    Complete,
}
