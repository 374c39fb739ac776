//! The entity types that query options speak of, for a client: names and types, to check the words of
//! conditions by.
//!
//! The service's model has tables too and is not written here.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::entities;
use crate::naming::pascal;
use crate::records::entities::{edm, enum_types};
use crate::records::{Property, PropertyType, Record, ident, screaming};
use crate::{Error, Spec};

/// The source of the entity types and their enumerations. It expects `property`, `link`, the trait `Entity`
/// and the types of the entity model in scope.
///
/// # Errors
/// The generated text is not Rust. No specification that [`crate::lint`] has passed leads to this.
pub fn entity_types(spec: &Spec) -> Result<String, Error> {
    let document = spec.document();
    let records = entities(document);
    let types = records.iter().map(entity_type);
    let enums = enum_types(document, &records);
    let file = syn::parse2(quote! { #(#types)* #(#enums)* })?;
    Ok(prettyplease::unparse(&file))
}

fn entity_type(record: &Record<'_>) -> TokenStream {
    let (name, constant) = (record.name, screaming(record.name));
    let rust = ident(&pascal(record.name));
    let values = record.properties.iter().filter(|one| one.is_value());
    let properties = values.map(|property| {
        let (name, ty) = (property.name, edm(property.kind));
        quote!(property(#name, #ty))
    });
    let links = record.properties.iter().filter_map(link);
    quote! {
        static #constant: EntityType = EntityType {
            name: #name,
            table: "",
            key: "id",
            properties: &[#(#properties),*],
            navigations: &[#(#links),*],
            search: None,
        };

        impl Entity for ::obeya_model::#rust {
            fn entity_type() -> &'static EntityType {
                &#constant
            }
        }
    }
}

fn link(property: &Property<'_>) -> Option<TokenStream> {
    let name = property.name;
    let (target, cardinality) = match property.kind {
        PropertyType::One(target) => (screaming(target), quote!(Cardinality::One)),
        PropertyType::Many(target) => (screaming(target), quote!(Cardinality::Many)),
        _ => return None,
    };
    Some(quote!(link(#name, &#target, #cardinality)))
}
