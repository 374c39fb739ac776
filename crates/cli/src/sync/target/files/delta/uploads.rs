//! Uploads of local files, some at a time.

use std::path::PathBuf;

use anyhow::Result;
use tokio::task::JoinSet;

use super::objects::{Objects, upload};

/// How many files are uploaded at once.
const CONCURRENT: usize = 8;

/// The uploads in progress.
#[derive(Default)]
pub(super) struct Uploads(JoinSet<Result<()>>);

impl Uploads {
    /// Starts to upload a file, which is removed when that is done. Waits if there are many.
    pub(super) fn start(&mut self, objects: &Objects, from: PathBuf, to: String) -> Result<()> {
        while self.0.len() >= CONCURRENT {
            self.wait_for_one(objects)?;
        }
        let store = objects.store.clone();
        objects.wait(async {
            self.0.spawn(async move {
                upload(store, &from, &to).await?;
                Ok(std::fs::remove_file(from)?)
            });
        });
        Ok(())
    }

    /// Waits until all are complete.
    pub(super) fn wait(&mut self, objects: &Objects) -> Result<()> {
        while !self.0.is_empty() {
            self.wait_for_one(objects)?;
        }
        Ok(())
    }

    fn wait_for_one(&mut self, objects: &Objects) -> Result<()> {
        match objects.wait(self.0.join_next()) {
            Some(joined) => joined?,
            None => Ok(()),
        }
    }
}
