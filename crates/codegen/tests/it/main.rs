//! Tests of the code generator on small documents and on the real specification.

mod edits;
mod fields;
mod generated;
mod lints;
mod records;
mod sdk;
mod small;
mod snapshots;
