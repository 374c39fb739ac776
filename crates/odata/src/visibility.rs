//! What a query may show of the data, whatever it asks for.
//!
//! It applies while names are resolved and statements are written, so no option can lead around it. This
//! module does not know why something is hidden.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::edm::{EntityType, ReplacedProperty};
use crate::predicate::Predicate;

/// What a query may show. The default is everything.
#[derive(Debug, Clone, Default)]
pub struct Visibility {
    /// Properties that are read as others.
    pub replaced: &'static [ReplacedProperty],
    /// The rows; `None`: all of them.
    pub rows: Option<Arc<RowConditions>>,
}

/// The condition that rows of each entity must meet to be part of an answer, by whatever path the query
/// reaches them: in the list itself, in `$expand`, in paths, lambdas and counts.
#[derive(Debug, Clone)]
pub struct RowConditions {
    by_entity: BTreeMap<&'static str, Option<Predicate>>,
}

/// For entities that nobody gave a condition.
static NO_ROWS: Predicate = Predicate {
    sql: std::borrow::Cow::Borrowed("FALSE"),
    binds: Vec::new(),
};

impl RowConditions {
    /// The conditions by the names of the entities; `None`: all rows. Every row of any other entity is
    /// hidden.
    pub fn new(conditions: impl IntoIterator<Item = (&'static str, Option<Predicate>)>) -> Self {
        Self {
            by_entity: conditions.into_iter().collect(),
        }
    }

    /// The condition for the rows of an entity; `None`: all of them.
    #[must_use]
    pub fn of(&self, entity: &EntityType) -> Option<&Predicate> {
        match self.by_entity.get(entity.name) {
            Some(condition) => condition.as_ref(),
            None => Some(&NO_ROWS),
        }
    }
}
