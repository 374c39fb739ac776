//! Comments on incidents.

use super::Comments;
use crate::error::Result;

impl Comments {
    /// Whether every change of a comment gives its incident a later `lastModified`, so that whoever keeps a
    /// copy of all need read no comments but those on incidents that changed.
    ///
    /// The issuer of tokens says so of its service (`incident_stamps_cover_comments` in its discovery
    /// document, as `obeya serve` has it). `false` if it does not, and without client credentials: then
    /// nothing is known, and only the comments themselves tell.
    ///
    /// # Errors
    /// [`Error::Auth`](crate::Error::Auth) when the issuer refuses.
    pub async fn covered_by_incident_stamps(&self) -> Result<bool> {
        self.client.transport().stamps_cover_comments().await
    }
}
