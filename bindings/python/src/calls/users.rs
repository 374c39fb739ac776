//! Users.

use pyo3::prelude::*;

use crate::arguments::body;
use crate::call::Call;
use crate::handle::Handle;
use crate::models::{USER_CREATE_V2, USER_UPDATE_V1};

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct UserCalls(pub(crate) Handle);

#[pymethods]
impl UserCalls {
    #[pyo3(signature = (if_match, idempotency_key, /))]
    fn carrying(&self, if_match: Option<String>, idempotency_key: Option<String>) -> Self {
        Self(self.0.carrying(if_match, idempotency_key))
    }

    #[pyo3(signature = (fields, allow_recovery, /))]
    fn create(&self, fields: &Bound<'_, PyAny>, allow_recovery: bool) -> PyResult<Call> {
        let user = body(&USER_CREATE_V2, fields, "users.create()")?;
        self.0
            .call(move |client| async move { client.users().create(&user, allow_recovery).await })
    }

    #[pyo3(signature = (user_name, fields, /))]
    fn update_by_user_name(&self, user_name: String, fields: &Bound<'_, PyAny>) -> PyResult<Call> {
        let user = body(&USER_UPDATE_V1, fields, "users.update_by_user_name()")?;
        self.0.call(move |client| async move {
            client.users().update_by_user_name(&user_name, &user).await
        })
    }
}
