//! The records to which a navigation of one record leads: `/v2/groups(7)/boards`, `/v2/boards(7)/group`.
//!
//! Tools follow a navigation that they did not expand at the URL of the record followed by the name of the
//! navigation.

use obeya_odata::csdl::{self, EntitySet};
use obeya_odata::edm::{Cardinality, EntityType, Navigation};
use obeya_odata::sql::Predicate;

use super::error::ReadError;
use super::list::{CountRead, List};
use super::parent::{Parent, contained};
use super::point_query::RecordRead;
use super::prepared::Prepared;
use super::request::ReadRequest;
use obeya_store::RecordId;
use obeya_store::entity_sets::CONTAINER;

/// A navigation from the record with the id in the path.
pub struct Related {
    set: &'static EntitySet,
    navigation: &'static Navigation,
    id: RecordId,
}

impl Related {
    /// A navigation from the record of the set with this id.
    pub fn new(set: &'static EntitySet, navigation: &'static Navigation, id: RecordId) -> Self {
        Self {
            set,
            navigation,
            id,
        }
    }

    /// Prepares the record or the list to which it leads.
    pub fn prepare(self, request: &ReadRequest<'_>) -> Result<Prepared, ReadError> {
        if self.navigation.cardinality == Cardinality::Many {
            return self.list().prepare(request).map(Prepared::from);
        }
        let query = request.record_query(self.navigation.target)?;
        let context = request.context(|| Some(csdl::record_context(&self.source(), &query)));
        let (from, condition) = (self.parent(), self.condition());
        Ok(RecordRead::of_navigation(request, from, condition, query, context).into())
    }

    /// Prepares the number of records to which it leads.
    pub fn prepare_count(self, request: &ReadRequest<'_>) -> Result<CountRead, ReadError> {
        self.list().prepare_count(request)
    }

    fn list(&self) -> List {
        List::of(self.navigation.target)
            .only(self.condition())
            .under(self.parent())
    }

    /// The condition that its records meet.
    fn condition(&self) -> Predicate {
        let Navigation { from, to, .. } = self.navigation;
        let EntityType { table, .. } = self.set.entity;
        Predicate::new(
            format!("{{t}}.\"{to}\" = (SELECT f.\"{from}\" FROM \"{table}\" AS f WHERE f.id = ?)"),
            [self.id.clone().into()],
        )
    }

    fn parent(&self) -> Parent {
        Parent::of_navigation(self.set, self.navigation, self.id.clone())
    }

    /// The set of its records, or the path of the records contained in this one.
    fn source(&self) -> String {
        let of_set = CONTAINER.set_of(self.navigation.target);
        of_set.map_or_else(
            || contained(self.set, self.navigation, &self.id),
            |set| set.name.to_owned(),
        )
    }
}
