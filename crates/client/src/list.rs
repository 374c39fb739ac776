//! Reading v2 resources: a list with its OData options and next links, and a single record.
//!
//! One implementation for all resources; what differs between them is in their [`Resource`] implementation. A next
//! link is followed only within the origin of the API: the request carries the token.

use std::future::IntoFuture;
use std::marker::PhantomData;

use futures_core::future::BoxFuture;
use futures_util::{TryStreamExt, stream};
use obeya_odata::build::{Clause, Expansion, Filter, Order, Select};
use reqwest::Url;
use serde::de::DeserializeOwned;

use crate::Client;
use crate::config::join;
use crate::error::{Error, Result};
use crate::paged::{Page, Paged};
use crate::query::{Options, option_methods};

/// A v2 resource that can be listed and read by id. Implemented by this crate for its records only.
pub trait Resource: sealed::Resource {}

impl<T: sealed::Resource> Resource for T {}

pub(crate) mod sealed {
    use obeya_api::Operation;

    use super::{BoxFuture, Client, DeserializeOwned, Options, Page, Result};

    /// What the generic reads need to know about a resource.
    pub trait Resource: DeserializeOwned + Send + Sized + 'static {
        /// The page as it is on the wire.
        type Wire: DeserializeOwned + Send;

        /// Operation and path of the list within `parent`.
        fn place(parent: Option<i32>) -> (Operation, String);

        /// The first page.
        fn list(
            client: &Client,
            parent: Option<i32>,
            options: Options,
        ) -> BoxFuture<'_, Result<Self::Wire>>;

        /// One record.
        fn get(client: &Client, id: i32, options: Options) -> BoxFuture<'_, Result<Self>>;

        /// The page in its common form.
        fn page(wire: Self::Wire) -> Page<Self>;
    }
}

/// A list request, made by `list()` of a resource. Send it for one page, or stream it for all.
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or streamed"]
pub struct List<T> {
    client: Client,
    pub(crate) parent: Option<i32>,
    pub(crate) options: Options,
    record: PhantomData<fn() -> T>,
}

impl<T: Resource> List<T> {
    pub(crate) fn new(client: Client, parent: Option<i32>) -> Self {
        Self {
            client,
            parent,
            options: Options::default(),
            record: PhantomData,
        }
    }

    option_methods!();

    /// Fetches the first page (and the only one, where the service does not page).
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn send(self) -> Result<Page<T>> {
        T::list(&self.client, self.parent, self.options)
            .await
            .map(T::page)
    }

    /// All records, page after page.
    pub fn stream(self) -> Paged<T> {
        let records = self
            .pages_inner()
            .map_ok(|page| stream::iter(page.items.into_iter().map(Ok)))
            .try_flatten();
        Paged::new(records)
    }

    /// All pages.
    pub fn pages(self) -> Paged<Page<T>> {
        Paged::new(self.pages_inner())
    }

    pub(crate) fn pages_inner(
        self,
    ) -> impl futures_core::Stream<Item = Result<Page<T>>> + Send + 'static {
        let (operation, path) = T::place(self.parent);
        let operation = operation.id();
        let config = &self.client.transport().config;
        let api = config.base_url.clone();
        let here = Url::parse(&join(&api, &path)).unwrap_or_else(|_| api.clone());
        stream::try_unfold(Some(Next::First(self)), move |next| {
            let (api, here) = (api.clone(), here.clone());
            async move {
                let (client, here, wire) = match next {
                    None => return Ok(None),
                    Some(Next::First(request)) => {
                        let client = request.client.clone();
                        let wire = T::list(&client, request.parent, request.options).await?;
                        (client, here, wire)
                    }
                    Some(Next::Link(client, url)) => {
                        let wire = client.get_url(operation, url.clone()).await?;
                        (client, url, wire)
                    }
                };
                let page = T::page(wire);
                let next = match &page.next_link {
                    None => None,
                    Some(link) => Some(Next::Link(client, follow(operation, &api, &here, link)?)),
                };
                Ok(Some((page, next)))
            }
        })
    }
}

/// What to fetch next.
enum Next<T> {
    First(List<T>),
    Link(Client, Url),
}

/// The URL of a next link, resolved against the page it stood in; refused if it leads elsewhere or back to that page.
fn follow(operation: &'static str, api: &Url, here: &Url, link: &str) -> Result<Url> {
    let refused = |reason: String| Error::NextLink { operation, reason };
    let url = here
        .join(link)
        .map_err(|error| refused(format!("it is not a URL: {error}")))?;
    if url.origin() != api.origin() {
        return Err(refused(format!(
            "it leads to {}, and the API is at {}",
            url.origin().ascii_serialization(),
            api.origin().ascii_serialization()
        )));
    }
    if url == *here {
        return Err(refused("it leads to the page it stands in".to_owned()));
    }
    Ok(url)
}

impl<T: Resource> IntoFuture for List<T> {
    type Output = Result<Page<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// A request for one record, made by `get(id)` of a resource. `await` it, or set options first.
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or awaited"]
pub struct Get<T> {
    client: Client,
    id: i32,
    options: Options,
    record: PhantomData<fn() -> T>,
}

impl<T: Resource> Get<T> {
    pub(crate) fn new(client: Client, id: i32) -> Self {
        Self {
            client,
            id,
            options: Options::default(),
            record: PhantomData,
        }
    }

    option_methods!();

    /// Fetches the record.
    ///
    /// # Errors
    /// See [`Error`]; [`Error::is_not_found`] tells that there is none with this id.
    pub async fn send(self) -> Result<T> {
        T::get(&self.client, self.id, self.options).await
    }
}

impl<T: Resource> IntoFuture for Get<T> {
    type Output = Result<T>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(link: &str) -> Result<String, String> {
        let api = Url::parse("https://connect.example/api").unwrap();
        let here = Url::parse("https://connect.example/api/v2/areas?$top=2").unwrap();
        follow("listAreas", &api, &here, link)
            .map(String::from)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn links_are_followed_within_the_origin_only() {
        let next = "https://connect.example/api/v2/areas?$skiptoken=2";
        assert_eq!(followed(next).unwrap(), next);
        assert_eq!(followed("?$skiptoken=2").unwrap(), next);
        assert_eq!(followed("/api/v2/areas?$skiptoken=2").unwrap(), next);
        for link in [
            "https://elsewhere.example/api/v2/areas",
            "http://connect.example/api/v2/areas",
            "https://connect.example:8443/api/v2/areas",
            "//elsewhere.example/api/v2/areas",
            "https://connect.example@elsewhere.example/",
            "data:,x",
        ] {
            let refused = followed(link).unwrap_err();
            assert!(
                refused.contains("the next link was not followed: it leads to"),
                "{refused}"
            );
        }
        let circle = followed("https://connect.example/api/v2/areas?$top=2").unwrap_err();
        assert!(circle.contains("the page it stands in"), "{circle}");
    }
}
