//! The plain methods of the Rust SDK, as source.

use std::collections::{BTreeMap, BTreeSet};

use super::{BodyType, Method, MethodKind};
use crate::Error;
use crate::naming::{pascal, snake};

/// How wide a comment may be.
const WIDTH: usize = 110;

/// The file of the plain methods: an `impl` for each resource, without the methods written by hand.
///
/// `existing` is the present file, whose doc comments are preserved. `by_hand` returns the hand-written
/// source that may have methods of a resource.
///
/// # Errors
/// An operation that has no plain form, and no method by hand.
pub fn rust(
    methods: &[Method],
    existing: &str,
    by_hand: impl Fn(Option<&str>) -> String,
) -> Result<String, Error> {
    let docs = docs(existing);
    let mut types = BTreeSet::new();
    let mut pages = BTreeMap::new();
    let mut blocks: Vec<(String, String)> = Vec::new();
    for method in methods {
        let resource = method.resource.as_deref();
        let handle = resource.map_or_else(|| "Client".to_owned(), pascal);
        // A method may be generic.
        let heads = ["(", "<"].map(|next| format!("fn {}{next}", method.name));
        let has = |found: &str| {
            let methods = inherent(found, &handle);
            heads.iter().any(|head| methods.contains(head))
        };
        if has(&by_hand(resource)) {
            continue;
        }
        if let MethodKind::ByHand(reason) = &method.kind {
            return Err(Error::Code(format!(
                "operation `{}` has no plain method, because {reason}: write `{}` of the Rust SDK by hand, in `impl {handle}`",
                method.operation.id,
                method.full_name()
            )));
        }
        let known = docs.get(&(handle.clone(), method.name.clone()));
        let text = match known {
            Some(lines) => lines.clone(),
            None => default_docs(method),
        } + &source(method, &mut types);
        if let MethodKind::List { record, page } = &method.kind {
            let (record, page) = (pascal(record), pascal(page));
            types.extend([record.clone(), page.clone()]);
            pages.insert(record, page);
        }
        match blocks.iter_mut().find(|(name, _)| *name == handle) {
            Some((_, block)) => *block += &format!("\n{text}"),
            None => blocks.push((handle, text)),
        }
    }
    let handles: Vec<&str> = blocks.iter().map(|(name, _)| name.as_str()).collect();
    let types: Vec<String> = types.into_iter().collect();
    let mut out = format!(
        "//! The operations that need no more than a method.\n//!\n\
         //! Written by `cargo xtask regen` from spec/openapi.yaml, all but the doc comments: they stay as\n\
         //! they are edited here. A method that is written by hand in the file of its resource is left\n\
         //! out.\n\n\
         use obeya_api::call;\nuse obeya_model::{{\n    {},\n}};\n\n\
         use super::{{{}}};\nuse crate::error::Result;\nuse crate::list::{{Get, List}};\n\
         use crate::whole_list::WholeList;\n",
        types.join(",\n    "),
        handles.join(", "),
    );
    for (name, block) in &blocks {
        out += &format!("\nimpl {name} {{\n{block}}}\n");
    }
    out += "\nodata_pages! {\n";
    for (record, page) in pages {
        out += &format!("    {record} in {page};\n");
    }
    out += "}\n";
    Ok(out)
}

