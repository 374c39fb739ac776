//! The files of a folder and their lines: what an import reads and an export writes.
//! `crates/cli/docs/import-format.md` describes them.
//!
//! A line is its record in the shape of the wire. What may be left out is left out when it is written: one
//! record has one text. Nothing here reads or writes.

pub(crate) mod datasources;
#[cfg(test)]
mod format;
pub(crate) mod store;
pub(crate) mod types;
pub(crate) mod values;

/// Every resource, in an order in which what is referred to comes first. A file is `<name>.jsonl`.
pub(crate) const RESOURCES: [&str; 14] = [
    // What later stamps and ids have to be above, ahead of what gets some.
    "store",
    "projects",
    "areas",
    "groups",
    "users",
    "boards",
    "data_lists",
    "incident_types",
    "incidents",
    "incident_comments",
    "improvement_categories",
    "improvements",
    "datasources",
    "datasource_values",
];

/// A line longer than this is no line: 16 MiB. It keeps a wrong file from filling the memory.
pub(crate) const LONGEST_LINE: u64 = 16 << 20;
