//! The operations that need only a method: their code in the extension, and the methods of the classes in
//! `obeya/_async`.
//!
//! The methods are in the file of their class, between two markers, because a Python class is defined in one
//! file. Everything between the markers is generated, except the docstring of a method and the name of the
//! list that it returns: those may be edited and are preserved. A method above the markers is written by
//! hand, and no generated one replaces it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context as _, Result, bail};
use obeya_codegen::sdk::{BodyType, Method, MethodKind, methods};
use serde_json::Value;

use super::Docs;
use super::inputs::part;
use super::rust::table;
use super::schema::{self, Spec};
use crate::process::root;

/// Opens the part of a file with the generated imports.
const IMPORTS: &str =
    "    # Imports of the methods below the second marker, written by `cargo xtask regen`.\n";
/// Opens the part of a file with the generated methods.
const METHODS: &str = "    # Written by `cargo xtask regen` from spec/openapi.yaml, all but the docstrings and the names of lists.\n";
/// Ends either.
const END: &str = "    # End of the methods that `cargo xtask regen` writes.\n";

/// The longest line of Python.
const WIDTH: usize = 120;

/// Which record an id in a path identifies, by the segment before it: the argument, its annotation, and the
/// class of records.
const THINGS: [(&str, &str, &str, &str); 14] = [
    (
        "taskCommentId",
        "comment",
        "int | TaskComment",
        "TaskComment",
    ),
    ("areas", "area", "int | Area", "Area"),
    ("boards", "board", "BoardId", "Board"),
    ("comments", "comment", "CommentId", "IncidentCommentV2"),
    ("datalists", "data_list", "int | DataList", "DataList"),
    ("datasources", "datasource", "DatasourceId", "Datasource"),
    ("groups", "group", "int | GroupV2", "GroupV2"),
    (
        "improvements",
        "improvement",
        "int | Improvement",
        "Improvement",
    ),
    ("incidents", "incident", "IncidentId", "IncidentV1"),
    (
        "milestones",
        "milestone",
        "int | ProjectMilestone",
        "ProjectMilestone",
    ),
    ("tasks", "task", "TaskId", "TaskInfo"),
    ("trash", "incident", "IncidentId", "IncidentV1"),
    ("types", "type", "IncidentTypeId", "IncidentTypeSummary"),
    (
        "values",
        "value",
        "int | DatasourceValue",
        "DatasourceValue",
    ),
];

/// The options of a v2 list.
const OPTIONS: [(&str, &str); 8] = [
    ("where", "Where"),
    ("order_by", "Order"),
    ("select", "Names"),
    ("expand", "Names"),
    ("search", "str"),
    ("top", "int"),
    ("skip", "int"),
    ("count", "bool"),
];

/// An argument that is an id.
struct Id {
    name: String,
    annotation: String,
    class: Option<&'static str>,
    is_text: bool,
}

fn ids(method: &Method) -> Vec<Id> {
    let id = |parameter: &obeya_codegen::sdk::PathParameter| match THINGS
        .iter()
        .find(|(of, ..)| *of == parameter.name || *of == parameter.collection)
    {
        Some((_, name, annotation, class)) => Id {
            name: (*name).to_owned(),
            annotation: (*annotation).to_owned(),
            class: Some(class),
            is_text: false,
        },
        None => Id {
            name: schema::snake(&parameter.name),
            annotation: if parameter.is_text { "str" } else { "int" }.to_owned(),
            class: None,
            is_text: parameter.is_text,
        },
    };
    method.path.iter().map(id).collect()
}

/// Why the extension has no code for an operation; `None` where it has.
fn by_hand(method: &Method) -> Option<&str> {
    match &method.kind {
        MethodKind::ByHand(reason) => Some(reason),
        MethodKind::Plain {
            body: Some(BodyType::List(item)),
            ..
        } if !matches!(**item, BodyType::Object(_)) => Some("its body is a list of no objects"),
        _ => None,
    }
}

/// The name of a list in a body in error messages: `causes` of `set_causes`.
fn list_name(method: &Method) -> &str {
    method
        .name
        .split_once('_')
        .map_or("items", |(_, rest)| rest)
}

