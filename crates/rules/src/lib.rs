//! Pure rules of the domain: states, transitions and validation. No SQL, no HTTP, and no clock: whoever calls
//! says what time it is.

pub mod custom_field;
pub mod elements;
pub mod enums;
pub mod error;
pub mod improvement_state;
pub mod incident;
pub mod incident_state;
pub mod validate;
pub mod value;

/// What a body asks of a field that may be empty: `None` leaves it, `Some(None)` empties it, `Some(Some(…))`
/// sets it.
pub type Change<T> = Option<Option<T>>;

/// Does to the field what is asked.
pub fn apply<T>(field: &mut Option<T>, change: Change<T>) {
    if let Some(value) = change {
        *field = value;
    }
}
