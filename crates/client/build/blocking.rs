//! Writes the methods of `obeya::blocking` from the source of the asynchronous ones: each is written once.
//!
//! It reads the `impl` blocks of the types below. What a method does stays in its source: the one written
//! here calls it and waits. Methods that take an asynchronous closure are left out; `src/blocking/mod.rs` has
//! these.

use std::path::{Path, PathBuf};

use quote::{ToTokens as _, quote};
use syn::{
    Attribute, FnArg, GenericParam, Ident, ImplItem, ImplItemFn, Item, ItemImpl, Pat, ReturnType,
    Signature, Type, UseTree, Visibility,
};

/// The modules that only the feature `arrow` has.
const ARROW: [&str; 4] = [
    "crate::arrow",
    "crate::batches",
    "crate::transformed_list::columns",
    "crate::values::batches",
];

/// The types that have a blocking form.
const TYPES: [&str; 25] = [
    "Areas",
    "BoardTasks",
    "Boards",
    "Client",
    "Comments",
    "DataLists",
    "Datasources",
    "Edit",
    "Get",
    "Groups",
    "Improvements",
    "Incidents",
    "List",
    "Projects",
    "Records",
    "Tasks",
    "TransformedList",
    "Trash",
    "TypeDetail",
    "Types",
    "Users",
    "ValueAggregate",
    "Values",
    "ValuesByPeriod",
    "WholeList",
];

