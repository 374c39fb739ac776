//! The folder after a power failure, built from a record of operations.
//!
//! What counts as on disk: the content of a file once a flush of the file came after it; names once a flush
//! of their folder, and of no other, came after them. A flush of a file says nothing about its name (POSIX).
//! What was not flushed may be there in part: any sectors of any writes, in any order; but names only up to
//! some operation, since file systems keep their journal of names in order (ext4, XFS, btrfs, APFS, NTFS).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fastrand::Rng;

/// A disk writes a sector whole or not at all.
const SECTOR: usize = 512;

/// One recorded operation. Paths are relative to the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum Operation {
    /// A new file got this name.
    Create { path: String, inode: u64 },
    /// Bytes were written at an offset.
    Write {
        inode: u64,
        offset: usize,
        bytes: Vec<u8>,
    },
    /// A file was cut or extended.
    Truncate { inode: u64, length: usize },
    /// A file was flushed.
    Sync { inode: u64 },
    /// A folder was flushed.
    SyncFolder { path: String },
    /// A file or folder was renamed.
    Rename { from: String, to: String },
    /// A file got a second name.
    Link { from: String, to: String },
    /// A file or an empty folder was removed.
    Remove { path: String },
    /// A folder was made.
    CreateFolder { path: String },
    /// The test put a mark ([`super::Disk::mark`]).
    Mark(String),
}

pub(super) fn parse(bytes: &[u8]) -> Vec<Operation> {
    let mut rest = bytes;
    let mut operations = Vec::new();
    while let Some((head, after)) = rest.split_first_chunk::<25>() {
        let number = |at: usize| u64::from_ne_bytes(head[at..at + 8].try_into().expect("8 bytes"));
        let length = |at: usize| {
            let bytes = head[at..at + 4].try_into().expect("4 bytes");
            usize::try_from(u32::from_ne_bytes(bytes)).expect("64 bits")
        };
        let (first, after) = after.split_at(length(17));
        let (second, after) = after.split_at(length(21));
        rest = after;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        let inode = number(1);
        let offset = usize::try_from(number(9)).expect("64 bits");
        let path = || text(first);
        operations.push(match head[0] {
            b'C' => Operation::Create {
                path: path(),
                inode,
            },
            b'W' => Operation::Write {
                inode,
                offset,
                bytes: first.to_vec(),
            },
            b'T' => Operation::Truncate {
                inode,
                length: offset,
            },
            b'S' => Operation::Sync { inode },
            b'D' => Operation::SyncFolder { path: path() },
            b'R' => Operation::Rename {
                from: path(),
                to: text(second),
            },
            b'L' => Operation::Link {
                from: path(),
                to: text(second),
            },
            b'U' => Operation::Remove { path: path() },
            b'K' => Operation::CreateFolder { path: path() },
            b'M' => Operation::Mark(path()),
            other => panic!("found a record of kind {other}"),
        });
    }
    operations
}

/// How much of what was not flushed a power failure takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Everything.
    All,
    /// All content, and no name.
    Content,
    /// All names, and no content.
    Names,
    /// A random part.
    Some,
    /// Nothing, as when only the process is killed.
    None,
}

/// The number of a file in [`Replay::files`].
type FileNumber = usize;

/// The entries of the folder, by path.
type Names = BTreeMap<String, Entry>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    File(FileNumber),
    Folder,
}

/// A change of names.
#[derive(Debug, Clone)]
enum NameChange {
    Set(String, Entry),
    Clear(String),
    /// With what is moved, since its old name may not be on disk.
    Move(String, String, Entry),
}

impl NameChange {
    /// Whether it changes an entry of this folder.
    fn touches(&self, folder: &str) -> bool {
        let is_in = |path: &str| path.rsplit_once('/').map_or("", |(parent, _)| parent) == folder;
        match self {
            NameChange::Set(path, _) | NameChange::Clear(path) => is_in(path),
            NameChange::Move(from, to, _) => is_in(from) || is_in(to),
        }
    }

    fn apply(&self, names: &mut Names) {
        match self {
            NameChange::Set(path, entry) => drop(names.insert(path.clone(), *entry)),
            NameChange::Clear(path) => drop(names.remove(path)),
            NameChange::Move(from, to, entry) => {
                names.remove(from);
                names.insert(to.clone(), *entry);
                let inner = format!("{from}/");
                let moved = names.keys().filter(|path| path.starts_with(&inner));
                for path in moved.cloned().collect::<Vec<_>>() {
                    let entry = names.remove(&path).expect("a key of the map");
                    names.insert(format!("{to}{}", &path[from.len()..]), entry);
                }
            }
        }
    }

