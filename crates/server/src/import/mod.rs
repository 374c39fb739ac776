//! JSON Lines and CSV into rows.
