//! What runs the client: Tokio, or a browser. Both have the same functions.
//!
//! Nothing here knows HTTP.

#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(not(target_arch = "wasm32"))]
mod native;

#[cfg(target_arch = "wasm32")]
pub(crate) use browser::*;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::*;
