//! A string that never shows itself.
//!
//! Client secrets and tokens travel in this type so that a `Debug` of a client, a configuration or an error
//! can't leak one. It must not implement `Display`, `Serialize` or `Deref`.

use std::fmt;
use std::sync::Arc;

/// A secret string, shared and printed as `Secret(…)`.
#[derive(Clone)]
pub(crate) struct Secret(Arc<str>);

impl Secret {
    pub(crate) fn new(text: &str) -> Self {
        Self(Arc::from(text))
    }

    /// The text itself, for the one place that sends it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
