//! A service of this interface without our extensions: ours, behind a proxy that replaces texts in its
//! responses.

use obeya_testkit::Proxy;

/// Texts in responses, and their replacements.
type Replace = &'static [(&'static str, &'static str)];

/// Answers without tags.
pub const NO_TAGS: Replace = &[("\r\netag: ", "\r\nxtag: ")];

/// An issuer that does not say that comments stamp their incidents.
pub const NO_PROMISE: Replace = &[(
    "incident_stamps_cover_comments",
    "incident_stamps_cover_comets_x",
)];

/// Starts it.
pub fn lesser(service: &str, replace: Replace) -> Proxy {
    Proxy::http(service, replace, |_| None)
}
