//! A string that is never printed.
//!
//! Client secrets and tokens have this type, so that the `Debug` output of a client, a configuration or an
//! error cannot leak one. It must not implement `Display`, `Serialize` or `Deref`.

use std::fmt;
use std::sync::Arc;

/// A secret string, shared and printed as `Secret(…)`.
#[derive(Clone)]
pub(crate) struct Secret(Arc<str>);

impl Secret {
    pub(crate) fn new(text: &str) -> Self {
        Self(Arc::from(text))
    }

    /// The text itself; only for sending it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
