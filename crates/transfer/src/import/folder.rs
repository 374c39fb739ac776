//! The folder, its files and their lines. Does not decode lines.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use super::error::{ImportError, Location};
use super::progress::Progress;
use crate::jsonl::{CONTENTS, LONGEST_LINE, RESOURCES};

/// The one resource that may also come as CSV.
const CSV: &str = "datasource_values.csv";

/// A file of the folder.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) resource: &'static str,
    /// Name in the folder.
    pub(super) name: String,
    place: Place,
    /// Whether it is CSV rather than JSON Lines.
    pub(super) is_csv: bool,
    /// Size in bytes.
    pub(super) bytes: u64,
}

/// Where the lines of a file are.
#[derive(Debug)]
enum Place {
    File(PathBuf),
    Memory(Vec<u8>),
}

/// The content of an attachment in the folder.
#[derive(Debug)]
pub(super) enum Content {
    Whole(Vec<u8>),
    /// There is no such file.
    Missing,
    /// It has this many bytes, more than are read.
    TooLarge(u64),
}

/// The files of a folder that an import reads, in the order of [`RESOURCES`].
///
/// A JSON Lines or CSV file of another name is an error: `incident.jsonl` for `incidents.jsonl` would
/// otherwise be ignored silently. Files of other kinds, such as a README, are ignored.
pub(super) fn sources(folder: &Path) -> Result<Vec<Source>, ImportError> {
    let failed = |source| ImportError::Folder {
        path: folder.to_owned(),
        source,
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
            continue;
        };
        let Some(resource) = resource(&name)? else {
            continue;
        };
        let bytes = entry.path().metadata().map_err(failed)?.len();
        found.push(Source {
            resource,
            is_csv: name == CSV,
            name,
            place: Place::File(entry.path()),
            bytes,
        });
    }
    if found.is_empty() {
        let expected = RESOURCES.map(|name| format!("{name}.jsonl")).join(", ");
        return Err(ImportError::Files(format!(
            "{} holds nothing to import: expected one or more of {expected}, {CSV}",
            folder.display()
        )));
    }
    found.sort_by_key(|source| RESOURCES.iter().position(|name| *name == source.resource));
    if let Some(twice) = found
        .windows(2)
        .find(|pair| pair[0].resource == pair[1].resource)
    {
        return Err(ImportError::Files(format!(
            "found both {} and {}: expected one of them",
            twice[0].name, twice[1].name
        )));
    }
    Ok(found)
}

fn resource(name: &str) -> Result<Option<&'static str>, ImportError> {
    let Some((stem, kind)) = name.rsplit_once('.') else {
        return Ok(None);
    };
    if kind != "jsonl" && kind != "csv" {
        return Ok(None);
    }
    let known = RESOURCES.into_iter().find(|resource| *resource == stem);
    match known {
        Some(resource) if kind == "jsonl" || name == CSV => Ok(Some(resource)),
        Some(resource) => Err(ImportError::Files(format!(
            "found {name}, expected {resource}.jsonl: only values may come as CSV"
        ))),
        None => {
            let expected = RESOURCES.map(|name| format!("{name}.jsonl")).join(", ");
            Err(ImportError::Files(format!(
                "found {name}, expected one of {expected}, {CSV}"
            )))
        }
    }
}

impl Source {
    /// JSON Lines that are in no folder. `name` is used in errors.
    pub(super) fn in_memory(resource: &'static str, name: &str, lines: Vec<u8>) -> Self {
        Self {
            resource,
            name: name.to_owned(),
            bytes: lines.len() as u64,
            place: Place::Memory(lines),
            is_csv: false,
        }
    }

    /// Opens it for reading, after a byte-order mark if there is one.
    pub(super) fn open<'a>(
        &'a self,
        progress: &'a dyn Progress,
    ) -> Result<impl io::BufRead + use<'a>, ImportError> {
        let open = || -> io::Result<_> {
            let inner: Box<dyn Read + 'a> = match &self.place {
                Place::File(path) => Box::new(File::open(path)?),
                Place::Memory(lines) => Box::new(&lines[..]),
            };
            let mut reader = BufReader::with_capacity(256 << 10, Counted { inner, progress });
            if reader.fill_buf()?.starts_with(b"\xEF\xBB\xBF") {
                reader.consume(3);
            }
            Ok(reader)
        };
        open().map_err(|source| ImportError::File {
            file: self.name.clone(),
            source,
        })
    }

    /// The content of this name in the folder of contents beside the file, if it has at most `most` bytes.
    pub(super) fn content(&self, name: &str, most: u64) -> Result<Content, ImportError> {
        let read = || -> io::Result<Content> {
            let file = match File::open(self.contents().join(name)) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Content::Missing);
                }
                Err(error) => return Err(error),
            };
            let bytes = file.metadata()?.len();
            let mut content = Vec::new();
            // The file may grow meanwhile.
            let read = file.take(most + 1).read_to_end(&mut content)? as u64;
            Ok(match read > most {
                true => Content::TooLarge(bytes.max(read)),
                false => Content::Whole(content),
            })
        };
        read().map_err(|source| ImportError::File {
            file: format!("{CONTENTS}/{name}"),
            source,
        })
    }

    /// A file of the folder of contents that is none of these.
    pub(super) fn content_without_line(
        &self,
        named: &HashSet<String>,
    ) -> Result<Option<String>, ImportError> {
        let failed = |source| ImportError::Folder {
            path: self.contents(),
            source,
        };
        let entries = match std::fs::read_dir(self.contents()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let mut others = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_string_lossy();
            // A file manager may have left its own.
            if !name.starts_with('.') && !named.contains(name.as_ref()) {
                others.push(name.into_owned());
            }
        }
        // The same one on every file system.
        Ok(others.into_iter().min())
    }

    fn contents(&self) -> PathBuf {
        match &self.place {
            Place::File(path) => path.with_file_name(CONTENTS),
            Place::Memory(_) => PathBuf::from(CONTENTS),
        }
    }

    /// Calls `each` with every line that is not blank, without its line ending.
    pub(super) fn each_line(
        &self,
        progress: &dyn Progress,
        mut each: impl FnMut(Location<'_>, &str) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut reader = self.open(progress)?;
        let mut buffer = Vec::new();
        let mut location = Location {
            file: &self.name,
            line: 0,
        };
        loop {
            buffer.clear();
            let read = (&mut reader)
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut buffer);
            let read = read.map_err(|source| ImportError::File {
                file: self.name.clone(),
                source,
            })?;
            if read == 0 {
                return Ok(());
            }
            location.line += 1;
            if read as u64 == LONGEST_LINE {
                return Err(location.line_error(
                    format_args!("{read} bytes without a line end"),
                    "lines of at most 16 MiB",
                ));
            }
            let line = std::str::from_utf8(&buffer).map_err(|fault| {
                location.line_error(
                    format_args!(
                        "bytes that are not UTF-8 at column {}",
                        fault.valid_up_to() + 1
                    ),
                    "text in UTF-8",
                )
            })?;
            let line = line.trim();
            if !line.is_empty() {
                each(location, line)?;
            }
        }
    }
}

/// A reader that reports progress.
struct Counted<'a> {
    inner: Box<dyn Read + 'a>,
    progress: &'a dyn Progress,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.progress.advance(read as u64);
        Ok(read)
    }
}
