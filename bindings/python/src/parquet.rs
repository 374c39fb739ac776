//! A Parquet file that is written page by page while the next page is fetched. It gets its name when it is
//! complete, and is removed otherwise.

use std::fmt;
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use obeya::tables::is_mostly_distinct;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use pyo3::exceptions::{PyIsADirectoryError, PyValueError};
use pyo3::prelude::*;
use tempfile::NamedTempFile;
use tokio::sync::Mutex;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::answer::{CallState, Make};
use crate::arrow::Batch;
use crate::call::Call;
use crate::errors;
use crate::lists::Query;
use crate::runtime::{ForkGuard, runtime};

/// A row group is encoded in memory until it has this many bytes, however few its rows.
const GROUP_BYTES: usize = 32 << 20;

/// Removed when this is dropped, unless it has got its name.
type Writer = ArrowWriter<NamedTempFile>;

/// A step of the writing, after which there is no writer if the file has its name.
type Step = JoinHandle<Result<Option<Writer>, ParquetError>>;

/// A file on its way to its name.
#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct ParquetFile {
    /// The step that was begun last; none after the end of the file and after a failure.
    last: ForkGuard<Arc<Mutex<Option<Step>>>>,
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
        for field in schema
            .fields()
            .iter()
            .filter(|field| is_mostly_distinct(field))
        {
            let column = ColumnPath::from(field.name().as_str());
            properties = properties.set_column_dictionary_enabled(column, false);
        }
        // The folder that the process works in may be another one when the file is whole.
        let path = std::path::absolute(path)?;
        let writer = ArrowWriter::try_new(beside(&path)?, schema, Some(properties.build()))
            .map_err(failure)?;
        let first = runtime()?.spawn_blocking(|| Ok(Some(writer)));
        Ok(Self {
            last: ForkGuard::new(Arc::new(Mutex::new(Some(first)))),
            path,
        })
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// Adds the rows of a page. Returns when those of the page before are written, so that writing overlaps
    /// with fetching.
    #[pyo3(signature = (batch, /))]
    fn write(&self, batch: &Batch) -> PyResult<Call> {
        let (last, rows) = (Arc::clone(self.last.get("file")?), batch.rows().clone());
        Ok(call(async move {
            let mut last = last.lock().await;
            let mut writer = await_step(&mut last).await?.ok_or_else(ended)?;
            *last = Some(spawn_blocking(move || {
                writer.write(&rows)?;
                Ok(Some(writer))
            }));
            Ok(())
        }))
    }

    /// Gives the file its name, after all started writes. With `fetched` it must have this many rows.
    #[pyo3(signature = (fetched=None, /))]
    fn finish(&self, fetched: Option<i64>) -> PyResult<Call> {
        let (last, path) = (Arc::clone(self.last.get("file")?), self.path.clone());
        Ok(call(async move {
            let mut last = last.lock().await;
            let writer = await_step(&mut last).await?.ok_or_else(ended)?;
            *last = Some(spawn_blocking(move || publish(writer, &path, fetched)));
            await_step(&mut last).await.map(drop)
        }))
    }

    /// Removes the file, unless it was finished.
    #[pyo3(signature = (kind, error, trace, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyAny>>,
        trace: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let _ = (kind, error, trace);
        let (last, runtime) = (self.last.get("file")?, runtime()?);
        // A failed step whose result was not awaited does not matter when the file is discarded.
        py.detach(|| drop(runtime.block_on(async { await_step(&mut *last.lock().await).await })));
        Ok(())
    }
}

/// Nothing of this work is sent, so it waits for no turn among the calls of its client.
fn call(work: impl Future<Output = Result<(), ParquetError>> + Send + 'static) -> Call {
    let work = async {
        let done = work.await;
        let answer: Make = Box::new(|py| done.map(|()| py.None()).map_err(failure));
        Ok(answer)
    };
    let state = CallState::new(1, Arc::default());
    Call::new(&Arc::new(state), Box::pin(work))
}

/// Waits for the last step. If the waiting is cancelled, the step is not lost.
async fn await_step(last: &mut Option<Step>) -> Result<Option<Writer>, ParquetError> {
    let Some(step) = last else {
        return Ok(None);
    };
    let done = step.await;
    *last = None;
    done.unwrap_or_else(|error| resume_unwind(error.into_panic()))
}

fn ended() -> ParquetError {
    ParquetError::General("the file is ended".to_owned())
}

/// A file in the same folder, because a rename works only within a file system. On Unix only its owner may
/// read it (mode 0600, as `tempfile` creates it), since records contain personal data.
fn beside(path: &Path) -> PyResult<NamedTempFile> {
    let (Some(folder), Some(name), false) = (path.parent(), path.file_name(), path.is_dir()) else {
        // Checked now: otherwise the rename would fail after everything had been fetched.
        let message = format!("{} is a folder, not a file", path.display());
        return Err(PyIsADirectoryError::new_err(message));
    };
    let mut prefix = name.to_owned();
    prefix.push(".");
    let mut file = tempfile::Builder::new();
    Ok(file.prefix(&prefix).suffix(".part").tempfile_in(folder)?)
}

fn publish(
    mut writer: Writer,
    path: &Path,
    fetched: Option<i64>,
) -> Result<Option<Writer>, ParquetError> {
    writer.flush()?;
    let groups = writer.flushed_row_groups().iter();
    let written: i64 = groups.map(RowGroupMetaData::num_rows).sum();
    if let Some(fetched) = fetched.filter(|&fetched| fetched != written) {
        return Err(ParquetError::External(RowCount { fetched, written }.into()));
    }
    let file = writer.into_inner()?;
    #[cfg(unix)]
    if let Ok(replaced) = std::fs::metadata(path) {
        // A mode that the user changed persists.
        file.as_file().set_permissions(replaced.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(None)
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

/// The file has another number of rows than it was given.
#[derive(Debug)]
struct RowCount {
    fetched: i64,
    written: i64,
}

impl fmt::Display for RowCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the Parquet file has {} rows of the {} that were fetched, so it is not kept",
            self.written, self.fetched
        )
    }
}

impl std::error::Error for RowCount {}

/// Errors of the operating system stay an `OSError`.
fn failure(error: ParquetError) -> PyErr {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => (*error).into(),
            Err(error) => match error.downcast_ref::<RowCount>() {
                Some(count) => errors::row_count(&count.to_string(), count.fetched, count.written),
                None => PyValueError::new_err(error.to_string()),
            },
        },
        error => PyValueError::new_err(error.to_string()),
    }
}