/// Writes `blocking.rs` into `out`, which has the generated builders of edits already.
///
/// # Panics
/// On a file that cannot be read, and on an asynchronous method of a type that has no blocking form.
pub fn write(source: &Path, out: &Path) {
    println!("cargo::rerun-if-changed={}", source.display());
    let options = option_methods(read(&source.join("query.rs")));
    let mut files = Vec::new();
    find(source, "crate", &mut files);
    let modules = files
        .iter()
        .map(|(file, path)| module(read(file), path, &options));
    let edits = module(read(&out.join("edits.rs")), "crate::edit", &options);
    let file = syn::parse2(quote!(#(#modules)* #edits)).expect("the modules are whole");
    std::fs::write(out.join("blocking.rs"), prettyplease::unparse(&file)).expect("written");
}

fn read(path: &Path) -> syn::File {
    let text = std::fs::read_to_string(path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a folder, which is this module, each with the path of its module.
fn find(folder: &Path, module: &str, found: &mut Vec<(PathBuf, String)>) {
    let entries = std::fs::read_dir(folder).expect("a folder of the source");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        let name = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("UTF-8");
        let inner = match name {
            "blocking" | "tests" => continue,
            "lib" | "mod" => module.to_owned(),
            _ => format!("{module}::{name}"),
        };
        match path.is_dir() {
            true => find(&path, &inner, found),
            false => found.push((path, inner)),
        }
    }
}

/// The methods that the macro `option_methods` gives to the requests of v2.
fn option_methods(file: syn::File) -> Vec<ImplItem> {
    let made = file.items.into_iter().find_map(|item| match item {
        Item::Macro(made)
            if made
                .ident
                .as_ref()
                .is_some_and(|name| name == "option_methods") =>
        {
            Some(made.mac.tokens)
        }
        _ => None,
    });
    let tokens = made.expect("query.rs has option_methods");
    // `() => { methods };`
    let methods = tokens.into_iter().find_map(|tree| match tree {
        proc_macro2::TokenTree::Group(group)
            if group.delimiter() == proc_macro2::Delimiter::Brace =>
        {
            Some(group.stream())
        }
        _ => None,
    });
    let methods = methods.expect("option_methods has a body");
    let block: ItemImpl = syn::parse2(quote!(impl T { #methods })).expect("methods");
    block.items
}

/// A module with the blocking methods of one file, which names types as the file does.
fn module(file: syn::File, path: &str, options: &[ImplItem]) -> proc_macro2::TokenStream {
    let mut imports = Vec::new();
    let mut blocks = Vec::new();
    for item in file.items {
        match item {
            Item::Use(item) => leaves(&item.tree, "", &mut imports),
            Item::Impl(block) if block.trait_.is_none() => blocks.extend(blocking(&block, options)),
            _ => {}
        }
    }
    if blocks.is_empty() {
        return proc_macro2::TokenStream::new();
    }
    let text = quote!(#(#blocks)*).to_string();
    let used = |name: &String| {
        text.split(|c: char| !is_of_name(c))
            .any(|word| word == name)
    };
    let uses = imports
        .iter()
        .filter(|(name, _)| used(name))
        .map(|(_, from)| {
            let from = match from.split_once("::") {
                Some(("self", rest)) => format!("{path}::{rest}"),
                Some(("super", rest)) => {
                    let (parent, _) = path.rsplit_once("::").expect("a module in the crate");
                    format!("{parent}::{rest}")
                }
                _ => from.clone(),
            };
            let from: syn::Path = syn::parse_str(&from).expect("a path");
            quote!(use #from;)
        });
    let cfg = ARROW
        .contains(&path)
        .then(|| quote!(#[cfg(feature = "arrow")]));
    let wrapper = ["Blocking", "Iter"]
        .into_iter()
        .filter(|name| used(&(*name).to_owned()));
    let wrapper = wrapper.map(|name| Ident::new(name, proc_macro2::Span::call_site()));
    quote! {
        #cfg
        const _: () = {
            use crate::*;
            #(use crate::blocking::#wrapper;)*
            #(#uses)*
            #(#blocks)*
        };
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The imported names, each with its path.
fn leaves(tree: &UseTree, before: &str, found: &mut Vec<(String, String)>) {
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &format!("{before}{}::", path.ident), found),
        // A module is no type.
        UseTree::Name(name) if name.ident != "self" => {
            found.push((name.ident.to_string(), format!("{before}{}", name.ident)));
        }
        UseTree::Group(group) => {
            for item in &group.items {
                leaves(item, before, found);
            }
        }
        _ => {}
    }
}

/// The block of the blocking form, if the type has one and the block has public methods.
fn blocking(block: &ItemImpl, options: &[ImplItem]) -> Option<proc_macro2::TokenStream> {
    let own = &block.self_ty;
    if named(own).is_none() {
        // The items of a stream are those of an iterator.
        let name = own.to_token_stream().to_string();
        let waits = |item: &ImplItem| matches!(item, ImplItem::Fn(method) if is_async(method));
        assert!(
            name.starts_with("Paged") || !block.items.iter().any(waits),
            "{name} has asynchronous methods and no blocking form: add it to TYPES in build/blocking.rs",
        );
        return None;
    }
    let mut methods = Vec::new();
    for item in &block.items {
        match item {
            ImplItem::Fn(method) => methods.extend(self::method(method)),
            ImplItem::Macro(made) if made.mac.path.is_ident("option_methods") => {
                for item in options {
                    if let ImplItem::Fn(method) = item {
                        methods.extend(self::method(method));
                    }
                }
            }
            _ => {}
        }
    }
    if methods.is_empty() {
        return None;
    }
    let (generics, _, bounds) = block.generics.split_for_impl();
    Some(quote! {
        impl #generics Blocking<#own> #bounds {
            #(#methods)*
        }
    })
}

fn is_async(method: &ImplItemFn) -> bool {
    matches!(method.vis, Visibility::Public(_)) && method.sig.asyncness.is_some()
}

/// The blocking form of a method.
fn method(method: &ImplItemFn) -> Option<proc_macro2::TokenStream> {
    let signature = &method.sig;
    if !matches!(method.vis, Visibility::Public(_)) || takes_async_closure(signature) {
        return None;
    }
    let receiver = signature.receiver()?;
    let borrows = matches!(receiver.kind, syn::ReceiverKind::Reference(..));
    let name = &signature.ident;
    let mut names = Vec::new();
    let mut inputs = Vec::new();
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(_) if borrows => inputs.push(quote!(&self)),
            FnArg::Receiver(_) => inputs.push(quote!(self)),
            FnArg::Typed(typed) => {
                let Pat::Ident(pattern) = &*typed.pat else {
                    panic!("{name}: an argument without a name");
                };
                names.push(pattern.ident.clone());
                inputs.push(typed.to_token_stream());
            }
        }
    }
    let call = quote!(self.inner.#name(#(#names),*));
    let (output, body) = answer(signature, &call);
    let docs = docs(&method.attrs);
    // What a blocking form or an iterator is of says so itself.
    let says_so = ["Self", "Blocking", "Iter"];
    let text = output.to_string();
    let is_wrapped = text
        .split(|c| !is_of_name(c))
        .any(|word| says_so.contains(&word));
    let attributes = method.attrs.iter().filter(|attribute| {
        let path = attribute.path();
        path.is_ident("cfg") || (path.is_ident("must_use") && !is_wrapped)
    });
    let (generics, _, bounds) = signature.generics.split_for_impl();
    Some(quote! {
        #(#docs)*
        #(#attributes)*
        pub fn #name #generics (#(#inputs),*) #output #bounds {
            #body
        }
    })
}

/// What the blocking form returns, and how it gets it.
fn answer(
    signature: &Signature,
    call: &proc_macro2::TokenStream,
) -> (proc_macro2::TokenStream, proc_macro2::TokenStream) {
    let ReturnType::Type(_, output) = &signature.output else {
        panic!("{}: a method that returns nothing", signature.ident);
    };
    if signature.asyncness.is_some() {
        return (quote!(-> #output), quote!(self.runtime.wait(#call)));
    }
    let text = output.to_token_stream().to_string();
    if text == "Self" {
        return (
            quote!(-> Self),
            quote!(Self { inner: #call, runtime: self.runtime.clone() }),
        );
    }
    if text == "Result < Self >" {
        let body = quote!(Ok(Self { inner: #call?, runtime: self.runtime.clone() }));
        return (quote!(-> #output), body);
    }
    match named(output) {
        Some(_) => (
            quote!(-> Blocking<#output>),
            quote!(Blocking { inner: #call, runtime: self.runtime.clone() }),
        ),
        None => match paged(output) {
            Some(item) => (
                quote!(-> Iter<#item>),
                quote!(Iter::new(#call, self.runtime.clone())),
            ),
            None => (quote!(-> #output), call.clone()),
        },
    }
}

/// The last word of a type that has a blocking form.
fn named(kind: &Type) -> Option<String> {
    let Type::Path(path) = kind else { return None };
    let name = path.path.segments.last()?.ident.to_string();
    TYPES.contains(&name.as_str()).then_some(name)
}

/// The items of `Paged<…>`.
fn paged(kind: &Type) -> Option<proc_macro2::TokenStream> {
    let Type::Path(path) = kind else { return None };
    let last = path.path.segments.last()?;
    if last.ident != "Paged" {
        return None;
    }
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    Some(arguments.args.to_token_stream())
}

/// Whether a method takes a closure that returns a future.
fn takes_async_closure(signature: &Signature) -> bool {
    signature
        .generics
        .params
        .iter()
        .any(|parameter| match parameter {
            GenericParam::Type(kind) => kind
                .bounds
                .to_token_stream()
                .to_string()
                .split_whitespace()
                .any(|word| word == "Future"),
            _ => false,
        })
}

/// The lines of documentation without the examples, which are asynchronous.
fn docs(attributes: &[Attribute]) -> Vec<proc_macro2::TokenStream> {
    let mut inside = false;
    let mut lines = Vec::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
    {
        let fenced = match &attribute.meta {
            syn::Meta::NameValue(pair) => pair.value.to_token_stream().to_string().contains("```"),
            _ => false,
        };
        if fenced {
            inside = !inside;
        } else if !inside {
            lines.push(attribute.to_token_stream());
        }
    }
    lines
}
