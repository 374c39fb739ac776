//! The columns of each record, for Arrow: its values in the order of the document, its lists last.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{Property, PropertyType, Record, ident, listed, screaming};
use crate::naming::pascal;
use crate::{Error, Spec};

/// Texts with few distinct values, which are dictionary-encoded as enumerations are.
const DICTIONARIES: [(&str, &[&str]); 6] = [
    (
        "IncidentV1",
        &["incidentType", "reportedByGroup", "followUpGroup"],
    ),
    (
        "TrashedIncident",
        &["incidentType", "reportedByGroup", "followUpGroup"],
    ),
    ("IncidentConsequence", &["unit"]),
    ("IncidentCustomField", &["type"]),
    ("Improvement", &["group", "category", "project"]),
    (
        "DatasourceValue",
        &["dimension", "dimension2", "dimension3", "dimension4"],
    ),
];

/// The properties that come first where the columns are not in document order; the others follow in document
/// order.
const FIRST: [(&str, &[&str]); 2] = [
    ("IncidentConsequence", &["id", "title", "amount"]),
    (
        "IncidentCustomField",
        &["id", "label", "type", "value", "dataListId", "dataListName"],
    ),
];

/// The source of the columns. It expects the items of the SDK's module `tables` in scope.
///
/// # Errors
/// A setting above names no property, or the generated text is not Rust.
pub fn columns(spec: &Spec) -> Result<String, Error> {
    let records = listed(spec.document());
    check(&records)?;
    let items = records.iter().map(|record| {
        let links = record.properties.iter().filter(|one| is_link(one));
        let is_linked = |required: bool| {
            let mut all = records.iter().flat_map(|other| &other.properties);
            all.any(|one| target(one) == Some(record.name) && one.is_required == required)
        };
        tokens(
            record,
            &links.collect::<Vec<_>>(),
            is_linked(true),
            is_linked(false),
        )
    });
    let file = syn::parse2(quote! { #(#items)* })?;
    Ok(prettyplease::unparse(&file))
}

/// Whether every setting names a property of the document.
fn check(records: &[Record<'_>]) -> Result<(), Error> {
    for (name, properties) in DICTIONARIES.into_iter().chain(FIRST) {
        // A document without the record has nothing to set: those of the tests are small.
        let Some(record) = records.iter().find(|record| record.name == name) else {
            continue;
        };
        let is_known = |wanted: &&&str| record.properties.iter().any(|one| one.name == **wanted);
        if let Some(unknown) = properties.iter().find(|name| !is_known(name)) {
            return Err(Error::Code(format!(
                "`{name}.{unknown}` is no property: mend the settings in crates/codegen/src/records/columns.rs"
            )));
        }
    }
    Ok(())
}

/// The record that a property leads to.
fn target<'a>(property: &Property<'a>) -> Option<&'a str> {
    match property.kind {
        PropertyType::One(target) | PropertyType::Many(target) => Some(target),
        _ => None,
    }
}

/// Whether a property refers to a record that is present only when it is expanded. Required ones are in every
/// record.
fn is_link(property: &Property<'_>) -> bool {
    !property.is_value() && !property.is_required
}

fn settings(table: &[(&str, &'static [&'static str])], record: &str) -> &'static [&'static str] {
    table
        .iter()
        .find(|(name, _)| *name == record)
        .map_or(&[], |(_, properties)| properties)
}

