//! The tags of pages of values: a digest of the request and the version of the datasource. So a page that the
//! client already has is recognised before a row is read, and pages of one version are known to fit together.

use std::sync::Arc;

use http::HeaderValue;

use super::call::Call;
use crate::http::etag::{Condition, Tag};

/// The possible tags of a page.
#[derive(Debug, Clone, Default)]
pub(super) struct PageTags {
    /// The request and the version of the program; `None` if the same request may have another answer next
    /// time.
    request: Option<Arc<str>>,
    /// The tags that the client has.
    if_none_match: Option<Condition>,
}

impl PageTags {
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
            request: Some(format!("{program} {media} {path}?{}", call.query()).into()),
            if_none_match: Condition::if_none_match(call.headers()),
        }
    }

    /// The tag of the page for a version of the datasource.
    pub(super) fn of(&self, version: i64) -> Option<Tag> {
        let request = self.request.as_ref()?;
        Some(Tag::of(format!("{version} {request}").as_bytes()))
    }

    /// Whether the client has the page of that version.
    pub(super) fn is_known(&self, version: i64) -> bool {
        let if_none_match = self.if_none_match.as_ref();
        if_none_match.is_some_and(|if_none_match| {
            self.of(version)
                .is_some_and(|tag| if_none_match.names_weakly(&tag))
        })
    }
}

/// The value of `obeya-state`: it is the same for every request and format as long as no value changes. A
/// digest, so that it is not mistaken for an increasing number.
pub(super) fn state(datasource: i64, version: i64) -> HeaderValue {
    Tag::of(format!("{datasource} {version}").as_bytes()).unquoted()
}
