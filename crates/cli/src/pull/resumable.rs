//! A file being written that an interrupted pull can resume.
//!
//! Rows are written to FILE.part (for Parquet a folder of segments). FILE.part.json stores how many bytes or
//! segments are durably on disk, and after which record to resume. The next pull truncates anything beyond
//! that, so every row is written once, wherever the first pull ended. A complete file is renamed to FILE, and
//! then the state is removed.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};

use super::PieceSink;
use super::encode::PieceContent;
use super::fetch::Piece;
use super::format::Format;
use super::part::{self, PartForm};
use super::query::PullQuery;
use super::resume_state::{ResumeAfter, ResumeState};
use super::segments::Segments;
use super::stream::Stream;
use super::workbook;
use crate::durable::{self, with_suffix};

#[cfg(test)]
mod tests;

/// How often rows are committed to disk. A commit takes some milliseconds; a killed pull repeats at most
/// these rows.
const COMMIT_INTERVAL: Duration = Duration::from_millis(200);
const COMMIT_ROWS: u64 = 250_000;
/// A segment smaller than a row group ends after this time if it has this many rows: smaller segments make a
/// file slow to read.
const SEGMENT_TIME: Duration = Duration::from_secs(30);
const SEGMENT_ROWS: usize = 50_000;

/// A file being written, and its resume state.
pub(crate) struct ResumableFile {
    file: PathBuf,
    part: PathBuf,
    state_file: PathBuf,
    state: ResumeState,
    row_group: usize,
    sink: PartWriter,
    /// Rows that are not committed yet, and the position after them.
    pending: u64,
    after: Option<ResumeAfter>,
    committed_at: Instant,
    /// A commit failed. None is tried again: a flush that failed may succeed when it is repeated, though its
    /// rows are lost.
    is_broken: bool,
    /// The part, and one that it replaced: locked until the end, for no two pulls to write the same file.
    _locks: (File, Option<File>),
}

enum PartWriter {
    Stream(Box<Stream<File>>),
    Segments(Box<Segments>),
    /// All rows are written.
    Whole,
}

impl ResumableFile {
    /// Opens the file for a pull, and loads the state of an interrupted one.
    ///
    /// # Errors
    /// When the state belongs to another query, another pull is writing the file, or it cannot be written.
    pub(crate) fn open(
        file: &Path,
        query: &PullQuery,
        restart: bool,
        row_group: u32,
    ) -> Result<Self> {
        if file.is_dir() {
            bail!(
                "found a folder at {}, expected a file's name",
                file.display()
            );
        }
        let (part, state_file) = (with_suffix(file, ".part"), with_suffix(file, ".part.json"));
        let fresh = ResumeState::new(query);
        if !state_file.exists() {
            if part.exists() && !restart {
                bail!(
                    "found {}, which is not from an interrupted pull; remove it, or use --restart to overwrite it",
                    part.display()
                );
            }
            fresh.save(&state_file)?;
        }
        let form = PartForm::of(query.format);
        // The part has the form of its own pull, whose rows it may hold until the state is known.
        let stored = ResumeState::load(&state_file).ok().flatten();
        let locked = PartForm::on_disk(&part)
            .or(stored.map(|state| PartForm::of(state.query.format)))
            .unwrap_or(form);
        let mut lock = locked.lock(file, &part)?;
        // Load it again, now that no other process can change it.
        let state = match ResumeState::load(&state_file) {
            _ if restart => None,
            state => state?,
        };
        let state = match state {
            Some(state) if state.query == *query && state.is_resumable() => state,
            Some(state) if state.query != *query => bail!(
                "found an interrupted pull into {} with another query, expected the same service, records, condition, order, limit and format; finish that one, or use --restart to discard it",
                file.display()
            ),
            _ => {
                fresh.save(&state_file)?;
                fresh
            }
        };
        let mut discarded = None;
        if locked != form {
            if state.written > 0 {
                return Err(changed(&part));
            }
            // The part of an earlier pull is discarded. Its lock stays: another process may have opened it.
            part::remove(&part)?;
            discarded = Some(mem::replace(&mut lock, form.lock(file, &part)?));
        }
        let sink = match query.format {
            _ if state.is_complete => PartWriter::Whole,
            Format::Parquet => {
                let segments = Segments::new(part.clone(), query.schema(), state.written)?;
                PartWriter::Segments(Box::new(segments))
            }
            format => {
                let out = truncate_to(&lock, &part, state.written)?;
                let stream = Stream::new(out, format, &query.schema(), state.written)?;
                PartWriter::Stream(Box::new(stream))
            }
        };
        Ok(Self {
            file: file.to_owned(),
            after: state.after.clone(),
            part,
            state_file,
            state,
            row_group: row_group as usize,
            sink,
            pending: 0,
            committed_at: Instant::now(),
            is_broken: false,
            _locks: (lock, discarded),
        })
    }

    /// Whether all rows are written, and only [`ResumableFile::finish`] is missing.
    pub(crate) fn is_complete(&self) -> bool {
        self.state.is_complete
    }

    /// The rows that are committed to disk.
    pub(crate) fn rows(&self) -> u64 {
        self.state.rows
    }

    /// The position after which to resume.
    pub(crate) fn after(&self) -> Option<&ResumeAfter> {
        self.state.after.as_ref()
    }

    /// Commits the rows written so far, for a later pull to resume. Removes part and state if there are none.
    pub(crate) fn suspend(mut self) -> Result<u64> {
        if self.state.query.is_resumable() && !self.is_broken {
            self.commit()?;
        }
        if self.state.rows == 0 {
            self.clear()?;
        }
        Ok(self.state.rows)
    }

