//! Pure rules of the domain: states, transitions and validation. No SQL, no HTTP, and no clock: the caller
//! passes the current time.

pub mod attachment;
pub mod custom_field;
pub mod elements;
pub mod enums;
pub mod error;
pub mod improvement_state;
pub mod incident;
pub mod incident_state;
pub mod validate;
pub mod value;

/// The change of a field that may be empty: `None` leaves it, `Some(None)` empties it, `Some(Some(…))` sets
/// it.
pub type Change<T> = Option<Option<T>>;

/// Applies a change to a field.
pub fn apply<T>(field: &mut Option<T>, change: Change<T>) {
    if let Some(value) = change {
        *field = value;
    }
}
