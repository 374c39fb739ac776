//! The wire facts of each record for the service: a struct with a field for each property, which names its
//! source.

use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use super::{Property, PropertyType, Record, ident, listed, screaming};
use crate::naming::pascal;
use crate::{Error, Spec, normalise};

/// The source of the records and of the enumerations of their properties. It expects `Source`, `column`, and
/// the `Property`, `Type` and `EnumType` of the entity model in scope.
///
/// # Errors
/// The generated text is not Rust. No specification that [`crate::lint`] has passed leads to this.
pub fn entities(spec: &Spec) -> Result<String, Error> {
    let document = spec.document();
    let records = listed(document);
    let structs = records.iter().map(record);
    let enums = enum_types(document, &records);
    let file = syn::parse2(quote! { #(#structs)* #(#enums)* })?;
    Ok(prettyplease::unparse(&file))
}

/// The enumerations of these records' properties, as types of the entity model.
pub(crate) fn enum_types(document: &Value, records: &[Record<'_>]) -> Vec<TokenStream> {
    let enums = normalise::enums(document);
    let enums = enums.iter().filter_map(|(name, words, _)| {
        let holds = |property: &Property<'_>| property.kind == PropertyType::Enum(name);
        let is_held = records
            .iter()
            .any(|record| record.properties.iter().any(holds));
        is_held.then(|| {
            let constant = screaming(name);
            quote! {
                static #constant: EnumType = EnumType { name: #name, members: &[#(#words),*] };
            }
        })
    });
    enums.collect()
}

fn record(record: &Record<'_>) -> TokenStream {
    let name = ident(&pascal(record.name));
    let doc = format!("Where each property of `{}` is read from.", record.name);
    let values: Vec<&Property<'_>> = record
        .properties
        .iter()
        .filter(|property| property.is_value())
        .collect();
    let count = values.len();
    let fields: Vec<_> = values.iter().map(|property| property.ident()).collect();
    let docs = values.iter().map(|property| format!("`{}`", property.name));
    let columns = values.iter().map(|property| property.name.to_snake_case());
    let names = values.iter().map(|property| property.name);
    let types = values.iter().map(|property| edm(property.kind));
    let nullables = values.iter().map(|property| property.is_nullable);
    quote! {
        #[doc = #doc]
        pub(super) struct #name {
            #(#[doc = #docs] pub(super) #fields: Source,)*
        }

        impl #name {
            /// Each property from the column with the same name in snake case.
            pub(super) const SAME: Self = Self { #(#fields: column(#columns),)* };

            /// The properties in the order of the specification.
            pub(super) const fn properties(self) -> [Property; #count] {
                [#(self.#fields.property(#names, #types, #nullables)),*]
            }
        }
    }
}

/// The type of a value in the entity model.
pub(crate) fn edm(kind: PropertyType<'_>) -> TokenStream {
    match kind {
        PropertyType::Boolean => quote!(Type::Boolean),
        PropertyType::Int32 => quote!(Type::Int32),
        PropertyType::Int64 => quote!(Type::Int64),
        PropertyType::Double => quote!(Type::Double),
        PropertyType::Instant => quote!(Type::DateTimeOffset),
        PropertyType::Date => quote!(Type::Date),
        PropertyType::Texts => quote!(Type::Texts),
        PropertyType::Enum(name) => {
            let constant = screaming(name);
            quote!(Type::Enum(&#constant))
        }
        PropertyType::Text | PropertyType::One(_) | PropertyType::Many(_) => quote!(Type::String),
    }
}
