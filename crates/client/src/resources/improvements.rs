//! Improvements.

use obeya_model::{Improvement, ImprovementUpdate};

use crate::bridge;
use crate::error::Result;
use crate::records::Records;

resource! {
    /// Improvements; from [`Client::improvements`](crate::Client::improvements).
    Improvements
}

impl Improvements {
    /// `GET /v1/Improvements`: the improvements, in full.
    pub fn list(&self) -> Records<Improvement> {
        Records::new(self.client.clone())
    }

    /// `GET /v1/Improvements/{improvementId}`
    ///
    /// # Errors
    /// See [`Error`](crate::Error); [`Error::is_not_found`](crate::Error::is_not_found) tells that there is none with this id.
    pub async fn get(&self, id: i32) -> Result<Improvement> {
        let call = obeya_api::call::GetImprovement { improvement_id: id };
        bridge::finish(
            obeya_api::call::GetImprovement::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Improvements/{improvementId}`: changes what `update` sets, clears what it sets to
    /// [`Patch::Null`](obeya_model::Patch::Null), and answers with the whole improvement.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn update(&self, id: i32, update: &ImprovementUpdate) -> Result<Improvement> {
        let call = obeya_api::call::UpdateImprovement {
            improvement_id: id,
            body: update,
        };
        bridge::finish(
            obeya_api::call::UpdateImprovement::OPERATION,
            call.send(self.client.api()).await,
        )
    }
}
