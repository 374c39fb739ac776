//! `obeya migrate`: what arrives, what is refused, and what is left when it is ended half-way.

mod compared;
mod copied;
pub mod ended;
pub mod plant;
mod refused;
