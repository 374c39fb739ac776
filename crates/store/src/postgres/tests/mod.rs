//! The connection over a real server: what the driver, the wire and the server make of what is asked.

mod catalogue;
mod faults;
mod migrate;
mod prefetched;
mod scratch;
mod session;
mod tls;
mod transactions;
