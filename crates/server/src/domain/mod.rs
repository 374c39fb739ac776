//! Pure rules of the domain: states, transitions and validation. No SQL, no HTTP, and no clock: whoever calls says what time it is.

pub(crate) mod custom_field;
pub(crate) mod elements;
pub(crate) mod error;
pub(crate) mod improvement;
pub(crate) mod improvement_state;
pub(crate) mod incident;
pub(crate) mod incident_state;
pub(crate) mod validate;
pub(crate) mod value;
pub(crate) mod words;

/// What a body asks of a field that may be empty: `None` leaves it, `Some(None)` empties it, `Some(Some(…))` sets it.
pub(crate) type Change<T> = Option<Option<T>>;

/// Does to the field what is asked.
pub(crate) fn apply<T>(field: &mut Option<T>, change: Change<T>) {
    if let Some(value) = change {
        *field = value;
    }
}
