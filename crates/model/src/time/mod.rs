//! Instants and days, each with its text. They know of each other: an instant falls on a day, and a day may
//! be written as its midnight.

mod date;
mod timestamp;

pub use date::Date;
pub use timestamp::{TimeError, Timestamp};
