//! The tables that are declared once: see [`super::table`].

pub mod improvements;
