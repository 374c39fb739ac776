//! The Obeya service, as a library: [`Server::start`] gives a running service and its base URL.
//!
//! Callers reach the service over HTTP, through [`Server::start`] and through the administrative functions in
//! [`admin`], [`import`], [`export`] and [`migrate`]; but for the way to a PostgreSQL that commands share
//! with it, nothing else is public. A request flows `http` → `auth` → a handler in `ops` → the crates `read`,
//! `rules` and `store`.

mod app;
mod auth;
mod config;
mod http;
mod ops;
mod pipeline;
mod router;
mod serve;
mod spec;
mod telemetry;
mod upkeep;

pub use obeya_transfer::{export, import, migrate};
// Public for this crate's own tests and benches only, which fill and inspect a store directly.
#[doc(hidden)]
pub use obeya_store as store;

pub use auth::admin;
pub use config::{Clock, Config, LeftoverWal, Limits, QueryLimits};
pub use obeya_store::{connect_postgres, without_password};
pub use serve::{Running, Server, StartError};
