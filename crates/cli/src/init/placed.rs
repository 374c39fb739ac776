//! Files and folders that are removed again unless everything succeeds.
//!
//! No file replaces another. What was there before is never removed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::durable;

/// What was put in place so far. Dropping it removes all of that.
#[derive(Default)]
pub(super) struct Placed {
    /// In the order in which they were made; a folder comes before the files in it.
    paths: Vec<PathBuf>,
}

impl Placed {
    /// Makes a folder, and those above it.
    pub(super) fn folder(&mut self, folder: &Path) -> Result<()> {
        let new = folder
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let new: Vec<PathBuf> = new.map(Path::to_owned).collect();
        self.paths.extend(new.into_iter().rev());
        durable::create_folders(folder)
            .with_context(|| format!("the folder {} cannot be made", folder.display()))
    }

    /// Gives a file, whose content is on disk, its name.
    pub(super) fn file(&mut self, from: &Path, to: &Path) -> Result<()> {
        durable::publish_new(from, to)
            .with_context(|| format!("{} cannot be written", to.display()))?;
        self.paths.push(to.to_owned());
        Ok(())
    }

    /// Leaves everything where it is.
    pub(super) fn keep(mut self) {
        self.paths.clear();
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        for path in self.paths.iter().rev() {
            // A folder in which another program made a file stays, and so does what cannot be removed: the
            // error that led here matters more.
            let _ = match path.is_dir() {
                true => fs::remove_dir(path),
                false => fs::remove_file(path),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_kept_is_removed_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("plants/one");
        let aside = root.path().join("aside");
        let file = folder.join("obeya.toml");
        let place = |placed: &mut Placed| {
            placed.folder(&folder).unwrap();
            fs::write(&aside, "new").unwrap();
            placed.file(&aside, &file).unwrap();
        };
        let mut placed = Placed::default();
        place(&mut placed);
        assert_eq!(fs::read(&file).unwrap(), b"new");
        drop(placed);
        assert!(!root.path().join("plants").exists());

        fs::create_dir(root.path().join("plants")).unwrap();
        let mut placed = Placed::default();
        place(&mut placed);
        fs::write(&aside, "second").unwrap();
        let refused = placed.file(&aside, &file).unwrap_err();
        assert!(refused.to_string().contains("obeya.toml"), "{refused}");
        drop(placed);
        assert!(root.path().join("plants").exists() && !folder.exists());

        fs::remove_file(&aside).unwrap();
        let mut placed = Placed::default();
        place(&mut placed);
        placed.keep();
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }
}
