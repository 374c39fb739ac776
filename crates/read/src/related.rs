//! What a navigation of one record leads to, under an address of its own: `/v2/groups(7)/boards`,
//! `/v2/boards(7)/group`.
//!
//! Tools follow a navigation that they did not expand to the record's address with the navigation's name
//! behind it.

use std::borrow::Cow;

use obeya_odata::csdl::{self, EntitySet};
use obeya_odata::edm::{Cardinality, EntityType, Navigation};
use obeya_odata::sql::{self, Predicate};

use super::error::ReadError;
use super::list::{CountRead, List, Parent};
use super::point::RecordRead;
use super::prepared::Prepared;
use super::request::ReadRequest;
use obeya_store::entity_sets::CONTAINER;

/// A navigation of the set's record whose id the path holds.
pub struct Related {
    set: &'static EntitySet,
    navigation: &'static Navigation,
    id: i64,
}

impl Related {
    /// From the record of the set with this id.
    pub fn new(set: &'static EntitySet, navigation: &'static Navigation, id: i32) -> Self {
        Self {
            set,
            navigation,
            id: id.into(),
        }
    }

    /// The record or the list that it leads to.
    pub fn prepare(self, request: &ReadRequest<'_>) -> Result<Prepared, ReadError> {
        if self.navigation.cardinality == Cardinality::Many {
            return self.list().prepare(request).map(Prepared::from);
        }
        let query = request.record_query(self.navigation.target)?;
        let context = request.context(|| Some(csdl::record_context(&self.source(), &query)));
        let (from, condition) = (self.parent(), self.condition());
        Ok(RecordRead::of_navigation(from, condition, query, context).into())
    }

    /// The number of records that it leads to.
    pub fn prepare_count(self, request: &ReadRequest<'_>) -> Result<CountRead, ReadError> {
        self.list().prepare_count(request)
    }

    fn list(&self) -> List {
        List::of(self.navigation.target)
            .only(self.condition())
            .under(self.parent())
    }

    /// What its records have that others have not.
    fn condition(&self) -> Predicate {
        let Navigation { from, to, .. } = self.navigation;
        let EntityType { table, .. } = self.set.entity;
        Predicate::new(
            format!("{{t}}.\"{to}\" = (SELECT f.\"{from}\" FROM \"{table}\" AS f WHERE f.id = ?)"),
            [sql::Value::Int(self.id)],
        )
    }

    fn parent(&self) -> Parent {
        let exists = format!("SELECT 1 FROM \"{}\" WHERE id = ?1", self.set.entity.table);
        Parent {
            // The sets are called by the plural of what is in them.
            noun: self.set.name.trim_end_matches('s'),
            exists: Cow::Owned(exists),
            id: self.id,
            source: Some(self.source()),
        }
    }

    /// The set its records are in, or the path they are contained under.
    fn source(&self) -> String {
        match CONTAINER.set_of(self.navigation.target) {
            Some(set) => set.name.to_owned(),
            None => format!("{}({})/{}", self.set.name, self.id, self.navigation.name),
        }
    }
}
