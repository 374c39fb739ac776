//! The bounds of the specification against the service: each is sent as far as it goes, and one step further.
//!
//! Nothing is listed here for a bound of a request: the document is walked, and each keyword of a parameter
//! or of a body becomes requests ([`samples`]). What no request can reach is listed in [`ELSEWHERE`].

mod defaults;
mod samples;

use std::collections::BTreeSet;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde_json::Value;

use self::samples::{Samples, samples};
use super::plant;
use super::schema::{Described, SPEC, followed, is_null, operations};
use crate::support::{Answer, Service};

/// The keywords of a schema that bound a value, or replace it where it is absent.
const KEYWORDS: [&str; 15] = [
    "default",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

/// Bounds of answers alone, and what keeps them.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "/servers/0/variables/base_url",
        "where a client finds the service: every test has another address",
    ),
    (
        "/components/responses/Problem/headers/Retry-After/schema",
        "the judge of every answer knows no headers; seconds are unsigned in http/problem.rs",
    ),
    (
        "/components/schemas/Problem/properties/status",
        "the judge of every answer: record.rs",
    ),
    (
        "/components/schemas/DatasourceValue/properties/description",
        "the body that writes it, and the import: one constant",
    ),
    (
        "/components/schemas/DatasourceValue/properties/dimension",
        "the same",
    ),
    (
        "/components/schemas/DatasourceValue/properties/dimension2",
        "the same",
    ),
    (
        "/components/schemas/DatasourceValue/properties/dimension3",
        "the same",
    ),
    (
        "/components/schemas/DatasourceValue/properties/dimension4",
        "the same",
    ),
    (
        "/components/schemas/DatasourceValue/properties/externalId",
        "the same",
    ),
    (
        "/components/schemas/DataListItem/properties/identifier",
        "the body that writes it, and the import: one constant",
    ),
    (
        "/components/schemas/DataListItem/properties/name",
        "the same",
    ),
    (
        "/components/schemas/BoardType",
        "a CHECK of the schema, compared in store/src/facts/enums.rs",
    ),
    (
        "/components/schemas/GroupRole",
        "a CHECK of the schema, compared in store/src/facts/enums.rs",
    ),
    (
        "/components/schemas/UserType",
        "a CHECK of the schema, compared in store/src/facts/enums.rs",
    ),
    (
        "/components/schemas/GroupType",
        "a CHECK of the schema, compared in store/src/facts/enums.rs",
    ),
    (
        "/components/schemas/DatasourceElementType",
        "the generated enum by which an import reads it, and the store",
    ),
    (
        "/components/schemas/EvaluationStatusV2",
        "computed from EvaluationStatusV1, compared in store/src/facts/enums.rs",
    ),
];

/// A parameter or a part of a body that has a schema.
struct Place {
    /// Where its schema is in the document, references followed.
    pointer: String,
    schema: &'static Value,
    location: Location,
}

