//! Document → source. One run of the generator yields both halves: the types go to the model, the rest to the
//! client.

mod calls;
mod client;
mod edits;
mod entity_types;
mod enums;
mod fields;
mod model;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use progenitor_impl::{GenerationSettings, Generator, HooksMode, TypeImpl, UnknownPolicy};
use quote::quote;

use crate::{Error, Spec, naming, normalise, operations, updates};

pub use edits::edits;
pub use entity_types::entity_types;
pub use fields::fields;

/// The two generated files.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Types of the interface, for the model crate.
    pub model: String,
    /// The client, one struct for each call, and `enum Operation`, for the API crate.
    pub client: String,
}

/// Generates both files from a document that [`crate::lint`] has passed.
///
/// # Errors
/// The document is not OpenAPI 3.0, or the generator refuses something the lint does not know.
pub fn generate(spec: &Spec) -> Result<Generated, Error> {
    let enums = normalise::enums(spec.document());
    let document = normalise::normalise(spec.document());
    let openapi = crate::openapi(&document)?;
    let mut generator = Generator::new(&settings(&enums));
    // The generator asserts and panics on unknown input. The lint should have found it, but that is not
    // relied on.
    let tokens = catch_unwind(AssertUnwindSafe(|| generator.generate_tokens(&openapi)))
        .map_err(|panic| Error::Generator(panic_text(&*panic)))?
        .map_err(|error| Error::Generator(error.to_string()))?;
    let file: syn::File = syn::parse2(tokens)?;
    let (types, rest) = split(file)?;
    let operations = operations::operations(spec.document());
    Ok(Generated {
        model: prettyplease::unparse(&model::file(
            types,
            &enums,
            &field_order(spec),
            &updates::updates(spec.document()),
        )?),
        client: prettyplease::unparse(&client::file(rest, &operations)?),
    })
}

/// Rust type → its fields in the order of the specification; the generator sorts them by name.
fn field_order(spec: &Spec) -> BTreeMap<String, Vec<String>> {
    let schemas = spec.document().pointer("/components/schemas");
    schemas
        .and_then(serde_json::Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, schema)| {
            let properties = schema.get("properties")?.as_object()?;
            let fields = properties.keys().map(|name| naming::snake(name)).collect();
            Some((naming::pascal(name), fields))
        })
        .collect()
}

/// Every setting of the generator.
fn settings(enums: &[(String, Vec<String>, String)]) -> GenerationSettings {
    let mut settings = GenerationSettings::new();
    settings
        .with_hooks(HooksMode::Expected)
        .with_inner_type(quote!(crate::executor::Handle))
        .with_unknown_crates(UnknownPolicy::Allow)
        .with_map_type("::std::collections::BTreeMap")
        .with_derive("PartialEq");
    for (name, ..) in enums {
        let rust = naming::pascal(name);
        let impls = [TypeImpl::Display, TypeImpl::FromStr];
        settings.with_replacement(&rust, format!("::obeya_model::{rust}"), impls.into_iter());
    }
    settings
}

/// Takes `mod types` out.
fn split(file: syn::File) -> Result<(Vec<syn::Item>, Vec<syn::Item>), Error> {
    let mut types = None;
    let mut rest = Vec::new();
    for item in file.items {
        match item {
            syn::Item::Mod(module) if module.ident == "types" => {
                types = module.content.map(|(_, items)| items);
            }
            other => rest.push(other),
        }
    }
    let types = types.ok_or_else(|| Error::Code("there is no `mod types` in it".to_owned()))?;
    Ok((types, rest))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
        .to_owned()
}
