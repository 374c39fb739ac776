//! The pages of the service for a browser: the front page, and the explorer on which every operation can be
//! called.
//!
//! They need no inline script or style, and nothing from another host. This crate has their bytes; it knows
//! neither HTTP nor the service.

mod assets;
mod front;

pub use assets::{Asset, EXPLORER, FAVICON, STYLE, explorer_asset};
pub use front::FrontPage;
