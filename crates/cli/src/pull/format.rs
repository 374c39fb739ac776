//! The file formats of a pull.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// CSV (RFC 4180) with a header line; lists are JSON text
    Csv,
    /// JSON Lines: each record is a JSON object as the service sends it
    #[value(alias = "jsonl")]
    Ndjson,
    /// Apache Parquet
    Parquet,
    /// Apache Arrow IPC stream
    Arrow,
    /// Excel workbook of one sheet: at most 1,048,575 records, instants in UTC; lists are JSON text
    Xlsx,
}

impl Format {
    /// The extensions from which the format is inferred.
    pub(crate) const EXTENSIONS: &str = ".csv, .ndjson, .jsonl, .parquet, .arrow, .arrows or .xlsx";

    /// The format inferred from a file's extension.
    pub(crate) fn from_path(file: &Path) -> Option<Self> {
        let ending = file.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Some(Self::Csv),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "parquet" => Some(Self::Parquet),
            "arrow" | "arrows" => Some(Self::Arrow),
            "xlsx" => Some(Self::Xlsx),
            _ => None,
        }
    }

    /// Whether the format is columnar. Columns store instants in microseconds, without the seventh digit.
    pub(crate) fn is_columnar(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow)
    }
}
