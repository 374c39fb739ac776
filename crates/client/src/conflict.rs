//! A conflict: the versions of a record that two have changed.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What two have changed in one record; from [`Error::conflict`](crate::Error::conflict). Nothing of mine was
/// written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conflict<R> {
    /// The properties that both have changed, named as on the wire, in the order of their names.
    pub properties: Vec<String>,
    /// The record that the changes were based on.
    pub seen: R,
    /// The record that was wanted: as it was seen, with all changes.
    pub mine: R,
    /// The record as it is now, with the changes of others. To insist on mine, edit this one.
    pub theirs: R,
}

/// The [`Conflict`] of a record of any type.
#[derive(Clone)]
pub struct Versions(Arc<dyn Any + Send + Sync>);

impl Versions {
    pub(crate) fn new<R: Send + Sync + 'static>(conflict: Conflict<R>) -> Self {
        Self(Arc::new(conflict))
    }

    pub(crate) fn of<R: 'static>(&self) -> Option<&Conflict<R>> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Versions {
    // Both versions are content of the plant, which a log must not contain by accident.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Versions")
    }
}
