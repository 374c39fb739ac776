//! One struct for each operation, so that parameters are passed by name and never by position.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, ReturnType, Type};

use super::model::option_of;
use crate::Error;
use crate::naming::{pascal, snake};
use crate::operations::Operation;

/// The structs for the methods of an `impl Client`. A method that is no operation is skipped.
pub(super) fn of(item: &ItemImpl, operations: &[Operation]) -> Result<Vec<TokenStream>, Error> {
    let mut by_method = BTreeMap::new();
    for operation in operations {
        let method = snake(&operation.id);
        if operation.raw_variant {
            by_method.insert(format!("{method}_raw"), (operation, true));
        }
        by_method.insert(method, (operation, false));
    }
    item.items
        .iter()
        .filter_map(|member| match member {
            ImplItem::Fn(method) => Some(method),
            _ => None,
        })
        .filter_map(|method| {
            let (operation, raw) = by_method.get(&method.sig.ident.to_string())?;
            Some(call(method, operation, *raw))
        })
        .collect()
}

/// A parameter of a generated method.
struct Argument<'a> {
    name: &'a Ident,
    ty: &'a Type,
    doc: String,
}

impl Argument<'_> {
    fn is_optional(&self) -> bool {
        // A body is required even if it is nullable: an omitted one would be sent as `null`, which clears
        // something.
        self.name != "body" && option_of(self.ty).is_some()
    }
}

fn call(method: &ImplItemFn, operation: &Operation, raw: bool) -> Result<TokenStream, Error> {
    let arguments = arguments(method, operation);
    let success = success_type(method)?;
    let suffix = if raw { "Raw" } else { "" };
    // Also of an operation that has no other answer, such as the content of a file.
    let returns_bytes = raw || success.to_token_stream().to_string() == "ByteStream";
    let ident = Ident::new(
        &format!("{}{suffix}", pascal(&operation.id)),
        Span::call_site(),
    );
    let variant = Ident::new(&pascal(&operation.id), Span::call_site());
    let name = &method.sig.ident;

    let borrows = arguments
        .iter()
        .any(|argument| argument.ty.to_token_stream().to_string().contains("'a"));
    let lifetime = borrows.then(|| quote!(<'a>));
    let any = borrows.then(|| quote!(<'_>));
    let required: Vec<&Argument<'_>> = arguments.iter().filter(|it| !it.is_optional()).collect();
    let optional: Vec<&Argument<'_>> = arguments.iter().filter(|it| it.is_optional()).collect();

    let doc = doc(operation, raw);
    let fields = arguments.iter().map(|argument| {
        let Argument { name, ty, doc } = argument;
        quote!(#[doc = #doc] pub #name: #ty,)
    });
    let default = required.is_empty().then(|| quote!(, Default));
    let positions = positions(method);
    let constructor = (!required.is_empty()).then(|| {
        let parameters = required
            .iter()
            .map(|Argument { name, ty, .. }| quote!(#name: #ty));
        let given = required.iter().map(|argument| argument.name);
        let none = optional.iter().map(|argument| argument.name);
        quote! {
            impl #lifetime #ident #lifetime {
                /// With what is required; everything else is left out.
                #[must_use]
                pub const fn new(#(#parameters),*) -> Self {
                    Self { #(#given,)* #(#none: None,)* }
                }
            }
        }
    });
    // JSON has no form for every number.
    let body = arguments.iter().find(|argument| argument.name == "body");
    let check = body.map(|argument| {
        let name = argument.name;
        quote!(crate::check_numbers(&self.#name).map_err(|found| crate::Error::Request(found.to_string()))?;)
    });
    let (output, reader) = if returns_bytes {
        (quote!(::bytes::Bytes), quote!(bytes))
    } else if matches!(success, Type::Tuple(tuple) if tuple.elems.is_empty()) {
        (quote!(()), quote!(empty))
    } else {
        (quote!(#success), quote!(json))
    };
    Ok(quote! {
        #[doc = #doc]
        #[derive(Clone, Copy, Debug #default)]
        pub struct #ident #lifetime {
            #(#fields)*
        }

        #constructor

        impl #ident #any {
            /// The operation it calls.
            pub const OPERATION: Operation = Operation::#variant;

            /// Sends the request.
            ///
            /// # Errors
            /// The executor gave up, the service refused, or the answer does not match the specification.
            pub async fn send(
                &self,
                client: &Client,
            ) -> ::std::result::Result<crate::Reply<#output>, crate::Error> {
                #check
                let request = client.#name(#(self.#positions),*).map_err(crate::Error::from_generated)?;
                let answer = client.exchange(Self::OPERATION, request).await?;
                crate::reply::#reader(answer)
            }
        }

        impl crate::Call for #ident #any {
            type Output = #output;

            const OPERATION: Operation = Self::OPERATION;

            async fn send(
                &self,
                client: &Client,
            ) -> ::std::result::Result<crate::Reply<#output>, crate::Error> {
                Self::send(self, client).await
            }
        }
    })
}

fn doc(operation: &Operation, raw: bool) -> String {
    let head = if operation.summary.is_empty() {
        operation.id.clone()
    } else {
        operation.summary.clone()
    };
    let line = format!("{head}: `{} {}`.", operation.method, operation.path);
    if raw {
        format!(
            "{line}\n\nAnswered with the bytes as they came, in whatever media type `accept` obtained."
        )
    } else {
        line
    }
}

/// The names of the parameters in the order the generated method takes them.
fn positions(method: &ImplItemFn) -> Vec<&Ident> {
    let typed = method.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(&*typed.pat),
        FnArg::Receiver(_) => None,
    });
    typed
        .filter_map(|pattern| match pattern {
            Pat::Ident(pattern) => Some(&pattern.ident),
            _ => None,
        })
        .collect()
}

fn arguments<'a>(method: &'a ImplItemFn, operation: &Operation) -> Vec<Argument<'a>> {
    let position = |argument: &Argument<'_>| {
        let known = operation.parameters.iter();
        known
            .map(|parameter| snake(&parameter.name))
            .position(|name| *argument.name == name)
    };
    let mut arguments: Vec<Argument<'a>> = method
        .sig
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => Some(typed),
            FnArg::Receiver(_) => None,
        })
        .filter_map(|typed| match &*typed.pat {
            Pat::Ident(pattern) => Some((&pattern.ident, &*typed.ty)),
            _ => None,
        })
        .map(|(name, ty)| {
            let described = operation
                .parameters
                .iter()
                .find(|parameter| *name == snake(&parameter.name));
            let doc = match described {
                Some(parameter) if parameter.description.is_empty() => {
                    format!("`{}`.", parameter.name)
                }
                Some(parameter) => format!("`{}`: {}", parameter.name, parameter.description),
                None if name == "accept" => "`Accept`: the media types to ask for.".to_owned(),
                None => "The request body.".to_owned(),
            };
            Argument { name, ty, doc }
        })
        .collect();
    // In the order of the specification, the body last.
    arguments.sort_by_key(|argument| position(argument).unwrap_or(usize::MAX));
    arguments
}

/// The `T` of `Result<ResponseValue<T>, Error<E>>`.
fn success_type(method: &ImplItemFn) -> Result<&Type, Error> {
    let unexpected = || Error::Code(format!("`{}` does not return a response", method.sig.ident));
    let ReturnType::Type(_, ty) = &method.sig.output else {
        return Err(unexpected());
    };
    generic(ty).and_then(generic).ok_or_else(unexpected)
}

/// The first type argument of a path type.
fn generic(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let syn::PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments
    else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}
