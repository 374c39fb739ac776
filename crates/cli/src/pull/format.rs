//! The forms a pull can have.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// A line for each record and one for the names: RFC 4180, lists as JSON text
    Csv,
    /// A JSON object on each line, as the service has it
    #[value(alias = "jsonl")]
    Ndjson,
    /// Apache Parquet
    Parquet,
    /// An Apache Arrow stream
    Arrow,
}

impl Format {
    /// The endings that tell a form.
    pub(crate) const ENDINGS: &str = ".csv, .ndjson, .jsonl, .parquet, .arrow or .arrows";

    /// The form that a file's name tells.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        let ending = file.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Some(Self::Csv),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "parquet" => Some(Self::Parquet),
            "arrow" | "arrows" => Some(Self::Arrow),
            _ => None,
        }
    }

    /// Whether it is made of columns, which instants enter without their seventh digit.
    pub(crate) fn is_columnar(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow)
    }
}
