//! A Parquet file that is written page after page. It has its name when it is whole, and is gone otherwise.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use obeya::tables::is_unlike;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use pyo3::exceptions::{PyIsADirectoryError, PyValueError};
use pyo3::prelude::*;
use tempfile::NamedTempFile;

use crate::arrow::Batch;
use crate::lists::Query;
use crate::runtime::AtHome;

/// A row group is held in memory, encoded, until it has so many bytes, however few its rows.
const GROUP_BYTES: usize = 32 << 20;

/// A file on its way to its name.
#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct ParquetFile {
    /// Gone when the file is ended, which removes it if it does not have its name by then.
    writer: AtHome<Mutex<Option<ArrowWriter<NamedTempFile>>>>,
    path: PathBuf,
}

#[pymethods]
impl ParquetFile {
    #[new]
    fn new(query: &Query, path: PathBuf, compression: &str, row_group_size: i64) -> PyResult<Self> {
        let rows = usize::try_from(row_group_size)
            .ok()
            .filter(|&rows| rows > 0);
        let rows = rows.ok_or_else(|| {
            PyValueError::new_err(format!("row_group_size is 1 or more, not {row_group_size}"))
        })?;
        let schema = query.schema()?;
        let mut properties = WriterProperties::builder()
            .set_compression(codec(compression)?)
            .set_created_by(concat!("obeya ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_max_row_group_row_count(Some(rows))
            .set_max_row_group_bytes(Some(GROUP_BYTES))
            // A page's own statistics cost readers more than they save them in groups of this size.
            .set_statistics_enabled(EnabledStatistics::Chunk);
        for field in schema.fields().iter().filter(|field| is_unlike(field)) {
            let column = ColumnPath::from(field.name().as_str());
            properties = properties.set_column_dictionary_enabled(column, false);
        }
        // The folder that the process works in may be another one when the file is whole.
        let path = std::path::absolute(path)?;
        let writer = ArrowWriter::try_new(beside(&path)?, schema, Some(properties.build()));
        Ok(Self {
            writer: AtHome::new(Mutex::new(Some(writer.map_err(failure)?))),
            path,
        })
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// Adds the rows of a page.
    #[pyo3(signature = (batch, /))]
    fn write(&self, py: Python<'_>, batch: &Batch) -> PyResult<()> {
        let writer = self.writer.get("file")?;
        let write = || {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            let ended = || ParquetError::General("the file is ended".to_owned());
            writer.as_mut().ok_or_else(ended)?.write(batch.rows())
        };
        py.detach(write).map_err(failure)
    }

    /// Gives the file its name, unless something failed.
    #[pyo3(signature = (kind, error, trace, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyAny>>,
        trace: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let _ = (error, trace);
        let writer = self.writer.get("file")?;
        let is_whole = kind.is_none();
        let end = || {
            let writer = writer.lock().unwrap_or_else(PoisonError::into_inner).take();
            match writer {
                Some(writer) if is_whole => publish(writer, &self.path),
                _ => Ok(()),
            }
        };
        py.detach(end).map_err(failure)
    }
}

/// A file in the same folder: a name can only be given within a file system.
fn beside(path: &Path) -> PyResult<NamedTempFile> {
    let (Some(folder), Some(name), false) = (path.parent(), path.file_name(), path.is_dir()) else {
        // Said now: the file would be given its name after all had been fetched.
        let message = format!("{} is a folder, not a file", path.display());
        return Err(PyIsADirectoryError::new_err(message));
    };
    let mut prefix = name.to_owned();
    prefix.push(".");
    let mut file = tempfile::Builder::new();
    file.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    {
        // As other files are made, not for the eyes of its owner alone. The process' mask is taken off this.
        use std::os::unix::fs::PermissionsExt as _;
        file.permissions(std::fs::Permissions::from_mode(0o666));
    }
    Ok(file.tempfile_in(folder)?)
}

fn publish(writer: ArrowWriter<NamedTempFile>, path: &Path) -> Result<(), ParquetError> {
    let file = writer.into_inner()?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn codec(name: &str) -> PyResult<Compression> {
    match name {
        "zstd" => Ok(Compression::ZSTD(ZstdLevel::default())),
        "snappy" => Ok(Compression::SNAPPY),
        "none" => Ok(Compression::UNCOMPRESSED),
        _ => Err(PyValueError::new_err(format!(
            "compression is 'zstd', 'snappy' or 'none', not {name:?}"
        ))),
    }
}

/// What the system says stays an `OSError`.
fn failure(error: ParquetError) -> PyErr {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => (*error).into(),
            Err(error) => PyValueError::new_err(error.to_string()),
        },
        error => PyValueError::new_err(error.to_string()),
    }
}
