//! The properties that query options may name, as functions of Rust: a module for each entity.
//!
//! Entities are the items of the lists that take `$filter`, and whatever their links lead to. A link is a property that
//! refers to another object, or to many of one. Which entities there are and how they are linked is all that is known here;
//! what can be done with a property is said by its type in the query builder.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use serde_json::Value;

use crate::naming::{pascal, snake};
use crate::operations::{parameters, raw};
use crate::spec::resolve;
use crate::{Error, Spec};

/// Where a page of this interface has its items; a list without pages is an array of them.
const ITEMS: [&str; 2] = ["value", "values"];

/// The source of the properties' modules.
///
/// # Errors
/// What was generated is no Rust, which no specification that [`crate::lint`] has passed leads to.
pub fn fields(spec: &Spec) -> Result<String, Error> {
    let document = spec.document();
    let entities = entities(document);
    let modules = entities.iter().map(module);
    let rows = entities.iter().map(|entity| {
        let (name, module) = (entity.name, ident(&snake(entity.name)));
        quote!((#name, #module::PROPERTIES))
    });
    let file = syn::parse2(quote! {
        /// Every entity by its name in the specification, with its properties and links.
        pub const ENTITIES: &[(&str, &[(&str, &str)])] = &[#(#rows),*];

        #(#modules)*
    })?;
    Ok(prettyplease::unparse(&file))
}

/// An object that query options speak of.
struct Entity<'a> {
    name: &'a str,
    description: &'a str,
    properties: Vec<Property<'a>>,
}

struct Property<'a> {
    name: &'a str,
    description: &'a str,
    kind: Kind<'a>,
}

enum Kind<'a> {
    /// A value: its type as CSDL has it, and in the query builder.
    Value(String, TokenStream),
    /// A link to at most one entity.
    One(&'a str),
    /// A link to any number of entities.
    Many(&'a str),
}

/// All of them, in the order of the specification.
fn entities(document: &Value) -> Vec<Entity<'_>> {
    let mut reached: Vec<&str> = Vec::new();
    let mut ahead = listed(document);
    while let Some(name) = ahead.pop() {
        if reached.contains(&name) {
            continue;
        }
        reached.push(name);
        let properties = entity(document, name).map(|entity| entity.properties);
        for property in properties.into_iter().flatten() {
            if let Kind::One(target) | Kind::Many(target) = property.kind {
                ahead.push(target);
            }
        }
    }
    let schemas = document
        .pointer("/components/schemas")
        .and_then(Value::as_object);
    schemas
        .into_iter()
        .flatten()
        .filter(|(name, _)| reached.contains(&name.as_str()))
        .filter_map(|(name, _)| entity(document, name))
        .collect()
}

/// The names of the items of every list with a `$filter`.
fn listed(document: &Value) -> Vec<&str> {
    raw(document)
        .filter(|found| {
            let parameters = parameters(document, found);
            parameters.iter().any(|one| one["name"] == "$filter")
        })
        .filter_map(|found| {
            let success = resolve(document, found.operation.get("responses")?.get("200")?);
            let content = success.get("content")?.as_object()?;
            let page = resolve(document, content.values().next()?.get("schema")?);
            let items = |name: &&str| page.get("properties")?.get(*name)?.get("items");
            reference(page.get("items").or_else(|| ITEMS.iter().find_map(items))?)
        })
        .collect()
}

fn entity<'a>(document: &'a Value, name: &str) -> Option<Entity<'a>> {
    let schemas = document.pointer("/components/schemas")?.as_object()?;
    let (name, schema) = schemas.get_key_value(name)?;
    let properties = schema.get("properties")?.as_object()?;
    let properties = properties.iter().filter_map(|(name, schema)| {
        Some(Property {
            name,
            description: description(document, schema),
            kind: kind(document, schema)?,
        })
    });
    Some(Entity {
        name,
        description: description(document, schema),
        properties: properties.collect(),
    })
}

