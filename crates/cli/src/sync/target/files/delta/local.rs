//! The local files of a run: those that it has downloaded to read them, and those that it will upload.
//!
//! They contain personal data, and a killed run cannot remove them. So the folder has a name by its copy, only
//! its owner may read it, and the next run on this machine removes what it finds there.

use std::collections::HashMap;
use std::fs::{self, DirBuilder};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::sync::target::files::storage::FileKey;

/// The folder, which is removed with this value.
pub(super) struct LocalFolder {
    path: PathBuf,
    /// By table, or for a month of values: the object that was downloaded last, and its copy.
    downloads: HashMap<Option<&'static str>, (String, PathBuf)>,
    next: u64,
}

impl LocalFolder {
    /// The folder of a run on a copy at this location. The run must have taken the lease: those of other runs
    /// are removed.
    pub(super) fn new(location: &str, run: &str) -> Result<Self> {
        // Buckets of several stores may have one name.
        let store = std::env::var_os("AWS_ENDPOINT_URL").unwrap_or_default();
        let location = location.trim_end_matches('/');
        let digest = Sha256::digest(format!("{location}\n{}", store.display()));
        let name: String = digest[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let above = std::env::temp_dir().join(format!("obeya-sync-{name}"));
        let path = above.join(run);
        let create = || {
            match fs::remove_dir_all(&above) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                removed => removed?,
            }
            let mut builder = DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(&path)
        };
        create().with_context(|| format!("{} cannot be created", path.display()))?;
        Ok(LocalFolder {
            path,
            downloads: HashMap::new(),
            next: 0,
        })
    }

    /// A new name for a file that will be uploaded.
    pub(super) fn for_upload(&mut self) -> PathBuf {
        self.next += 1;
        self.path.join(format!("{}.parquet", self.next))
    }

    /// The copy of an object that this run has downloaded.
    pub(super) fn downloaded(&self, file: FileKey, object: &str) -> Option<PathBuf> {
        let (known, path) = self.downloads.get(&slot(file))?;
        (known == object).then(|| path.clone())
    }

    /// A new name for the copy of an object. That of an earlier one of the same table is removed.
    pub(super) fn for_download(&mut self, file: FileKey, object: &str) -> PathBuf {
        self.forget(file);
        let path = self.for_upload();
        self.downloads
            .insert(slot(file), (object.to_owned(), path.clone()));
        path
    }

    /// Removes the copy of an object.
    pub(super) fn forget(&mut self, file: FileKey) {
        if let Some((_, path)) = self.downloads.remove(&slot(file)) {
            // What is left is removed with the folder.
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for LocalFolder {
    fn drop(&mut self) {
        // The next run removes what is left.
        let _ = fs::remove_dir_all(&self.path);
        // If it is empty: a later run may have its own folder there.
        if let Some(above) = self.path.parent() {
            let _ = fs::remove_dir(above);
        }
    }
}

/// There may be many months, and one of them is read at a time.
fn slot(file: FileKey) -> Option<&'static str> {
    match file {
        FileKey::Table(name) => Some(name),
        FileKey::Month(..) => None,
    }
}