    /// The same change after a folder above it was renamed.
    fn moved(&mut self, from: &str, to: &str) {
        let (NameChange::Set(path, _) | NameChange::Clear(path)) = self else {
            return;
        };
        if path
            .strip_prefix(from)
            .is_some_and(|rest| rest.starts_with('/'))
        {
            *path = format!("{to}{}", &path[from.len()..]);
        }
    }
}

/// A change of a file that was not flushed.
#[derive(Debug, Clone)]
enum Change {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Change::Write(offset, bytes) => {
                let end = offset + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[*offset..end].copy_from_slice(bytes);
            }
            Change::Truncate(length) => content.resize(*length, 0),
        }
    }

    /// The sectors of it that reached the disk.
    fn torn(&self, chance: f64, random: &mut Rng) -> Vec<Change> {
        let Change::Write(offset, bytes) = self else {
            let kept = random.f64() < chance;
            return kept.then(|| self.clone()).into_iter().collect();
        };
        let (mut at, mut rest) = (*offset, bytes.as_slice());
        let mut kept = Vec::new();
        while !rest.is_empty() {
            let (sector, after) = rest.split_at((SECTOR - at % SECTOR).min(rest.len()));
            if random.f64() < chance {
                kept.push(Change::Write(at, sector.to_vec()));
            }
            at += sector.len();
            rest = after;
        }
        kept
    }
}

/// A file: what is on disk, and what is not.
#[derive(Debug, Clone, Default)]
struct FileState {
    durable: Vec<u8>,
    pending: Vec<Change>,
}

/// A folder, as operations go on.
#[derive(Debug, Default)]
pub struct Replay {
    files: Vec<FileState>,
    inodes: BTreeMap<u64, FileNumber>,
    /// The names that are on disk, and the changes of names that are not.
    durable: Names,
    pending: Vec<NameChange>,
    /// The names as the program sees them.
    names: Names,
    marks: Vec<String>,
}

