//! The language by its sections: conditions without a property, whose truth the specification's text alone
//! decides.
//!
//! A condition is true when every row is selected by it, false when every row is selected by its negation,
//! and null when neither selects any. Quotations are from OData 4.01 Part 2 (URL conventions), section 5,
//! unless another document is named.

mod functions;
mod operators;
mod times;

use crate::model::AREA;
use crate::store::{Store, bind, encode};

const TRUE: Option<bool> = Some(true);
const FALSE: Option<bool> = Some(false);

fn truth(store: &Store, condition: &str) -> Option<bool> {
    let selects = |filter: &str| {
        let found = store.filter(&AREA, filter);
        let found = found.unwrap_or_else(|error| panic!("{filter}: {error}"));
        assert!(
            found.is_empty() || found.len() == 7,
            "{filter} is about the rows"
        );
        !found.is_empty()
    };
    match (selects(condition), selects(&format!("not ({condition})"))) {
        (true, false) => TRUE,
        (false, true) => FALSE,
        (false, false) => None,
        (true, true) => panic!("{condition} is true and false"),
    }
}

fn check(store: &Store, cases: &[(&str, Option<bool>)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(condition, expected)| {
            let found = truth(store, condition);
            (found != *expected).then(|| format!("{condition} is {found:?}, expected {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn refused(cases: &[(&str, &str)]) {
    for (filter, code) in cases {
        match bind(&AREA, &format!("$filter={}", encode(filter))) {
            Ok(_) => panic!("{filter} is taken"),
            Err(error) => assert_eq!(error.code(), *code, "{filter}: {error}"),
        }
    }
}
