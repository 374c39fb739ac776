//! Output formats that can be appended to: lines, and an Arrow stream.

use std::io::{BufWriter, Write};

use anyhow::{Context as _, Result};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::SchemaRef;

use super::encode::{PieceContent, csv_header};
use super::format::Format;

/// A file or stdout being written.
pub(crate) struct Stream<W: Write> {
    out: BufWriter<W>,
    /// Encodes batches as messages, in memory.
    arrow: Option<StreamWriter<Vec<u8>>>,
    /// Bytes written since the beginning of the file.
    written: u64,
}

impl<W: Write> Stream<W> {
    /// Continues after `written` bytes. At 0 it writes the header.
    pub(crate) fn new(out: W, format: Format, schema: &SchemaRef, written: u64) -> Result<Self> {
        let mut stream = Self {
            out: BufWriter::with_capacity(256 << 10, out),
            arrow: None,
            written,
        };
        let beginning = match format {
            // The rows of a workbook are CSV until the end.
            Format::Csv | Format::Xlsx => {
                csv_header(schema.fields().iter().map(|field| field.name()))
            }
            Format::Arrow => {
                let mut arrow = StreamWriter::try_new(Vec::new(), schema)?;
                let beginning = std::mem::take(arrow.get_mut());
                stream.arrow = Some(arrow);
                beginning
            }
            Format::Ndjson | Format::Parquet => Vec::new(),
        };
        if written == 0 {
            stream.put(&beginning)?;
        }
        Ok(stream)
    }

    pub(crate) fn write(&mut self, content: &PieceContent) -> Result<()> {
        match content {
            PieceContent::Lines(lines) => self.put(lines),
            PieceContent::Batch(batch) => {
                let arrow = self
                    .arrow
                    .as_mut()
                    .expect("batches are only sent for columnar formats");
                arrow.write(batch)?;
                let message = std::mem::take(arrow.get_mut());
                self.put(&message)
            }
        }
    }

    /// Flushes the buffer; returns how many bytes were written in all.
    pub(crate) fn flush(&mut self) -> Result<u64> {
        self.out.flush().context("the rows cannot be written")?;
        Ok(self.written)
    }

    /// Ends the stream.
    pub(crate) fn finish(&mut self) -> Result<u64> {
        if let Some(arrow) = &mut self.arrow {
            arrow.finish()?;
            let end = std::mem::take(arrow.get_mut());
            self.put(&end)?;
        }
        self.flush()
    }

    pub(crate) fn get_ref(&self) -> &W {
        self.out.get_ref()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.out
            .write_all(bytes)
            .context("the rows cannot be written")?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}
