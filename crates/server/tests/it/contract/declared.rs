//! The answers that the description of an operation declares, read from its list of errors.

use std::collections::BTreeSet;

use super::schema::Described;

/// The code of a status that the lists of errors write alone.
fn alone(status: &str) -> &'static str {
    match status {
        "401" => "token.missing",
        "403" => "scope.missing",
        "404" => "not_found",
        "406" => "media_type.not_acceptable",
        "413" => "body.too_large",
        "415" => "media_type.unsupported",
        other => panic!("{other} stands without its code"),
    }
}

/// `200` and the errors, such as `404 not_found`.
pub fn answers(operation: &Described) -> BTreeSet<String> {
    let text = operation.text("description");
    let (_, list) = text
        .split_once("Errors specific to this operation:")
        .unwrap_or_else(|| panic!("{} lists no errors", operation.id));
    let mut found = BTreeSet::from(["200".to_owned()]);
    for item in list.split("\n- ").skip(1) {
        let mut status = "";
        let mut has_code = true;
        for word in item.split_whitespace() {
            let bare = word.trim_matches([',', ':', ';']);
            if bare.len() == 3 && bare.starts_with('4') && bare.parse::<u16>().is_ok() {
                if !has_code {
                    found.insert(format!("{status} {}", alone(status)));
                }
                (status, has_code) = (bare, false);
            } else if let Some(code) = bare.strip_prefix('`').and_then(|c| c.strip_suffix('`')) {
                // Names of properties and parameters are in backticks too; a code has a dot, or is the one
                // without.
                if code.contains('.') || code == "not_found" {
                    found.insert(format!("{status} {code}"));
                    has_code = true;
                }
            }
        }
        if !has_code {
            found.insert(format!("{status} {}", alone(status)));
        }
    }
    found
}
