//! The operations as methods of the SDKs: the name, the arguments and the result of each.
//!
//! [`methods`] reads them from the document. [`rust`] writes the methods of the Rust SDK; those of the Python
//! package are written by `xtask`, from the same list. What has no plain form ([`MethodKind::ByHand`]) is
//! written by hand.

mod rust;

use serde_json::Value;

use crate::conventions::is_json;
use crate::operations::{self, Found, Operation};
use crate::spec::resolve;

pub use rust::rust;

/// The options that every v2 read takes.
const ODATA_OPTIONS: [&str; 8] = [
    "$search", "$filter", "$select", "$top", "$skip", "$expand", "$count", "$orderby",
];

/// The options of v2 lists whose result may not be records of the schema: their methods do not have them.
const RESULT_CHANGING_OPTIONS: [&str; 2] = ["$apply", "$compute"];

/// The options of the v1 lists that come in one response.
const WHOLE_LIST_OPTIONS: [&str; 2] = ["$filter", "$orderby"];

/// One operation as a method.
#[derive(Clone, Debug)]
pub struct Method {
    /// The operation.
    pub operation: Operation,
    /// The resource that has the method; `None` for the client itself.
    pub resource: Option<String>,
    /// The name of the method.
    pub name: String,
    /// The parameters of its path, in their order. All name records.
    pub path: Vec<PathParameter>,
    /// The kind of the method: its other arguments and its result.
    pub kind: MethodKind,
    /// The first paragraph of its description, in one line.
    pub description: String,
}

/// What names a record in a path: its id, or a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathParameter {
    /// Its name on the wire.
    pub name: String,
    /// The segment of the path before it, in lower case: `incidents` in `/v1/Incidents/{id}`.
    pub collection: String,
    /// Whether it is a text; otherwise a 32-bit integer.
    pub is_text: bool,
}

/// The kinds of methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MethodKind {
    /// A v2 list: all OData options but `$apply` and `$compute`, pages with next links.
    List {
        /// The schema of a record.
        record: String,
        /// The schema of a page.
        page: String,
    },
    /// A v2 record by its id, perhaps below another record, with the OData options.
    Get {
        /// The schema of the record.
        record: String,
    },
    /// A v1 list that comes in one response, with `$filter` and `$orderby`.
    WholeList {
        /// The schema of a record.
        record: String,
    },
    /// Ids and perhaps a body, one request, one answer.
    Plain {
        /// The request body.
        body: Option<BodyType>,
        /// The answer.
        answer: BodyType,
    },
    /// No plain method, for this reason.
    ByHand(String),
}

/// The type of a body or an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyType {
    /// No body.
    Nothing,
    /// An object of this schema.
    Object(String),
    /// A 32-bit integer.
    Int,
    /// A list.
    List(Box<BodyType>),
}

impl Method {
    /// `incidents.set_causes`.
    #[must_use]
    pub fn full_name(&self) -> &str {
        &self.operation.sdk_name
    }

    /// Whether it takes this header.
    #[must_use]
    pub fn has_header(&self, name: &str) -> bool {
        let mut headers = self.operation.parameters.iter();
        headers.any(|it| it.location == "header" && it.name.eq_ignore_ascii_case(name))
    }
}

/// The methods of all operations, in the order of the specification.
#[must_use]
pub fn methods(document: &Value) -> Vec<Method> {
    let operations = operations::operations(document);
    operations::raw(document)
        .filter_map(|found| {
            let id = found.operation.get("operationId")?.as_str()?;
            let operation = operations.iter().find(|it| it.id == id)?.clone();
            let (resource, name) = match operation.sdk_name.split_once('.') {
                Some((resource, name)) => (Some(resource.to_owned()), name.to_owned()),
                None => (None, operation.sdk_name.clone()),
            };
            Some(Method {
                resource,
                name,
                path: path(document, &found, &operation),
                kind: kind(document, &found, &operation).unwrap_or_else(MethodKind::ByHand),
                description: description(found.operation),
                operation,
            })
        })
        .collect()
}

