//! Reads v2 resources: a list with its OData options and next links, and a single record.
//!
//! One implementation for all resources; [`Source`] has the differences. A next link is followed only within
//! the origin of the API, since the request carries the token.

use std::future::{Future, IntoFuture};

use futures_core::future::BoxFuture;
use futures_util::{TryStreamExt, stream};
use obeya_api::Operation;
use obeya_odata::OptionName;
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
    use super::{DeserializeOwned, Page};
    use crate::words::Entity;

    /// What the generic reads need from a resource.
    pub trait Resource: DeserializeOwned + Entity + Send + Sized + 'static {
        /// The wire type of a page.
        type Wire: DeserializeOwned + Into<Page<Self>> + Send;
    }
}

/// Fetches the first page of a list.
type SendList<T> = for<'a> fn(&'a Client, Option<i32>, Options) -> BoxFuture<'a, Result<Page<T>>>;

/// Fetches a record, of the parent with the first id if there is one.
type SendGet<T, I> = for<'a> fn(&'a Client, Option<i32>, I, Options) -> BoxFuture<'a, Result<T>>;

/// The operation of a record.
#[derive(Clone, Debug)]
pub(crate) struct RecordSource<T, I> {
    /// The id before the record's in its path, for the parts of a record.
    parent: Option<i32>,
    send: SendGet<T, I>,
}

impl<T, I> RecordSource<T, I> {
    pub(crate) fn new(parent: Option<i32>, send: SendGet<T, I>) -> Self {
        Self { parent, send }
    }
}

/// The operation of a list.
#[derive(Debug)]
pub(crate) struct Source<T> {
    operation: Operation,
    /// The id in its path, for lists of a record's parts.
    parent: Option<i32>,
    send: SendList<T>,
}

impl<T> Source<T> {
    pub(crate) fn new(operation: Operation, parent: Option<i32>, send: SendList<T>) -> Self {
        Self {
            operation,
            parent,
            send,
        }
    }

    /// The path of the list.
    fn path(&self) -> String {
        let template = self.operation.path();
        match (template.split_once('{'), self.parent) {
            (Some((before, rest)), Some(parent)) => {
                let after = rest.split_once('}').map_or("", |(_, after)| after);
                format!("{before}{parent}{after}")
            }
            _ => template.to_owned(),
        }
    }
}

impl<T> Clone for Source<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Source<T> {}

/// A list request; created by `list()` of a resource. Send it for one page, or stream it for all.
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or streamed"]
pub struct List<T> {
    pub(crate) client: Client,
    source: Source<T>,
    pub(crate) options: Options,
}

impl<T: Resource> List<T> {
    pub(crate) fn new(client: Client, source: Source<T>) -> Self {
        Self {
            client,
            source,
            options: Options::default(),
        }
    }

    /// The operation that is called.
    pub(crate) fn operation(&self) -> Operation {
        self.source.operation
    }

    option_methods!();

    /// Fetches the first page (the only one, if the service does not page this list).
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn send(self) -> Result<Page<T>> {
        (self.source.send)(&self.client, self.source.parent, self.options).await
    }

    /// All records, page by page.
    ///
    /// A page continues after the last record of the one before it, so the changes of others neither repeat
    /// nor lose a record whose sort keys stay. A record whose keys change meanwhile may come twice or not at
    /// all; the default order is by id, which does not change. A service may send next links without end.
    pub fn stream(self) -> Paged<T> {
        Paged::flat(self.pages_inner().map_ok(|page| page.items))
    }

    /// All pages.
    pub fn pages(self) -> Paged<Page<T>> {
        Paged::new(self.pages_inner())
    }

    pub(crate) fn pages_inner(
        self,
    ) -> impl futures_core::Stream<Item = Result<Page<T>>> + Send + 'static {
        let (client, operation) = (self.client.clone(), self.operation().id());
        let here = self.url();
        linked_pages::<T::Wire, T>(client, operation, here, self.send())
    }

    /// Its address, without options.
    pub(crate) fn url(&self) -> Url {
        let api = &self.client.transport().config.base_url;
        Url::parse(&join(api, &self.source.path())).unwrap_or_else(|_| api.clone())
    }
}

/// A page of a list, when it is fetched, and its address.
type NextPage<R> = (BoxFuture<'static, Result<Page<R>>>, Url);

/// All pages of a list: the first, and those that the links lead to, decoded from `W`.
pub(crate) fn linked_pages<W, R>(
    client: Client,
    operation: &'static str,
    here: Url,
    first: impl Future<Output = Result<Page<R>>> + Send + 'static,
) -> impl futures_core::Stream<Item = Result<Page<R>>> + Send + 'static
where
    W: DeserializeOwned + Into<Page<R>> + Send + 'static,
    R: Send + 'static,
{
    let first: NextPage<R> = (Box::pin(first), here);
    stream::try_unfold(Some(first), move |next| {
        let client = client.clone();
        async move {
            let Some((page, here)) = next else {
                return Ok(None);
            };
            let page = page.await?;
            let next = match &page.next_link {
                None => None,
                Some(link) => {
                    let api = &client.transport().config.base_url;
                    let url = follow(operation, api, &here, link)?;
                    let page = linked_page::<W, R>(client, operation, url.clone());
                    Some((Box::pin(page) as BoxFuture<'static, _>, url))
                }
            };
            Ok(Some((page, next)))
        }
    })
}

/// The page at this address, which was checked.
async fn linked_page<W, R>(client: Client, operation: &'static str, url: Url) -> Result<Page<R>>
where
    W: DeserializeOwned + Into<Page<R>>,
{
    let page: W = client.get_url(operation, url).await?;
    Ok(page.into())
}

/// Resolves a next link against the URL of its page; refuses another origin and the page itself.
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
        return Err(refused("it leads to its own page".to_owned()));
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

/// A request for one record; created by `get(id)` of a resource. `await` it, or set options first. `I` is the
/// type of the id, which is a text for users.
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or awaited"]
pub struct Get<T, I = i32> {
    client: Client,
    source: RecordSource<T, I>,
    id: I,
    options: Options,
}

impl<T: Resource, I> Get<T, I> {
    pub(crate) fn new(client: Client, source: RecordSource<T, I>, id: I) -> Self {
        Self {
            client,
            source,
            id,
            options: Options::default(),
        }
    }

    option_methods!();

    /// Fetches the record.
    ///
    /// # Errors
    /// See [`Error`]; [`Error::is_not_found`] if no record has this id.
    pub async fn send(self) -> Result<T> {
        let RecordSource { parent, send } = self.source;
        send(&self.client, parent, self.id, self.options).await
    }
}

impl<T: Resource, I: Send + 'static> IntoFuture for Get<T, I> {
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
    fn the_path_of_a_list_has_the_id_of_its_parent() {
        let path = |operation, parent| {
            Source::<()>::new(operation, parent, |_, _, _| unreachable!("nothing is sent")).path()
        };
        assert_eq!(path(Operation::ListAreas, None), "/v2/areas");
        assert_eq!(
            path(Operation::ListCommentsOfIncidentV2, Some(7)),
            "/v2/incidents/7/comments"
        );
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
        assert!(circle.contains("its own page"), "{circle}");
    }
}
