//! `obeya sync`: the copy is what the service has, row by row, whatever happened meanwhile and wherever it
//! is.

mod amid;
pub mod between;
mod broken_off;
pub mod bucket;
mod comments;
pub mod copy;
mod exact;
pub mod killed;
mod lesser;
mod lists;
mod pages;
pub mod plant;
mod refused;
mod restless;
mod unchanged;
pub mod wire;
mod writers;
