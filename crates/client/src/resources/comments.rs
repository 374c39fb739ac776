//! Comments on incidents.

use super::Comments;
use crate::error::Result;

impl Comments {
    /// Whether every change of a comment gives its incident a later `lastModified`. If so, a copy of all
    /// comments is kept up to date by reading those on changed incidents.
    ///
    /// The token issuer declares it for its service (`incident_stamps_cover_comments` in its discovery
    /// document; `obeya serve` does). `false` if it does not, and without client credentials: then changes
    /// can be found only by reading all comments.
    ///
    /// # Errors
    /// [`Error::Auth`](crate::Error::Auth) when the issuer refuses.
    pub async fn covered_by_incident_stamps(&self) -> Result<bool> {
        self.client.transport().stamps_cover_comments().await
    }
}
