//! Improvements.

use obeya_model::{Improvement, ImprovementUpdate};

use crate::bridge;
use crate::error::Result;

resource! {
    /// Improvements; from [`Client::improvements`](crate::Client::improvements).
    Improvements
}

impl Improvements {
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
