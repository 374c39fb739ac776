//! What a navigation of one record leads to, under an address of its own: `/v2/groups(7)/boards`, `/v2/boards(7)/group`.
//!
//! Tools follow a navigation that they did not expand to the record's address with the navigation's name behind it.

use std::borrow::Cow;

use axum::body::Body;
use axum::response::Response;
use http::StatusCode;
use obeya_odata::Bound;
use obeya_odata::csdl::{self, EntitySet};
use obeya_odata::edm::{Cardinality, EntityType, Navigation};
use obeya_odata::sql::{self, Predicate, Scope};

use super::list::{List, Parent};
use super::{context, options, point};
use crate::entity_sets::CONTAINER;
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::store::engine::Session;

/// A navigation of the set's record whose id the path holds.
pub(crate) struct Related {
    set: &'static EntitySet,
    navigation: &'static Navigation,
    id: i64,
}

impl Related {
    /// 400 `path.invalid` if the id in the path is none.
    pub(crate) fn new(
        call: &Call,
        set: &'static EntitySet,
        navigation: &'static Navigation,
    ) -> Result<Self, Problem> {
        let id = call.id()?.into();
        Ok(Self {
            set,
            navigation,
            id,
        })
    }

    /// Answers with the record or the list it leads to. 404 when there is no such record to go from, 204 when it leads nowhere.
    pub(crate) async fn answer(self, call: Call) -> Result<Response, Problem> {
        match self.navigation.cardinality {
            Cardinality::One => self.answer_one(call).await,
            Cardinality::Many => self.list(&call)?.respond(call).await,
        }
    }

    /// Answers with the number of records it leads to, as text.
    pub(crate) async fn count(self, call: Call) -> Result<Response, Problem> {
        self.list(&call)?.count(call).await
    }

    fn list(&self, call: &Call) -> Result<List, Problem> {
        let list = List::v2(call, self.navigation.target)?;
        Ok(list.only(self.condition()).under(self.parent()))
    }

    async fn answer_one(self, call: Call) -> Result<Response, Problem> {
        let query = options::record_query(&call, self.navigation.target)?;
        let source = self.source();
        let context = context::member(&call, || Some(csdl::record_context(&source, &query)));
        let record = call
            .app
            .store
            .read_inline(move |session| self.read(session, &query))
            .await?;
        Ok(match record {
            Some(record) => call.reply_record(context::open(record, context)),
            // OData Protocol, 11.2.7: a navigation to nothing is no error.
            None => {
                let mut nothing = Response::new(Body::empty());
                *nothing.status_mut() = StatusCode::NO_CONTENT;
                nothing
            }
        })
    }

    fn read(&self, session: &mut dyn Session, query: &Bound) -> Result<Option<Vec<u8>>, Problem> {
        self.parent().check(session)?;
        let scope = Scope {
            predicates: vec![self.condition()],
            ..Scope::default()
        };
        let statement = sql::select(query, session.dialect().of_queries(), &scope);
        point::read_with(session, query, &statement)
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