/// `bindings/python/src/calls/generated.rs`: a match over the operations.
pub(super) fn extension(document: &Value) -> String {
    let (mut calls, mut queries) = (String::new(), String::new());
    let (mut records, mut bodies) = (BTreeSet::new(), BTreeSet::new());
    for method in methods(document) {
        if by_hand(&method).is_some() {
            continue;
        }
        let ids = ids(&method);
        let (mut before, mut given) = (String::new(), Vec::new());
        for (position, id) in ids.iter().enumerate() {
            let name = &id.name;
            let variable = match id.is_text {
                true => name.clone(),
                false => format!("{name}_id"),
            };
            let read = match id.class {
                Some(class) => {
                    records.insert(class);
                    format!("id::<{class}>")
                }
                None if id.is_text => "get::<String>".to_owned(),
                None => "get::<i32>".to_owned(),
            };
            before += &format!(
                "            let {variable} = arguments.{read}({position}, \"{name}\")?;\n"
            );
            given.push(match id.is_text {
                true => format!("&{variable}"),
                false => variable,
            });
        }
        let id = &method.operation.id;
        let call = heck_pascal(id);
        let resource = method.resource.as_deref().unwrap_or_default();
        let name = &method.name;
        let positions = ids.len();
        match &method.kind {
            MethodKind::List { .. } => {
                let arm = format!(
                    "        \"{id}\" => {{\n{before}            list(handle, handle.client()?.{resource}().{name}({}), options)\n        }}\n",
                    given.join(", ")
                );
                queries += &arm;
            }
            MethodKind::WholeList { .. } => {
                queries += &format!(
                    "        \"{id}\" => {{\n            whole(handle, \"{id}\", handle.client()?.{resource}().{name}(), options)\n        }}\n"
                );
            }
            MethodKind::Get { .. } => {
                let arm = format!(
                    "        \"{id}\" => {{\n{before}            let select = arguments.get({positions}, \"select\")?;\n            let expand = arguments.get({}, \"expand\")?;\n            handle.call(move |client| get(client.{resource}().{name}({}), select, expand).send())\n        }}\n",
                    positions + 1,
                    given.join(", ")
                );
                calls += &arm;
            }
            MethodKind::Plain { body, answer } => {
                match body {
                    Some(BodyType::List(item)) => {
                        if let BodyType::Object(schema) = &**item {
                            let table = table(schema);
                            let what = list_name(&method);
                            before += &format!(
                                "            let body = arguments.bodies({positions}, &{table}, \"{what}\")?;\n"
                            );
                            bodies.insert(table);
                            given.push("&body".to_owned());
                        }
                    }
                    Some(BodyType::Object(schema)) => {
                        let table = table(schema);
                        let what = method.full_name();
                        before += &format!(
                            "            let body = arguments.body({positions}, &{table}, \"{what}()\")?;\n"
                        );
                        bodies.insert(table);
                        given.push("&body".to_owned());
                    }
                    _ => {}
                }
                let made = match given.is_empty() {
                    true => format!("call::{call} {{}}"),
                    false => format!("call::{call}::new({})", given.join(", ")),
                };
                if let BodyType::List(_) = answer {
                    // The closure may be called again, so each request owns what it sends.
                    let owned: String = ids
                        .iter()
                        .filter(|id| id.is_text)
                        .map(|id| format!("                let {0} = {0}.clone();\n", id.name))
                        .collect();
                    queries += &format!(
                        "        \"{id}\" => {{\n{before}            let client = handle.client()?;\n            Ok(Query::whole(handle, \"{id}\", move || {{\n                let client = client.clone();\n{owned}                async move {{ client.call(&{made}).await }}\n            }}))\n        }}\n"
                    );
                } else {
                    calls += &format!(
                        "        \"{id}\" => {{\n{before}            handle.call(move |client| async move {{ client.call(&{made}).await }})\n        }}\n"
                    );
                }
            }
            MethodKind::ByHand(_) => {}
        }
    }
    let models: Vec<&str> = records
        .into_iter()
        .chain(bodies.iter().map(String::as_str))
        .collect();
    format!(
        "//! The operations that need no more than their arguments.\n//!\n\
         //! Written by `cargo xtask regen` from spec/openapi.yaml; edit that, or\n\
         //! xtask/src/python/operations.rs.\n\n\
         use obeya::call;\nuse pyo3::prelude::*;\nuse pyo3::types::PyDict;\n\n\
         use super::plain::{{Arguments, unknown}};\nuse crate::arguments::{{get, list, whole}};\nuse crate::call::Call;\n\
         use crate::handle::Handle;\nuse crate::lists::Query;\nuse crate::models::{{\n    {},\n}};\n\n\
         /// The operation of this id, with its arguments: ids, then what it takes beside them.\n\
         pub(super) fn call(handle: &Handle, operation: &str, arguments: &Arguments<'_, '_>) -> PyResult<Call> {{\n    match operation {{\n{calls}        _ => Err(unknown(operation)),\n    }}\n}}\n\n\
         /// The list of this id, with its arguments and the options of a list.\n\
         pub(super) fn query(\n    handle: &Handle,\n    operation: &str,\n    arguments: &Arguments<'_, '_>,\n    options: Option<&Bound<'_, PyDict>>,\n) -> PyResult<Query> {{\n    match operation {{\n{queries}        _ => Err(unknown(operation)),\n    }}\n}}\n",
        models.join(",\n    ")
    )
}

