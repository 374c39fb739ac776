//! How a database goes about a statement: an index that is there is used, and a page costs the same wherever
//! it lies.
//!
//! Databases tell that in words of their own, so each has its own tests.

mod postgres;
mod sqlite;
