//! A service of this interface that lacks what only ours has: ours, behind a proxy that replaces some texts
//! of its answers.

use obeya_testkit::Proxy;

/// Texts of answers and what stands there instead.
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
