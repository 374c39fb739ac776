//! Values as they are bound to a statement.

/// A value to bind.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// NULL
    Null,
    /// INTEGER: whole numbers, booleans, dates, instants, times, durations.
    Int(i64),
    /// REAL
    Real(f64),
    /// TEXT: strings, GUIDs, members of enumerations.
    Text(String),
}
