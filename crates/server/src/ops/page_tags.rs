//! The tags of pages of values: a digest of the request and the version of the datasource. So a page that the
//! client already has is recognised before a row is read, and pages of one version are known to fit together.

use std::sync::Arc;

use http::HeaderValue;

use super::call::Call;
use crate::http::etag::{Condition, Tag};

/// The possible tags of a page.
#[derive(Debug, Clone, Default)]
pub(super) struct Tags {
    /// The request and the version of the program; `None` if the same request may have another answer next
    /// time.
    asked: Option<Arc<str>>,
    /// The tags that the client has.
    had: Option<Condition>,
}

impl Tags {
    /// The tags of the answers to a request.
    pub(super) fn of_answers_to(call: &Call, asks_the_time: bool) -> Self {
        if asks_the_time {
            return Self::default();
        }
        // Another version of the program may write the same rows differently.
        let program = env!("CARGO_PKG_VERSION");
        let media = call.media().to_str().unwrap_or_default();
        let path = call.path().to_ascii_lowercase();
        Self {
            asked: Some(format!("{program} {media} {path}?{}", call.query()).into()),
            had: Condition::if_none_match(call.headers()),
        }
    }

    /// The tag of the page for a version of the datasource.
    pub(super) fn of(&self, version: i64) -> Option<Tag> {
        let asked = self.asked.as_ref()?;
        Some(Tag::of(format!("{version} {asked}").as_bytes()))
    }

    /// Whether the client has the page of that version.
    pub(super) fn is_known(&self, version: i64) -> bool {
        let had = self.had.as_ref();
        had.is_some_and(|had| self.of(version).is_some_and(|tag| had.names_weakly(&tag)))
    }
}

/// The value of `obeya-state`: it is the same for every request and format as long as no value changes. A
/// digest, so that it is not mistaken for an increasing number.
pub(super) fn state(datasource: i64, version: i64) -> HeaderValue {
    Tag::of(format!("{datasource} {version}").as_bytes()).unquoted()
}
