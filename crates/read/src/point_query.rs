//! One record by its id.
//!
//! Without options this is the most frequent read of the service: the statement and the encoder of its row
//! are made once, and it runs inline on the thread of the request.

use obeya_odata::Bound;
use obeya_odata::csdl;
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Predicate, Scope};

use super::error::ReadError;
use super::expanded_next_links::ExpandedNextLinks;
use super::outcome::ReadOutcome;
use super::parent::Parent;
use super::record::{RecordForm, RecordPlan};
use super::request::{ReadRequest, with_context};
use super::row_encoder::RowEncoder;
use super::row_query::RowQuery;
use super::rows;
use super::sink::Sink;
use obeya_store::engine::Session;
use obeya_store::entity_sets::CONTAINER;
use obeya_store::{RecordId, Store};

/// The initial capacity for a record, in bytes.
const INITIAL_CAPACITY: usize = 512;

/// Reads the records of an entity by id. Handlers have one in a `static`.
pub struct PointQuery {
    plan: RecordPlan,
    noun: &'static str,
}

impl PointQuery {
    /// A query for the records of an entity; `noun` is their kind in messages.
    pub const fn new(entity: &'static EntityType, noun: &'static str) -> Self {
        Self {
            plan: RecordPlan::new(RecordForm::of(entity)),
            noun,
        }
    }

    /// Prepares the record with this id and the query options of the request.
    pub fn prepare(
        &'static self,
        request: &ReadRequest<'_>,
        id: impl Into<RecordId>,
    ) -> Result<RecordRead, ReadError> {
        let id = id.into();
        let is_plain = request.query.is_empty() && request.shows_all_of(self.plan.entity());
        let source = if is_plain {
            RecordSource::Plan(&self.plan, id.clone())
        } else {
            self.source(request, id.clone(), None)?
        };
        Ok(self.read(request, id, source))
    }

    /// Prepares the same, if the parent exists and the record meets the condition.
    pub fn prepare_under(
        &'static self,
        request: &ReadRequest<'_>,
        id: impl Into<RecordId>,
        parent: Parent,
        condition: Predicate,
    ) -> Result<RecordRead, ReadError> {
        let id = id.into();
        let source = self.source(request, id.clone(), Some((parent, condition)))?;
        Ok(self.read(request, id, source))
    }

    fn source(
        &self,
        request: &ReadRequest<'_>,
        id: RecordId,
        under: Option<(Parent, Predicate)>,
    ) -> Result<RecordSource, ReadError> {
        let (parent, condition) = under.unzip();
        let by_id = Predicate::new("{t}.id = ?", [id.into()]);
        let conditions = condition.into_iter().chain([by_id]).collect();
        let query = request.record_query(self.plan.entity())?;
        Ok(RecordSource::of(request, parent, conditions, query))
    }

    fn read(&self, request: &ReadRequest<'_>, id: RecordId, source: RecordSource) -> RecordRead {
        let context = request.context(|| {
            let set = CONTAINER.set_of(self.plan.entity())?;
            let query = match &source {
                RecordSource::Plan(plan, _) => plan.query(request.store.dialect()),
                RecordSource::Query { query, .. } => query,
            };
            Some(csdl::record_context(set.name, query))
        });
        RecordRead {
            source,
            missing: Some((self.noun, id)),
            context,
        }
    }
}