/// `getArea` → `GetArea`. Names of operations have letters and digits only.
fn heck_pascal(id: &str) -> String {
    let mut letters = id.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_ascii_uppercase().to_string() + letters.as_str()
    })
}

/// The files in `obeya/_async` with the methods of their resources.
///
/// # Errors
/// A file that cannot be read or has no marks, or an operation that has no plain method and none by hand.
pub(crate) fn classes(document: &Value) -> Result<Vec<(String, String)>> {
    let spec = schema::read(document)?;
    let mut of_resource: BTreeMap<String, Vec<Method>> = BTreeMap::new();
    for method in methods(document) {
        let resource = method
            .resource
            .clone()
            .unwrap_or_else(|| "client".to_owned());
        of_resource.entry(resource).or_default().push(method);
    }
    let mut files = Vec::new();
    for (resource, methods) in of_resource {
        let path = format!("bindings/python/python/obeya/_async/{resource}.py");
        let text = fs::read_to_string(root().join(&path)).with_context(|| path.clone())?;
        let made = class(&spec, &methods, &text).with_context(|| path.clone())?;
        files.push((path, made));
    }
    Ok(files)
}

/// A file with its generated parts made anew.
fn class(spec: &Spec, methods: &[Method], text: &str) -> Result<String> {
    let Some((before, region, after)) = marked(text, METHODS) else {
        if let Some(method) = methods
            .iter()
            .find(|it| !text.contains(&format!("def {}(", it.name)))
        {
            bail!(
                "there is no method `{}`, and no mark to write it below: {METHODS:?}",
                method.name
            );
        }
        return Ok(text.to_owned());
    };
    let (head, _, rest) =
        marked(before, IMPORTS).with_context(|| format!("the mark is missing: {IMPORTS:?}"))?;
    let known = edited_texts(region);
    let mut needed = BTreeSet::new();
    let mut out = Vec::new();
    for method in methods {
        if rest.contains(&format!("    def {}(", method.name))
            || rest.contains(&format!("    async def {}(", method.name))
        {
            continue;
        }
        if let Some(reason) = by_hand(method) {
            bail!(
                "operation `{}` has no plain method, because {reason}: write `{}` by hand, before the mark",
                method.operation.id,
                method.name
            );
        }
        out.push(python(spec, method, known.get(&method.name), &mut needed));
    }
    let imports = imports(spec, &needed, &format!("{head}{rest}"));
    Ok(format!(
        "{head}{IMPORTS}{imports}{END}{rest}{METHODS}{}{END}{after}",
        out.join("\n")
    ))
}

/// The text before a marked part, in it and after it.
fn marked<'a>(text: &'a str, mark: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let (before, rest) = text.split_once(mark)?;
    let (within, after) = rest.split_once(END)?;
    Some((before, within, after))
}

/// The preserved texts of each method in the marked part of a class: its docstring, and the name of the list
/// that it returns.
fn edited_texts(region: &str) -> BTreeMap<String, (String, Option<String>)> {
    let mut found = BTreeMap::new();
    for text in format!("\n{region}")
        .split("\n    async def ")
        .flat_map(|text| text.split("\n    def "))
    {
        let Some((name, rest)) = text.split_once('(') else {
            continue;
        };
        let docstring = rest.split("\"\"\"").nth(1).unwrap_or_default();
        let label = rest
            .rsplit_once("Records(")
            .and_then(|(_, call)| call.split_once('"'))
            .and_then(|(_, label)| label.split_once('"'))
            .map(|(label, _)| label.to_owned());
        found.insert(name.to_owned(), (docstring.to_owned(), label));
    }
    found
}

