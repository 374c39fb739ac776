//! The types of requests and responses of the Obeya API, independent of HTTP.
//!
//! The types are generated at build time from `spec/openapi.yaml`; [`Patch`], [`Timestamp`] and [`Date`] are
//! hand-written. Three rules apply to all of them:
//!
//! - **Enums are open.** An unknown variant becomes `Unknown`, so that values of a newer server never fail to
//!   decode.
//! - **Decoding is lenient, encoding exact.** A timestamp without an offset is UTC; a timestamp at midnight
//!   is accepted as a date; unknown properties are ignored; an empty property may be null or absent. Output
//!   always has the form of the specification.
//! - **Absent, null and a value differ** in the two update bodies: see [`Patch`].
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

// The generated code uses the crate's name in paths, because the client crate includes similar code.
extern crate self as obeya_model;

/// The bounds of the specification: lengths, ranges, patterns and defaults, for each schema, parameter and
/// body that has some.
///
/// ```
/// use obeya_model::bounds::schemas::improvement_create::title;
///
/// assert!(title::LENGTH.contains(&"Light above station 5".chars().count()));
/// ```
pub mod bounds {
    #![allow(clippy::all, clippy::pedantic, reason = "generated")]
    include!(concat!(env!("OUT_DIR"), "/bounds.rs"));
}

mod open_enums;
mod patch;
mod time;

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
