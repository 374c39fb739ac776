//! The tables that are declared once: see [`super::table`].

pub mod attachments;
pub mod boards;
pub mod comments;
pub mod data_lists;
pub mod improvements;
pub mod incidents;
pub mod names;
pub mod organisation;
pub mod projects;
pub mod task_comments;
pub mod tasks;
