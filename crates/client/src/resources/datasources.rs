//! Datasources.

use crate::values::Values;

resource! {
    /// Datasources; from [`Client::datasources`](crate::Client::datasources).
    Datasources
}

impl Datasources {
    /// `GET /v1/Datasources/{id}/values`: the values of a datasource, as a page, a stream or (feature `arrow`) record
    /// batches.
    pub fn values(&self, id: i32) -> Values {
        Values::new(self.client.clone(), id)
    }
}
