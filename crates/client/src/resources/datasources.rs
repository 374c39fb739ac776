//! Datasources.

use obeya_api::call;
use obeya_model::{DatasourceValue, DatasourceValueInput, Timestamp};

use super::Datasources;
use crate::edit::{Edit, EditTarget};
use crate::error::Result;
use crate::values::Values;

impl Datasources {
    /// `GET /v1/Datasources/{id}/values`: the values of a datasource, as a page, a stream or (feature
    /// `arrow`) record batches.
    pub fn values(&self, id: i32) -> Values {
        Values::new(self.client.clone(), id)
    }

    /// Changes some properties of a value of a datasource, by its id or as it was read.
    pub fn edit_value(
        &self,
        id: i32,
        value: impl Into<EditTarget<DatasourceValue>>,
    ) -> Edit<DatasourceValue> {
        Edit::new(self.client.clone(), id, value)
    }

    /// `POST /v1/Datasources/{id}/values/batch`: adds up to 10,000 values, all or none; returns how many were
    /// added.
    ///
    /// # Errors
    /// See [`Error`](crate::Error); errors name the field, such as `[17].dimension`. After
    /// [`Error::Connection`](crate::Error::Connection) or [`Error::Timeout`](crate::Error::Timeout) the
    /// values may have been added.
    pub async fn create_values(&self, id: i32, values: &[DatasourceValueInput]) -> Result<i32> {
        let body = values.to_vec();
        let call = call::CreateDatasourceValues { id, body: &body };
        let added = self.client.call(&call).await?;
        Ok(added.total)
    }

    /// `PUT /v1/Datasources/{id}/values/batchReplace`: replaces the values dated from `from` to `to`, both
    /// inclusive, by up to 10,000 values; returns how many were added. A read from [`Values::since`] to
    /// [`Values::to`] excludes the second. The replacement is atomic: readers see the old values or the new
    /// ones.
    ///
    /// # Errors
    /// See [`Error`](crate::Error); a value outside of the period is refused, and nothing is changed.
    pub async fn replace_values(
        &self,
        id: i32,
        from: Timestamp,
        to: Timestamp,
        values: &[DatasourceValueInput],
    ) -> Result<i32> {
        let body = values.to_vec();
        let call = call::ReplaceDatasourceValues {
            id,
            from: &from,
            to: &to,
            body: &body,
        };
        let added = self.client.call(&call).await?;
        Ok(added.total)
    }
}
