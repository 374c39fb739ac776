//! Improvements.

use obeya_model::Improvement;

use super::Improvements;
use crate::edit::{Edit, EditTarget};
use crate::records::Records;

impl Improvements {
    /// `GET /v1/Improvements`: the improvements, in full.
    pub fn list(&self) -> Records<Improvement> {
        Records::new(self.client.clone())
    }

    /// Changes some properties of an improvement, by its id or as it was read.
    pub fn edit(&self, improvement: impl Into<EditTarget<Improvement>>) -> Edit<Improvement> {
        Edit::new(self.client.clone(), 0, improvement)
    }
}
