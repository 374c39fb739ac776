//! A service of this interface that lacks what only ours has: ours, behind a relay that gives some words of its answers other names.

use crate::relay::{self, Words};

/// Answers without tags.
pub const NO_TAGS: Words = &[("\r\netag: ", "\r\nxtag: ")];

/// An issuer that does not say that comments stamp their incidents.
pub const NO_PROMISE: Words = &[(
    "incident_stamps_cover_comments",
    "incident_stamps_cover_comets_x",
)];

/// Starts it; gives its address.
pub fn lesser(service: &str, words: Words) -> String {
    relay::start(service, words, |_| None)
}
