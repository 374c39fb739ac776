//! The HTTP client of the Obeya API, generated at build time from `spec/openapi.yaml`. It has no policies: no
//! tokens, retries, timeouts or pagination. Applications use the package `obeya`, which adds them.
//!
//! - [`Client`] is the service at one base URL.
//! - [`call`] has one struct for each operation: parameters are named fields, so that two optional strings
//!   cannot be swapped. `send` returns a [`Reply`] (value, status, headers) or an [`Error`].
//! - Every request goes through one [`Executor`], which implements tokens, retries, deadlines and the body
//!   limit. It gets the [`Operation`] and a complete `reqwest::Request`, and returns the whole body in
//!   memory. [`Error::into_executor`] returns its own typed errors.
//! - Options for one call (a deadline, an idempotency key): [`Client::new`] is cheap, so wrap the executor.
//! - `…Raw` calls return the undecoded bytes, for decoding directly to columns.
//!
//! ```no_run
//! use std::sync::Arc;
//! use obeya_api::{Client, Executor, call};
//!
//! # async fn example(http: reqwest::Client, executor: Arc<dyn Executor>) -> Result<(), obeya_api::Error> {
//! // reqwest is built without a TLS provider: install one before creating `http`.
//! let client = Client::new("http://localhost:8080", http, executor);
//! let page = call::ListBoardsV2 {
//!     filter: Some("isPublic eq true"),
//!     ..Default::default()
//! }
//! .send(&client)
//! .await?;
//! println!("{} boards", page.value.len());
//! let board = call::GetBoardV1::new(7).send(&client).await?;
//! println!("{:?}", board.name);
//! # Ok(())
//! # }
//! ```

mod calls;
mod error;
mod exchange;
mod executor;
mod finite;
mod reply;
mod uploads;

mod generated {
    #![allow(
        clippy::all,
        clippy::pedantic,
        clippy::restriction,
        missing_docs,
        unreachable_patterns,
        unused_imports,
        unused_qualifications,
        rustdoc::all,
        reason = "generated; the specification carries the documentation"
    )]
    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}

pub use calls::Call;
pub use error::Error;
pub use executor::{BoxFuture, ExecuteError, Executor};
pub use finite::{NotFinite, check_numbers};
pub use generated::{Client, Operation};
pub use obeya_model as types;
pub use reply::Reply;

/// One struct for each operation, its parameters as fields: set those you need, then call `send`.
pub mod call {
    pub use crate::generated::call::*;
    pub use crate::uploads::{CreateIncidentAttachment, CreateTaskAttachment, Upload};
}