/// The names that annotations need and hand-written code does not import, as imports.
fn imports(spec: &Spec, needed: &BTreeSet<String>, by_hand: &str) -> String {
    let is_imported = |name: &str| {
        by_hand.lines().any(|line| {
            let listed = line.trim() == format!("{name},");
            let names = line.split_once(" import ").map_or("", |(_, names)| names);
            listed
                || names
                    .split([',', ' ', '(', ')'])
                    .any(|imported| imported == name)
        })
    };
    let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in needed.iter().filter(|name| !is_imported(name)) {
        let module = match name.as_str() {
            "Call" | "Query" => "obeya._obeya",
            "Unpack" => "typing_extensions",
            "Sequence" => "collections.abc",
            _ if spec.records.iter().any(|record| record.name == **name) => "obeya.models",
            _ if spec.bodies.iter().any(|body| body.name == **name) => "obeya.types",
            _ => "obeya._settings",
        };
        modules.entry(module).or_default().push(name);
    }
    let line = |(module, names): (&str, Vec<&str>)| {
        format!("    from {module} import {}\n", names.join(", "))
    };
    modules.into_iter().map(line).collect()
}

/// A method.
fn python(
    spec: &Spec,
    method: &Method,
    known: Option<&(String, Option<String>)>,
    needed: &mut BTreeSet<String>,
) -> String {
    let id = &method.operation.id;
    let ids = ids(method);
    let mut positional: Vec<String> = vec!["self".to_owned()];
    positional.extend(
        ids.iter()
            .map(|id| format!("{}: {}", id.name, id.annotation)),
    );
    let mut named = Vec::new();
    let mut arguments: Vec<String> = vec![format!("\"{id}\"")];
    arguments.extend(ids.iter().map(|id| id.name.clone()));
    let mut core = "self._core".to_owned();
    let (returns, mut body, is_list);
    match &method.kind {
        MethodKind::List { record, .. } => {
            for (name, annotation) in OPTIONS {
                named.push(format!("{name}: {annotation} | None = None"));
                arguments.push(format!("{name}={name}"));
            }
            (returns, is_list) = (record.clone(), true);
        }
        MethodKind::WholeList { record } => {
            for (name, annotation) in &OPTIONS[..2] {
                named.push(format!("{name}: {annotation} | None = None"));
                arguments.push(format!("{name}={name}"));
            }
            (returns, is_list) = (record.clone(), true);
        }
        MethodKind::Get { record } => {
            named.push("select: Names | None = None".to_owned());
            arguments.push("select".to_owned());
            let links = spec.records.iter().find(|it| it.name == *record);
            if links
                .is_some_and(|record| record.fields.iter().any(|field| spec.is_link(&field.kind)))
            {
                named.push("expand: Names | None = None".to_owned());
                arguments.push("expand".to_owned());
            } else {
                arguments.push("None".to_owned());
            }
            (returns, is_list) = (record.clone(), false);
        }
        MethodKind::Plain { body, answer } => {
            if let Some(BodyType::List(item)) = body
                && let BodyType::Object(schema) = &**item
            {
                let name = list_name(method);
                let items = part(spec, schema).replace("models.", "");
                positional.push(format!("{name}: Sequence[{items}]"));
                arguments.push(name.to_owned());
            }
            let conditions = [
                ("if-match", "if_match"),
                ("idempotency-key", "idempotency_key"),
            ];
            let carried = conditions.map(|(header, name)| {
                let has = method.has_header(header);
                if has {
                    named.push(format!("{name}: str | None = None"));
                }
                if has { name } else { "None" }
            });
            if carried != ["None", "None"] {
                core += &format!(".carrying({})", carried.join(", "));
            }
            if let Some(BodyType::Object(schema)) = body {
                if positional.len() > 1 {
                    positional.push("/".to_owned());
                }
                named.push(format!("**fields: Unpack[{schema}]"));
                arguments.push("fields".to_owned());
            }
            (returns, is_list) = match answer {
                BodyType::Nothing => ("None".to_owned(), false),
                BodyType::Int => ("int".to_owned(), false),
                BodyType::Object(schema) => (schema.clone(), false),
                BodyType::List(item) => match &**item {
                    BodyType::Object(schema) => (schema.clone(), true),
                    _ => ("int".to_owned(), true),
                },
            };
        }
        MethodKind::ByHand(_) => return String::new(),
    }
    if !named.is_empty() {
        positional.push("*".to_owned());
        positional.extend(named);
    }
    let (kind, variable, function) = match is_list {
        true => ("Query", "query", "query"),
        false => ("Call", "call", "call"),
    };
    let prefix = if is_list { "" } else { "async " };
    let records = match method.kind {
        MethodKind::List { .. } => "AsyncGroupableRecords",
        _ => "AsyncRecords",
    };
    let result = if is_list {
        format!("{records}[{returns}]")
    } else {
        returns.clone()
    };
    let mut out = call_of(
        &format!("    {prefix}def {}", method.name),
        &positional,
        &format!(" -> {result}:"),
    );
    let default = match is_list && matches!(method.kind, MethodKind::List { .. }) {
        true => format!(
            "{} The options are those of `areas.list`.",
            method.description
        ),
        false => method.description.clone(),
    };
    match known {
        Some((docstring, _)) => out += &format!("        \"\"\"{docstring}\"\"\"\n"),
        None => Docs {
            indent: 8,
            text: &default,
        }
        .write(&mut out),
    }
    body = call_of(
        &format!("        {variable}: {kind}[{returns}] = {core}.{function}"),
        &arguments,
        "",
    );
    if is_list {
        let label = known
            .and_then(|(_, label)| label.clone())
            .unwrap_or_else(|| {
                let summary = method.operation.summary.strip_prefix("List ");
                summary.unwrap_or(&method.name).to_owned()
            });
        body += &format!("        return {records}(query, \"{label}\")\n");
    } else if returns == "None" {
        body += "        await answer(call)\n";
    } else {
        body += "        return await answer(call)\n";
    }
    needed.insert(kind.to_owned());
    for part in positional.iter().chain([&result]) {
        let names = part.split(|letter: char| !letter.is_alphanumeric());
        needed.extend(
            names
                .filter(|name| name.starts_with(|letter: char| letter.is_ascii_uppercase()))
                .filter(|name| *name != "None" && *name != records)
                .map(str::to_owned),
        );
    }
    out + &body
}

