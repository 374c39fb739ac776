//! Forms that grow at their end: lines, and an Arrow stream.

use std::io::{BufWriter, Write};

use anyhow::{Context as _, Result};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::SchemaRef;

use super::encode::{Content, heading};
use super::format::Format;

/// A file, or stdout, on its way.
pub(crate) struct Stream<W: Write> {
    out: BufWriter<W>,
    /// Makes messages of batches, in memory.
    arrow: Option<StreamWriter<Vec<u8>>>,
    /// Bytes since its beginning.
    written: u64,
}

impl<W: Write> Stream<W> {
    /// Goes on after `written` bytes; 0 begins, and a beginning is written.
    pub(crate) fn new(out: W, format: Format, schema: &SchemaRef, written: u64) -> Result<Self> {
        let mut stream = Self {
            out: BufWriter::with_capacity(256 << 10, out),
            arrow: None,
            written,
        };
        let beginning = match format {
            Format::Csv => heading(schema.fields().iter().map(|field| field.name())),
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

    pub(crate) fn write(&mut self, content: &Content) -> Result<()> {
        match content {
            Content::Lines(lines) => self.put(lines),
            Content::Batch(batch) => {
                let arrow = self
                    .arrow
                    .as_mut()
                    .expect("batches come for forms of columns");
                arrow.write(batch)?;
                let message = std::mem::take(arrow.get_mut());
                self.put(&message)
            }
        }
    }

    /// Hands everything on, and says how many bytes there are.
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
