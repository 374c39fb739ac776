//! The tags of pages of values: what a page is made of, and the state of the datasource that it shows. So a
//! page that its caller has is known before a row is read, and pages of one state are known to fit together.

use std::sync::Arc;

use http::HeaderValue;

use super::call::Call;
use crate::http::etag::{Condition, Tag};

/// The tags that a page may have.
#[derive(Debug, Clone, Default)]
pub(super) struct Tags {
    /// What was asked, and of whom; `None` where the same question may have another answer next time.
    asked: Option<Arc<str>>,
    /// What the caller has.
    had: Option<Condition>,
}

impl Tags {
    /// Those of the answers to a request.
    pub(super) fn of_answers_to(call: &Call, asks_the_time: bool) -> Self {
        if asks_the_time {
            return Self::default();
        }
        // Another program may write the same rows otherwise.
        let program = env!("CARGO_PKG_VERSION");
        let media = call.media().to_str().unwrap_or_default();
        let path = call.path().to_ascii_lowercase();
        Self {
            asked: Some(format!("{program} {media} {path}?{}", call.query()).into()),
            had: Condition::if_none_match(call.headers()),
        }
    }

    /// The tag of the page in a state of the datasource.
    pub(super) fn of(&self, version: i64) -> Option<Tag> {
        let asked = self.asked.as_ref()?;
        Some(Tag::of(format!("{version} {asked}").as_bytes()))
    }

    /// Whether the caller has the page as it is in that state.
    pub(super) fn is_known(&self, version: i64) -> bool {
        let had = self.had.as_ref();
        had.is_some_and(|had| self.of(version).is_some_and(|tag| had.names_weakly(&tag)))
    }
}

/// The state of a datasource, as its pages name it: whatever was asked and in whatever form, it is the same
/// as long as no value changes. A digest, so that nobody takes it for a number that goes up.
pub(super) fn state(datasource: i64, version: i64) -> HeaderValue {
    Tag::of(format!("{datasource} {version}").as_bytes()).unquoted()
}
