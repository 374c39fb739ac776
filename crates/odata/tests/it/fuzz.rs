//! The corpus of the fuzz targets (`fuzz/corpus`), replayed; and every statement that comes of it prepared by
//! the database it is for.

use std::path::Path;

use obeya_odata::OptionName;

use crate::harness::{self, Written};
use crate::store::{Store, on_each_engine};

fn replay(store: &Store, target: &str, run: impl Fn(&str) -> Vec<Written>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let engine = store.dialect().name();
    let mut texts = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        // The targets skip input that is not text, and so no query string; none of it is stored.
        let text = std::fs::read_to_string(&path).unwrap();
        for Written { dialect, statement } in run(&text) {
            if dialect.name() != engine {
                continue;
            }
            if let Err(error) = store.prepare(&statement) {
                panic!("{}: {error}: {}", path.display(), statement.sql);
            }
        }
        texts += 1;
    }
    assert!(texts > 20, "{} holds {texts} texts", folder.display());
}

fn filters(store: &Store) {
    replay(store, "filter", |text| {
        harness::option(OptionName::Filter, text)
    });
}

fn orders(store: &Store) {
    replay(store, "orderby", |text| {
        harness::option(OptionName::OrderBy, text)
    });
}

fn selections(store: &Store) {
    replay(store, "select", |text| {
        harness::option(OptionName::Select, text)
    });
}

fn expansions(store: &Store) {
    replay(store, "expand", |text| {
        harness::option(OptionName::Expand, text)
    });
}

fn transformations(store: &Store) {
    replay(store, "apply", |text| {
        harness::option(OptionName::Apply, text)
    });
}

fn searches(store: &Store) {
    replay(store, "search", |text| {
        harness::option(OptionName::Search, text)
    });
}

fn queries(store: &Store) {
    replay(store, "query", harness::query);
}

on_each_engine!(
    filters,
    orders,
    selections,
    expansions,
    transformations,
    searches,
    queries,
);
