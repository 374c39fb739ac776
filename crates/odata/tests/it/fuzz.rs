//! The corpus of the fuzz targets (`fuzz/corpus`), replayed; and every statement that comes of it prepared by a real database.

use std::path::Path;

use obeya_odata::OptionName;
use obeya_odata::sql::Statement;

use crate::harness;
use crate::store::Store;

fn replay(target: &str, run: impl Fn(&str) -> Vec<Statement>) {
    let store = Store::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let mut texts = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        // The targets skip what is no text, and so no query string; none of it is kept.
        let text = std::fs::read_to_string(&path).unwrap();
        for statement in run(&text) {
            if let Err(error) = store.prepare(&statement) {
                panic!("{}: {error}: {}", path.display(), statement.sql);
            }
        }
        texts += 1;
    }
    assert!(texts > 20, "{} holds {texts} texts", folder.display());
}

#[test]
fn filters() {
    replay("filter", |text| harness::option(OptionName::Filter, text));
}

#[test]
fn orders() {
    replay("orderby", |text| harness::option(OptionName::OrderBy, text));
}

#[test]
fn selections() {
    replay("select", |text| harness::option(OptionName::Select, text));
}

#[test]
fn expansions() {
    replay("expand", |text| harness::option(OptionName::Expand, text));
}

#[test]
fn searches() {
    replay("search", |text| harness::option(OptionName::Search, text));
}

#[test]
fn queries() {
    replay("query", harness::query);
}
