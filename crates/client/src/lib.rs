//! The Rust SDK of the Obeya API: incidents, improvements, boards, groups, areas and datasource values of a
//! lean-management system, on any server of this interface.
//!
//! ```no_run
//! use obeya::fields::area;
//! use obeya::model::{CategoryInput, IncidentCreate, IncidentSeverity};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // OBEYA_BASE_URL, OBEYA_CLIENT_ID and OBEYA_CLIENT_SECRET
//! let client = obeya::Client::from_env()?;
//!
//! let named = area::name().starts_with("Line");
//! let lines = client.areas().list().filter(named).orderby("name").await?;
//! for area in &lines.items {
//!     println!("{:?} {:?}", area.id, area.name);
//! }
//!
//! let incident = client
//!     .incidents()
//!     .create(&IncidentCreate {
//!         text: Some("Found at the start of the early shift.".to_owned()),
//!         ..IncidentCreate::new(
//!             3,
//!             IncidentSeverity::High,
//!             "Housing cracked",
//!             "2026-03-02".parse()?,
//!             vec![CategoryInput::new(12)],
//!         )
//!     })
//!     .await?;
//!
//! match client.boards().detail(7).await {
//!     Ok(board) => println!("{} rows", board.rows.len()),
//!     Err(error) if error.is_not_found() => println!("no such board"),
//!     Err(error) => return Err(error.into()),
//! }
//!
//! let mut values = client.datasources().values(5).since("2026-01-01T00:00:00Z".parse()?).stream();
//! while let Some(value) = values.next().await {
//!     println!("{}", value?.value);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Query options
//!
//! `filter`, `orderby`, `select` and `expand` take typed expressions made of [`fields`], which do not compile
//! with a misspelt property, another record's property or a mismatched type; or the OData text of the option.
//!
//! # What it takes care of
//!
//! - **Tokens.** Client credentials are exchanged for an access token on the first call; it is cached until
//!   shortly before it expires. Concurrent calls that are refused with one token cause one refresh.
//! - **Retries.** Up to [`max_retries`](ClientBuilder::max_retries) times, with exponential backoff and full
//!   jitter, or after the delay in `Retry-After`:
//!
//!   | failure | GET, PUT, DELETE | POST, PATCH with idempotency keys | other POST, PATCH |
//!   |---|---|---|---|
//!   | no connection | retried | retried | retried |
//!   | 429, 503 with the code `unavailable` | retried | retried | retried |
//!   | 502, 504, any other 503, the connection broke | retried | retried | not retried: it may be applied |
//!   | any other response | not retried | not retried | not retried |
//!
//!   Each write carries a unique `Idempotency-Key`, the same on every attempt: a service that supports keys
//!   applies it once and responds to a retry with the record's current state. The token issuer declares
//!   whether a service does (`obeya serve` does), or [`idempotency_keys`](ClientBuilder::idempotency_keys)
//!   sets it. [`Client::idempotency_key`] sets a key that outlives the call.
//!
//!   Without that support the retry of a PUT or DELETE may fail because its first attempt succeeded: 409 to a
//!   change of status that was already made, 404 to an incident that was already deleted. Such an error says
//!   so, and has the failure of that attempt as its source.
//!
//! - **Concurrent changes.** [`Edit`] changes some properties of a record, and never undoes what others have
//!   changed meanwhile: `client.incidents().edit(&incident).title("…").await`. [`Client::tagged`] reads a
//!   record with its tag (ETag), and [`Client::if_match`] writes only if the record still has it.
//!   [`Client::tagged_unless`] reads only what has another tag than the caller's.
//! - **Time.** [`timeout`](ClientBuilder::timeout) limits a whole call, including waits, each page of a list
//!   by itself, and an [`Edit`] with all its requests. [`Client::timeout`]
//!   and [`Client::max_retries`] return a client with other limits that shares connections and tokens, and
//!   [`Client::header`] one whose requests carry a header too.
//! - **Pages.** `stream()` follows next links, within the API's origin only; pages of values are prefetched.
//!   Concurrent changes neither lose nor repeat other records; [`Values::stream`] and [`Records::stream`]
//!   describe the limits.
//! - **Errors.** One [`Error`], classified by who has to act on it; it has the service's problem document.
//!
//! Redirects are not followed. An [`Observer`] sees every response. Secrets and tokens never appear in
//! `Debug` output or errors.
//!
//! The client secret is sent only to the origin of the token issuer, whatever its discovery document
//! contains; [`token_url`](ClientBuilder::token_url) sets another endpoint. Settings that send a secret or
//! token in plain HTTP to another machine are refused. Where
//! [`allow_plain_http`](ClientBuilder::allow_plain_http) permits it, it causes a `tracing` warning, which
//! [`Client::warnings`] returns too; so does a discovery document that is not used. Each call is a `tracing`
//! span at the level `debug`, with an event for each attempt: operation, attempt, status and request id,
//! never a URL, a body or a token. Error messages contain no control characters; use [`printable`] for
//! records.
//!
//! # In a browser
//!
//! The crate builds for `wasm32-unknown-unknown` without `blocking`. Requests go through `fetch`, so the
//! browser decides about connections, proxies, compression, redirects and the name of the agent; the README
//! lists what differs.
//!
//! # Features
//!
//! - `arrow`: every list as Arrow record batches (`arrow_stream()`), with the columns in `tables`. The
//!   service sends datasource values in Arrow; JSON from other services is decoded without a struct for each
//!   row.
//! - `blocking`: a synchronous client, `obeya::blocking::Client`, with the same methods without `async`.

