//! The stages together: query strings evaluated by SQLite and by PostgreSQL on the fixture of
//! `tests/data/semantic_cases.json`.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test that can't go on says so by panicking, as the test would"
)]

mod aggregation;
mod attacks;
mod csdl;
mod evaluator;
mod expand;
mod folding;
mod functions_postgres;
mod fuzz;
mod harness;
mod language;
mod limits;
mod lookup;
mod messages;
mod model;
mod numbers;
mod paging;
mod plans;
mod query;
mod semantics;
mod semi_joins;
mod store;
mod visibility;
