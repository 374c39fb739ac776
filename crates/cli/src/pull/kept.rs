//! A file on its way, and what stays of it when the pull breaks off.
//!
//! Rows go into FILE.part (a folder of segments, for Parquet); FILE.part.json says how many of its bytes or
//! segments are on disk for good, and after which record the next pull goes on. What came later than that is
//! cut off by it, so every row is there once, wherever the first one was ended. A whole file takes the name
//! FILE, and only then the state goes.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::Target;
use super::encode::Content;
use super::fetch::Piece;
use super::format::Format;
use super::query::Query;
use super::segments::Segments;
use super::state::{After, State};
use super::stream::Stream;
use crate::durable::{self, beside};

#[cfg(test)]
mod tests;

/// How often rows are brought to disk for good: that takes the disk some milliseconds, and at most these rows
/// come again.
const SETTLE_TIME: Duration = Duration::from_millis(200);
const SETTLE_ROWS: u64 = 250_000;
/// A segment of less than a row group ends after this time, if it has this many rows: smaller ones make a
/// file slow to read.
const SEGMENT_TIME: Duration = Duration::from_secs(30);
const SEGMENT_ROWS: usize = 50_000;

/// A file on its way.
pub(crate) struct Kept {
    file: PathBuf,
    part: PathBuf,
    state_file: PathBuf,
    state: State,
    row_group: usize,
    sink: Sink,
    /// Rows that are not settled, and where to go on after them.
    pending: u64,
    after: Option<After>,
    settled: Instant,
    /// Held until the end, so that no two pulls write one file.
    _lock: File,
}

enum Sink {
    Stream(Box<Stream<File>>),
    Segments(Box<Segments>),
    /// All is there.
    Whole,
}

impl Kept {
    /// Opens the file for a pull, and finds out how far an earlier one has come.
    ///
    /// # Errors
    /// When what is there is of another pull, is being written by one, or cannot be written.
    pub(crate) fn open(file: &Path, query: &Query, restart: bool, row_group: u32) -> Result<Self> {
        if file.is_dir() {
            bail!(
                "found a folder at {}, expected a file's name",
                file.display()
            );
        }
        let (part, state_file) = (beside(file, ".part"), beside(file, ".part.json"));
        let fresh = State::new(query);
        if !state_file.exists() {
            if part.exists() && !restart {
                bail!(
                    "found {}, which no pull left there; remove it, or say --restart to overwrite it",
                    part.display()
                );
            }
            fresh.save(&state_file)?;
        }
        let lock = lock(file, &part, query.format)?;
        // Again, now that nobody else can change it.
        let state = match State::load(&state_file) {
            _ if restart => None,
            state => state?,
        };
        let state = match state {
            Some(state) if state.query == *query => state,
            Some(_) => bail!(
                "found another pull into {} that is not done, expected the same service, records, condition, order and form; finish that one, or say --restart to forget it",
                file.display()
            ),
            None => {
                fresh.save(&state_file)?;
                fresh
            }
        };
        let sink = match query.format {
            _ if state.is_complete => Sink::Whole,
            Format::Parquet => {
                let segments = Segments::new(part.clone(), query.schema(), state.written)?;
                Sink::Segments(Box::new(segments))
            }
            form => {
                let out = cut(&lock, &part, state.written)?;
                let stream = Stream::new(out, form, &query.schema(), state.written)?;
                Sink::Stream(Box::new(stream))
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
            settled: Instant::now(),
            _lock: lock,
        })
    }

    /// Whether all rows are there, and only [`Kept::finish`] is missing.
    pub(crate) fn is_complete(&self) -> bool {
        self.state.is_complete
    }

    /// Rows that are on disk for good.
    pub(crate) fn rows(&self) -> u64 {
        self.state.rows
    }

    /// Where to go on.
    pub(crate) fn after(&self) -> Option<&After> {
        self.state.after.as_ref()
    }

    /// Brings to disk what there is, as no more is coming now. Nothing is left behind when that is nothing.
    pub(crate) fn leave(mut self) -> Result<u64> {
        if self.state.query.order.is_none() {
            self.settle()?;
        }
        if self.state.rows == 0 {
            self.clear()?;
        }
        Ok(self.state.rows)
    }

    /// Gives the file its name; says how many rows it has.
    pub(crate) fn finish(mut self) -> Result<u64> {
        if !self.state.is_complete {
            self.settle()?;
            if let Sink::Stream(stream) = &mut self.sink {
                self.state.written = stream.finish()?;
                durable::sync(stream.get_ref(), &self.part)?;
            }
            self.state.is_complete = true;
            self.state.save(&self.state_file)?;
        }
        if !self.has_name()? {
            let told = || format!("{} cannot be written", self.file.display());
            let whole = match self.state.query.format {
                Format::Parquet => {
                    let schema = self.state.query.schema();
                    let whole = self.part.join("whole");
                    Segments::new(self.part.clone(), schema, self.state.written)?.join(&whole)?;
                    whole
                }
                _ => self.part.clone(),
            };
            durable::publish(&whole, &self.file).with_context(told)?;
        }
        self.clear()?;
        Ok(self.state.rows)
    }

