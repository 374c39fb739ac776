//! The columns of every record, generated from the specification: a property may be null there or left out,
//! the key never.
//!
//! Which texts are dictionary-encoded, and where the order is another, is set in
//! `crates/codegen/src/records/columns.rs`.

use super::cell::{Cell, Column, Field, Kind, fields, nullable_fields};

include!(concat!(env!("OUT_DIR"), "/columns.rs"));
