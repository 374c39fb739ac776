//! The types of the Obeya API: what travels, in both directions. It knows nothing of HTTP.
//!
//! The types are generated at build time from `spec/openapi.yaml`; [`Patch`], [`Timestamp`] and [`Date`] are
//! written by hand. Three things hold for all of them:
//!
//! - **Enums are open.** A word this version does not know becomes `Unknown`, so that a newer server never
//!   fails a page.
//! - **Reading is lenient, writing exact.** A timestamp without an offset is UTC; a timestamp at midnight is
//!   taken for a date; unknown properties are ignored; an empty property may be null or absent. What is
//!   written is always in the one form of the specification.
//! - **Absent, null and a value are three requests** in the two update bodies: see [`Patch`].
//!
//! ```
//! use obeya_model::{Date, IncidentSeverity, IncidentStatus, IncidentUpdate, Patch};
//!
//! let day: Date = "2026-03-02".parse()?;
//! let update = IncidentUpdate {
//!     status: Some(IncidentStatus::Resolved),
//!     due_date: Patch::Null,
//!     ..IncidentUpdate::new(3, IncidentSeverity::High, "Housing cracked", day)
//! };
//! assert_eq!(
//!     serde_json::to_value(&update)?,
//!     serde_json::json!({
//!         "status": "Resolved",
//!         "incidentTypeId": 3,
//!         "severity": "High",
//!         "title": "Housing cracked",
//!         "incidentDate": "2026-03-02",
//!         "dueDate": null,
//!     })
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `schemars` every type is a `schemars::JsonSchema` (1.x).

// The generated code names the types by the crate's name, because the client crate includes code of the same
// kind.
extern crate self as obeya_model;

mod patch;
mod time;
mod words;

mod generated {
    #![allow(
        clippy::all,
        clippy::pedantic,
        clippy::restriction,
        missing_docs,
        unused_qualifications,
        rustdoc::all,
        reason = "generated; the specification carries the documentation"
    )]
    include!(concat!(env!("OUT_DIR"), "/model.rs"));
}

pub use generated::*;
pub use patch::Patch;
pub use time::{Date, TimeError, Timestamp};
