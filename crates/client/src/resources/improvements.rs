//! Improvements.

use obeya_model::{Improvement, ImprovementCreate, ImprovementUpdate};

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

    /// `POST /v1/Improvements`: suggests an improvement. [`ImprovementCreate::new`] takes what is required.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been created all the same.
    pub async fn create(&self, improvement: &ImprovementCreate) -> Result<Improvement> {
        let call = obeya_api::call::CreateImprovement { body: improvement };
        bridge::finish(
            obeya_api::call::CreateImprovement::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `DELETE /v1/Improvements/{improvementId}`: removes the improvement for good.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). A call that was sent again may meet what its first try did, and find nothing.
    pub async fn delete(&self, id: i32) -> Result<()> {
        let call = obeya_api::call::DeleteImprovement { improvement_id: id };
        bridge::finish(
            obeya_api::call::DeleteImprovement::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Improvements/{improvementId}`: changes what `update` sets, clears what it sets to
    /// [`Patch::Null`](obeya_model::Patch::Null), and answers with the whole improvement. What `update` does
    /// not set stays as it is, whoever changed it.
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
