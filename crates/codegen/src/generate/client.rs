//! The client: the generator's methods, which only build requests here and are private, with the types of the
//! model and one struct for each call.

use quote::ToTokens;
use syn::{ImplItem, ImplItemFn, Item, ItemImpl, Pat, Stmt, Visibility, parse_quote};

use super::calls;
use crate::Error;
use crate::conventions::RAW_MARK;
use crate::operations::{Operation, tokens};

/// Puts the client's file together.
pub(super) fn file(rest: Vec<Item>, operations: &[Operation]) -> Result<syn::File, Error> {
    let mut items: Vec<Item> = Vec::new();
    let mut modules = Vec::new();
    for item in rest {
        match item {
            // The API crate decides what it re-exports.
            Item::Use(mut item) => {
                item.vis = Visibility::Inherited;
                items.push(Item::Use(item));
            }
            Item::Mod(module) if module.ident == "prelude" => {}
            // The check that the hooks exist, which nothing calls here.
            Item::Const(_) => {}
            Item::Struct(mut item) => {
                // The generator puts the description of the whole document here, written for other readers.
                item.attrs.retain(|attr| !attr.path().is_ident("doc"));
                item.attrs
                    .push(parse_quote!(#[doc = "The service at one base URL. Cheap to clone."]));
                items.push(Item::Struct(item));
            }
            Item::Impl(mut item) if item.trait_.is_none() => {
                modules.extend(calls::of(&item, operations)?);
                only_build_requests(&mut item)?;
                items.push(without_raw_mark(&item)?);
            }
            other => items.push(other),
        }
    }
    items.insert(
        0,
        parse_quote!(
            use ::obeya_model as types;
        ),
    );
    let operation: syn::File = syn::parse2(tokens(operations))?;
    items.extend(operation.items);
    items.push(parse_quote! {
        /// One struct for each operation, its parameters as fields: set those you need, then call `send`.
        pub mod call {
            use super::{Client, Operation, types};

            #(#modules)*
        }
    });
    Ok(syn::File {
        shebang: None,
        frontmatter: None,
        attrs: Vec::new(),
        items,
    })
}

/// Positional methods sort their parameters by wire name: `$filter` and `$orderby`, both `Option<&str>`,
/// could be swapped without an error. So they are private to the crate. `new` is removed: it sets its own
/// timeout, and unwraps.
fn only_build_requests(item: &mut ItemImpl) -> Result<(), Error> {
    item.items
        .retain(|member| !matches!(member, ImplItem::Fn(method) if method.sig.ident == "new"));
    for member in &mut item.items {
        if let ImplItem::Fn(method) = member {
            method.vis = parse_quote!(pub(crate));
            if method.sig.asyncness.take().is_some() {
                end_with_request(method)?;
            }
        }
    }
    Ok(())
}

/// Removes what follows the request. The generated code sends it through hooks that return
/// `reqwest::Response`, which cannot be made of bytes on every target, and cannot return an error of ours.
fn end_with_request(method: &mut ImplItemFn) -> Result<(), Error> {
    let statements = &mut method.block.stmts;
    let request = statements.iter_mut().enumerate().find_map(|(index, it)| {
        let Stmt::Local(local) = it else { return None };
        let Pat::Ident(name) = &mut local.pat else {
            return None;
        };
        (name.ident == "request").then(|| {
            local.attrs.clear();
            name.mutability = None;
            index
        })
    });
    let Some(request) = request else {
        let name = &method.sig.ident;
        return Err(Error::Code(format!("`{name}` does not build a request")));
    };
    statements.truncate(request + 1);
    statements.push(Stmt::Expr(parse_quote!(Ok(request)), None));
    method.sig.output = parse_quote!(-> Result<::reqwest::Request, Error>);
    Ok(())
}

/// A raw twin has an artificial path, because the generator accepts each path once. The request must go to
/// the real one.
fn without_raw_mark(item: &ItemImpl) -> Result<Item, Error> {
    let source = item.to_token_stream().to_string();
    Ok(syn::parse_str(&source.replace(RAW_MARK, ""))?)
}
