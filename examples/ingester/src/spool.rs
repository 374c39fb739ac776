//! The folder of batches that the service does not have yet. A batch and its key are on disk before it is
//! sent: whoever sends it, and however often, the service adds its values once.
//!
//! Nothing here knows the service.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use obeya::model::DatasourceValueInput;
use serde::{Deserialize, Serialize};

/// Values for one datasource, which are sent together.
#[derive(Debug, Deserialize, Serialize)]
pub struct Batch {
    /// The idempotency key: 32 hexadecimal digits.
    pub key: String,
    /// The id of the datasource.
    pub datasource: i32,
    /// The values, at most 10,000.
    pub values: Vec<DatasourceValueInput>,
}

/// The folder. One process has it at a time.
pub struct Spool {
    folder: PathBuf,
    /// The numbers of the batches, in whose order they are sent, and of the next one.
    waiting: Mutex<(BTreeSet<u64>, u64)>,
    /// Locked until this value is dropped, or its process ends in whatever way.
    _lock: File,
}

impl Spool {
    /// Opens the folder, which is made if it is missing.
    ///
    /// # Errors
    /// It cannot be read or written, or another process has it.
    pub fn open(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder.join("refused")).with_context(|| folder.display().to_string())?;
        let lock = File::create(folder.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("{}: another ingester uses this folder", folder.display())
            }
            Err(TryLockError::Error(error)) => return Err(error).context("locking the folder"),
        }
        let mut numbers = BTreeSet::new();
        // Refused batches have numbers of the same row.
        let mut last = 0;
        for (place, waits) in [(folder.to_owned(), true), (folder.join("refused"), false)] {
            for entry in fs::read_dir(&place).with_context(|| place.display().to_string())? {
                let name = entry?.file_name();
                let name = name.to_string_lossy();
                let number = name
                    .strip_suffix(".json")
                    .and_then(|name| name.parse().ok());
                if let Some(number) = number {
                    last = last.max(number);
                    if waits {
                        numbers.insert(number);
                    }
                }
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            waiting: Mutex::new((numbers, last + 1)),
            _lock: lock,
        })
    }

    /// Writes a batch of these values behind all others. It is on disk when this returns.
    ///
    /// # Errors
    /// The disk is full, for example.
    pub fn add(&self, datasource: i32, values: Vec<DatasourceValueInput>) -> Result<()> {
        let batch = Batch {
            key: new_key()?,
            datasource,
            values,
        };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let number = waiting.1;
        // A process that ends in between leaves a file that is not read.
        let unfinished = self.folder.join("unfinished");
        let mut file = File::create(&unfinished).with_context(|| shown(&unfinished))?;
        file.write_all(&serde_json::to_vec(&batch)?)
            .and_then(|()| file.sync_all())
            .with_context(|| shown(&unfinished))?;
        fs::rename(&unfinished, self.file(number)).with_context(|| shown(&self.file(number)))?;
        sync(&self.folder)?;
        waiting.0.insert(number);
        waiting.1 = number + 1;
        Ok(())
    }

    /// The first batch and its number.
    ///
    /// # Errors
    /// Its file is gone or is no batch.
    pub fn first(&self) -> Result<Option<(u64, Batch)>> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(&number) = waiting.0.first() else {
            return Ok(None);
        };
        let file = self.file(number);
        let text = fs::read(&file).with_context(|| shown(&file))?;
        let batch = serde_json::from_slice(&text).with_context(|| shown(&file))?;
        Ok(Some((number, batch)))
    }

    /// How many batches wait.
    pub fn len(&self) -> usize {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.0.len()
    }

    /// Whether no batch waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes a batch that the service has.
    ///
    /// # Errors
    /// Its file cannot be removed.
    pub fn remove(&self, number: u64) -> Result<()> {
        let file = self.file(number);
        fs::remove_file(&file).with_context(|| shown(&file))?;
        self.forget(number)
    }

    /// Moves a batch that the service refuses to the folder `refused`, with the reason beside it.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn refuse(&self, number: u64, reason: &str) -> Result<()> {
        let refused = self.folder.join("refused").join(name(number));
        fs::write(refused.with_extension("txt"), reason).with_context(|| shown(&refused))?;
        fs::rename(self.file(number), &refused).with_context(|| shown(&refused))?;
        sync(&self.folder.join("refused"))?;
        self.forget(number)
    }

    fn forget(&self, number: u64) -> Result<()> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.0.remove(&number);
        sync(&self.folder)
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.join(name(number))
    }
}

/// Names are on disk when their folder is. Windows has no such call, and orders them itself.
fn sync(folder: &Path) -> Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn name(number: u64) -> String {
    format!("{number:020}.json")
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}

/// A key that no other batch has.
fn new_key() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("no random numbers")?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: f64) -> Vec<DatasourceValueInput> {
        let time = "2026-11-26T06:00:00Z".parse().expect("a time");
        vec![DatasourceValueInput::new(value, time)]
    }

    #[test]
    fn batches_survive_their_process_in_their_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::open(folder.path()).expect("opened");
        for number in 1..=11 {
            spool.add(12, value(f64::from(number))).expect("written");
        }
        let (number, first) = spool.first().expect("read").expect("a batch");
        spool.remove(number).expect("removed");
        let (number, _) = spool.first().expect("read").expect("a batch");
        spool.refuse(number, "no such datasource").expect("moved");
        drop(spool);

        let spool = Spool::open(folder.path()).expect("opened again");
        spool.add(12, value(12.0)).expect("written");
        let mut found = Vec::new();
        while let Some((number, batch)) = spool.first().expect("read") {
            assert_ne!(batch.key, first.key);
            found.push(batch.values[0].value);
            spool.remove(number).expect("removed");
        }
        let rest: Vec<_> = (3..=12).map(f64::from).collect();
        assert_eq!(found, rest);
        let refused = folder.path().join("refused/00000000000000000002");
        assert!(refused.with_extension("json").exists());
        let reason = fs::read_to_string(refused.with_extension("txt")).expect("a reason");
        assert_eq!(reason, "no such datasource");
    }

    #[test]
    fn two_ingesters_do_not_share_a_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let _spool = Spool::open(folder.path()).expect("opened");
        let error = Spool::open(folder.path()).err().expect("refused");
        assert!(
            error
                .to_string()
                .ends_with("another ingester uses this folder")
        );
    }

    #[test]
    fn a_number_is_not_given_twice_after_a_refused_batch() {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::open(folder.path()).expect("opened");
        spool.add(12, value(1.0)).expect("written");
        spool.refuse(1, "no").expect("moved");
        drop(spool);
        let spool = Spool::open(folder.path()).expect("opened again");
        spool.add(12, value(2.0)).expect("written");
        let (number, _) = spool.first().expect("read").expect("a batch");
        assert_eq!(number, 2);
    }
}