/// Where a request has it.
#[derive(Clone)]
enum Location {
    Query(&'static str),
    Header(&'static str),
    Path(&'static str),
    /// By the names of properties; an empty one is the first item of a list.
    Body(Vec<&'static str>),
}

impl Place {
    /// Its name in an error; empty where it has none.
    fn name(&self) -> &'static str {
        match &self.location {
            Location::Query(name) | Location::Header(name) | Location::Path(name) => name,
            Location::Body(path) => path.last().copied().unwrap_or_default(),
        }
    }
}

/// Every place of a request of an operation.
fn places(operation: &Described) -> Vec<Place> {
    let mut places = Vec::new();
    for (pointer, parameter) in operation.parameters() {
        let name = parameter["name"].as_str().expect("a name");
        let location = match parameter["in"].as_str() {
            Some("query") => Location::Query(name),
            Some("header") => Location::Header(name),
            Some("path") => Location::Path(name),
            _ => continue,
        };
        let (pointer, schema) = followed(format!("{pointer}/schema"), &parameter["schema"]);
        places.push(Place {
            pointer,
            schema,
            location,
        });
    }
    if let Some(content) = operation.request_content() {
        let pointer = "requestBody/content/application~1json/schema";
        let pointer = format!("{}/{pointer}", operation.pointer);
        let schema = &content["application/json"]["schema"];
        add_parts(pointer, schema, Vec::new(), &mut places);
    }
    places
}

/// A part of a body and the parts in it.
fn add_parts(
    pointer: String,
    schema: &'static Value,
    path: Vec<&'static str>,
    places: &mut Vec<Place>,
) {
    let (pointer, schema) = followed(pointer, schema);
    let add = |name, part, pointer: String, places: &mut _| {
        let path = [path.as_slice(), &[name]].concat();
        add_parts(pointer, part, path, places);
    };
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        let pointer = format!("{pointer}/properties/{name}");
        add(name.as_str(), part, pointer, places);
    }
    if let Some(items) = schema.get("items") {
        add("", items, format!("{pointer}/items"), places);
    }
    places.push(Place {
        pointer,
        schema,
        location: Location::Body(path),
    });
}

/// The example of an operation's request with one place changed.
fn request(service: &Service, operation: &Described, place: &Place, value: &Value) -> Attempt {
    let method: Method = operation.method.parse().expect("a method");
    let mut address = operation.example_address();
    let mut body = operation
        .request_content()
        .map(|content| content["application/json"]["example"].clone());
    let mut header = None;
    let text = value.as_str().map_or(value.to_string(), str::to_owned);
    match &place.location {
        Location::Query(name) => {
            let query = serde_urlencoded::to_string([(name, text)]).expect("texts");
            let separator = if address.contains('?') { '&' } else { '?' };
            address = format!("{address}{separator}{query}");
        }
        Location::Header(name) => header = Some((*name, text)),
        Location::Path(name) => {
            let encoded = utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string();
            let example = operation.example_of_path(name);
            address = address.replace(&format!("/{example}"), &format!("/{encoded}"));
        }
        Location::Body(path) => {
            let mut part = body.as_mut().expect("a body");
            for name in path {
                part = match *name {
                    "" => &mut part[0],
                    name => &mut part[name],
                };
            }
            *part = value.clone();
        }
    }
    let mut request = service.request(method, &address);
    if let Some((name, text)) = header {
        request = request.header(name, text);
    }
    if let Some(body) = &body {
        request = request.json(body);
    }
    Attempt {
        request,
        what: format!(
            "{} {}: {:.60}",
            operation.id,
            place.name(),
            value.to_string()
        ),
    }
}

/// A request and its name in a failure.
struct Attempt {
    request: reqwest::RequestBuilder,
    what: String,
}

impl Attempt {
    /// Whatever else is wrong with it, the value is not.
    async fn expect_allowed(self) {
        let answer = Answer::of(self.request).await;
        assert!(
            [200, 404, 409, 412, 422].contains(&answer.status),
            "{}: {}",
            self.what,
            answer.text()
        );
    }

    /// The error names the place.
    async fn expect_refused(self, place: &Place) {
        let answer = Answer::of(self.request).await;
        assert_eq!(answer.status, 400, "{}: {}", self.what, answer.text());
        let body = answer.json();
        let errors = body["errors"].as_object().expect("errors by their place");
        let is_named = errors
            .keys()
            .any(|key| key.to_lowercase().ends_with(&place.name().to_lowercase()));
        assert!(is_named, "{}: {body}", self.what);
    }
}

#[tokio::test]
async fn every_bound_of_a_request_is_where_the_service_stops() {
    let unchanged = plant::served().await;
    for operation in operations() {
        let sampled: Vec<(Place, Samples)> = places(operation)
            .into_iter()
            .filter_map(|place| {
                let samples = samples(operation, &place)?;
                Some((place, samples))
            })
            .collect();
        if sampled.is_empty() {
            continue;
        }
        let changed;
        let service = if operation.method == "GET" {
            &unchanged
        } else {
            changed = plant::served().await;
            &changed
        };
        // Refused requests change nothing, so they come first.
        for (place, samples) in &sampled {
            for value in &samples.refused {
                let request = request(service, operation, place, value);
                request.expect_refused(place).await;
            }
        }
        for (place, samples) in &sampled {
            for value in &samples.allowed {
                let request = request(service, operation, place, value);
                request.expect_allowed().await;
            }
        }
    }
}

/// A keyword that no test knows would be a promise that nothing keeps.
#[test]
fn every_bound_of_the_document_has_a_place_that_applies_it() {
    let mut bounded = BTreeSet::new();
    add_bounded(&SPEC, "", &mut bounded);
    assert!(bounded.len() > 40, "{bounded:?}");
    let of_requests = operations().iter().flat_map(|operation| {
        let places = places(operation);
        places.into_iter().map(|place| place.pointer)
    });
    for (pointer, _) in ELSEWHERE {
        assert!(bounded.contains(*pointer), "{pointer} has no bound");
    }
    let elsewhere = ELSEWHERE.iter().map(|(pointer, _)| (*pointer).to_owned());
    let known: BTreeSet<String> = of_requests.chain(elsewhere).collect();
    let unknown: Vec<_> = bounded.difference(&known).collect();
    assert!(unknown.is_empty(), "nothing applies {unknown:?}");
}

/// The pointers of all schemas that have one of the keywords.
fn add_bounded(node: &Value, pointer: &str, found: &mut BTreeSet<String>) {
    // Where a schema could be, `default` or `pattern` may be the name of a property or of a response.
    let holds_names = ["/properties", "/responses", "/schemas", "/variables"];
    let is_named = holds_names.iter().any(|end| pointer.ends_with(end));
    match node {
        Value::Object(members) => {
            let is_bound = |key: &str| members.get(key).is_some_and(|bound| !bound.is_object());
            if !is_named && !is_null(node) && KEYWORDS.into_iter().any(is_bound) {
                found.insert(pointer.to_owned());
            }
            for (name, part) in members {
                if !["example", "examples"].contains(&name.as_str()) || is_named {
                    let name = name.replace('/', "~1");
                    add_bounded(part, &format!("{pointer}/{name}"), found);
                }
            }
        }
        Value::Array(parts) => {
            for (number, part) in parts.iter().enumerate() {
                add_bounded(part, &format!("{pointer}/{number}"), found);
            }
        }
        _ => {}
    }
}

/// What an answer may hold of a value is what a body may.
#[test]
fn a_value_is_bounded_alike_when_it_is_written_and_read() {
    let of = |schema: &str| {
        let properties = &SPEC["components"]["schemas"][schema]["properties"];
        let bound = |name: &str| KEYWORDS.map(|keyword| properties[name][keyword].clone());
        [
            "description",
            "dimension",
            "dimension2",
            "dimension3",
            "dimension4",
            "externalId",
        ]
        .map(bound)
    };
    assert_eq!(of("DatasourceValue"), of("DatasourceValueInput"));
}
