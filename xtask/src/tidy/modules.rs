//! Circles among modules. The modules of a folder may use each other in one direction only; inside one module
//! recursion is free.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::shown;
use crate::process::root;

/// Folders inside a crate whose modules are large enough to be checked as its top modules are.
const INNER: [&str; 2] = ["crates/cli/src/pull", "crates/cli/src/sync"];

/// Files that are named for each arrow of a circle.
const NAMED_FILES: usize = 3;

/// A path from the root of a crate: `["http", "call"]`.
type ModulePath = Vec<String>;

/// Which module uses which, each with the files that do.
type Graph = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Every circle among the top modules of a crate, and among those of the folders above.
pub(super) fn faults(files: &[PathBuf]) -> Result<Vec<String>> {
    let sources = files
        .iter()
        .filter(|file| file.ends_with("src/lib.rs") || file.ends_with("src/main.rs"));
    let mut faults = BTreeSet::new();
    for folder in sources.filter_map(|file| file.parent()) {
        let modules = modules(folder, files)?;
        let mut folders = vec![ModulePath::new()];
        for inner in INNER {
            if let Ok(path) = root().join(inner).strip_prefix(folder) {
                folders.push(
                    path.iter()
                        .map(|part| part.to_string_lossy().into_owned())
                        .collect(),
                );
            }
        }
        for parent in folders {
            let location = folder.join(parent.iter().collect::<PathBuf>());
            for circle in circles(&graph(&modules, &parent)) {
                faults.insert(format!("{}: {circle}", shown(&location)));
            }
        }
    }
    Ok(faults.into_iter().collect())
}

/// One file of a crate.
struct Module {
    path: ModulePath,
    /// The file, as it is shown.
    file: String,
    uses: Uses,
}

/// The paths of its own crate that a file names.
#[derive(Default)]
struct Uses {
    /// The module that the visitor is in.
    here: ModulePath,
    /// Paths from the root of the crate.
    used: BTreeSet<ModulePath>,
    /// Names that `use` brings into the module, with their origin.
    imported: BTreeMap<String, ModulePath>,
}

fn modules(folder: &Path, files: &[PathBuf]) -> Result<Vec<Module>> {
    let mut modules = Vec::new();
    for file in files {
        let Ok(inside) = file.strip_prefix(folder) else {
            continue;
        };
        if inside.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let mut path: ModulePath = inside
            .with_extension("")
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if path.iter().any(|part| part == "tests") {
            continue;
        }
        if matches!(
            path.last().map(String::as_str),
            Some("mod" | "lib" | "main")
        ) {
            path.pop();
        }
        let text = fs::read_to_string(file).with_context(|| shown(file))?;
        let parsed = syn::parse_file(&text).with_context(|| shown(file))?;
        let mut uses = Uses {
            here: path.clone(),
            ..Uses::default()
        };
        uses.visit_file(&parsed);
        modules.push(Module {
            path,
            file: shown(file),
            uses,
        });
    }
    Ok(modules)
}

/// Which of the modules right under `parent` uses which.
fn graph(modules: &[Module], parent: &[String]) -> Graph {
    let child = |path: &[String]| Some(path.strip_prefix(parent)?.first()?.clone());
    let children: BTreeSet<String> = modules
        .iter()
        .filter_map(|module| child(&module.path))
        .collect();
    let exported: BTreeMap<&String, &ModulePath> = modules
        .iter()
        .filter(|module| module.path == parent)
        .flat_map(|module| &module.uses.imported)
        .collect();
    let mut graph = Graph::new();
    for module in modules {
        let Some(from) = child(&module.path) else {
            continue;
        };
        for used in &module.uses.used {
            let Some(mut to) = child(used) else { continue };
            if !children.contains(&to) {
                // The parent may re-export what another of its modules declares.
                match exported.get(&to).and_then(|origin| child(origin)) {
                    Some(origin) => to = origin,
                    None => continue,
                }
            }
            if to != from && children.contains(&to) {
                let files = graph
                    .entry(from.clone())
                    .or_default()
                    .entry(to)
                    .or_default();
                files.insert(module.file.clone());
            }
        }
    }
    graph
}

