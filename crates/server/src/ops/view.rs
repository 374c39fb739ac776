//! What the answer to a write shows of the record that was written.
//!
//! A caller that may read the record sees all of it. One that may only write sees what it has just set, and
//! besides what its schema never leaves empty: every other nullable property is null, and every other list is
//! empty. The schema of the specification says which properties those are, so that a new one is hidden until
//! a request sets it. Knows no record and no store.

use std::sync::LazyLock;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::auth::scopes::Scopes;
use crate::http::call::Call;
use crate::http::etag::Tag;
use crate::ops::meta::SPEC_JSON;
use crate::read;

/// A record that writes answer with.
pub(crate) trait Record: Serialize + DeserializeOwned + Send + 'static {
    /// The name of its schema in the specification.
    const SCHEMA: &'static str;

    /// The id under which it is found again.
    fn id(&self) -> i32;
}

impl Record for obeya_model::Incident {
    const SCHEMA: &'static str = "Incident";

    fn id(&self) -> i32 {
        self.id
    }
}

impl Record for obeya_model::Improvement {
    const SCHEMA: &'static str = "Improvement";

    fn id(&self) -> i32 {
        self.id
    }
}

impl Record for obeya_model::DatasourceValue {
    const SCHEMA: &'static str = "DatasourceValue";

    fn id(&self) -> i32 {
        self.id
    }
}

/// How much of a record one caller is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum View {
    /// All of it.
    Whole,
    /// What these properties of the request's body set, and what is never empty.
    Written(Map<String, Value>),
}

/// Whether the request is carried out now or was before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    First,
    Repeated,
}

/// The schemas of the specification, by their names.
static SCHEMAS: LazyLock<Value> = LazyLock::new(|| {
    let mut spec: Value =
        serde_json::from_str(SPEC_JSON).expect("the build wrote it from a document it had parsed");
    spec["components"]["schemas"].take()
});

impl View {
    /// The view of a caller, before it is known what its request sets.
    pub(super) fn of(call: &Call) -> Self {
        let needed = Scopes::to_read_what_it_writes(call.operation);
        if call.caller.scopes.intersects(needed) {
            Self::Whole
        } else {
            Self::Written(Map::new())
        }
    }

    /// Shows what `body` sets: its properties, as the service has read them. Unknown properties of a request
    /// set nothing and show nothing.
    pub(super) fn show_written(&mut self, body: &impl Serialize) -> Result<(), serde_json::Error> {
        if let Self::Written(written) = self
            && let Value::Object(properties) = serde_json::to_value(body)?
        {
            *written = properties;
        }
        Ok(())
    }

    /// The record as JSON, and its tag.
    ///
    /// The answer to a repeated request shows a property that the request set only where the record still has
    /// that value: another may have been written since by somebody else.
    pub(super) fn answer<R: Record>(
        &self,
        record: &R,
        attempt: Attempt,
    ) -> Result<(String, Tag), serde_json::Error> {
        let Self::Written(written) = self else {
            let json = read::to_string(record)?;
            let tag = Tag::of(json.as_bytes());
            return Ok((json, tag));
        };
        let json = redacted(record, |name, value| {
            let set = written.get(name);
            set.is_some_and(|set| attempt == Attempt::First || set == value)
        })?;
        Ok((json, self.tag(record)?))
    }

    /// The tag of the record.
    ///
    /// For a caller that may not read it, that is a digest of what such a caller is shown in any case. The
    /// stamp is in there, so every change gives another tag; nothing hidden is, so nobody can test by
    /// `If-Match` whether a guess of it is right.
    pub(super) fn tag<R: Record>(&self, record: &R) -> Result<Tag, serde_json::Error> {
        let json = match self {
            Self::Whole => read::to_string(record),
            Self::Written(_) => redacted(record, |_, _| false),
        }?;
        Ok(Tag::of(json.as_bytes()))
    }
}

/// The record without what may be empty, but for what is `shown`.
fn redacted<R: Record>(
    record: &R,
    shown: impl Fn(&str, &Value) -> bool,
) -> Result<String, serde_json::Error> {
    let schema = &SCHEMAS[R::SCHEMA]["properties"];
    let mut properties = serde_json::to_value(record)?;
    for (name, value) in properties.as_object_mut().into_iter().flatten() {
        if shown(name, value) {
            continue;
        }
        if let Value::Array(items) = value {
            items.clear();
        } else if schema[name.as_str()]["nullable"] == true {
            *value = Value::Null;
        }
    }
    // Through the record's type, which has the properties in the order of the schema.
    read::to_string(&serde_json::from_value::<R>(properties)?)
}