impl Replay {
    /// An empty folder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A folder with what it has now, all of it on disk.
    ///
    /// # Panics
    /// If it cannot be read.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let mut replay = Self::new();
        replay.add(folder, "");
        replay.names = replay.durable.clone();
        replay
    }

    fn add(&mut self, folder: &Path, below: &str) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = format!("{below}{}", entry.file_name().to_str().expect("UTF-8"));
            if entry.file_type().expect("a type").is_dir() {
                self.add(&entry.path(), &format!("{path}/"));
                self.durable.insert(path, Entry::Folder);
                continue;
            }
            let inode = std::os::unix::fs::MetadataExt::ino(&entry.metadata().expect("metadata"));
            let number = self.new_file(inode);
            self.files[number].durable = std::fs::read(entry.path()).expect("a file");
            self.durable.insert(path, Entry::File(number));
        }
    }

    fn new_file(&mut self, inode: u64) -> FileNumber {
        self.files.push(FileState::default());
        self.inodes.insert(inode, self.files.len() - 1);
        self.files.len() - 1
    }

    fn file(&mut self, inode: u64) -> &mut FileState {
        let number = self.inodes.get(&inode).copied();
        let number = number.unwrap_or_else(|| panic!("inode {inode} is of no file of the folder"));
        &mut self.files[number]
    }

    /// Carries out one more operation.
    ///
    /// # Panics
    /// If it does not fit what was before.
    pub fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Write {
                inode,
                offset,
                bytes,
            } => {
                let change = Change::Write(*offset, bytes.clone());
                self.file(*inode).pending.push(change);
            }
            Operation::Truncate { inode, length } => {
                self.file(*inode).pending.push(Change::Truncate(*length));
            }
            Operation::Sync { inode } => {
                let file = self.file(*inode);
                for change in std::mem::take(&mut file.pending) {
                    change.apply(&mut file.durable);
                }
            }
            Operation::SyncFolder { path } => self.flush_names(path),
            Operation::Mark(text) => self.marks.push(text.clone()),
            Operation::Create { path, inode } => {
                let file = Entry::File(self.new_file(*inode));
                self.change_names(NameChange::Set(path.clone(), file));
            }
            Operation::CreateFolder { path } => {
                self.change_names(NameChange::Set(path.clone(), Entry::Folder));
            }
            Operation::Remove { path } => self.change_names(NameChange::Clear(path.clone())),
            Operation::Link { from, to } => {
                let entry = *self.names.get(from).expect("what is linked has a name");
                self.change_names(NameChange::Set(to.clone(), entry));
            }
            Operation::Rename { from, to } => {
                let entry = *self.names.get(from).expect("what is renamed has a name");
                self.change_names(NameChange::Move(from.clone(), to.clone(), entry));
            }
        }
    }

    fn change_names(&mut self, change: NameChange) {
        change.apply(&mut self.names);
        self.pending.push(change);
    }

    /// The changes of one folder reach the disk, those of others do not.
    fn flush_names(&mut self, folder: &str) {
        let mut rest: Vec<NameChange> = Vec::new();
        for change in std::mem::take(&mut self.pending) {
            if !change.touches(folder) {
                rest.push(change);
                continue;
            }
            change.apply(&mut self.durable);
            if let NameChange::Move(from, to, _) = &change {
                rest.iter_mut().for_each(|earlier| earlier.moved(from, to));
            }
        }
        self.pending = rest;
    }

    /// The marks so far.
    #[must_use]
    pub fn marks(&self) -> &[String] {
        &self.marks
    }

    /// The paths that a power failure may still change: of files with content or a name that was not flushed.
    #[must_use]
    pub fn unsettled(&self) -> Vec<String> {
        let names = self.names.iter().chain(&self.durable);
        let is_settled = |path: &String, entry: &Entry| {
            let has_content = match entry {
                Entry::File(number) => self.files[*number].pending.is_empty(),
                Entry::Folder => true,
            };
            has_content && self.names.get(path) == self.durable.get(path)
        };
        let unsettled = names.filter(|(path, entry)| !is_settled(path, entry));
        let paths: BTreeSet<String> = unsettled.map(|(path, _)| path.clone()).collect();
        paths.into_iter().collect()
    }

    /// Writes what a power failure leaves now into an empty folder.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn leave(&self, loss: Loss, random: &mut Rng, folder: &Path) {
        let kept_names = match loss {
            Loss::All | Loss::Names => 0,
            Loss::Some => random.usize(..=self.pending.len()),
            Loss::Content | Loss::None => self.pending.len(),
        };
        let mut names = self.durable.clone();
        for change in &self.pending[..kept_names] {
            change.apply(&mut names);
        }
        // What is in a folder without a name is not to be found.
        let all = names.clone();
        names.retain(|path, _| {
            path.match_indices('/')
                .all(|(end, _)| all.get(&path[..end]) == Some(&Entry::Folder))
        });
        // From rather little to rather much.
        let chance = random.f64();
        for (path, entry) in names {
            let path = folder.join(path);
            let Entry::File(number) = entry else {
                std::fs::create_dir_all(path).expect("made");
                continue;
            };
            let file = &self.files[number];
            let mut content = file.durable.clone();
            for change in &file.pending {
                match loss {
                    Loss::All | Loss::Content => {}
                    Loss::Names | Loss::None => change.apply(&mut content),
                    Loss::Some => {
                        for part in change.torn(chance, random) {
                            part.apply(&mut content);
                        }
                    }
                }
            }
            std::fs::write(path, content).expect("written");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let read = entries.map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("UTF-8");
            (name, std::fs::read(entry.path()).expect("a file"))
        });
        read.collect()
    }

    /// A file that is written, flushed, written again and renamed; and what is left after each loss.
    #[test]
    fn what_was_flushed_stays_and_the_rest_may_go() {
        let write = |offset, text: &str| Operation::Write {
            inode: 7,
            offset,
            bytes: text.into(),
        };
        let (path, to) = ("a.new".to_owned(), "a".to_owned());
        let operations = [
            Operation::Create {
                path: path.clone(),
                inode: 7,
            },
            write(0, "one"),
            Operation::Sync { inode: 7 },
            Operation::SyncFolder {
                path: String::new(),
            },
            write(3, "two"),
            Operation::Rename {
                from: path.clone(),
                to: to.clone(),
            },
        ];
        let mut replay = Replay::new();
        operations.iter().for_each(|one| replay.apply(one));
        let mut random = Rng::with_seed(1);
        let mut left = |loss| {
            let folder = tempfile::tempdir().expect("a folder");
            replay.leave(loss, &mut random, folder.path());
            files(folder.path())
        };
        let one = |name: &str, text: &str| BTreeMap::from([(name.to_owned(), text.into())]);
        assert_eq!(left(Loss::All), one("a.new", "one"));
        assert_eq!(left(Loss::Content), one("a", "one"));
        assert_eq!(left(Loss::Names), one("a.new", "onetwo"));
        assert_eq!(left(Loss::None), one("a", "onetwo"));
        let some: Vec<_> = (0..64).map(|_| left(Loss::Some)).collect();
        for (name, text) in [
            ("a.new", "one"),
            ("a.new", "onetwo"),
            ("a", "one"),
            ("a", "onetwo"),
        ] {
            assert!(some.contains(&one(name, text)), "{name}: {text}");
        }
    }
}
