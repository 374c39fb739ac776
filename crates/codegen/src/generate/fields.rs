//! The properties that query options may name, as functions of Rust: a module for each entity.
//!
//! Entities are the items of the lists that accept `$filter`, and the targets of their links. A link is a
//! property that refers to another object or to a list of objects. This module knows only the entities and
//! their links; the type of a property determines which expressions the query builder offers for it.

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use crate::naming::{pascal, snake};
use crate::operations::parameters;
use crate::records::{Property, PropertyType, Record, ident, reached};
use crate::{Error, Spec};

/// The source of the properties' modules.
///
/// # Errors
/// The generated text is not Rust. No specification that [`crate::lint`] has passed leads to this.
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

/// All of them, in the order of the specification.
pub(super) fn entities(document: &Value) -> Vec<Record<'_>> {
    reached(document, |found| {
        let parameters = parameters(document, found);
        parameters.iter().any(|one| one["name"] == "$filter")
    })
}

fn module(entity: &Record<'_>) -> TokenStream {
    let module = ident(&snake(entity.name));
    let rust = ident(&pascal(entity.name));
    let doc = format!("Properties of `{}`. {}", entity.name, entity.description);
    let row_doc = format!(
        "`{}`, where a link or a range variable leads to one. `R` is what the whole expression is about.",
        entity.name
    );
    let methods = entity.properties.iter().map(method);
    let functions = entity.properties.iter().map(|property| {
        let function = property.ident();
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
    let (name, function) = (property.name, property.ident());
    let doc = property_doc(property);
    let ty = property_type(property, &quote!(R));
    let make = match property.kind {
        PropertyType::One(_) => quote!(one),
        PropertyType::Many(_) => quote!(many),
        _ => quote!(property),
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
    let value = match property.kind {
        PropertyType::Boolean => quote!(::obeya_odata::build::Boolean),
        PropertyType::Int32 | PropertyType::Int64 => quote!(::obeya_odata::build::Int),
        PropertyType::Double => quote!(::obeya_odata::build::Double),
        PropertyType::Text => quote!(::obeya_odata::build::Text),
        PropertyType::Instant => quote!(crate::fields::Instant),
        PropertyType::Date => quote!(crate::fields::Date),
        PropertyType::Texts => quote!(::obeya_odata::build::Texts),
        PropertyType::Enum(name) => {
            let rust = ident(&pascal(name));
            quote!(::obeya_odata::build::Enum<::obeya_model::#rust>)
        }
        PropertyType::One(target) => {
            let target = ident(&snake(target));
            return quote!(::obeya_odata::build::One<super::#target::Row<#root>>);
        }
        PropertyType::Many(target) => {
            let target = ident(&snake(target));
            return quote!(::obeya_odata::build::Many<super::#target::Row<#root>>);
        }
    };
    quote!(::obeya_odata::build::Property<#root, #value>)
}

fn property_doc(property: &Property<'_>) -> String {
    let (description, name) = (property.description, property.name);
    match property.kind {
        // The description may say that records contain it only when it is expanded.
        PropertyType::One(_) | PropertyType::Many(_) => format!(
            "{description}\n\n`{name}` on the wire; conditions and orders follow it whether or not it is expanded."
        ),
        _ => format!("{description}\n\n`{name}` on the wire."),
    }
}

/// The type as CSDL has it.
fn csdl(property: &Property<'_>) -> String {
    match property.kind {
        PropertyType::Boolean => "Edm.Boolean".to_owned(),
        PropertyType::Int32 => "Edm.Int32".to_owned(),
        PropertyType::Int64 => "Edm.Int64".to_owned(),
        PropertyType::Double => "Edm.Double".to_owned(),
        PropertyType::Text => "Edm.String".to_owned(),
        PropertyType::Instant => "Edm.DateTimeOffset".to_owned(),
        PropertyType::Date => "Edm.Date".to_owned(),
        PropertyType::Texts => "Collection(Edm.String)".to_owned(),
        PropertyType::Enum(name) | PropertyType::One(name) => name.to_owned(),
        PropertyType::Many(target) => format!("Collection({target})"),
    }
}
