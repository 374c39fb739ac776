//! Open string enums: a value that a later server adds becomes `Unknown`, instead of failing a whole page.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::naming::pascal;

/// The enum, its conversions, and its JSON Schema.
pub(super) fn tokens(name: &str, words: &[String], description: &str) -> TokenStream {
    let ident = Ident::new(&pascal(name), Span::call_site());
    let variants: Vec<Ident> = words
        .iter()
        .map(|word| Ident::new(&pascal(word), Span::call_site()))
        .collect();
    let docs = words.iter().map(|word| format!("`{word}`"));
    let doc = format!(
        "{}\n\nMore words may come: match with a catch-all.",
        description.trim()
    );
    let count = words.len();
    quote! {
        #[doc = #doc]
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum #ident {
            #(#[doc = #docs] #variants,)*
            /// A word this version does not know, as it came.
            Unknown(::std::string::String),
        }

        impl #ident {
            /// The words this version knows, in the order of the specification.
            pub const WORDS: [&'static str; #count] = [#(#words),*];

            /// The word on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    #(#ident::#variants => #words,)*
                    #ident::Unknown(word) => word,
                }
            }
        }

        impl ::std::convert::From<&str> for #ident {
            fn from(word: &str) -> Self {
                match word {
                    #(#words => #ident::#variants,)*
                    other => #ident::Unknown(other.to_owned()),
                }
            }
        }

        impl ::std::str::FromStr for #ident {
            type Err = ::std::convert::Infallible;

            fn from_str(word: &str) -> ::std::result::Result<Self, Self::Err> {
                Ok(Self::from(word))
            }
        }

        impl ::std::fmt::Display for #ident {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::serde::Serialize for #ident {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for #ident {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::std::result::Result<Self, D::Error> {
                crate::open_enums::deserialize(deserializer)
            }
        }

        #[cfg(feature = "schemars")]
        impl ::schemars::JsonSchema for #ident {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!(#ident).into()
            }

            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                ::schemars::json_schema!({
                    "type": "string",
                    "description": #description,
                    "enum": #ident::WORDS,
                })
            }
        }
    }
}
