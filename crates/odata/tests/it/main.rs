//! The stages together: query strings evaluated by SQLite on the fixture of `tests/data/semantic_cases.json`.

mod attacks;
mod expand;
mod messages;
mod model;
mod query;
mod semantics;
mod store;