/// What a property is; `None` for what no option can name, such as a list of plain values.
fn kind<'a>(document: &'a Value, schema: &'a Value) -> Option<Kind<'a>> {
    if let Some(name) = reference(schema) {
        let target = resolve(document, of(schema)?);
        if target.get("properties").is_some() {
            return Some(Kind::One(name));
        }
        if target.get("enum").is_some() {
            let rust = ident(&pascal(name));
            let ty = quote!(::obeya_odata::build::Enum<::obeya_model::#rust>);
            return Some(Kind::Value(name.to_owned(), ty));
        }
        return kind(document, target);
    }
    let word = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
    let (csdl, ty) = match (word("type"), word("format")) {
        ("array", _) => return reference(schema.get("items")?).map(Kind::Many),
        ("integer", "int64") => ("Edm.Int64", quote!(::obeya_odata::build::Int)),
        ("integer", _) => ("Edm.Int32", quote!(::obeya_odata::build::Int)),
        ("number", _) => ("Edm.Double", quote!(::obeya_odata::build::Double)),
        ("boolean", _) => ("Edm.Boolean", quote!(::obeya_odata::build::Boolean)),
        ("string", "date-time") => ("Edm.DateTimeOffset", quote!(crate::fields::Instant)),
        ("string", "date") => ("Edm.Date", quote!(crate::fields::Date)),
        ("string", _) => ("Edm.String", quote!(::obeya_odata::build::Text)),
        _ => return None,
    };
    Some(Kind::Value(csdl.to_owned(), ty))
}

/// The reference that a schema is, alone or in the `allOf` that gives it a description.
fn of(schema: &Value) -> Option<&Value> {
    let inner = match schema.get("allOf").and_then(Value::as_array) {
        Some(list) if list.len() == 1 => &list[0],
        _ => schema,
    };
    inner.get("$ref").map(|_| inner)
}

/// The name of the component that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    let pointer = of(schema)?.get("$ref")?.as_str()?;
    pointer.strip_prefix("#/components/schemas/")
}

/// A schema's own description, or that of what it refers to.
fn description<'a>(document: &'a Value, schema: &'a Value) -> &'a str {
    let own = |schema: &'a Value| schema.get("description").and_then(Value::as_str);
    own(schema)
        .or_else(|| own(resolve(document, of(schema)?)))
        .unwrap_or_default()
        .trim()
}

fn module(entity: &Entity<'_>) -> TokenStream {
    let module = ident(&snake(entity.name));
    let rust = ident(&pascal(entity.name));
    let doc = format!("Properties of `{}`. {}", entity.name, entity.description);
    let row_doc = format!(
        "`{}`, where a link or a range variable leads to one. `R` is what the whole expression is about.",
        entity.name
    );
    let methods = entity.properties.iter().map(method);
    let functions = entity.properties.iter().map(|property| {
        let function = ident(&snake(property.name));
        let doc = property_doc(property);
        let ty = property_type(property, &quote!(::obeya_model::#rust));
        quote! {
            #[doc = #doc]
            pub fn #function() -> #ty {
                Row::at(Path::root()).#function()
            }
        }
    });
    let pairs = entity.properties.iter().map(|property| {
        let (name, ty) = (property.name, csdl(property));
        quote!((#name, #ty))
    });
    quote! {
        #[doc = #doc]
        pub mod #module {
            use ::obeya_odata::build::{Path, Row as _};

            /// The names on the wire and their types as OData has them, in the order of the specification.
            pub const PROPERTIES: &[(&str, &str)] = &[#(#pairs),*];

            #[doc = #row_doc]
            pub struct Row<R>(Path<R>);

            impl<R> ::obeya_odata::build::Row for Row<R> {
                type Root = R;
                type Entity = ::obeya_model::#rust;

                fn at(path: Path<R>) -> Self {
                    Self(path)
                }
            }

            impl<R> Row<R> {
                #(#methods)*
            }

            #(#functions)*
        }
    }
}

fn method(property: &Property<'_>) -> TokenStream {
    let (name, function) = (property.name, ident(&snake(property.name)));
    let doc = property_doc(property);
    let ty = property_type(property, &quote!(R));
    let make = match property.kind {
        Kind::Value(..) => quote!(property),
        Kind::One(_) => quote!(one),
        Kind::Many(_) => quote!(many),
    };
    quote! {
        #[doc = #doc]
        pub fn #function(&self) -> #ty {
            self.0.#make(#name)
        }
    }
}

/// The type of a property in an expression about `root`.
fn property_type(property: &Property<'_>, root: &TokenStream) -> TokenStream {
    match &property.kind {
        Kind::Value(_, ty) => quote!(::obeya_odata::build::Property<#root, #ty>),
        Kind::One(target) => {
            let target = ident(&snake(target));
            quote!(::obeya_odata::build::One<super::#target::Row<#root>>)
        }
        Kind::Many(target) => {
            let target = ident(&snake(target));
            quote!(::obeya_odata::build::Many<super::#target::Row<#root>>)
        }
    }
}

fn property_doc(property: &Property<'_>) -> String {
    let (description, name) = (property.description, property.name);
    match property.kind {
        Kind::Value(..) => format!("{description}\n\n`{name}` on the wire."),
        // The description may say that records hold it only when it is expanded.
        Kind::One(_) | Kind::Many(_) => format!(
            "{description}\n\n`{name}` on the wire; conditions and orders follow it whether or not it is expanded."
        ),
    }
}

fn csdl(property: &Property<'_>) -> String {
    match &property.kind {
        Kind::Value(csdl, _) => csdl.clone(),
        Kind::One(target) => (*target).to_owned(),
        Kind::Many(target) => format!("Collection({target})"),
    }
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}
