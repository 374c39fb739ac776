//! Opens a copy in a bucket.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};

use super::lease::Lease;
use super::local::LocalFolder;
use super::objects::Objects;
use super::uploads::Uploads;
use super::{Delta, DeltaTarget, Options, STATE};
use crate::sync::schema;
use crate::sync::state::State;
use crate::sync::target::files::FilesTarget;
use crate::sync::target::files::state_file::parse;

impl DeltaTarget {
    /// Opens or creates the copy at `s3://BUCKET/PREFIX`.
    ///
    /// # Errors
    /// When another run is writing it, the prefix contains something else, or the bucket cannot be read.
    pub(in crate::sync) fn open(location: &str, options: Options) -> Result<Self> {
        Self::open_objects(Objects::connect(location)?, location, options)
    }

    pub(super) fn open_objects(objects: Objects, location: &str, options: Options) -> Result<Self> {
        let lease = Lease::take(&objects).map_err(|error| {
            match error.is::<object_store::Error>() && !has_credentials() {
                true => error.context(
                    "found neither AWS_ACCESS_KEY_ID nor a role in the environment, and asked the machine for its role",
                ),
                false => error,
            }
        })?;
        let is_unfenced = lease.handover.unfenced;
        let mut delta = Delta {
            logs: BTreeMap::new(),
            changed: Vec::new(),
            uploads: Uploads::default(),
            state: None,
            local: LocalFolder::new(location, lease.owner())?,
            lease,
            options,
            missing: BTreeSet::new(),
            has_ended: false,
            objects,
        };
        if is_unfenced {
            delta.fence()?;
        }
        FilesTarget::in_storage(delta)
    }

    /// Reads the stored state without changing the copy.
    pub(in crate::sync) fn read_state(location: &str) -> Result<Option<State>> {
        let Some((_, content)) = Objects::connect(location)?.get(STATE)? else {
            return Ok(None);
        };
        Ok(Some(parse(&state_text(&content)?)?.1))
    }
}

impl Delta {
    /// Takes the next version of each table from a run that may still be there.
    pub(super) fn fence(&mut self) -> Result<()> {
        self.read_all_logs()?;
        for name in schema::tables() {
            if let Some(log) = self.logs.get_mut(name)
                && log.exists()
            {
                log.fence(&self.objects)?;
            }
        }
        Ok(())
    }
}

/// The text of the stored state.
pub(super) fn state_text(content: &[u8]) -> Result<String> {
    let text = std::str::from_utf8(content);
    let text = text.with_context(|| format!("{STATE} is not the state of a copy"))?;
    Ok(text.to_owned())
}

/// Whether the environment has keys, or says where to get some.
fn has_credentials() -> bool {
    let names = [
        "AWS_ACCESS_KEY_ID",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ];
    names.iter().any(|name| std::env::var_os(name).is_some())
}