/// A prepared record.
pub struct RecordRead {
    source: RecordSource,
    /// The kind and the id for messages; without them, an answer without content says that there is none.
    missing: Option<(&'static str, RecordId)>,
    context: Option<Vec<u8>>,
}

/// How to find the record.
enum RecordSource {
    /// By its id, with a fixed statement.
    Plan(&'static RecordPlan, RecordId),
    /// By conditions, with query options; the parent must exist.
    Query {
        parent: Option<Parent>,
        conditions: Vec<Predicate>,
        query: Box<Bound>,
        expanded_next_links: Option<Box<ExpandedNextLinks>>,
    },
}

impl RecordSource {
    fn of(
        request: &ReadRequest<'_>,
        parent: Option<Parent>,
        conditions: Vec<Predicate>,
        query: Bound,
    ) -> Self {
        Self::Query {
            parent,
            conditions,
            expanded_next_links: ExpandedNextLinks::of(request, &query, request.now).map(Box::new),
            query: Box::new(query),
        }
    }
}

impl RecordRead {
    /// The target of a navigation, which is the record that meets the condition.
    pub(super) fn of_navigation(
        request: &ReadRequest<'_>,
        from: Parent,
        condition: Predicate,
        query: Bound,
        context: Option<Vec<u8>>,
    ) -> Self {
        Self {
            source: RecordSource::of(request, Some(from), vec![condition], query),
            missing: None,
            context,
        }
    }

    /// The read as one look-up by primary key, if it is one.
    pub(super) fn look_up(&self) -> Option<LookUp<'_>> {
        match &self.source {
            RecordSource::Plan(plan, id) => Some(LookUp {
                plan,
                id,
                read: self,
            }),
            RecordSource::Query { .. } => None,
        }
    }

    /// Reads the record.
    pub(super) fn run(
        &self,
        session: &mut dyn Session,
        sink: &mut dyn Sink,
    ) -> Result<ReadOutcome, ReadError> {
        let record = match &self.source {
            RecordSource::Plan(plan, id) => plan.read(session, id.clone())?,
            RecordSource::Query {
                parent,
                conditions,
                query,
                expanded_next_links,
            } => {
                if let Some(parent) = parent {
                    parent.check(session)?;
                }
                read_where(
                    session,
                    query,
                    conditions.clone(),
                    expanded_next_links.as_deref(),
                    sink,
                )?
            }
        };
        let (record, outcome) = self.answer(record)?;
        sink.last(record);
        Ok(outcome)
    }

    /// The record as it is sent, without bytes where none is no error.
    fn answer(&self, record: Option<Vec<u8>>) -> Result<(Vec<u8>, ReadOutcome), ReadError> {
        match (record, &self.missing) {
            (Some(record), _) => {
                let record = with_context(record, self.context.as_deref());
                Ok((record, ReadOutcome::Record))
            }
            (None, Some((noun, id))) => Err(ReadError::NotFound(noun, id.clone())),
            (None, None) => Ok((Vec::new(), ReadOutcome::NoContent)),
        }
    }
}

/// A look-up of a record by primary key, which needs no session.
pub struct LookUp<'a> {
    plan: &'static RecordPlan,
    id: &'a RecordId,
    read: &'a RecordRead,
}

impl LookUp<'_> {
    /// Reads the record, without bytes where none is no error.
    pub async fn run(self, store: &Store) -> Result<(Vec<u8>, ReadOutcome), ReadError> {
        let record = self.plan.look_up(store, self.id.clone()).await?;
        self.read.answer(record)
    }
}

/// The record that meets the conditions, with its expanded records.
fn read_where(
    session: &mut dyn Session,
    query: &Bound,
    predicates: Vec<Predicate>,
    expanded_next_links: Option<&ExpandedNextLinks>,
    sink: &mut dyn Sink,
) -> Result<Option<Vec<u8>>, ReadError> {
    let scope = Scope {
        predicates,
        ..Scope::default()
    };
    let statement = sql::select(query, session.dialect().of_queries(), &scope);
    let mut out = Vec::with_capacity(INITIAL_CAPACITY);
    let rows = RowQuery {
        query,
        encoder: &RowEncoder::of(query),
        statements: std::slice::from_ref(&statement),
        keys: &[],
        limit: 1,
        read: 1,
    };
    let found = rows::write_rows(session, rows, expanded_next_links, sink, &mut out)?;
    Ok((found.rows > 0).then_some(out))
}
