//! Query plans of databases: an existing index is used, and a page costs the same wherever it is.
//!
//! Databases report plans in different forms, so each has its own tests.

mod postgres;
mod sqlite;
