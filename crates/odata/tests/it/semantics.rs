//! Every case of `tests/data/semantic_cases.json`; the expected ids come from the specification's text, not
//! from us.

use serde_json::Value as Json;

use crate::model::entity;
use crate::store::{Store, cases, encode, on_each_engine};

fn text<'a>(case: &'a Json, field: &str) -> &'a str {
    case[field].as_str().unwrap()
}

fn ids(case: &Json) -> Vec<i64> {
    case["expected_ids"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_i64().unwrap())
        .collect()
}

/// Runs one check on each case of a list and reports all failures, so that one mistake shows its whole
/// extent.
fn each(list: &str, check: impl Fn(&Json) -> Result<(), String>) {
    let all = cases()[list].as_array().unwrap();
    let faults: Vec<String> = all
        .iter()
        .filter_map(|case| {
            check(case)
                .err()
                .map(|fault| format!("{} {}: {fault}", text(case, "id"), text(case, "entity")))
        })
        .collect();
    assert!(
        !all.is_empty() && faults.is_empty(),
        "{} of {} fail:\n{}",
        faults.len(),
        all.len(),
        faults.join("\n")
    );
}

fn filters_select_the_rows_of_the_specification(store: &Store) {
    each("cases", |case| {
        let filter = text(case, "filter");
        let found = store.filter(entity(text(case, "entity")), filter)?;
        if found == ids(case) {
            Ok(())
        } else {
            Err(format!(
                "{filter}: found {found:?}, expected {:?}",
                ids(case)
            ))
        }
    });
}

fn wrong_filters_are_refused_before_a_row_is_read(store: &Store) {
    each("error_cases", |case| {
        let filter = text(case, "filter");
        match crate::store::bind(
            entity(text(case, "entity")),
            &format!("$filter={}", encode(filter)),
        ) {
            Err(error) if error.option == "$filter" => Ok(()),
            Err(error) => Err(format!("{filter}: the fault is laid to {}", error.option)),
            Ok(_) => Err(format!(
                "{filter}: accepted, giving {:?}",
                store.filter(entity(text(case, "entity")), filter)
            )),
        }
    });
}

fn orderings_put_nulls_first_upwards_and_break_ties_by_key(store: &Store) {
    each("orderby_cases", |case| {
        let orderby = text(case, "orderby");
        let found = store.ids(
            entity(text(case, "entity")),
            &format!("$orderby={}", encode(orderby)),
        )?;
        if found == ids(case) {
            Ok(())
        } else {
            Err(format!(
                "{orderby}: found {found:?}, expected {:?}",
                ids(case)
            ))
        }
    });
}

on_each_engine!(
    filters_select_the_rows_of_the_specification,
    wrong_filters_are_refused_before_a_row_is_read,
    orderings_put_nulls_first_upwards_and_break_ties_by_key,
);
