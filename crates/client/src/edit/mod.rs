//! Edits: changes of some properties of a record that never undo what others have changed meanwhile.
//!
//! The interface has one operation for each record that is changed, and most of them require, or empty,
//! properties that do not change. This module reads these, sends the whole with the tag of what it read, and
//! starts again when somebody was faster. It compares properties as JSON, by name, so it needs no code for
//! each of them: `edits.rs` is generated from the specification. How a record is read and written is in
//! [`records`].

mod records;

use std::future::IntoFuture;

use futures_core::future::BoxFuture;
use obeya_api::check_numbers;
use serde_json::{Map, Value};

use crate::Client;
use crate::conditions::Tagged;
use crate::conflict::{Conflict, Versions};
use crate::deadline::Deadline;
use crate::error::{Cause, Error, Result};
use crate::tag::Tag;

include!(concat!(env!("OUT_DIR"), "/edits.rs"));

/// How often an edit is sent while others change the record in between.
const MOST_ATTEMPTS: u32 = 5;

/// A tag that no record has: a write with it is refused, and the refusal has the tag of the record.
const NO_TAG: &str = "\"none\"";

/// A record that can be edited. Implemented by this crate for its records only.
pub trait Editable: sealed::Editable {}

impl<R: sealed::Editable> Editable for R {}

pub(crate) mod sealed {
    use super::{BoxFuture, Client, Place, Result};

    /// What follows from the specification.
    pub trait Facts:
        serde::Serialize
        + serde::de::DeserializeOwned
        + Clone
        + std::fmt::Debug
        + Send
        + Sync
        + 'static
    {
        /// The properties that can be changed, each optional.
        type Changes: serde::Serialize
            + serde::de::DeserializeOwned
            + Clone
            + Default
            + std::fmt::Debug
            + Send
            + Sync
            + 'static;

        /// The body of the request.
        type Update: serde::de::DeserializeOwned + Send + Sync + 'static;

        /// The operation that changes the record.
        const OPERATION: &'static str;

        /// The properties that the body must have although they do not change.
        const RESENT: &'static [&'static str];
    }

    /// How a record is read and written.
    pub trait Editable: Facts {
        /// Whether a read of the record has its tag.
        const IS_READ_WITH_TAG: bool;

        /// Its id.
        fn id(&self) -> Option<i32>;

        /// Reads it.
        fn read(client: Client, place: Place) -> BoxFuture<'static, Result<Self>>;

        /// Changes it.
        fn write(
            client: Client,
            place: Place,
            update: Self::Update,
        ) -> BoxFuture<'static, Result<Self>>;

        /// Changes the only property of `changes` by an operation of its own, if there is one.
        fn write_alone(
            _client: &Client,
            _place: Place,
            _changes: &Self::Changes,
        ) -> Option<BoxFuture<'static, Result<Self>>> {
            None
        }
    }
}

/// The ids in the path of a record.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The id of the record that it belongs to; 0 where there is none.
    parent: i32,
    id: i32,
}

/// What is edited: a record as it was read, or its id.
#[derive(Clone, Debug)]
pub struct EditTarget<R> {
    id: i32,
    seen: Option<R>,
}

impl<R: Editable> From<i32> for EditTarget<R> {
    fn from(id: i32) -> Self {
        Self { id, seen: None }
    }
}

impl<R: Editable> From<&R> for EditTarget<R> {
    fn from(record: &R) -> Self {
        Self {
            // No record has the id 0, so the service answers that there is none.
            id: record.id().unwrap_or_default(),
            seen: Some(record.clone()),
        }
    }
}

/// A change of some properties of a record; created by `edit` of a resource. Set the properties, then `await`
/// it. A property that is not set stays as it is; [`Patch::Null`](obeya_model::Patch::Null) empties it.
///
/// It never undoes a change of others in another property. A change of others in a property that is set here
/// is a conflict: of a record, a change since the record was read; of an id, a change while the edit is
/// carried out. Two equal changes are a conflict as well: of two programs that each add one, the second must
/// notice. Nothing is changed then, and [`Error::conflict`] has both versions.
/// [`overwrite`](Self::overwrite) accepts such changes.
///
/// ```no_run
/// use obeya::model::{IncidentV1, Patch};
///
/// # async fn example(client: obeya::Client, seen: IncidentV1) -> obeya::Result<()> {
/// let edit = client.incidents().edit(&seen).title("Housing cracked").due_date(Patch::Null);
/// match edit.await {
///     Ok(now) => println!("{} since {}", now.title, now.last_modified),
///     Err(error) => match error.conflict::<IncidentV1>() {
///         Some(conflict) => println!("{:?} is now {:?}", conflict.properties, conflict.theirs),
///         None => return Err(error),
///     },
/// }
/// # Ok(())
/// # }
/// ```
///
/// A single status, severity or external id of an incident is sent by its own operation, without a read: the
/// last such change counts. Any other edit is one request that changes all properties or none. Where it
/// requires properties that are not set, or where a record is edited, the record is read first and its tag is
/// sent with the change ([`Client::if_match`]); if others change the record in between, that is repeated,
/// five times at most. The client needs the right to read the record then. With an
/// [`if_match`](Client::if_match) of your own there is one attempt, whose condition decides alone. A repeat
/// under your own [`idempotency_key`](Client::idempotency_key) is recognised while the properties that the
/// request requires are unchanged.
#[derive(Clone, Debug)]
#[must_use = "an edit does nothing until it is sent or awaited"]
pub struct Edit<R: Editable> {
    client: Client,
    place: Place,
    seen: Option<R>,
    changes: R::Changes,
    overwrites: bool,
}

