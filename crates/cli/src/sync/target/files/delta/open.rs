//! Opens a copy in a bucket.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use reqwest::Url;

use super::lease::Lease;
use super::objects::Objects;
use super::uploads::Uploads;
use super::{Delta, DeltaTarget, STATE};
use crate::sync::state::State;
use crate::sync::target::files::FilesTarget;
use crate::sync::target::files::state_file::parse;

impl DeltaTarget {
    /// Opens or creates the copy.
    ///
    /// # Errors
    /// When another run is writing it, or the bucket cannot be read.
    pub(in crate::sync) fn open(url: &Url, retention_hours: u32) -> Result<Self> {
        Self::open_objects(Objects::connect(url)?, retention_hours)
    }

    pub(super) fn open_objects(objects: Objects, retention_hours: u32) -> Result<Self> {
        let local = tempfile::tempdir().context("no temporary folder can be created")?;
        FilesTarget::in_storage(Delta {
            lease: Lease::take(&objects)?,
            logs: BTreeMap::new(),
            changed: Vec::new(),
            uploads: Uploads::default(),
            state: None,
            local,
            next_local: 0,
            retention_hours,
            has_ended: false,
            objects,
        })
    }

    /// Reads the stored state without changing the copy.
    pub(in crate::sync) fn read_state(url: &Url) -> Result<Option<State>> {
        let Some((_, content)) = Objects::connect(url)?.get(STATE)? else {
            return Ok(None);
        };
        let text = std::str::from_utf8(&content)?;
        Ok(Some(parse(text)?.1))
    }
}
