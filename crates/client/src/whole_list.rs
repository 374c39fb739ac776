//! Reads a list of v1 that comes in one response.

use std::future::IntoFuture;

use futures_core::future::BoxFuture;
use obeya_odata::OptionName;
use obeya_odata::build::{Clause, Filter, Order};

use crate::Client;
use crate::error::Result;
use crate::query::Options;
use crate::words::Entity;

/// Fetches a list. Of the options it sends the filter and the order.
type SendList<T> = for<'a> fn(&'a Client, &'a Options) -> BoxFuture<'a, Result<Vec<T>>>;

/// A request for a v1 list, which comes in one response; created by [`Datasources::list`] and others.
///
/// [`Datasources::list`]: crate::Datasources::list
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or awaited"]
pub struct WholeList<T> {
    client: Client,
    send: SendList<T>,
    options: Options,
}

impl<T: Entity> WholeList<T> {
    pub(crate) fn new(client: Client, send: SendList<T>) -> Self {
        Self {
            client,
            send,
            options: Options::default(),
        }
    }

    /// `$filter`: a condition made of [`fields`](crate::fields), or the text of an OData expression, for
    /// example `startswith(title,'OEE')`.
    pub fn filter(mut self, condition: impl Clause<Filter<T>>) -> Self {
        self.options.filter = self
            .options
            .words
            .text::<T, _>(OptionName::Filter, condition);
        self
    }

    /// `$orderby`: the sort keys, made of [`fields`](crate::fields) or a text, for example `title desc`.
    /// Default, also for an empty list: `id`.
    pub fn orderby(mut self, keys: impl Clause<Order<T>>) -> Self {
        self.options.orderby = self.options.words.text::<T, _>(OptionName::OrderBy, keys);
        self
    }

    /// Sends the request.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn send(self) -> Result<Vec<T>> {
        (self.send)(&self.client, &self.options).await
    }
}

impl<T: Entity + Send + 'static> IntoFuture for WholeList<T> {
    type Output = Result<Vec<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
