//! The pages of the service for a browser: the front page, the explorer on which every operation can be
//! called, and the guide.
//!
//! They need no inline script or style, and nothing from another host. This crate has their bytes; it knows
//! neither HTTP nor the service.

mod assets;
mod front;

pub use assets::{Asset, EXPLORER, FAVICON, STYLE, explorer_asset, guide_asset, guide_paths};
pub use front::FrontPage;