    /// Whether an earlier pull gave the whole file its name, and was ended before it forgot its state.
    ///
    /// # Errors
    /// When what is there is not what was written.
    fn has_name(&self) -> Result<bool> {
        let is_earlier = matches!(self.sink, Sink::Whole) && self.file.exists();
        let (found, expected) = match self.state.query.format {
            Format::Parquet => (
                self.part.join("000001.parquet").exists().into(),
                self.state.written.min(1),
            ),
            _ => (
                self.part.metadata().map_or(0, |part| part.len()),
                self.state.written,
            ),
        };
        match found == expected {
            true => Ok(false),
            // The lock made it anew.
            false if is_earlier && found == 0 => Ok(true),
            false => bail!(
                "{} is not what was written; --restart begins anew",
                self.part.display()
            ),
        }
    }

    fn settle(&mut self) -> Result<()> {
        self.state.written = match &mut self.sink {
            Sink::Stream(stream) => {
                let written = stream.flush()?;
                durable::sync(stream.get_ref(), &self.part)?;
                written
            }
            Sink::Segments(segments) => segments.settle()?,
            Sink::Whole => return Ok(()),
        };
        self.state.rows += std::mem::take(&mut self.pending);
        self.state.after.clone_from(&self.after);
        self.settled = Instant::now();
        self.state.save(&self.state_file)
    }

    fn is_due(&self) -> bool {
        if self.state.query.order.is_some() {
            return false;
        }
        let since = self.settled.elapsed();
        match &self.sink {
            Sink::Segments(segments) => {
                let rows = segments.rows();
                rows >= self.row_group || (rows >= SEGMENT_ROWS && since >= SEGMENT_TIME)
            }
            _ => self.pending >= SETTLE_ROWS || since >= SETTLE_TIME,
        }
    }

    /// Removes part and state, the state last.
    fn clear(&self) -> Result<()> {
        let told = || format!("{} cannot be removed", self.part.display());
        if self.part.is_dir() {
            // First, so that whoever is ended amid the others leaves no doubt that the file has its name
            // (`has_name`).
            durable::remove(&self.part.join("000001.parquet")).with_context(told)?;
            fs::remove_dir_all(&self.part).with_context(told)?;
        } else {
            durable::remove(&self.part).with_context(told)?;
        }
        durable::remove(&self.state_file).with_context(told)
    }
}

impl Target for Kept {
    fn take(&mut self, piece: Piece) -> Result<()> {
        match (&mut self.sink, &piece.content) {
            (Sink::Stream(stream), content) => stream.write(content)?,
            (Sink::Segments(segments), Content::Batch(batch)) => segments.write(batch)?,
            (Sink::Segments(_), Content::Lines(_)) | (Sink::Whole, _) => {
                unreachable!("a file takes pieces of its form, and none when it is whole")
            }
        }
        self.pending += piece.rows;
        self.after = piece.after;
        if self.is_due() {
            self.settle()?;
        }
        Ok(())
    }
}

/// The file that is locked while a pull writes: the part itself, or one in its folder.
fn lock(file: &Path, part: &Path, format: Format) -> Result<File> {
    let told = || format!("{} cannot be made", part.display());
    let path = match format {
        Format::Parquet => {
            if part.is_file() {
                fs::remove_file(part).with_context(told)?;
            }
            fs::create_dir_all(part).with_context(told)?;
            part.join("lock")
        }
        _ => part.to_owned(),
    };
    let lock = durable::private()
        .read(true)
        .truncate(false)
        .open(path)
        .with_context(told)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            bail!("another pull is writing {}", file.display())
        }
        // A file system without locks: then nobody is told.
        Err(TryLockError::Error(_)) => Ok(lock),
    }
}

/// The part as it was when it was last settled.
fn cut(lock: &File, part: &Path, written: u64) -> Result<File> {
    let mut out = lock.try_clone()?;
    let found = out.metadata()?.len();
    if found < written {
        bail!(
            "found {found} bytes in {}, expected {written} or more; --restart begins anew",
            part.display()
        );
    }
    let cut = |out: &mut File| -> io::Result<()> {
        out.set_len(written)?;
        out.seek(SeekFrom::Start(written)).map(drop)
    };
    cut(&mut out).with_context(|| format!("{} cannot be written", part.display()))?;
    Ok(out)
}
