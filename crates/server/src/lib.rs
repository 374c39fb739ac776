//! The Obeya service, as a library: [`Server::start`] returns a running service and its base URL.
//!
//! The public surface is [`Server::start`] and the administrative functions in [`admin`], [`import`],
//! [`export`], [`migrate`], [`backup`], [`check`] and [`audit`], and the PostgreSQL connection that commands
//! share with the service. A request flows `http` → `auth` → a handler in `ops` → the crates `read`, `rules`
//! and `store`.

mod app;
pub mod audit;
mod auth;
mod config;
mod http;
mod key_encryption;
mod listener;
mod network;
mod ops;
mod pipeline;
mod rate_limit;
mod router;
mod serve;
mod spec;
mod telemetry;
mod tls;
mod upkeep;

pub use obeya_transfer::{backup, check, export, import, migrate};
// Public only for the tests and benches of this crate, which fill and inspect a store directly.
#[doc(hidden)]
pub use obeya_store as store;

pub use auth::admin;
pub use config::{Clock, Config, ForwardedHeader, LeftoverWal, Limits, QueryLimits, TlsFiles};
pub use key_encryption::{InvalidKeyEncryptionKey, KeyEncryptionKey};
pub use network::{InvalidNetwork, Network};
pub use obeya_store::grants::{GrantedRecord, InvalidGrant};
pub use obeya_store::{connect_postgres, without_password};
pub use rate_limit::{InvalidRateLimit, RateLimit};
pub use serve::{Running, Server, StartError};
pub use tls::TlsError;
