//! The files of a folder and their lines: what an import reads and an export writes.
//! `crates/cli/docs/import-format.md` describes them.
//!
//! A line is a record in the JSON of the interface. A field that may be left out is left out when it is
//! written, so a record has exactly one text. Nothing here reads or writes.

pub(crate) mod datasources;
#[cfg(test)]
mod format;
pub(crate) mod store;
pub(crate) mod types;
pub(crate) mod values;

/// Every resource, ordered so that a record comes after what it refers to. A file is `<name>.jsonl`.
pub(crate) const RESOURCES: [&str; 17] = [
    // The last stamps and ids come before the records that get new ones.
    "store",
    "areas",
    "groups",
    "users",
    "projects",
    "boards",
    "data_lists",
    "incident_types",
    "incidents",
    "incident_comments",
    "improvement_categories",
    "improvements",
    "tasks",
    "task_comments",
    "attachments",
    "datasources",
    "datasource_values",
];

/// Most bytes of a line: 16 MiB. Otherwise a wrong file could exhaust memory.
pub(crate) const LONGEST_LINE: u64 = 16 << 20;

/// The folder, beside the files, with the contents of attachments.
pub(crate) const CONTENTS: &str = "attachments";

/// The name of the content of an attachment in that folder.
pub(crate) fn content_name(id: i32, extension: &str) -> String {
    format!("{id}.{}", extension.to_ascii_lowercase())
}
