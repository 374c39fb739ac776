//! `obeya migrate`: what arrives, what is refused, and what is left when it is ended half-way.

mod compared;
mod copied;
mod ended;
mod plant;
mod refused;
