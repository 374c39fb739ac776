//! Requests that change a record, and what they must contain although it does not change.
//!
//! Every property of such a body is a property of the record too, under the same name. So the body for a
//! change of some properties follows from the record: [`Update::resent`] names the properties to take from
//! it.

use serde_json::Value;

use crate::operations::{Found, raw};
use crate::records::{Record, record, reference};
use crate::spec::resolve;

/// The operations, and the name of the struct of changes where the SDK has a builder of edits.
const UPDATES: [(&str, Option<&str>); 7] = [
    ("updateIncident", Some("IncidentChanges")),
    ("updateImprovement", Some("ImprovementChanges")),
    ("updateDatasourceValue", Some("DatasourceValueChanges")),
    ("updateTaskV1", Some("TaskInfoChanges")),
    ("patchTask", Some("TaskChanges")),
    ("updateUserV1", None),
    ("updateProjectMilestone", None),
];

/// A request that changes a record.
pub(crate) struct Update<'a> {
    /// The operation.
    pub(crate) operation: &'static str,
    /// The name of the struct of its changes.
    pub(crate) changes: Option<&'static str>,
    /// The name of the schema of the record.
    pub(crate) record: &'a str,
    /// The body of the request.
    pub(crate) body: Record<'a>,
    /// The properties that the body must have although they do not change: without one of them the request is
    /// refused, or empties it.
    pub(crate) resent: Vec<&'a str>,
}

impl Update<'_> {
    /// Properties of the body that are none of the record, and those of a type that [`record`] leaves out.
    pub(crate) fn unknown(&self, document: &Value) -> Vec<String> {
        let properties = |name: &str| {
            document["components"]["schemas"][name]["properties"]
                .as_object()
                .into_iter()
                .flat_map(|properties| properties.keys().cloned())
                .collect::<Vec<_>>()
        };
        let of_the_record = properties(self.record);
        let is_known = |name: &String| {
            of_the_record.contains(name) && self.body.properties.iter().any(|one| one.name == *name)
        };
        let mut unknown = properties(self.body.name);
        unknown.retain(|name| !is_known(name));
        unknown
    }
}

/// All of them, in the order of [`UPDATES`]. A document without an operation has no update of it: those of
/// the tests are small.
pub(crate) fn updates(document: &Value) -> Vec<Update<'_>> {
    UPDATES
        .iter()
        .filter_map(|(operation, changes)| update(document, operation, *changes))
        .collect()
}

fn update<'a>(
    document: &'a Value,
    operation: &'static str,
    changes: Option<&'static str>,
) -> Option<Update<'a>> {
    let found = raw(document).find(|found| found.operation["operationId"] == operation)?;
    let name = body_of(document, &found)?;
    let schema = &document["components"]["schemas"][name]["properties"];
    let answer = answer_of(document, &found)?;
    let body = record(document, name)?;
    let is_resent = |name: &str, is_required: bool, is_nullable: bool| {
        is_required || (is_nullable && schema[name]["x-obeya-patch"] != true)
    };
    let resent = body
        .properties
        .iter()
        .filter(|one| is_resent(one.name, one.is_required, one.is_nullable))
        .map(|one| one.name)
        .collect();
    Some(Update {
        operation,
        changes,
        record: answer,
        body,
        resent,
    })
}

fn body_of<'a>(document: &'a Value, found: &Found<'a>) -> Option<&'a str> {
    json(resolve(document, found.operation.get("requestBody")?))
}

fn answer_of<'a>(document: &'a Value, found: &Found<'a>) -> Option<&'a str> {
    json(resolve(
        document,
        found.operation.get("responses")?.get("200")?,
    ))
}

/// The schema of the first form of a body.
fn json(node: &Value) -> Option<&str> {
    let content = node.get("content")?.as_object()?;
    reference(content.values().next()?.get("schema")?)
}
