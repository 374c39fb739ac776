//! The closed enumerations for the service, which writes known values only.

use quote::quote;

use super::ident;
use crate::naming::pascal;
use crate::{Error, Spec, normalise};

/// The source of an enum for each enumeration of the document. It expects the trait `ClosedEnum` in scope.
///
/// # Errors
/// The generated text is not Rust. No specification that [`crate::lint`] has passed leads to this.
pub fn closed_enums(spec: &Spec) -> Result<String, Error> {
    let sets = normalise::enums(spec.document());
    let sets = sets.iter().map(|(name, words, description)| {
        let name = ident(&pascal(name));
        let variants: Vec<_> = words.iter().map(|word| ident(&pascal(word))).collect();
        let doc = description.trim();
        let docs = words.iter().map(|word| format!("`{word}`"));
        quote! {
            #[doc = #doc]
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum #name {
                #(#[doc = #docs] #variants,)*
            }

            impl ClosedEnum for #name {
                const ALL: &'static [Self] = &[#(Self::#variants),*];
                const ALL_NAMES: &'static [&'static str] = &[#(#words),*];

                fn name(self) -> &'static str {
                    match self { #(Self::#variants => #words,)* }
                }
            }
        }
    });
    let file = syn::parse2(quote! { #(#sets)* })?;
    Ok(prettyplease::unparse(&file))
}
