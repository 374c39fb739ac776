//! The public surface of generated code as text, for review in place of the code.

use quote::ToTokens;
use syn::{Fields, ImplItem, Item, Visibility};

use crate::Error;

/// Lists public types with their fields and variants, and public functions with their signatures, in source
/// order.
///
/// # Errors
/// `source` is not Rust.
pub fn surface(source: &str) -> Result<String, Error> {
    let file = syn::parse_file(source)?;
    let mut lines = Vec::new();
    items(&file.items, "", &mut lines);
    lines.push(String::new());
    Ok(lines.join("\n"))
}

fn items(list: &[Item], indent: &str, lines: &mut Vec<String>) {
    for item in list {
        match item {
            Item::Struct(item) if public(&item.vis) => {
                let mut inner = String::new();
                if let Fields::Unnamed(fields) = &item.fields {
                    let types: Vec<String> =
                        fields.unnamed.iter().map(|field| text(&field.ty)).collect();
                    inner = format!("({})", types.join(", "));
                }
                let generics = text(&item.generics);
                lines.push(format!("{indent}struct {}{generics}{inner}", item.ident));
                for field in &item.fields {
                    if let (Some(name), true) = (&field.ident, public(&field.vis)) {
                        lines.push(format!("{indent}  {name}: {}", text(&field.ty)));
                    }
                }
            }
            Item::Enum(item) if public(&item.vis) => {
                lines.push(format!("{indent}enum {}", item.ident));
                for variant in &item.variants {
                    lines.push(format!(
                        "{indent}  {}{}",
                        variant.ident,
                        text(&variant.fields)
                    ));
                }
            }
            Item::Fn(item) if public(&item.vis) => {
                lines.push(format!("{indent}{}", text(&item.sig)));
            }
            Item::Mod(item) if public(&item.vis) => {
                lines.push(format!("{indent}mod {}", item.ident));
                if let Some((_, inner)) = &item.content {
                    items(inner, &format!("{indent}  "), lines);
                }
            }
            Item::Impl(item) if item.trait_.is_none() => {
                for member in &item.items {
                    let (visibility, line) = match member {
                        ImplItem::Fn(method) => (&method.vis, text(&method.sig)),
                        ImplItem::Const(constant) => (
                            &constant.vis,
                            format!("const {}: {}", constant.ident, text(&constant.ty)),
                        ),
                        _ => continue,
                    };
                    if public(visibility) {
                        lines.push(format!("{indent}  {}: {line}", text(&item.self_ty)));
                    }
                }
            }
            _ => {}
        }
    }
}

fn public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Tokens as people write them: without the spaces and the leading paths the generator puts everywhere.
fn text(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for path in [
        ":: std :: option :: ",
        ":: std :: string :: ",
        ":: std :: vec :: ",
        ":: std :: boxed :: ",
        ":: std :: collections :: ",
        ":: std :: result :: ",
        ":: std :: convert :: ",
        "crate :: ",
        ":: obeya_model :: ",
        ":: obeya_odata :: build :: ",
    ] {
        text = text.replace(path, "");
    }
    for (spaced, tight) in [
        (" < ", "<"),
        (" >", ">"),
        ("< ", "<"),
        (" :: ", "::"),
        (":: ", "::"),
        (" ,", ","),
        (" :", ":"),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (",)", ")"),
        (",>", ">"),
        (" ;", ";"),
    ] {
        text = text.replace(spaced, tight);
    }
    text.trim().trim_end_matches(',').to_owned()
}
