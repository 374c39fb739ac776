//! The tables that are declared once: see [`super::table`].

pub(crate) mod boards;
pub(crate) mod improvements;
pub(crate) mod names;
pub(crate) mod organisation;
