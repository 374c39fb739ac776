//! The record to which a list belongs, and the name of the list in the signatures of tokens.

use std::borrow::Cow;

use obeya_odata::csdl::EntitySet;
use obeya_odata::edm::{EntityType, Navigation};

use super::error::ReadError;
use obeya_store::RecordId;
use obeya_store::engine::{Session, Value};
use obeya_store::entity_sets::CONTAINER;

/// The record in the path to which the list belongs. If it does not exist, the request is refused.
#[derive(Debug, Clone)]
pub struct Parent {
    /// Its kind, for messages.
    pub noun: &'static str,
    /// A statement that returns a row if the record exists; its id is `?1`.
    pub exists: Cow<'static, str>,
    /// Its id.
    pub id: RecordId,
    /// The set or path of the list's records, if it is not the set of their type.
    pub source: Option<String>,
}

impl Parent {
    /// The record of the set with this id, from which the navigation starts.
    pub(super) fn of_navigation(set: &EntitySet, navigation: &Navigation, id: RecordId) -> Self {
        let exists = format!("SELECT 1 FROM \"{}\" WHERE id = ?1", set.entity.table);
        Self {
            // The names of sets are the plural of their records.
            noun: set.name.trim_end_matches('s'),
            exists: Cow::Owned(exists),
            source: match CONTAINER.set_of(navigation.target) {
                Some(_) => None,
                None => Some(contained(set, navigation, &id)),
            },
            id,
        }
    }

    /// Returns [`ReadError::NotFound`] if the record does not exist.
    pub(super) fn check(&self, session: &mut dyn Session) -> Result<(), ReadError> {
        let found = session.first(&self.exists, &[Value::from(&self.id)], |_| Ok(()))?;
        found.ok_or(ReadError::NotFound(self.noun, self.id.clone()))
    }
}

/// The path of the records that are contained in one of the set.
pub(super) fn contained(set: &EntitySet, navigation: &Navigation, id: &RecordId) -> String {
    format!("{}({})/{}", set.name, id.key(), navigation.name)
}

/// The text that binds a token to its list. It is the same for every way to request the list.
pub(super) fn list_name(entity: &EntityType, parent: Option<&Parent>, listing: &str) -> String {
    let parent = parent.map(|parent| (&parent.id, &parent.source));
    format!("{} {parent:?} {listing}", entity.name)
}
