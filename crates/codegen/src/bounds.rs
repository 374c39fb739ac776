//! The bounds of the document as constants: lengths, ranges, patterns and defaults. A module for each schema,
//! parameter and body that has some, and inside it one for each property.
//!
//! ```text
//! schemas::improvement_update::title::LENGTH            0..=100, of minLength and maxLength
//! parameters::page_size::RANGE, parameters::page_size::DEFAULT
//! operations::create_datasource_values::body::ITEMS     0..=10_000, of minItems and maxItems
//! ```
//! What a request may contain is generated; the bounds of answers' headers are not.

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use crate::naming::snake;
use crate::operations::raw;
use crate::records::ident;
use crate::{Error, Spec};

/// The source of the modules.
///
/// # Errors
/// A bound that no constant can have, or the generated text is not Rust.
pub fn bounds(spec: &Spec) -> Result<String, Error> {
    let document = spec.document();
    let named = |section: &str| document.pointer(section).and_then(Value::as_object);
    let mut schemas = Vec::new();
    for (name, schema) in named("/components/schemas").into_iter().flatten() {
        schemas.extend(module(name, schema)?);
    }
    let mut parameters = Vec::new();
    for (name, parameter) in named("/components/parameters").into_iter().flatten() {
        parameters.extend(module(name, &parameter["schema"])?);
    }
    let mut operations = Vec::new();
    for found in raw(document) {
        let inner = of_operation(found.operation)?;
        if !inner.is_empty() {
            let id = found.operation["operationId"].as_str().unwrap_or_default();
            operations.push(named_module(id, &inner));
        }
    }
    let file = syn::parse2(quote! {
        /// Of the schemas.
        pub mod schemas { #(#schemas)* }
        /// Of the parameters that several operations have.
        pub mod parameters { #(#parameters)* }
        /// Of the parameters and bodies that one operation describes itself.
        pub mod operations { #(#operations)* }
    })?;
    Ok(prettyplease::unparse(&file))
}

/// The modules of the parameters and of the body that an operation describes itself.
fn of_operation(operation: &Value) -> Result<Vec<TokenStream>, Error> {
    let mut modules = Vec::new();
    let parameters = operation.get("parameters").and_then(Value::as_array);
    for parameter in parameters.into_iter().flatten() {
        let name = parameter.get("name").and_then(Value::as_str);
        if let (Some(name), Some(schema)) = (name, parameter.get("schema")) {
            modules.extend(module(name, schema)?);
        }
    }
    let body = operation.pointer("/requestBody/content/application~1json/schema");
    if let Some(schema) = body {
        modules.extend(module("body", schema)?);
    }
    Ok(modules)
}

/// The module of a schema, if it or a part of it has a bound.
fn module(name: &str, schema: &Value) -> Result<Option<TokenStream>, Error> {
    let mut inner = constants(schema)?;
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        inner.extend(module(name, property)?);
    }
    if let Some(items) = schema.get("items") {
        inner.extend(module("items", items)?);
    }
    Ok((!inner.is_empty()).then(|| named_module(name, &inner)))
}

fn named_module(name: &str, inner: &[TokenStream]) -> TokenStream {
    let (module, doc) = (ident(&snake(name)), format!("`{name}`"));
    quote! {
        #[doc = #doc]
        pub mod #module { #(#inner)* }
    }
}

/// The constants of one schema, without those of its properties and items.
fn constants(schema: &Value) -> Result<Vec<TokenStream>, Error> {
    let mut constants = Vec::new();
    constants.extend(sizes(schema, "LENGTH", ["minLength", "maxLength"]));
    constants.extend(sizes(schema, "ITEMS", ["minItems", "maxItems"]));
    constants.extend(range(schema)?);
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        constants.push(quote! {
            /// `pattern`
            pub const PATTERN: &str = #pattern;
        });
    }
    if let Some(default) = schema.get("default") {
        let (ty, value) = scalar(schema, default)?;
        constants.push(quote! {
            /// `default`
            pub const DEFAULT: #ty = #value;
        });
    }
    Ok(constants)
}

/// A range of sizes; the end that the document leaves open is that of `usize`.
fn sizes(schema: &Value, name: &str, keywords: [&str; 2]) -> Option<TokenStream> {
    let [min, max] = keywords.map(|keyword| schema.get(keyword).and_then(Value::as_u64));
    min.or(max)?;
    let doc = format!("`{}` and `{}`", keywords[0], keywords[1]);
    let name = ident(name);
    let [min, max] = [min, max].map(|size| size.map(proc_macro2::Literal::u64_unsuffixed));
    let max = max.map_or_else(|| quote!(usize::MAX), |max| quote!(#max));
    let min = min.map_or_else(|| quote!(0), |min| quote!(#min));
    Some(quote! {
        #[doc = #doc]
        pub const #name: ::core::ops::RangeInclusive<usize> = #min..=#max;
    })
}

/// `minimum` to `maximum`; the end that the document leaves open is that of the type.
fn range(schema: &Value) -> Result<Option<TokenStream>, Error> {
    let (min, max) = (schema.get("minimum"), schema.get("maximum"));
    if min.or(max).is_none() {
        return Ok(None);
    }
    let end = |bound: Option<&Value>, open: TokenStream| match bound {
        Some(bound) => scalar(schema, bound).map(|(_, value)| value),
        None => Ok(open),
    };
    let ty = number(schema);
    let min = end(min, quote!(#ty::MIN))?;
    let max = end(max, quote!(#ty::MAX))?;
    Ok(Some(quote! {
        /// `minimum` and `maximum`
        pub const RANGE: ::core::ops::RangeInclusive<#ty> = #min..=#max;
    }))
}

/// The type of a number.
fn number(schema: &Value) -> TokenStream {
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("number"), _) => quote!(f64),
        (_, Some("int64")) => quote!(i64),
        _ => quote!(i32),
    }
}

/// A value of the schema with its type.
fn scalar(schema: &Value, value: &Value) -> Result<(TokenStream, TokenStream), Error> {
    let ty = number(schema);
    match value {
        Value::Bool(value) => Ok((quote!(bool), quote!(#value))),
        Value::String(value) => Ok((quote!(&str), quote!(#value))),
        Value::Number(value) if schema["type"] == "number" => {
            let value = value.as_f64();
            Ok((ty, quote!(#value)))
        }
        Value::Number(value) => {
            let value: syn::Expr = syn::parse_str(&value.to_string())?;
            Ok((ty, quote!(#value)))
        }
        other => Err(Error::Code(format!(
            "no constant can be {other}: add its type to crates/codegen/src/bounds.rs"
        ))),
    }
}
