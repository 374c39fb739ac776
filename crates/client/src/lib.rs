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
//! let mut values = client.datasources().values(5).from("2026-01-01T00:00:00Z".parse()?).stream();
//! while let Some(value) = values.next().await {
//!     println!("{}", value?.value);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Query options
//!
//! `filter`, `orderby`, `select` and `expand` take expressions made of [`fields`], in which a misspelt or
//! foreign property and a text beside a number do not compile, or the text of an option as OData has it.
//!
//! # What it takes care of
//!
//! - **Tokens.** Client credentials are exchanged for an access token when the first call needs one; it is
//!   remembered until shortly before it expires. However many calls are refused with one token, one new token
//!   is fetched.
//! - **Trying again.** Up to [`max_retries`](ClientBuilder::max_retries) times, after a random wait below an
//!   exponential ceiling or after what `Retry-After` says:
//!
//!   | what happened | GET, PUT, DELETE | POST, where keys are kept to | POST elsewhere |
//!   |---|---|---|---|
//!   | no connection | again | again | again |
//!   | 429, 503 with the code `unavailable` | again | again | again |
//!   | 502, 504, any other 503, the connection broke | again | again | given up: it may have been carried out |
//!   | any other answer | given up | given up | given up |
//!
//!   Each write carries an `Idempotency-Key` of its own, the same on every try: a service that keeps to keys
//!   carries it out once and answers again with the record as it is by then. Whether a service does, its
//!   token issuer says (`obeya serve` does), or [`idempotency_keys`](ClientBuilder::idempotency_keys).
//!   [`Client::idempotency_key`] gives a key that outlives the call.
//!
//!   Elsewhere a PUT or DELETE that is sent again may meet what its first try did: 409 to a change of status
//!   that has just been made, 404 to an incident that has just been deleted. Such an answer says so, and has
//!   the failure of that try as its source.
//!
//! - **Changes of others.** [`Client::tagged`] reads a record with the tag of its state, and
//!   [`Client::if_match`] writes only if that is still its state. [`Client::tagged_unless`] reads what has
//!   another tag than the caller's, and else nothing.
//! - **Time.** [`timeout`](ClientBuilder::timeout) limits a call as a whole, waits included.
//!   [`Client::timeout`] and [`Client::max_retries`] give a client with other limits that shares connections
//!   and tokens.
//! - **Pages.** `stream()` follows next links, within the API's origin only; values are fetched some pages
//!   ahead. What changes while a list is read moves no other record out of sight and brings none twice:
//!   [`Values::stream`] and [`Records::stream`] say how far that goes.
//! - **Errors.** One [`Error`], by who has to act on it; the service's own problem document is in it.
//!
//! Redirects are not followed. An [`Observer`] sees every answer. Secrets and tokens are in no `Debug` output
//! and no error.
//!
//! The client secret goes to the origin of the token issuer alone, wherever the issuer's discovery document
//! leads; [`token_url`](ClientBuilder::token_url) names another place. A secret or token that goes over plain
//! HTTP to another machine is a `tracing` warning, and told by [`Client::warnings`]; so is a discovery
//! document that is not followed. Nothing else is logged. Messages of errors hold no control characters of a
//! server's texts; for records there is [`printable`].
//!
//! # Features
//!
//! - `arrow`: every list as Arrow record batches (`arrow_stream()`), by the columns in `tables`. Datasource
//!   values are sent as such by the service; from one that only knows JSON they are decoded without a struct
//!   for each row.

#[cfg(feature = "arrow")]
mod arrow;
mod auth;
#[cfg(feature = "arrow")]
mod batches;
mod body;
mod bridge;
mod builder;
mod client;
mod conditions;
mod config;
mod consistent;
mod deadline;
mod decode;
mod error;
mod extras;
pub mod fields;
mod list;
mod observe;
mod paged;
mod prefetch;
mod printable;
mod problem;
mod query;
mod records;
mod resources;
mod retry;
mod secret;
#[cfg(feature = "arrow")]
pub mod tables;
mod transport;
mod values;

pub use builder::ClientBuilder;
pub use client::{Access, Client};
pub use conditions::Tagged;
pub use error::{Cause, ConfigError, Error, Result};
pub use extras::Tag;
pub use list::{Get, List, Resource};
pub use observe::{Exchange, Observer};
pub use paged::{Page, Paged};
pub use printable::printable;
pub use records::{Record, Records};
pub use resources::{
    Areas, Boards, Comments, DatasourceList, Datasources, Groups, Improvements, Incidents, Trash,
    TypeDetail, Types,
};
pub use values::{ValuePage, Values};

#[cfg(feature = "arrow")]
pub use arrow::value_schema;
#[cfg(feature = "arrow")]
pub use values::ArrowPage;

/// The operations of the interface, a struct for each: for [`Client::call`].
#[doc(inline)]
pub use obeya_api::call;

pub use obeya_api::{Call, Operation};

/// The types that travel: records, write bodies, enums, timestamps.
pub use obeya_model as model;

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