#[cfg(feature = "arrow")]
mod arrow;
mod auth;
#[cfg(feature = "arrow")]
mod batches;
#[cfg(all(feature = "blocking", target_arch = "wasm32"))]
compile_error!(
    "the feature `blocking` needs threads, which wasm32 has not: use the asynchronous client"
);
#[cfg(feature = "blocking")]
pub mod blocking;
mod board_tasks;
mod body;
mod builder;
mod call_headers;
mod client;
mod conditions;
mod config;
mod conflict;
mod consistent;
mod deadline;
mod decode;
mod edit;
mod error;
mod executor;
mod expanded_lists;
pub mod fields;
mod http_clients;
mod limit;
mod list;
mod observe;
mod paged;
mod prefetch;
mod printable;
mod problem;
mod query;
mod recorder;
mod records;
mod resources;
mod retry;
mod runtime;
mod secret;
#[cfg(feature = "arrow")]
pub mod tables;
mod tag;
mod transformed_list;
mod transport;
mod value_periods;
mod value_position;
mod values;
mod whole_list;
mod words;

pub use board_tasks::BoardTasks;
pub use builder::ClientBuilder;
pub use client::{Access, Client};
pub use conditions::Tagged;
pub use conflict::Conflict;
pub use edit::{
    DatasourceValueChanges, Edit, EditTarget, Editable, ImprovementChanges, IncidentChanges,
    TaskChanges, TaskInfoChanges,
};
pub use error::{Cause, ConfigError, Error, Result};
pub use list::{Get, List, Resource};
pub use observe::{Exchange, Observer};
pub use paged::{Page, Paged};
pub use printable::printable;
pub use recorder::{Answered, Recorder};
pub use records::{Record, Records};
pub use resources::{
    Areas, Boards, Comments, DataLists, Datasources, Groups, Improvements, Incidents, Projects,
    Tasks, Trash, TypeDetail, Types, Users,
};
pub use tag::Tag;
pub use transformed_list::{Transformations, TransformedList};
pub use value_periods::{PeriodValue, ValueAggregate, ValuesByPeriod};
pub use value_position::ValuePosition;
pub use values::{ValuePage, Values};
pub use whole_list::WholeList;

#[cfg(feature = "arrow")]
pub use arrow::value_schema;
#[cfg(feature = "arrow")]
pub use transformed_list::RowColumns;
#[cfg(feature = "arrow")]
pub use values::ArrowPage;

/// The operations of the interface, as structs for [`Client::call`].
#[doc(inline)]
pub use obeya_api::call;

pub use obeya_api::{Call, Operation, Reply};

/// The wire types: records, request bodies, enums, timestamps.
pub use obeya_model as model;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