    /// Completes the file and renames it; returns its number of rows.
    pub(crate) fn finish(mut self) -> Result<u64> {
        if !self.state.is_complete {
            self.commit()?;
            if let PartWriter::Stream(stream) = &mut self.sink {
                self.state.written = stream.finish()?;
                durable::sync(stream.get_ref(), &self.part)?;
            }
            // Checked before the state says that it is complete: afterwards a missing part means that it was
            // renamed to FILE, which may be of an earlier pull.
            if !self.is_part_whole() {
                return Err(changed(&self.part));
            }
            self.state.is_complete = true;
            self.state.save(&self.state_file)?;
        }
        if !self.is_renamed()? {
            let context = || format!("{} cannot be written", self.file.display());
            let whole = match self.state.query.format {
                Format::Parquet => {
                    let schema = self.state.query.schema();
                    let whole = self.part.join(part::WHOLE);
                    Segments::new(self.part.clone(), schema, self.state.written)?
                        .concatenate(&whole)?;
                    whole
                }
                Format::Xlsx => {
                    let whole = with_suffix(&self.part, ".xlsx");
                    workbook::write(&self.part, &self.state.query.schema(), &whole)?;
                    whole
                }
                _ => self.part.clone(),
            };
            durable::publish(&whole, &self.file).with_context(context)?;
        }
        self.clear()?;
        Ok(self.state.rows)
    }

    /// Whether an earlier pull renamed the complete file, but was killed before it removed its state.
    ///
    /// # Errors
    /// When the part on disk is not what was written.
    fn is_renamed(&self) -> Result<bool> {
        let is_earlier = matches!(self.sink, PartWriter::Whole) && self.file.exists();
        match self.is_part_whole() {
            true => Ok(false),
            // Taking the lock created an empty part again.
            false if is_earlier && self.found().0 == 0 => Ok(true),
            false => Err(changed(&self.part)),
        }
    }

    fn is_part_whole(&self) -> bool {
        let (found, written) = self.found();
        found == written
    }

    /// What of the part is on disk, and what was written: bytes, or whether there is a first segment.
    fn found(&self) -> (u64, u64) {
        match self.state.query.format {
            Format::Parquet => (
                self.part.join(part::segment(1)).exists().into(),
                self.state.written.min(1),
            ),
            _ => (
                self.part.metadata().map_or(0, |part| part.len()),
                self.state.written,
            ),
        }
    }

    fn commit(&mut self) -> Result<()> {
        let committed = self.try_commit();
        self.is_broken |= committed.is_err();
        committed
    }

    fn try_commit(&mut self) -> Result<()> {
        let mut state = self.state.clone();
        state.written = match &mut self.sink {
            PartWriter::Stream(stream) => {
                let written = stream.flush()?;
                durable::sync(stream.get_ref(), &self.part)?;
                written
            }
            PartWriter::Segments(segments) => segments.commit()?,
            PartWriter::Whole => return Ok(()),
        };
        state.rows += self.pending;
        state.after.clone_from(&self.after);
        state.save(&self.state_file)?;
        self.state = state;
        self.pending = 0;
        self.committed_at = Instant::now();
        Ok(())
    }

    fn is_commit_due(&self) -> bool {
        if !self.state.query.is_resumable() {
            return false;
        }
        let since = self.committed_at.elapsed();
        match &self.sink {
            PartWriter::Segments(segments) => {
                let rows = segments.rows();
                rows >= self.row_group || (rows >= SEGMENT_ROWS && since >= SEGMENT_TIME)
            }
            _ => self.pending >= COMMIT_ROWS || since >= COMMIT_INTERVAL,
        }
    }

    /// Removes part and state, the state last.
    fn clear(&self) -> Result<()> {
        part::remove(&self.part)?;
        durable::remove(&self.state_file)
            .with_context(|| format!("{} cannot be removed", self.state_file.display()))
    }
}

impl PieceSink for ResumableFile {
    fn take(&mut self, piece: Piece) -> Result<()> {
        match (&mut self.sink, &piece.content) {
            (PartWriter::Stream(stream), content) => stream.write(content)?,
            (PartWriter::Segments(segments), PieceContent::Batch(batch)) => {
                segments.write(batch)?;
            }
            (PartWriter::Segments(_), PieceContent::Lines(_)) | (PartWriter::Whole, _) => {
                unreachable!("a complete file gets no pieces, a Parquet file no lines")
            }
        }
        self.pending += piece.rows;
        if self.state.query.format == Format::Xlsx {
            workbook::check_rows(self.state.rows + self.pending)?;
        }
        self.after = piece.after;
        if self.is_commit_due() {
            self.commit()?;
        }
        Ok(())
    }
}

fn changed(part: &Path) -> anyhow::Error {
    anyhow!(
        "{} was changed by another program; --restart starts over",
        part.display()
    )
}

/// Opens the part, truncated to its last commit.
fn truncate_to(lock: &File, part: &Path, written: u64) -> Result<File> {
    let mut out = lock.try_clone()?;
    let found = out.metadata()?.len();
    if found < written {
        bail!(
            "found {found} bytes in {}, expected {written} or more; --restart starts over",
            part.display()
        );
    }
    let truncate = |out: &mut File| -> io::Result<()> {
        out.set_len(written)?;
        out.seek(SeekFrom::Start(written)).map(drop)
    };
    truncate(&mut out).with_context(|| format!("{} cannot be written", part.display()))?;
    Ok(out)
}
