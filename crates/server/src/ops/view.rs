//! The part of a record that the answer to a write shows.
//!
//! A client that may read the record sees all of it. A client that may only write sees the properties that it
//! has just set and those that its schema never leaves empty: every other nullable property is null, and
//! every other list is empty. The schema of the specification determines these properties, so a new one is
//! hidden until a request sets it. A record arrives as the bytes that a reader gets; their order stays. This
//! module knows no record and no store.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use obeya_odata::edm::EntityType;
use obeya_read::{whole_record_context, with_context};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::auth::scopes::Scopes;
use crate::http::etag::Tag;
use crate::http::odata::is_odata;
use crate::ops::call::Call;
use crate::spec::SPEC_JSON;
use obeya_store::RecordId;

/// The record in the answer to a write.
#[derive(Debug)]
pub(crate) struct WrittenRecord {
    /// Its entity. The schema in the specification has the same name.
    pub(super) entity: &'static EntityType,
    /// The id of the record.
    pub(super) id: RecordId,
    /// What names it in an address, if that is not its id.
    pub(super) name: Option<String>,
    /// The address that it is below, if that is not the one it was posted to.
    pub(super) collection: Option<&'static str>,
    /// What follows its id in its address.
    pub(super) suffix: &'static str,
    /// Whether the request has deleted it.
    pub(super) is_deleted: bool,
    /// The whole record.
    json: Vec<u8>,
}

impl WrittenRecord {
    /// A record of an entity.
    pub(crate) fn new(entity: &'static EntityType, id: impl Into<RecordId>, json: Vec<u8>) -> Self {
        Self {
            entity,
            id: id.into(),
            name: None,
            collection: None,
            suffix: "",
            is_deleted: false,
            json,
        }
    }

    /// The record, whose address is below this one, whatever it was posted to.
    pub(super) fn below(self, collection: &'static str) -> Self {
        let collection = Some(collection);
        Self { collection, ..self }
    }

    /// The record, whose address is this part of it.
    pub(super) fn followed_by(self, suffix: &'static str) -> Self {
        Self { suffix, ..self }
    }

    /// The record as it was before the request deleted it.
    pub(super) fn deleted(self) -> Self {
        let is_deleted = true;
        Self { is_deleted, ..self }
    }

    /// The record, which this text names in an address.
    pub(super) fn named(self, name: Option<String>) -> Self {
        Self { name, ..self }
    }
}

/// How one client sees a record.
#[derive(Debug, Clone)]
pub(super) struct View {
    part: Part,
    /// The base URL of the addresses in `@odata.context`, for an operation of the OData service.
    context_base: Option<String>,
}

/// The part of a record that one client sees.
#[derive(Debug, Clone)]
enum Part {
    /// The whole record.
    Whole,
    /// The properties that the request set, and those that are never empty.
    Written(Map<String, Value>),
}

/// The OData metadata of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Metadata {
    None,
    /// `@odata.context`, where a record has one.
    Minimal,
}

/// Whether the request is carried out now or was carried out before.
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
    /// The view of a client, before its body was read.
    pub(super) fn of(call: &Call) -> Self {
        let needed = Scopes::to_read_what_it_writes(call.operation);
        let part = match call.caller.scopes.intersects(needed) {
            true => Part::Whole,
            false => Part::Written(Map::new()),
        };
        let context_base = is_odata(call.operation.path()).then(|| call.base_url().into_owned());
        Self { part, context_base }
    }

    /// Shows the properties that `body` sets. Unknown properties of a request set nothing and show nothing.
    pub(super) fn show_written(&mut self, body: &impl Serialize) -> Result<(), serde_json::Error> {
        if let Part::Written(written) = &mut self.part
            && let Value::Object(properties) = serde_json::to_value(body)?
        {
            *written = properties;
        }
        Ok(())
    }

    /// The record as JSON, and its tag.
    ///
    /// The answer to a repeated request shows a property that the request set only if the record still has
    /// that value: another client may have changed it since.
    pub(super) fn answer(
        &self,
        mut record: WrittenRecord,
        attempt: Attempt,
        metadata: Metadata,
    ) -> Result<(Vec<u8>, Tag), serde_json::Error> {
        let tag = self.tag(&record, metadata)?;
        let context = self.context(&record, metadata);
        let json = match &self.part {
            Part::Whole => std::mem::take(&mut record.json),
            Part::Written(written) => redacted(&record, |name, value| {
                let set = written.get(name);
                set.is_some_and(|set| attempt == Attempt::First || equals(value, set))
            })?,
        };
        Ok((with_context(json, context.as_deref()), tag))
    }

    /// The tags of the record, without metadata and with them.
    pub(super) fn tags(&self, record: &WrittenRecord) -> Result<[Tag; 2], serde_json::Error> {
        let plain = self.tag(record, Metadata::None)?;
        let minimal = match self.context_base {
            Some(_) => self.tag(record, Metadata::Minimal)?,
            None => plain.clone(),
        };
        Ok([plain, minimal])
    }

    /// The tag of the record.
    ///
    /// For a client that may not read it, the tag is a digest of the part that such a client always sees.
    /// That includes the stamp, so every change results in another tag; it includes no hidden value, so a
    /// client cannot test a guess of one by `If-Match`.
    fn tag(&self, record: &WrittenRecord, metadata: Metadata) -> Result<Tag, serde_json::Error> {
        let json = match &self.part {
            Part::Whole => Cow::Borrowed(&record.json[..]),
            Part::Written(_) => Cow::Owned(redacted(record, |_, _| false)?),
        };
        Ok(match self.context(record, metadata) {
            None => Tag::of(&json),
            Some(context) => Tag::of(&with_context(json.into_owned(), Some(&context))),
        })
    }

    /// The member `@odata.context` of the record, if the metadata include it and it is one of an entity set.
    fn context(&self, record: &WrittenRecord, metadata: Metadata) -> Option<Vec<u8>> {
        let base = self.context_base.as_deref()?;
        match metadata {
            Metadata::None => None,
            Metadata::Minimal => whole_record_context(base, record.entity),
        }
    }
}

/// Whether a member has this value, in any notation.
fn equals(member: &RawValue, value: &Value) -> bool {
    serde_json::from_str::<Value>(member.get()).is_ok_and(|member| member == *value)
}

/// The record with everything emptied that may be empty, except the members that are `shown`.
fn redacted(
    record: &WrittenRecord,
    shown: impl Fn(&str, &RawValue) -> bool,
) -> Result<Vec<u8>, serde_json::Error> {
    // Without a schema nothing would be known to be hidden.
    let schema = SCHEMAS
        .get(record.entity.name)
        .ok_or_else(|| serde_json::Error::custom("no schema of the record's name"))?;
    let schema = &schema["properties"];
    let empty: &RawValue = serde_json::from_str("[]")?;
    let mut members: Members<'_> = serde_json::from_slice(&record.json)?;
    for (name, value) in &mut members.0 {
        if shown(name, value) {
            continue;
        }
        if value.get().starts_with('[') {
            *value = empty;
        } else if is_nullable(&schema[*name]) {
            *value = RawValue::NULL;
        }
    }
    obeya_read::to_vec(&members)
}

/// Whether a property may be null; a reference may beside null in `anyOf`.
fn is_nullable(property: &Value) -> bool {
    let alternatives = property["anyOf"].as_array().into_iter().flatten();
    std::iter::once(property)
        .chain(alternatives)
        .any(|one| one["nullable"] == true)
}

/// The members of an object, in their order and as written.
struct Members<'a>(Vec<(&'a str, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}