/// Each set of modules of which everyone reaches everyone else, with the files that make it so.
fn circles(graph: &Graph) -> Vec<String> {
    let reach = |start: &String| {
        let mut reached = BTreeSet::new();
        let mut next = vec![start];
        while let Some(module) = next.pop() {
            for to in graph.get(module).into_iter().flat_map(BTreeMap::keys) {
                if reached.insert(to.clone()) {
                    next.push(to);
                }
            }
        }
        reached
    };
    let reached: BTreeMap<&String, BTreeSet<String>> =
        graph.keys().map(|module| (module, reach(module))).collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &reached {
        if others.contains(*module) {
            let back = |other: &&String| {
                reached
                    .get(other)
                    .is_some_and(|back| back.contains(*module))
            };
            circles.insert(others.iter().filter(back).cloned().collect::<BTreeSet<_>>());
        }
    }
    let described = circles.iter().map(|circle| {
        let arrows = circle
            .iter()
            .flat_map(|from| graph.get(from).into_iter().map(move |to| (from, to)));
        let arrows = arrows.flat_map(|(from, to)| {
            to.iter()
                .filter(|(to, _)| circle.contains(*to))
                .map(move |(to, files)| {
                    let named: Vec<&str> =
                        files.iter().map(String::as_str).take(NAMED_FILES).collect();
                    let more = match files.len().saturating_sub(NAMED_FILES) {
                        0 => String::new(),
                        more => format!(" and {more} more"),
                    };
                    format!("  {from} uses {to} in {}{more}", named.join(", "))
                })
        });
        let names: Vec<&str> = circle.iter().map(String::as_str).collect();
        format!(
            "modules in a circle: {}\n{}",
            names.join(", "),
            arrows.collect::<Vec<_>>().join("\n")
        )
    });
    described.collect()
}

impl Uses {
    /// The path from the root of the crate, if it is one of this crate.
    fn resolve(&self, segments: &[String]) -> Option<ModulePath> {
        let mut path = match segments.first()?.as_str() {
            "crate" => ModulePath::new(),
            "self" | "super" => self.here.clone(),
            _ => return None,
        };
        for segment in segments {
            match segment.as_str() {
                "crate" | "self" => {}
                "super" => {
                    path.pop();
                }
                name => path.push(name.to_owned()),
            }
        }
        Some(path)
    }

    fn add(&mut self, segments: &[String]) {
        if let Some(path) = self.resolve(segments) {
            self.used.insert(path);
        }
    }

    fn tree(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.tree(&path.tree, &with(&path.ident)),
            syn::UseTree::Name(name) => self.import(&with(&name.ident), name.ident.to_string()),
            syn::UseTree::Rename(name) => self.import(&with(&name.ident), name.rename.to_string()),
            syn::UseTree::Glob(_) => self.add(before),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.tree(item, before));
            }
        }
    }

    fn import(&mut self, segments: &[String], name: String) {
        self.add(segments);
        // `mod x; pub use x::Y;` names a child module without `self`.
        let of_here = || Some([self.here.as_slice(), segments].concat());
        if let Some(origin) = self.resolve(segments).or_else(of_here) {
            self.imported.insert(name, origin);
        }
    }

    /// Paths in the arguments of a macro, which are no syntax before it expands.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(first) => {
                    let mut segments = vec![first.to_string()];
                    let mut rest = &tokens[at + 1..];
                    while let [
                        TokenTree::Punct(a),
                        TokenTree::Punct(b),
                        TokenTree::Ident(next),
                        ..,
                    ] = rest
                        && a.as_char() == ':'
                        && b.as_char() == ':'
                    {
                        segments.push(next.to_string());
                        rest = &rest[3..];
                    }
                    self.add(&segments);
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.here.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.here.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        self.add(&segments);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.tokens(invocation.tokens.clone());
        visit::visit_macro(self, invocation);
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        _ => &[],
    }
}

/// Tests may use any module.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|condition| condition == "test")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str, text: &str) -> Module {
        let path: ModulePath = path
            .split("::")
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        let mut uses = Uses {
            here: path.clone(),
            ..Uses::default()
        };
        uses.visit_file(&syn::parse_file(text).expect("Rust"));
        Module {
            file: format!("{}.rs", path.join("/")),
            path,
            uses,
        }
    }

    fn found(modules: &[(&str, &str)]) -> Vec<String> {
        let modules: Vec<Module> = modules
            .iter()
            .map(|(path, text)| module(path, text))
            .collect();
        circles(&graph(&modules, &[]))
    }

    #[test]
    fn a_circle_is_named_with_the_files_that_close_it() {
        let modules = [
            ("", "mod a; mod b; mod c;"),
            ("a::inner", "use crate::{b::{B, Other}, c::C};"),
            ("b", "fn f() { vec![super::a::inner::g(1)]; }"),
            ("c", "use std::fmt; use super::c::own;"),
        ];
        assert_eq!(
            found(&modules),
            ["modules in a circle: a, b\n  a uses b in a/inner.rs\n  b uses a in b.rs"]
        );
    }

    #[test]
    fn a_name_that_the_root_passes_on_belongs_to_the_module_that_declares_it() {
        let modules = [
            ("", "mod a; mod b; pub use b::Thing;"),
            ("a", "use crate::Thing;"),
            ("b", "impl From<crate::a::A> for Thing {}"),
        ];
        assert_eq!(found(&modules).len(), 1);
    }

    #[test]
    fn tests_and_what_is_inside_one_module_are_free() {
        let modules = [
            ("", "mod a; mod b;"),
            ("a", "use crate::b::B; mod own { use super::super::a::A; }"),
            ("b", "#[cfg(test)] mod tests { use crate::a::A; }"),
        ];
        assert!(found(&modules).is_empty());
    }
}