fn path(document: &Value, found: &Found<'_>, operation: &Operation) -> Vec<PathParameter> {
    let is_text = |name: &str| {
        operations::parameters(document, found)
            .iter()
            .any(|parameter| parameter["name"] == name && is_text(&parameter["schema"]))
    };
    let segments: Vec<&str> = operation.path.split('/').collect();
    let named = |pair: &[&str]| {
        let name = pair[1].strip_prefix('{')?.strip_suffix('}')?;
        Some(PathParameter {
            name: name.to_owned(),
            collection: pair[0].to_lowercase(),
            is_text: is_text(name),
        })
    };
    segments.windows(2).filter_map(named).collect()
}

fn is_text(schema: &Value) -> bool {
    schema["type"] == "string" && schema.get("format").is_none()
}

/// The kind, or why there is no plain method.
fn kind(document: &Value, found: &Found<'_>, operation: &Operation) -> Result<MethodKind, String> {
    for parameter in operations::parameters(document, found) {
        let schema = &parameter["schema"];
        if parameter["in"] == "path"
            && type_of(document, schema) != Some(BodyType::Int)
            && !is_text(schema)
        {
            return Err("an id in the path is neither a 32-bit integer nor a text".to_owned());
        }
    }
    if !operation.sdk_name.contains('.') {
        return Err("it is a method of the client itself".to_owned());
    }
    let success = &found.operation["responses"];
    let success = success.as_object().into_iter().flatten();
    let success = success
        .filter(|(status, _)| status.starts_with('2'))
        .map(|(_, response)| resolve(document, response))
        .next();
    let answer = content(document, success.unwrap_or(&Value::Null));
    let answer = answer.ok_or("its answer is no object, list or integer")?;
    let ids = operation.path.matches('{').count();
    let options = operation.query.iter();
    let options = options.filter(|name| !RESULT_CHANGING_OPTIONS.contains(&name.as_str()));
    let takes_options = options.eq(&ODATA_OPTIONS);
    if takes_options && let BodyType::Object(schema) = &answer {
        let page = &document["components"]["schemas"][schema]["properties"];
        if page.get("@odata.nextLink").is_none() {
            return match operation.path.ends_with('}') && ids < 3 {
                true => Ok(MethodKind::Get {
                    record: schema.clone(),
                }),
                false => Err("its OData options are not those of a record by its id".to_owned()),
            };
        }
        if let Some(BodyType::List(record)) = type_of(document, &page["value"])
            && let BodyType::Object(record) = *record
            && ids < 2
        {
            let page = schema.clone();
            return Ok(MethodKind::List { record, page });
        }
    }
    if operation.query == WHOLE_LIST_OPTIONS
        && ids == 0
        && let BodyType::List(record) = &answer
        && let BodyType::Object(record) = &**record
    {
        let record = record.clone();
        return Ok(MethodKind::WholeList { record });
    }
    if !operation.query.is_empty() {
        return Err(format!("it has the query parameters {:?}", operation.query));
    }
    let body = match found.operation.get("requestBody") {
        None => None,
        Some(body) => match content(document, resolve(document, body)) {
            Some(body @ (BodyType::Object(_) | BodyType::List(_))) => Some(body),
            _ => return Err("its body is neither an object nor a list".to_owned()),
        },
    };
    Ok(MethodKind::Plain { body, answer })
}

/// The type of the JSON of a response or a request body.
fn content(document: &Value, node: &Value) -> Option<BodyType> {
    let Some(content) = node.get("content").and_then(Value::as_object) else {
        return Some(BodyType::Nothing);
    };
    let (_, json) = content.iter().find(|(media_type, _)| is_json(media_type))?;
    type_of(document, &json["schema"])
}

fn type_of(document: &Value, schema: &Value) -> Option<BodyType> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let is_object = resolve(document, schema).get("properties").is_some();
        let name = reference.rsplit('/').next().filter(|_| is_object)?;
        return Some(BodyType::Object(name.to_owned()));
    }
    match (schema["type"].as_str()?, schema["format"].as_str()) {
        ("integer", Some("int32")) => Some(BodyType::Int),
        ("array", _) => Some(BodyType::List(Box::new(type_of(
            document,
            &schema["items"],
        )?))),
        _ => None,
    }
}

fn description(operation: &Value) -> String {
    let text = |key: &str| {
        operation
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let lines: Vec<&str> = text("description")
        .lines()
        .take_while(|line| !line.trim().is_empty())
        .collect();
    match lines.is_empty() {
        true => format!("{}.", text("summary")),
        false => lines.join(" "),
    }
}
