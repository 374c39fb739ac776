//! What a read found, besides the bytes it wrote.

use super::position::Next;

/// What a read found.
pub enum Found {
    /// One record, which is the whole answer.
    Record,
    /// A navigation that leads nowhere: there is no answer.
    Nothing,
    /// A page of a list, which is open: [`super::end_list`] ends it.
    OpenList(Option<Next>),
    /// What the bytes say, and nothing beside them.
    Whole,
}
