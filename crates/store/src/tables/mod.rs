//! The tables that are declared once: see [`super::table`].

pub mod boards;
pub mod comments;
pub mod improvements;
pub mod incidents;
pub mod names;
pub mod organisation;
