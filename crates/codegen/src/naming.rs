//! How names of the specification become Rust names, by the generator's rules, so that collisions can be
//! predicted.

use heck::{ToPascalCase, ToSnakeCase};

/// A type or variant name.
pub(crate) fn pascal(name: &str) -> String {
    identifier(ToPascalCase::to_pascal_case(dashed(name).as_str()))
}

/// A field, parameter or method name.
pub(crate) fn snake(name: &str) -> String {
    identifier(ToSnakeCase::to_snake_case(dashed(name).as_str()))
}

/// Characters that an identifier cannot contain separate words: `$filter` → `filter`, `@odata.count` →
/// `odata-count`.
fn dashed(name: &str) -> String {
    name.replace('\'', "")
        .replace(|c: char| !(c.is_alphanumeric() || c == '_'), "-")
}

fn identifier(name: String) -> String {
    if name.is_empty() {
        return "x".to_owned();
    }
    let name = if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name
    };
    if syn::parse_str::<syn::Ident>(&name).is_ok() {
        name
    } else {
        format!("{name}_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_names_become_rust_names() {
        assert_eq!(snake("$filter"), "filter");
        assert_eq!(snake("@odata.nextLink"), "odata_next_link");
        assert_eq!(snake("type"), "type_");
        assert_eq!(snake("areaId"), "area_id");
        assert_eq!(snake("dimension2"), "dimension2");
        assert_eq!(pascal("listAreas"), "ListAreas");
        assert_eq!(pascal("GENERAL"), "General");
        assert_eq!(pascal("SmartActionList"), "SmartActionList");
        assert_eq!(pascal("3rd"), "_3rd");
    }
}