/// A call or a signature: on one line, with its arguments on a second one, or with one line for each.
fn call_of(before: &str, arguments: &[String], after: &str) -> String {
    let indent = " ".repeat(before.len() - before.trim_start().len());
    let joined = arguments.join(", ");
    let line = format!("{before}({joined}){after}\n");
    if line.len() <= WIDTH + 1 {
        return line;
    }
    if indent.len() + 4 + joined.len() <= WIDTH {
        return format!("{before}(\n{indent}    {joined}\n{indent}){after}\n");
    }
    let lines: Vec<String> = arguments
        .iter()
        .map(|it| format!("{indent}    {it},\n"))
        .collect();
    format!("{before}(\n{}{indent}){after}\n", lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class with a method by hand, and the marks.
    const CLASS: &str = "\
if TYPE_CHECKING:
    from obeya._obeya import Core

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    # End of the methods that `cargo xtask regen` writes.


class AsyncAreas:
    # Written by `cargo xtask regen` from spec/openapi.yaml, all but the docstrings and the names of lists.
    # End of the methods that `cargo xtask regen` writes.
";

    fn spec() -> Value {
        let parameters: Vec<Value> = [
            "search", "filter", "select", "top", "skip", "expand", "count", "orderby",
        ]
        .iter()
        .map(|name| serde_json::json!({"name": format!("${name}"), "in": "query"}))
        .collect();
        let id = serde_json::json!({"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "format": "int32"}});
        let key = serde_json::json!({"name": "Idempotency-Key", "in": "header"});
        serde_json::json!({
            "paths": {
                "/v2/areas": {"get": {
                    "operationId": "listAreas", "x-sdk-name": "areas.list", "summary": "List areas",
                    "description": "The areas.\n\nMore.", "parameters": parameters,
                    "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/AreaPage"}}}}},
                }},
                "/v1/Areas/{id}": {"put": {
                    "operationId": "updateArea", "x-sdk-name": "areas.update", "summary": "Change an area", "parameters": [id, key],
                    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/AreaUpdate"}}}},
                    "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Area"}}}}},
                }},
            },
            "components": {"schemas": {
                "Area": {"type": "object", "properties": {"id": {"type": "integer"}}},
                "AreaUpdate": {"type": "object", "properties": {"name": {"type": "string"}}},
                "AreaPage": {"type": "object", "properties": {
                    "value": {"type": "array", "items": {"$ref": "#/components/schemas/Area"}}, "@odata.nextLink": {"type": "string"},
                }},
            }},
        })
    }

    fn made(text: &str) -> Result<String> {
        let document = spec();
        class(&schema::read(&document)?, &methods(&document), text)
    }

    #[test]
    fn an_operation_becomes_a_method_with_its_imports() {
        let text = made(CLASS).expect("both are plain");
        for part in [
            "    from obeya._obeya import Call, Query\n    from obeya._settings import Names, Order, Where\n    from obeya.models import Area\n    from obeya.types import AreaUpdate\n    from typing_extensions import Unpack\n",
            "    ) -> AsyncGroupableRecords[Area]:\n        \"\"\"The areas. The options are those of `areas.list`.\"\"\"\n        query: Query[Area] = self._core.query(\n            \"listAreas\",\n            where=where,\n",
            "        return AsyncGroupableRecords(query, \"areas\")\n\n    async def update(\n        self, area: int | Area, /, *, idempotency_key: str | None = None, **fields: Unpack[AreaUpdate]\n    ) -> Area:\n        \"\"\"Change an area.\"\"\"\n",
            "        call: Call[Area] = self._core.carrying(None, idempotency_key).call(\"updateArea\", area, fields)\n        return await answer(call)\n    # End",
        ] {
            assert!(text.contains(part), "no {part}\nin {text}");
        }
    }

    #[test]
    fn an_array_with_a_filter_and_an_order_takes_both() {
        let mut document = spec();
        let parameters =
            ["$filter", "$orderby"].map(|name| serde_json::json!({"name": name, "in": "query"}));
        document["paths"] = serde_json::json!({"/v1/Areas": {"get": {
            "operationId": "listAreasV1", "x-sdk-name": "areas.list_v1", "summary": "List areas", "parameters": parameters,
            "responses": {"200": {"content": {"application/json": {"schema": {
                "type": "array", "items": {"$ref": "#/components/schemas/Area"},
            }}}}},
        }}});
        let text = class(
            &schema::read(&document).unwrap(),
            &methods(&document),
            CLASS,
        )
        .unwrap();
        let method = "
    def list_v1(self, *, where: Where | None = None, order_by: Order | None = None) -> AsyncRecords[Area]:
        \"\"\"List areas.\"\"\"
        query: Query[Area] = self._core.query(\"listAreasV1\", where=where, order_by=order_by)
        return AsyncRecords(query, \"areas\")
";
        assert!(text.contains(method), "{text}");
        let extension = extension(&document);
        let arm = "            whole(handle, \"listAreasV1\", handle.client()?.areas().list_v1(), options)\n";
        assert!(extension.contains(arm), "{extension}");
    }

    #[test]
    fn words_for_people_stay_as_they_are_edited() {
        let first = made(CLASS).expect("both are plain");
        let edited = first
            .replace(
                "\"\"\"Change an area.",
                "\"\"\"Paints it.\n\n        Twice.\n        ",
            )
            .replace("\"areas\")", "\"places\")");
        assert_eq!(made(&edited).expect("both are plain"), edited);
        assert!(edited.contains("Twice.") && edited.contains("places"));
    }

    #[test]
    fn a_method_by_hand_stands_in_for_the_generated_one() {
        let by_hand = CLASS.replace("class AsyncAreas:\n", "class AsyncAreas:\n    def list(self) -> None: ...\n\n    async def update(self) -> None: ...\n\n");
        assert_eq!(made(&by_hand).expect("both are there"), by_hand);
    }

    #[test]
    fn a_file_without_marks_must_have_every_method() {
        let error =
            made("class AsyncAreas:\n    def list(self) -> None: ...\n").expect_err("no update");
        assert!(
            error
                .to_string()
                .starts_with("there is no method `update`, and no mark"),
            "{error}"
        );
    }
}
