//! The columns of every record, generated from the specification. A column is nullable if its property is
//! nullable or optional; the key never is.
//!
//! `crates/codegen/src/records/columns.rs` sets which texts are dictionary-encoded, and exceptions from the
//! order.

use super::cell::{Cell, Column, Field, Kind, fields, nullable_fields};

include!(concat!(env!("OUT_DIR"), "/columns.rs"));
