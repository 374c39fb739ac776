//! Lists without stamps: they are read completely, and the differences are written to the copy.
//!
//! `listed` has their tables; `comments` reads those of the comments that may have changed.

use std::collections::BTreeSet;
use std::pin::Pin;

use anyhow::Result;
use obeya::{Client, List, Page, Paged, Resource};

use super::Dataset;
use super::context::SyncContext;
use super::listed::{DataListContent, Listed};
use super::report::TableReport;
use super::row::TableRow;
use super::target::Scope;

/// Copies the lists that belong to no incident and no datasource. Returns a digest of the lists whose names
/// records contain (groups and types), if both are wanted and the client may read at least one.
pub(super) async fn organisation(context: &mut SyncContext<'_>) -> Result<Option<u64>> {
    let client = context.client;
    let mut names = ListDigest::default();
    let types = Pages::whole(client.incidents().types());
    copy(context, client.groups().list(), Some(&mut names)).await?;
    copy(context, types, Some(&mut names)).await?;
    copy(context, client.areas().list(), None).await?;
    copy(context, client.boards().list(), None).await?;
    copy(context, Pages::whole(client.projects().list()), None).await?;
    copy(context, Pages::whole(data_lists(client.clone())), None).await?;
    copy(context, client.users().list().expand("groups"), None).await?;
    copy(context, client.tasks().list().expand("attachments"), None).await?;
    copy(context, client.tasks().comments(), None).await?;
    // A digest of one list alone could not be compared with a digest of both.
    let is_whole = context.args.wants(Dataset::Groups) && context.args.wants(Dataset::Types);
    Ok((is_whole && names.is_set).then_some(names.sum))
}

/// Copies the datasources. Returns their ids.
pub(super) async fn datasources(context: &mut SyncContext<'_>) -> Result<BTreeSet<i32>> {
    let found = context.client.datasources().list().await?;
    let ids = found.iter().map(|datasource| datasource.id).collect();
    let found = Pages::whole(std::future::ready(Ok(found)));
    copy(context, found, None).await?;
    Ok(ids)
}

/// The data lists with their items: a request for each list, of which a plant has few.
async fn data_lists(client: Client) -> obeya::Result<Vec<DataListContent>> {
    let mut all = Vec::new();
    for list in client.data_lists().list().await? {
        match client.data_lists().items(list.id).await {
            Ok(items) => all.push(DataListContent { list, items }),
            // It is gone since the lists were read.
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// Copies a list if it is wanted, and reports the outcome.
async fn copy<T: Listed>(
    context: &mut SyncContext<'_>,
    pages: impl Into<Pages<T>>,
    digest: Option<&mut ListDigest>,
) -> Result<()> {
    if !context.args.wants(T::DATASET) {
        return Ok(());
    }
    let done = copy_all(context, pages.into(), digest).await;
    context.record_list_outcome(T::group().main.name, done)
}

/// Copies all records of a list.
pub(super) async fn copy_all<T: Listed>(
    context: &mut SyncContext<'_>,
    mut pages: Pages<T>,
    mut digest: Option<&mut ListDigest>,
) -> Result<TableReport> {
    let group = T::group();
    // Request the first page before the target starts: the client may lack the scope.
    let Some(first) = pages.next().await else {
        return Ok(TableReport::default());
    };
    let mut page = first?;
    let mut total = 0;
    context.begin(Scope::All(&group))?;
    loop {
        let mut rows = T::rows(&page);
        rows.sort(&group);
        total += rows.main().len() as u64;
        if let Some(digest) = &mut digest {
            rows.main().iter().for_each(|row| digest.add(row));
        }
        context.push(rows)?;
        match pages.next().await {
            Some(next) => page = next?,
            None => break,
        }
    }
    if let Some(digest) = digest {
        digest.is_set = true;
    }
    Ok(TableReport {
        rows: total,
        counts: context.finish()?,
        is_exact: true,
    })
}

/// The pages of a list.
pub(super) enum Pages<T> {
    /// In the order of ids.
    Paged(Paged<Page<T>>),
    /// A list in one response; `None` once it was read.
    Whole(Option<Response<T>>),
}

type Response<T> = Pin<Box<dyn Future<Output = obeya::Result<Vec<T>>> + Send>>;

impl<T: Resource> From<List<T>> for Pages<T> {
    fn from(list: List<T>) -> Self {
        Pages::Paged(list.orderby("id").pages())
    }
}

impl<T: Send + 'static> Pages<T> {
    fn whole<R>(response: R) -> Self
    where
        R: IntoFuture<Output = obeya::Result<Vec<T>>>,
        R::IntoFuture: Send + 'static,
    {
        Pages::Whole(Some(Box::pin(response.into_future())))
    }

    async fn next(&mut self) -> Option<obeya::Result<Vec<T>>> {
        match self {
            Pages::Paged(pages) => {
                let page = pages.next().await?;
                Some(page.map(|page| page.items))
            }
            Pages::Whole(response) => Some(response.take()?.await),
        }
    }
}

/// A digest of rows, to find out whether a list changed between two runs.
pub(super) struct ListDigest {
    sum: u64,
    is_set: bool,
}

impl Default for ListDigest {
    fn default() -> Self {
        ListDigest {
            sum: 0xcbf2_9ce4_8422_2325,
            is_set: false,
        }
    }
}

impl ListDigest {
    /// FNV-1a: the same on every machine and in every build, unlike the standard library's hasher.
    fn add(&mut self, row: &TableRow) {
        for byte in format!("{row:?}").bytes() {
            self.sum = (self.sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
