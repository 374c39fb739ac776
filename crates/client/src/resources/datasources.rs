//! Datasources.

use std::future::IntoFuture;

use futures_core::future::BoxFuture;
use obeya_api::call;
use obeya_model::{Datasource, DatasourceValueInput, Timestamp};
use obeya_odata::OptionName;
use obeya_odata::build::{Clause, Filter};

use super::Datasources;
use crate::Client;
use crate::error::Result;
use crate::values::Values;
use crate::words::WordCheck;

impl Datasources {
    /// `GET /v1/Datasources`: all datasources, or those that match a filter, in one response.
    pub fn list(&self) -> DatasourceList {
        DatasourceList {
            client: self.client.clone(),
            filter: None,
            words: WordCheck::default(),
        }
    }

    /// `GET /v1/Datasources/{id}/values`: the values of a datasource, as a page, a stream or (feature
    /// `arrow`) record batches.
    pub fn values(&self, id: i32) -> Values {
        Values::new(self.client.clone(), id)
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
    /// inclusive, by up to 10,000 values; returns how many were added. The replacement is atomic: readers see
    /// the old values or the new ones.
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

/// A request for datasources; created by [`Datasources::list`].
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or awaited"]
pub struct DatasourceList {
    client: Client,
    filter: Option<String>,
    words: WordCheck,
}

impl DatasourceList {
    /// `$filter`: a condition made of [`fields::datasource`](crate::fields::datasource), or the text of an
    /// OData expression, for example `startswith(title,'OEE')`.
    pub fn filter(mut self, condition: impl Clause<Filter<Datasource>>) -> Self {
        self.filter = self
            .words
            .text::<Datasource, _>(OptionName::Filter, condition);
        self
    }

    /// Sends the request.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn send(self) -> Result<Vec<Datasource>> {
        self.words.finish(call::ListDatasources::OPERATION.id())?;
        let call = call::ListDatasources {
            filter: self.filter.as_deref(),
        };
        self.client.call(&call).await
    }
}

impl IntoFuture for DatasourceList {
    type Output = Result<Vec<Datasource>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
