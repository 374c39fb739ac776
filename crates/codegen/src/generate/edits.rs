//! The changes of a record, as a struct of optional properties, and a builder with a setter for each.
//!
//! A property that cannot be emptied is an `Option`, any other a `Patch`: absent, null and a value are three
//! things.

use proc_macro2::TokenStream;
use quote::quote;

use crate::naming::pascal;
use crate::records::{Property, PropertyType, ident};
use crate::updates::{Update, updates};
use crate::{Error, Spec};

/// The source of the changes. It expects the items of the SDK's module `edit` in scope.
///
/// # Errors
/// A property has a type that no setter is known for, or the generated text is not Rust.
pub fn edits(spec: &Spec) -> Result<String, Error> {
    let updates = updates(spec.document());
    for update in &updates {
        if let Some(name) = update.unknown(spec.document()).first() {
            return Err(Error::Code(format!(
                "`{}.{name}` is no property of `{}` that an edit can compare: mend crates/codegen/src/updates.rs",
                update.body.name, update.record
            )));
        }
    }
    let items = updates
        .iter()
        .filter_map(|update| Some(tokens(update, update.changes?)))
        .collect::<Result<Vec<_>, _>>()?;
    let file = syn::parse2(quote! { #(#items)* })?;
    Ok(prettyplease::unparse(&file))
}

fn tokens(update: &Update<'_>, changes: &str) -> Result<TokenStream, Error> {
    let record = ident(&pascal(update.record));
    let body = ident(&pascal(update.body.name));
    let (operation, resent) = (update.operation, &update.resent);
    let doc = format!(
        "Changes of a record: properties of [`{0}`](::obeya_model::{0}) that get another value. All others stay.",
        pascal(update.body.name)
    );
    let changes = ident(changes);
    let properties = &update.body.properties;
    let fields = properties
        .iter()
        .map(field)
        .collect::<Result<Vec<_>, _>>()?;
    let setters = properties
        .iter()
        .map(setter)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(quote! {
        #[doc = #doc]
        #[derive(Clone, Debug, Default, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        pub struct #changes { #(#fields),* }

        impl sealed::Facts for ::obeya_model::#record {
            type Changes = #changes;
            type Update = ::obeya_model::#body;

            const OPERATION: &'static str = #operation;
            const RESENT: &'static [&'static str] = &[#(#resent),*];
        }

        impl Edit<::obeya_model::#record> {
            #(#setters)*
        }
    })
}

fn field(property: &Property<'_>) -> Result<TokenStream, Error> {
    let (wire, name, doc) = (property.name, property.ident(), property.description);
    let ty = rust_type(property)?;
    let (ty, absent) = match property.is_nullable {
        true => (
            quote!(::obeya_model::Patch<#ty>),
            "::obeya_model::Patch::is_absent",
        ),
        false => (
            quote!(::std::option::Option<#ty>),
            "::std::option::Option::is_none",
        ),
    };
    Ok(quote! {
        #[doc = #doc]
        #[serde(rename = #wire, default, skip_serializing_if = #absent)]
        pub #name: #ty
    })
}

fn setter(property: &Property<'_>) -> Result<TokenStream, Error> {
    let (name, doc) = (property.ident(), property.description);
    let ty = rust_type(property)?;
    let (parameter, value) = match (property.is_nullable, property.kind) {
        (true, _) => (
            quote!(impl Into<::obeya_model::Patch<#ty>>),
            quote!(value.into()),
        ),
        (false, PropertyType::Text) => (quote!(impl Into<String>), quote!(Some(value.into()))),
        (false, _) => (quote!(#ty), quote!(Some(value))),
    };
    Ok(quote! {
        #[doc = #doc]
        pub fn #name(mut self, value: #parameter) -> Self {
            self.changes.#name = #value;
            self
        }
    })
}

fn rust_type(property: &Property<'_>) -> Result<TokenStream, Error> {
    Ok(match property.kind {
        PropertyType::Boolean => quote!(bool),
        PropertyType::Int32 => quote!(i32),
        PropertyType::Int64 => quote!(i64),
        PropertyType::Double => quote!(f64),
        PropertyType::Text => quote!(String),
        PropertyType::Instant => quote!(::obeya_model::Timestamp),
        PropertyType::Date => quote!(::obeya_model::Date),
        PropertyType::Texts => quote!(Vec<String>),
        PropertyType::Enum(name) => {
            let name = ident(&pascal(name));
            quote!(::obeya_model::#name)
        }
        PropertyType::One(_) | PropertyType::Many(_) => {
            return Err(Error::Code(format!(
                "`{}` of an update refers to another record: its setter is not generated",
                property.name
            )));
        }
    })
}
