//! The codes of problems: one list in three documents and in the source must be the same everywhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::schema::SPEC;

#[test]
fn the_codes_are_the_same_wherever_they_are_listed() {
    let listed = in_the_readme();
    assert!(listed.len() > 30, "{listed:?}");
    let code = &SPEC["components"]["schemas"]["Problem"]["properties"]["code"];
    let by_status = code["x-obeya-error-codes"].as_object().expect("codes");
    let in_the_schema: BTreeSet<String> = by_status
        .iter()
        .flat_map(|(status, codes)| {
            let codes = codes.as_array().into_iter().flatten();
            codes.map(move |code| format!("{status} {}", code.as_str().unwrap_or_default()))
        })
        .collect();
    assert_eq!(in_the_schema, listed);
}

#[test]
fn the_service_produces_the_listed_codes_and_no_others() {
    let listed: BTreeSet<String> = in_the_readme()
        .iter()
        .filter_map(|line| line.split_once(' '))
        .map(|(_, code)| code.to_owned())
        .collect();
    let families: BTreeSet<&str> = listed
        .iter()
        .filter_map(|code| code.split_once('.'))
        .map(|(family, _)| family)
        .collect();
    let mut source = String::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in [
        "src",
        "../odata/src",
        "../read/src",
        "../rules/src",
        "../store/src",
    ] {
        read_all(&root.join(folder), &mut source);
    }
    // Where libpq expects the certificate of a client.
    let files = ["user.crt", "user.key"];
    let produced: BTreeSet<String> = source
        .split('"')
        .filter(|text| !files.contains(text))
        .filter(|text| match text.split_once('.') {
            Some((family, rest)) => {
                families.contains(family)
                    && !rest.is_empty()
                    && rest
                        .bytes()
                        .all(|byte| byte == b'_' || byte.is_ascii_lowercase())
            }
            None => listed.contains(*text),
        })
        .map(str::to_owned)
        .collect();
    assert_eq!(produced, listed);
}

/// The table of the specification's README: `404 not_found`…
fn in_the_readme() -> BTreeSet<String> {
    include_str!("../../../../../spec/README.md")
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.split(" | ");
            let status = cells.next()?;
            status.parse::<u16>().ok()?;
            Some(format!("{status} {}", quoted(cells.next()?)?))
        })
        .collect()
}

fn quoted(word: &str) -> Option<&str> {
    word.trim_end_matches(',')
        .strip_prefix('`')?
        .strip_suffix('`')
}

fn read_all(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder of the source") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_all(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&fs::read_to_string(&path).expect("UTF-8"));
        }
    }
}