fn tokens(
    record: &Record<'_>,
    links: &[&Property<'_>],
    is_part: bool,
    is_linked: bool,
) -> TokenStream {
    let ty = model(record.name);
    let columns = screaming(record.name);
    let first = settings(&FIRST, record.name);
    let mut properties: Vec<_> = record
        .properties
        .iter()
        .filter(|one| !is_link(one))
        .collect();
    properties.sort_by_key(|property| {
        let location = first.iter().position(|name| *name == property.name);
        (!property.is_value(), location.unwrap_or(first.len()))
    });
    let count = properties.len();
    let items = properties.iter().map(|property| column(record, property));
    let doc = record.description.lines().next().unwrap_or_default();
    let fields = is_part.then(|| {
        let name = format_ident!("{columns}_FIELDS");
        quote!(static #name: [Field; #count] = fields(&#columns);)
    });
    let linked = is_linked.then(|| {
        let name = format_ident!("LINKED_{columns}");
        quote!(static #name: [Field; #count] = nullable_fields(&#columns);)
    });
    let (links, tabular) = if links.is_empty() {
        (None, quote!(#ty: #columns;))
    } else {
        let name = format_ident!("{columns}_LINKS");
        let count = links.len();
        let items = links.iter().map(|property| column(record, property));
        (
            Some(quote!(static #name: [Column<#ty>; #count] = [#(#items),*];)),
            quote!(#ty: #columns, #name;),
        )
    };
    quote! {
        #[doc = #doc]
        static #columns: [Column<#ty>; #count] = [#(#items),*];
        #fields
        #linked
        #links
        tabular! { #tabular }
    }
}

fn column(record: &Record<'_>, property: &Property<'_>) -> TokenStream {
    let name = property.name;
    let kind = kind(record, property);
    // The key is always there, though v2 promises no property.
    let is_nullable = name != "id" && (property.is_nullable || !property.is_required);
    let get = get(property);
    quote!(Column::new(#name, #kind, #is_nullable, |r| #get))
}

fn kind(record: &Record<'_>, property: &Property<'_>) -> TokenStream {
    match property.kind {
        PropertyType::Boolean => quote!(Kind::Bool),
        PropertyType::Int32 => quote!(Kind::Int),
        PropertyType::Int64 => quote!(Kind::Long),
        PropertyType::Double => quote!(Kind::Number),
        PropertyType::Text if settings(&DICTIONARIES, record.name).contains(&property.name) => {
            quote!(Kind::DictionaryText)
        }
        PropertyType::Text => quote!(Kind::Text),
        PropertyType::Instant => quote!(Kind::Instant),
        PropertyType::Date => quote!(Kind::Day),
        PropertyType::Texts => quote!(Kind::Texts),
        PropertyType::Enum(_) => quote!(Kind::DictionaryText),
        PropertyType::One(target) => {
            let fields = fields_of(property, target);
            quote!(Kind::Row(&#fields))
        }
        PropertyType::Many(target) => {
            let fields = fields_of(property, target);
            quote!(Kind::List(&#fields))
        }
    }
}

/// A type of the model.
fn model(name: &str) -> TokenStream {
    let name = ident(&pascal(name));
    quote!(::obeya_model::#name)
}

/// The fields of the records that come along.
fn fields_of(property: &Property<'_>, target: &str) -> proc_macro2::Ident {
    let columns = screaming(target);
    if property.is_required {
        format_ident!("{columns}_FIELDS")
    } else {
        format_ident!("LINKED_{columns}")
    }
}

/// How the cell is taken out of the record `r`.
fn get(property: &Property<'_>) -> TokenStream {
    let field = property.ident();
    let is_option = property.is_nullable || !property.is_required;
    match property.kind {
        PropertyType::Text if is_option => quote!(r.#field.as_deref().into()),
        PropertyType::Text => quote!((&*r.#field).into()),
        PropertyType::Texts if is_option => quote!(r.#field.as_deref().into()),
        PropertyType::Texts => quote!((&*r.#field).into()),
        PropertyType::Enum(name) if is_option => {
            let name = model(name);
            quote!(r.#field.as_ref().map(#name::as_str).into())
        }
        PropertyType::Enum(_) => quote!(r.#field.as_str().into()),
        PropertyType::One(target) => {
            let (fields, columns) = (fields_of(property, target), screaming(target));
            // The record is boxed where types are recursive.
            quote!(Cell::row(&#fields, &#columns, r.#field.as_ref().map(std::borrow::Borrow::borrow)))
        }
        PropertyType::Many(target) => {
            let (fields, columns) = (fields_of(property, target), screaming(target));
            if is_option {
                quote!(Cell::list_of(&#fields, &#columns, r.#field.as_deref()))
            } else {
                quote!(Cell::list(&#fields, &#columns, &r.#field))
            }
        }
        _ => quote!(r.#field.into()),
    }
}
