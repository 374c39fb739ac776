//! Groups.

use obeya_model::{Group, GroupPaginationResult};

use crate::bridge;
use crate::error::Result;
use crate::list::{Get, List};

resource! {
    /// Groups of people; from [`Client::groups`](crate::Client::groups).
    Groups
}

impl Groups {
    /// `GET /v2/groups`. Expands `parent`, `boards`, `users`.
    pub fn list(&self) -> List<Group> {
        List::new(self.client.clone(), None)
    }

    /// `GET /v1/Groups`: every group in one answer, without what it is linked to.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn list_v1(&self) -> Result<Vec<Group>> {
        let outcome = obeya_api::call::ListGroupsV1 {}
            .send(self.client.api())
            .await;
        bridge::finish(obeya_api::call::ListGroupsV1::OPERATION, outcome)
    }

    /// `GET /v2/groups/{groupId}`. Expands `parent`, `boards`, `users`.
    pub fn get(&self, id: i32) -> Get<Group> {
        Get::new(self.client.clone(), id)
    }
}

odata_resource! {
    Group, GroupPaginationResult,
    list: |_parent| (_) => ListGroups() at "/v2/groups".to_owned();
    get: GetGroup
}