impl<R: Editable> Edit<R> {
    pub(crate) fn new(client: Client, parent: i32, target: impl Into<EditTarget<R>>) -> Self {
        let target = target.into();
        Self {
            client,
            place: Place {
                parent,
                id: target.id,
            },
            seen: target.seen,
            changes: R::Changes::default(),
            overwrites: false,
        }
    }

    /// Replaces all changes set so far.
    pub fn changes(mut self, changes: R::Changes) -> Self {
        self.changes = changes;
        self
    }

    /// Writes the properties that are set whatever others have written into them. Other properties are not
    /// affected.
    pub fn overwrite(mut self) -> Self {
        self.overwrites = true;
        self
    }

    /// Carries it out, and returns the record afterwards. Without a change the record is read. The
    /// [`timeout`](Client::timeout) of the client limits the whole edit, with all its requests.
    ///
    /// # Errors
    /// See [`Error`]; [`Error::Conflict`] if others have changed the same properties;
    /// [`Error::is_precondition_failed`] if the record is not in the state of the caller's tag, or changed
    /// before each of five attempts.
    pub async fn send(self) -> Result<R> {
        check_numbers(&self.changes).map_err(|found| unfit::<R>(found.to_string()))?;
        let changes = object::<R>(&self.changes)?;
        if changes.is_empty() {
            return R::read(self.client, self.place).await;
        }
        if changes.len() == 1
            && let Some(write) = R::write_alone(&self.client, self.place, &self.changes)
        {
            return write.await;
        }
        let own = self.client.call_headers().if_match.clone();
        let any = own.as_ref().is_some_and(|tag| tag.as_str() == "*");
        let own = own.filter(|_| !any);
        // What others have done counts only where nobody has decided about it.
        let compares = own.is_none() && !any && !self.overwrites;
        let is_complete = R::RESENT.iter().all(|name| changes.contains_key(*name));
        if is_complete && (self.seen.is_none() || !compares) {
            let update = body::<R>(Map::new(), &changes)?;
            return R::write(self.client, self.place, update).await;
        }
        let mut undecided = None;
        let edited = self.read_and_write(&changes, own, compares, &mut undecided);
        edited.await.map_err(|error| {
            let error = error.after(undecided);
            match error {
                // Each request has what is left of it.
                Error::Timeout { operation, .. } => Error::Timeout {
                    operation,
                    after: self.client.transport().config.timeout,
                },
                other => other,
            }
        })
    }