/// The `impl` blocks of a type in hand-written source.
fn inherent(source: &str, handle: &str) -> String {
    let mut found = String::new();
    let mut rest = source;
    let head = format!("\nimpl {handle} {{\n");
    while let Some(start) = rest.find(&head) {
        rest = &rest[start + head.len()..];
        let end = rest.find("\n}").unwrap_or(rest.len());
        found.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

/// The doc comments in a file, by the type and the name of the method.
fn docs(source: &str) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    let (mut handle, mut lines) = (String::new(), String::new());
    for line in source.lines() {
        let name = line
            .strip_prefix("    pub async fn ")
            .or_else(|| line.strip_prefix("    pub fn "))
            .and_then(|rest| rest.split('(').next());
        if let Some(head) = line.strip_prefix("impl ") {
            head.trim_end_matches([' ', '{']).clone_into(&mut handle);
        } else if line.starts_with("    ///") {
            lines += &format!("{line}\n");
        } else if let Some(name) = name {
            found.insert(
                (handle.clone(), name.to_owned()),
                std::mem::take(&mut lines),
            );
        } else if !line.starts_with("    #[") {
            lines.clear();
        }
    }
    found
}

fn default_docs(method: &Method) -> String {
    let operation = &method.operation;
    let head = format!(
        "`{} {}`: {}",
        operation.method, operation.path, method.description
    );
    let mut text = wrapped(&head);
    if let MethodKind::Plain { .. } = method.kind {
        text += "    ///\n    /// # Errors\n";
        text += &wrapped(match operation.method.as_str() {
            "POST" | "PATCH" => {
                "See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or [`Error::Timeout`](crate::Error::Timeout) it may have been carried out all the same."
            }
            _ => "See [`Error`](crate::Error).",
        });
    }
    text
}

fn wrapped(text: &str) -> String {
    let mut lines = vec!["    ///".to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, String::len);
        if line + 1 + word.len() > WIDTH {
            lines.push("    ///".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

fn source(method: &Method, types: &mut BTreeSet<String>) -> String {
    let name = &method.name;
    let call = pascal(&method.operation.id);
    let mut ids: Vec<String> = method.path.iter().map(|it| snake(&it.name)).collect();
    // The parameter of the record that a method is about.
    let about = match method.kind {
        MethodKind::List { .. } | MethodKind::WholeList { .. } => None,
        MethodKind::Get { .. } => method.path.len().checked_sub(1),
        MethodKind::Plain { .. } | MethodKind::ByHand(_) => Some(0),
    };
    if let Some(at) = about
        && let Some(parameter) = method.path.get(at)
        && !parameter.is_text
    {
        "id".clone_into(&mut ids[at]);
    }
    let types_of_ids = method
        .path
        .iter()
        .map(|it| if it.is_text { "&str" } else { "i32" });
    let named = ids.iter().zip(types_of_ids);
    let mut parameters: Vec<String> = named.map(|(id, of)| format!(", {id}: {of}")).collect();
    match &method.kind {
        MethodKind::List { record, .. } => {
            let record = pascal(record);
            let parent: String = ids.iter().map(|id| format!(", {id}")).collect();
            format!(
                "    pub fn {name}(&self{}) -> List<{record}> {{\n        List::new(self.client.clone(), odata_list!({call}{parent}))\n    }}\n",
                parameters.concat()
            )
        }
        MethodKind::Get { record } => {
            let record = pascal(record);
            types.insert(record.clone());
            let parents = &ids[..ids.len().saturating_sub(1)];
            let parent: String = parents.iter().map(|id| format!(", {id}")).collect();
            let is_text = method
                .path
                .last()
                .is_some_and(|parameter| parameter.is_text);
            let (of, source, id) = match is_text {
                true => (
                    format!("{record}, String"),
                    format!("text {call}"),
                    format!("{}.to_owned()", ids[ids.len() - 1]),
                ),
                false => (record, format!("{call}{parent}"), "id".to_owned()),
            };
            format!(
                "    pub fn {name}(&self{}) -> Get<{of}> {{\n        Get::new(self.client.clone(), odata_get!({source}), {id})\n    }}\n",
                parameters.concat()
            )
        }
        MethodKind::WholeList { record } => {
            let record = pascal(record);
            types.insert(record.clone());
            format!(
                "    pub fn {name}(&self) -> WholeList<{record}> {{\n        WholeList::new(self.client.clone(), whole_list!({call}))\n    }}\n"
            )
        }
        MethodKind::Plain { body, answer } => {
            let mut given = ids;
            let mut before = String::new();
            match body {
                None => {}
                Some(BodyType::List(item)) => {
                    parameters.push(format!(", body: &[{}]", rust_type(item, types)));
                    before.push_str("        let body = body.to_vec();\n");
                    given.push("&body".to_owned());
                }
                Some(body) => {
                    parameters.push(format!(", body: &{}", rust_type(body, types)));
                    given.push("body".to_owned());
                }
            }
            let made = match given.is_empty() {
                true => format!("call::{call} {{}}"),
                false => format!("call::{call}::new({})", given.join(", ")),
            };
            format!(
                "    pub async fn {name}(&self{}) -> Result<{}> {{\n{before}        self.client.call(&{made}).await\n    }}\n",
                parameters.concat(),
                rust_type(answer, types),
            )
        }
        MethodKind::ByHand(_) => String::new(),
    }
}

fn rust_type(of: &BodyType, types: &mut BTreeSet<String>) -> String {
    match of {
        BodyType::Nothing => "()".to_owned(),
        BodyType::Int => "i32".to_owned(),
        BodyType::List(item) => format!("Vec<{}>", rust_type(item, types)),
        BodyType::Object(name) => {
            let name = pascal(name);
            types.insert(name.clone());
            name
        }
    }
}
