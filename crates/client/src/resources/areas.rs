//! Areas.

use obeya_model::{Area, AreaPaginationResult};

use crate::list::{Get, List};

resource! {
    /// Areas of the plant; from [`Client::areas`](crate::Client::areas).
    Areas
}

impl Areas {
    /// `GET /v2/areas`
    pub fn list(&self) -> List<Area> {
        List::new(self.client.clone(), None)
    }

    /// `GET /v2/areas/{areaId}`
    pub fn get(&self, id: i32) -> Get<Area> {
        Get::new(self.client.clone(), id)
    }
}

odata_resource! {
    Area, AreaPaginationResult,
    list: |_parent| (_) => ListAreas() at "/v2/areas".to_owned();
    get: GetArea
}
