//! `enum Operation`, as source: one variant for each operation, and constant tables over it.
//!
//! The code depends on `core` only, so the server can include it without depending on the client and the
//! reverse.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::Operation;
use crate::Error;
use crate::naming::pascal;

/// The enum, for the service's route table.
///
/// # Errors
/// The operations' names do not make Rust names; the lint finds that first.
pub fn server_source(operations: &[Operation]) -> Result<String, Error> {
    print(tokens(operations))
}

fn print(tokens: TokenStream) -> Result<String, Error> {
    Ok(prettyplease::unparse(&syn::parse2(tokens)?))
}

fn ident(id: &str) -> Ident {
    Ident::new(&pascal(id), Span::call_site())
}

/// The enum, for the client.
pub(crate) fn tokens(operations: &[Operation]) -> TokenStream {
    let variants: Vec<Ident> = operations.iter().map(|it| ident(&it.id)).collect();
    let docs = operations.iter().map(|operation| {
        let head = format!("`{} {}`", operation.method, operation.path);
        if operation.summary.is_empty() {
            head
        } else {
            format!("{head}: {}", operation.summary)
        }
    });
    let count = operations.len();
    let ids = operations.iter().map(|it| &it.id);
    let methods = operations.iter().map(|it| &it.method);
    let paths = operations.iter().map(|it| &it.path);
    let tags = operations.iter().map(|it| &it.tag);
    let bodies = operations.iter().map(|it| it.has_body);
    let scopes = operations.iter().map(|it| list(&it.scopes));
    let produces = operations.iter().map(|it| list(&it.produces));
    let query = operations.iter().map(|it| list(&it.query));
    quote! {
        /// An operation of the interface.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation {
            #(#[doc = #docs] #variants,)*
        }

        impl Operation {
            /// Every operation, in the order of the specification.
            pub const ALL: [Operation; #count] = [#(Operation::#variants),*];

            /// The operationId of the specification.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { #(Operation::#variants => #ids,)* }
            }

            /// The HTTP method, in capitals.
            #[must_use]
            pub const fn method(self) -> &'static str {
                match self { #(Operation::#variants => #methods,)* }
            }

            /// The path template, with its parameters in braces.
            #[must_use]
            pub const fn path(self) -> &'static str {
                match self { #(Operation::#variants => #paths,)* }
            }

            /// The scopes of which any one suffices.
            #[must_use]
            pub const fn scopes(self) -> &'static [&'static str] {
                match self { #(Operation::#variants => #scopes,)* }
            }

            /// The media types of the success answer, the preferred one first.
            #[must_use]
            pub const fn produces(self) -> &'static [&'static str] {
                match self { #(Operation::#variants => #produces,)* }
            }

            /// The names of the query parameters.
            #[must_use]
            pub const fn query(self) -> &'static [&'static str] {
                match self { #(Operation::#variants => #query,)* }
            }

            /// Whether a request body is taken.
            #[must_use]
            pub const fn has_body(self) -> bool {
                match self { #(Operation::#variants => #bodies,)* }
            }

            /// The tag it is filed under.
            #[must_use]
            pub const fn tag(self) -> &'static str {
                match self { #(Operation::#variants => #tags,)* }
            }
        }
    }
}

fn list(words: &[String]) -> TokenStream {
    quote!(&[#(#words),*])
}
