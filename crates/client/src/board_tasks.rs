//! The tasks of a board: one page by its number, or all of them as a stream.

use std::future::IntoFuture;

use futures_core::future::BoxFuture;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use obeya_api::call;
use obeya_model::bounds::operations::list_tasks_of_board::count;
use obeya_model::{TaskInfo, TaskPage, Timestamp};

use crate::Client;
use crate::consistent::{self, Cursor, Intake, NumberedList, NumberedPage, SeenIds, Snapshot};
use crate::error::Result;
use crate::limit::{Limit, Portion, single_page};
use crate::paged::Paged;
use crate::prefetch::{Concurrency, Extent};

/// The default page size of a stream, the maximum of the interface: a board on one page is one snapshot.
const STREAM_PAGE_SIZE: i32 = 10_000;

/// A request for the tasks of a board; created by [`Boards::tasks`](crate::Boards::tasks). Send it for one
/// page, or stream it for all.
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or streamed"]
pub struct BoardTasks {
    client: Client,
    board: i32,
    due_from: Option<Timestamp>,
    due_to: Option<Timestamp>,
    page: Option<i32>,
    page_size: Option<i32>,
    top: Option<u32>,
}

impl BoardTasks {
    pub(crate) fn new(client: Client, board: i32) -> Self {
        Self {
            client,
            board,
            due_from: None,
            due_to: None,
            page: None,
            page_size: None,
            top: None,
        }
    }

    /// Only tasks due after this instant (exclusive).
    pub fn due_from(mut self, instant: Timestamp) -> Self {
        self.due_from = Some(instant);
        self
    }

    /// Only tasks due before this instant (exclusive).
    pub fn due_to(mut self, instant: Timestamp) -> Self {
        self.due_to = Some(instant);
        self
    }

    /// The page that [`send`](Self::send) fetches, from 1. Streams begin at the first page.
    pub fn page(mut self, number: i32) -> Self {
        self.page = Some(number);
        self
    }

    /// Tasks per page, 1 to 10,000. Default: 1,000 for [`send`](Self::send) (the service's own), 10,000 for
    /// streams.
    pub fn page_size(mut self, tasks: i32) -> Self {
        self.page_size = Some(tasks);
        self
    }

    /// At most this many tasks of the whole list. Streams end after them, request no page beyond them, and
    /// request smaller pages where that suffices; a single page has those of its tasks that are among them.
    pub fn top(mut self, tasks: u32) -> Self {
        self.top = Some(tasks);
        self
    }

    /// Fetches one page. A page past the end is empty.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn send(mut self) -> Result<TaskPage> {
        let number = self.page.unwrap_or(1);
        let (page_size, limit) = single_page(self.top, number, self.page_size, count::DEFAULT);
        self.page_size = page_size;
        let mut page = self.requested().await?;
        limit.truncate(&mut page.values);
        Ok(page)
    }

    async fn requested(self) -> Result<TaskPage> {
        let call = call::ListTasksOfBoard {
            count: self.page_size,
            page: self.page,
            from: self.due_from.as_ref(),
            to: self.due_to.as_ref(),
            ..call::ListTasksOfBoard::new(self.board)
        };
        self.client.call(&call).await
    }

    /// All tasks, each once. A board with no more tasks than a page is one snapshot. If the number of tasks
    /// changes between two pages, all pages are read again, and tasks that were already yielded are skipped.
    /// If ten passes in a row make no progress, the stream ends with
    /// [`Error::Changed`](crate::Error::Changed). A deletion together with an insertion is not detected.
    pub fn stream(self) -> Paged<TaskInfo> {
        Paged::flat(self.pages_inner().map_ok(|page| page.values))
    }

    /// All pages, read as by [`stream`](Self::stream).
    pub fn pages(self) -> Paged<TaskPage> {
        Paged::new(self.pages_inner())
    }

    pub(crate) fn pages_inner(self) -> BoxStream<'static, Result<TaskPage>> {
        let cursor = Cursor::ById(SeenIds::without_state(false));
        let limit = Limit::new(self.top);
        consistent::pages(self, cursor, limit, 1)
            .map_ok(|NumberedTasks { page, .. }| page)
            .boxed()
    }
}

/// A page, and the most tasks that it may have.
pub(crate) struct NumberedTasks {
    page: TaskPage,
    page_size: i32,
}

impl NumberedPage for NumberedTasks {
    fn extent(&self) -> Extent {
        Extent {
            len: self.page.values.len(),
            page_size: self.page_size,
            count: self.page.total,
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: None,
            count: Some(self.page.total),
        }
    }

    fn retain_new(&mut self, intake: &mut Intake<'_>) {
        self.page.values.retain(|task| intake.take(0, task.id));
    }
}

impl NumberedList for BoardTasks {
    type Page = NumberedTasks;

    const OPERATION: &'static str = call::ListTasksOfBoard::OPERATION.id();

    const HAS_KEYS: bool = false;

    fn page_size(&self) -> i32 {
        self.page_size.unwrap_or(STREAM_PAGE_SIZE)
    }

    fn pass(
        &self,
        _: &Cursor,
        portion: Portion,
        _: Concurrency,
    ) -> Option<BoxStream<'static, Result<Self::Page>>> {
        let page_size = portion.page_size;
        let list = self.clone().page_size(page_size);
        let pages = stream::try_unfold(Some(1), move |number| {
            let list = list.clone();
            async move {
                let Some(number) = number else {
                    return Ok(None);
                };
                let page = list.page(number).requested().await?;
                let found = NumberedTasks { page, page_size };
                let next = (!found.extent().is_last(number)).then_some(number + 1);
                Ok(Some((found, next)))
            }
        });
        Some(pages.boxed())
    }
}

impl IntoFuture for BoardTasks {
    type Output = Result<TaskPage>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
