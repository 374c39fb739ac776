//! What the code generator promises, tried on small documents and on the specification itself.

mod fields;
mod generated;
mod lints;
mod records;
mod sdk;
mod small;
mod snapshots;
