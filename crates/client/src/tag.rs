//! Entity tags.

use std::fmt;

use http::HeaderMap;
use http::header::ETAG;

/// The entity tag of a record or page (`ETag`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tag(String);

impl Tag {
    /// From the text of a header, quotes included.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The tag in the headers of a response.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        headers.get(ETAG)?.to_str().ok().map(Self::new)
    }

    /// The text of the header.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
