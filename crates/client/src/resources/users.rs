//! The methods of users that take more than ids and a body.

use obeya_api::call;
use obeya_model::{UserCreateV2, UserUpdateV1, UserV1, UserV2};

use super::Users;
use crate::error::Result;

impl Users {
    /// `POST /v2/users`: creates a user with a new id. With `allow_recovery` a deleted user with the same
    /// `userName` is restored, under its id and with the values of the body; without it such a name is 409
    /// `user.deleted`.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn create(&self, body: &UserCreateV2, allow_recovery: bool) -> Result<UserV2> {
        let mut request = call::CreateUserV2::new(body);
        request.allow_recovery = allow_recovery.then_some(true);
        self.client.call(&request).await
    }

    /// `PUT /v1/Users/UpdateByUserName`: updates the user with this name, whatever its case. The body may
    /// have another one, which the user then gets.
    ///
    /// # Errors
    /// See [`Error`](crate::Error); [`Error::is_not_found`](crate::Error::is_not_found) if no user has that
    /// name.
    pub async fn update_by_user_name(
        &self,
        user_name: &str,
        body: &UserUpdateV1,
    ) -> Result<UserV1> {
        let mut request = call::UpdateUserByUserName::new(body);
        request.user_name = Some(user_name);
        self.client.call(&request).await
    }
}