    /// Reads the record and writes it with its tag, until nobody has changed it in between. `undecided`
    /// becomes the error of an attempt that may have been applied.
    async fn read_and_write(
        &self,
        changes: &Map<String, Value>,
        own: Option<Tag>,
        compares: bool,
        undecided: &mut Option<Cause>,
    ) -> Result<R> {
        let deadline = Deadline::after(self.client.transport().config.timeout);
        // A value has no tag before the first write, so a repeat under a key must reach the service to be
        // recognised.
        let has_key = self.client.call_headers().idempotency_key.is_some();
        let mut may_be_repeat = has_key && !R::IS_READ_WITH_TAG;
        let mut seen = self.seen.clone();
        let mut refused = None;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let read = |client| R::read(client, self.place);
            let client = self.client.timeout(deadline.remaining());
            let Tagged { value: now, tag } = client.tagged(read).await?;
            let tag = tag.filter(|_| R::IS_READ_WITH_TAG);
            let found = object::<R>(&now)?;
            let conflict = match &seen {
                Some(seen) if compares => {
                    let may_be_own = may_be_repeat || undecided.is_some();
                    self.conflict(seen, &now, &found, changes, may_be_own)?
                }
                _ => None,
            };
            let update = body::<R>(found, changes)?;
            if let Some(conflict) = conflict {
                return self.repeat(client, tag, update, conflict).await;
            }
            let unknown = || (!R::IS_READ_WITH_TAG).then(|| Tag::new(NO_TAG));
            let tag = own.clone().or(tag).or(refused.take()).or_else(unknown);
            // The service cannot have carried out a write with a tag that no record has.
            let is_probe = tag.as_ref().is_some_and(|tag| tag.as_str() == NO_TAG);
            let client = self.client.timeout(deadline.remaining()).with_if_match(tag);
            match R::write(client, self.place, update).await {
                Err(Error::Api {
                    status: 412,
                    tag,
                    earlier,
                    ..
                }) if own.is_none() && attempts < MOST_ATTEMPTS => {
                    refused = tag;
                    may_be_repeat = false;
                    if !is_probe && let Some(earlier) = earlier {
                        *undecided = Some(earlier);
                    }
                    seen.get_or_insert(now);
                }
                outcome => return outcome,
            }
        }
    }

    /// The properties that both sides have changed. What is as wanted is no change of others where an attempt
    /// of this edit may have been applied.
    fn conflict(
        &self,
        seen: &R,
        theirs: &R,
        found: &Map<String, Value>,
        changes: &Map<String, Value>,
        may_be_own: bool,
    ) -> Result<Option<Conflict<R>>> {
        let before = object::<R>(seen)?;
        let is_conflict = |(name, mine): (&String, &Value)| {
            // A record that was read with `$select` does not have every property.
            let before = before.get(name)?;
            let theirs = found.get(name).unwrap_or(&Value::Null);
            let is_wanted = theirs == mine || (is_empty(theirs) && is_empty(mine));
            let is_own = may_be_own && is_wanted;
            (theirs != before && !is_own).then(|| name.clone())
        };
        let mut properties: Vec<String> = changes.iter().filter_map(is_conflict).collect();
        // Whether a map of JSON is sorted depends on the features of the whole program.
        properties.sort_unstable();
        if properties.is_empty() {
            return Ok(None);
        }
        let mut mine = before.clone();
        mine.extend(changes.clone());
        for (name, value) in &mut mine {
            // A list that is emptied by `null` is empty in a record.
            if value.is_null() && before.get(name).is_some_and(Value::is_array) {
                *value = Value::Array(Vec::new());
            }
        }
        Ok(Some(Conflict {
            properties,
            seen: seen.clone(),
            mine: deserialize::<R, R>(mine)?,
            theirs: theirs.clone(),
        }))
    }

    /// The end of an edit in conflict. Under a key of the caller's it may have been carried out before, which
    /// only the service knows: the request is sent once more, with a tag that no record has.
    async fn repeat(
        &self,
        client: Client,
        tag: Option<Tag>,
        update: R::Update,
        conflict: Conflict<R>,
    ) -> Result<R> {
        // A service without tags would carry the request out.
        if self.client.call_headers().idempotency_key.is_some() && tag.is_some() {
            let client = client.with_if_match(Some(Tag::new(NO_TAG)));
            match R::write(client, self.place, update).await {
                Err(error) if error.is_precondition_failed() => {}
                outcome => return outcome,
            }
        }
        Err(Error::Conflict {
            operation: R::OPERATION,
            properties: conflict.properties.clone(),
            versions: Versions::new(conflict),
            earlier: None,
        })
    }
}

impl<R: Editable> IntoFuture for Edit<R> {
    type Output = Result<R>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// Whether a property has nothing: a list is emptied by `null` too.
fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// The properties of a record or of its changes.
fn object<R: Editable>(value: &impl serde::Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(unfit::<R>("it is no object".to_owned())),
        Err(error) => Err(unfit::<R>(error.to_string())),
    }
}

/// The body of the request: what it requires, as the record has it, and the changes.
fn body<R: Editable>(
    mut record: Map<String, Value>,
    changes: &Map<String, Value>,
) -> Result<R::Update> {
    record.retain(|name, _| R::RESENT.contains(&name.as_str()));
    record.extend(changes.clone());
    deserialize::<R, R::Update>(record)
}

fn deserialize<R: Editable, T: serde::de::DeserializeOwned>(
    object: Map<String, Value>,
) -> Result<T> {
    serde_path_to_error::deserialize(Value::Object(object))
        .map_err(|error| unfit::<R>(error.to_string()))
}

fn unfit<R: Editable>(reason: String) -> Error {
    Error::Request {
        operation: R::OPERATION,
        reason,
    }
}
