//! Improvements.

use obeya_model::Improvement;

use super::Improvements;
use crate::records::Records;

impl Improvements {
    /// `GET /v1/Improvements`: the improvements, in full.
    pub fn list(&self) -> Records<Improvement> {
        Records::new(self.client.clone())
    }
}
