//! Parquet output. A Parquet file ends with an index of its content, so it cannot be appended to.
//!
//! Rows are written to segments, complete files of one row group each. At the end their column chunks are
//! copied unchanged to one file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use obeya::tables::is_mostly_distinct;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::part;
use crate::durable;

/// The segments of a file, in their folder.
pub(crate) struct Segments {
    folder: PathBuf,
    schema: SchemaRef,
    /// The number of segments that are complete and on disk.
    done: u64,
    /// The segment being written.
    current: Option<ArrowWriter<File>>,
    rows: usize,
}

impl Segments {
    /// Continues after `done` segments.
    ///
    /// # Errors
    /// When one of them is missing.
    pub(crate) fn new(folder: PathBuf, schema: SchemaRef, done: u64) -> Result<Self> {
        let segments = Self {
            folder,
            schema,
            done,
            current: None,
            rows: 0,
        };
        for number in 1..=done {
            let file = segments.file(number);
            fs::metadata(&file)
                .with_context(|| format!("{} is missing; --restart starts over", file.display()))?;
        }
        // A pull that was killed, or one that is discarded, may have left it incomplete. Without further rows
        // it would not be overwritten.
        let next = segments.file(done + 1);
        durable::remove(&next).with_context(|| format!("{} cannot be removed", next.display()))?;
        Ok(segments)
    }

    /// The rows in the segment being written.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.current.is_none() {
            let file = self.file(self.done + 1);
            let out = durable::create(&file)
                .with_context(|| format!("{} cannot be created", file.display()))?;
            let properties = properties(&self.schema);
            let writer = ArrowWriter::try_new(out, Arc::clone(&self.schema), Some(properties))?;
            self.current = Some(writer);
        }
        if let Some(writer) = &mut self.current {
            writer.write(batch).context("the rows cannot be written")?;
        }
        self.rows += batch.num_rows();
        Ok(())
    }

    /// Completes the segment being written; returns how many segments are on disk.
    pub(crate) fn commit(&mut self) -> Result<u64> {
        if let Some(mut writer) = self.current.take() {
            writer.finish().context("the rows cannot be written")?;
            durable::sync(writer.inner(), &self.file(self.done + 1))?;
            // The state that counts the segment is in another folder, whose names may reach the disk first.
            durable::sync_folder(&self.folder)?;
            self.done += 1;
            self.rows = 0;
        }
        Ok(self.done)
    }

    /// Combines all committed segments into one file.
    pub(crate) fn concatenate(&self, target: &Path) -> Result<()> {
        let out = durable::create(target)
            .with_context(|| format!("{} cannot be created", target.display()))?;
        let synced = out.try_clone()?;
        let properties = properties(&self.schema);
        let (mut writer, _) =
            ArrowWriter::try_new(out, Arc::clone(&self.schema), Some(properties))?
                .into_serialized_writer()?;
        for number in 1..=self.done {
            let name = self.file(number);
            let context = || format!("{} cannot be read", name.display());
            let file = File::open(&name).with_context(context)?;
            let metadata = ParquetMetaDataReader::new()
                .parse_and_finish(&file)
                .with_context(context)?;
            for group in metadata.row_groups() {
                let mut out = writer.next_row_group()?;
                for column in group.columns() {
                    let copied = ColumnCloseResult {
                        bytes_written: column.compressed_size().unsigned_abs(),
                        rows_written: group.num_rows().unsigned_abs(),
                        metadata: column.clone(),
                        bloom_filter: None,
                        column_index: None,
                        offset_index: None,
                    };
                    out.append_column(&file, copied).with_context(context)?;
                }
                out.close()?;
            }
        }
        writer.close()?;
        durable::sync(&synced, target)?;
        Ok(())
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.join(part::segment(number))
    }
}

/// How columns are written: features that every Parquet reader supports, and no dictionary for columns whose
/// values are mostly distinct.
fn properties(schema: &SchemaRef) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("obeya ", env!("CARGO_PKG_VERSION")).to_owned())
        // A segment is one row group, whatever its rows.
        .set_max_row_group_row_count(None)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    for field in schema
        .fields()
        .iter()
        .filter(|field| is_mostly_distinct(field))
    {
        let column = ColumnPath::from(field.name().as_str());
        properties = properties.set_column_dictionary_enabled(column, false);
    }
    properties.build()
}
