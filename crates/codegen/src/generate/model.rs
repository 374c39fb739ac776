//! The types: the generator's output with open enums, `Patch` fields, constructors and optional JSON Schemas.

use std::collections::BTreeMap;

use quote::{ToTokens, format_ident, quote};
use syn::{Field, Fields, Item, ItemStruct, Type, parse_quote};

use super::enums;
use crate::Error;
use crate::naming::{pascal, snake};
use crate::updates::Update;

/// Puts the model's file together.
pub(super) fn file(
    types: Vec<Item>,
    words: &[(String, Vec<String>, String)],
    order: &BTreeMap<String, Vec<String>>,
    updates: &[Update<'_>],
) -> Result<syn::File, Error> {
    let mut items = Vec::new();
    let mut names = Vec::new();
    for item in types {
        match item {
            Item::Struct(mut item) => {
                names.push(item.ident.clone());
                sort_fields(&mut item, order);
                unbox_options(&mut item);
                patch_fields(&mut item);
                tolerate_absence(&mut item);
                derive_schema(&mut item.attrs);
                let constructor = constructor(&item);
                let from_record = from_record(&item, updates);
                items.push(Item::Struct(item));
                items.extend(constructor);
                items.extend(from_record);
            }
            Item::Enum(mut item) => {
                names.push(item.ident.clone());
                derive_schema(&mut item.attrs);
                items.push(Item::Enum(item));
            }
            // Conversion errors of the closed enums and constrained strings we have the generator not make.
            Item::Mod(module) if module.ident == "error" => {}
            other => items.push(other),
        }
    }
    for (name, words, description) in words {
        names.push(format_ident!("{}", pascal(name)));
        let file: syn::File = syn::parse2(enums::tokens(name, words, description))?;
        items.extend(file.items);
    }
    names.sort();
    let texts: Vec<String> = names.iter().map(ToString::to_string).collect();
    items.push(parse_quote! {
        /// The JSON Schema of every type, by name, sorted.
        #[cfg(feature = "schemars")]
        #[must_use]
        pub fn json_schemas() -> ::std::vec::Vec<(&'static str, ::schemars::Schema)> {
            ::std::vec![#((#texts, ::schemars::schema_for!(#names))),*]
        }
    });
    Ok(syn::File {
        shebang: None,
        frontmatter: None,
        attrs: Vec::new(),
        items,
    })
}

fn derive_schema(attrs: &mut Vec<syn::Attribute>) {
    attrs.push(parse_quote!(#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]));
}

/// Fields in the order of the specification, which is the order people know them in.
fn sort_fields(item: &mut ItemStruct, order: &BTreeMap<String, Vec<String>>) {
    let (Some(order), Fields::Named(fields)) =
        (order.get(&item.ident.to_string()), &mut item.fields)
    else {
        return;
    };
    let position = |field: &Field| {
        let name = field.ident.as_ref().map(ToString::to_string);
        order.iter().position(|other| Some(other) == name.as_ref())
    };
    let mut sorted: Vec<Field> = fields.named.iter().cloned().collect();
    sorted.sort_by_key(|field| position(field).unwrap_or(usize::MAX));
    fields.named = sorted.into_iter().collect();
}

/// A property that is required but may be null is read as null when it is absent: other servers of this
/// interface leave empty properties out.
fn tolerate_absence(item: &mut ItemStruct) {
    for field in &mut item.fields {
        let strict = |attr: &syn::Attribute| {
            let text = attr.to_token_stream().to_string().replace(' ', "");
            text.contains("deserialize_with=\"::std::option::Option::deserialize\"")
        };
        if !field.attrs.iter().any(strict) {
            continue;
        }
        let rename = rename(field);
        field.attrs.retain(|attr| !attr.path().is_ident("serde"));
        if let Some(name) = rename {
            field.attrs.push(parse_quote!(#[serde(rename = #name)]));
        }
    }
}

/// `Box<Option<T>>`, which the generator makes on some circles of types, → `Option<Box<T>>`, left out when
/// empty.
fn unbox_options(item: &mut ItemStruct) {
    for field in &mut item.fields {
        let Some(inner) = argument_of(&field.ty, "Box").and_then(option_of) else {
            continue;
        };
        let ty: Type = parse_quote!(::std::option::Option<::std::boxed::Box<#inner>>);
        let rename = rename(field).into_iter();
        field.attrs.retain(|attr| !attr.path().is_ident("serde"));
        field.attrs.push(parse_quote!(
            #[serde(#(rename = #rename,)* default, skip_serializing_if = "::std::option::Option::is_none")]
        ));
        field.ty = ty;
    }
}

/// `Option<Patch<T>>` → `Patch<T>`, which knows absence itself.
fn patch_fields(item: &mut ItemStruct) {
    for field in &mut item.fields {
        if let Some(patch) = patch_type(&field.ty) {
            let rename = rename(field).into_iter();
            field.attrs.retain(|attr| !attr.path().is_ident("serde"));
            field.attrs.push(parse_quote!(
                #[serde(#(rename = #rename,)* default, skip_serializing_if = "::obeya_model::Patch::is_absent")]
            ));
            field.ty = patch;
        }
    }
}

/// The `Patch<T>` of an `Option<Patch<T>>`.
fn patch_type(ty: &Type) -> Option<Type> {
    let inner = option_of(ty)?;
    let text = inner.to_token_stream().to_string().replace(' ', "");
    text.starts_with("::obeya_model::Patch<")
        .then(|| inner.clone())
}

/// The `T` of an `Option<T>`.
pub(super) fn option_of(ty: &Type) -> Option<&Type> {
    argument_of(ty, "Option")
}

/// The `T` of a `Name<T>`.
fn argument_of<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != name {
        return None;
    }
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

/// The name in `#[serde(rename = "…")]`.
fn rename(field: &Field) -> Option<String> {
    let mut name = None;
    for attr in field
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("serde"))
    {
        // An attribute of another shape has no name.
        let _ = attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                name = Some(meta.value()?.parse::<syn::LitStr>()?.value());
            } else if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            }
            Ok(())
        });
    }
    name
}

/// `new(required…)` for a struct some but not all of whose fields may be left out: it makes `..T::new(…)`
/// possible.
fn constructor(item: &ItemStruct) -> Option<Item> {
    let Fields::Named(fields) = &item.fields else {
        return None;
    };
    let optional = |field: &&Field| {
        field.attrs.iter().any(|attr| {
            attr.path().is_ident("serde")
                && attr
                    .to_token_stream()
                    .to_string()
                    .contains("skip_serializing_if")
        })
    };
    let (left_out, required): (Vec<&Field>, Vec<&Field>) = fields.named.iter().partition(optional);
    if required.is_empty() || left_out.is_empty() {
        return None;
    }
    let ident = &item.ident;
    let (names, types): (Vec<_>, Vec<_>) = required
        .iter()
        .map(|field| (&field.ident, &field.ty))
        .unzip();
    let values = required.iter().map(|field| {
        let name = &field.ident;
        if field.ty.to_token_stream().to_string().replace(' ', "") == "::std::string::String" {
            quote!(#name: #name.into())
        } else {
            quote!(#name)
        }
    });
    let parameters = names.iter().zip(&types).map(|(name, ty)| {
        if ty.to_token_stream().to_string().replace(' ', "") == "::std::string::String" {
            quote!(#name: impl ::std::convert::Into<::std::string::String>)
        } else {
            quote!(#name: #ty)
        }
    });
    let defaults = left_out.iter().map(|field| &field.ident);
    Some(parse_quote! {
        impl #ident {
            /// With what is required; everything else is left out.
            #[must_use]
            #[allow(clippy::too_many_arguments, reason = "as many as the specification requires")]
            pub fn new(#(#parameters),*) -> Self {
                Self {
                    #(#values,)*
                    #(#defaults: ::std::default::Default::default(),)*
                }
            }
        }
    })
}

/// `From<&Record>` for the body of an update: what it must contain although it does not change.
fn from_record(item: &ItemStruct, updates: &[Update<'_>]) -> Option<Item> {
    let update = updates
        .iter()
        .find(|update| item.ident == pascal(update.body.name) && !update.resent.is_empty())?;
    let record = format_ident!("{}", pascal(update.record));
    let resent: Vec<String> = update.resent.iter().map(|name| snake(name)).collect();
    let values = item.fields.iter().map(|field| {
        let name = &field.ident;
        let is_resent = name
            .as_ref()
            .is_some_and(|name| resent.iter().any(|one| name == one));
        match is_resent {
            true => quote!(#name: record.#name.clone()),
            false => quote!(#name: ::std::default::Default::default()),
        }
    });
    let ident = &item.ident;
    Some(parse_quote! {
        /// The update that changes nothing: with what it requires, as the record has it. It overwrites what
        /// others have changed in these properties since the record was read.
        impl ::std::convert::From<&#record> for #ident {
            fn from(record: &#record) -> Self {
                Self { #(#values),* }
            }
        }
    })
}
