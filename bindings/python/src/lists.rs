//! Lazy lists, which send requests only when they are read: a page, all pages one after the other, the first
//! record, or the number of records.
//!
//! The operations of the API return lists in pages with links, in numbered pages, or whole. Here all of them
//! have one interface.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::SchemaRef;
use futures_util::future::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};
use obeya::model::{
    DatasourceValue, DatasourceValuePage, Improvement, ImprovementPage, IncidentPage, IncidentV1,
    TaskInfo, TaskPage, TrashPage, TrashedIncident,
};
use obeya::tables::{self, Tabular};
use obeya::{ArrowPage, BoardTasks, Paged, Records};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyTuple};

use crate::answer::{Answer, CallState, Make, Work, make, work};
use crate::arrow::{self, Batches, Fetch, Rows};
use crate::call::Call;
use crate::handle::Handle;
use crate::models::Record;
use crate::names::Names;
use crate::runtime::ForkGuard;
use crate::top::Top;

/// One page of any list.
pub(crate) struct ListPage<T> {
    pub(crate) items: Vec<T>,
    /// The total number of matching records, if known.
    pub(crate) count: Option<i64>,
    pub(crate) next_link: Option<String>,
}

impl<T> ListPage<T> {
    fn numbered(items: Vec<T>, total: i32) -> Self {
        Self {
            items,
            count: Some(total.into()),
            next_link: None,
        }
    }
}

impl<T: Record> Answer for ListPage<T> {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let items: Vec<_> = self
            .items
            .into_iter()
            .map(|item| item.into_object(py))
            .collect::<PyResult<_>>()?;
        let page = Page {
            items: PyTuple::new(py, items)?.unbind(),
            count: self.count,
            next_link: self.next_link,
        };
        Ok(Py::new(py, page)?.into_any())
    }
}

/// The body of a response with a list.
pub(crate) trait IntoListPage: Send + 'static {
    /// The type of its records.
    type Record: Record + Tabular;

    fn into_list_page(self) -> ListPage<Self::Record>;
}

impl<T: Record + Tabular> IntoListPage for obeya::Page<T> {
    type Record = T;

    fn into_list_page(self) -> ListPage<T> {
        ListPage {
            items: self.items,
            count: self.count,
            next_link: self.next_link,
        }
    }
}

impl<T: Record + Tabular> IntoListPage for Vec<T> {
    type Record = T;

    fn into_list_page(self) -> ListPage<T> {
        let count = i64::try_from(self.len()).ok();
        ListPage {
            items: self,
            count,
            next_link: None,
        }
    }
}

macro_rules! numbered_pages {
    ($($page:ident of $record:ident counts $count:ident;)*) => {
        $(
            impl IntoListPage for $page {
                type Record = $record;

                fn into_list_page(self) -> ListPage<$record> {
                    ListPage::numbered(self.values, self.$count)
                }
            }
        )*
    };
}

numbered_pages! {
    IncidentPage of IncidentV1 counts total;
    ImprovementPage of Improvement counts total;
    TrashPage of TrashedIncident counts total;
    TaskPage of TaskInfo counts total;
    DatasourceValuePage of DatasourceValue counts count;
}

pub(crate) async fn list_page<S: IntoListPage>(
    answer: impl Future<Output = obeya::Result<S>>,
) -> obeya::Result<ListPage<S::Record>> {
    Ok(answer.await?.into_list_page())
}

pub(crate) async fn first<S: IntoListPage>(
    answer: impl Future<Output = obeya::Result<S>>,
) -> obeya::Result<Option<S::Record>> {
    Ok(answer.await?.into_list_page().items.into_iter().next())
}

pub(crate) async fn count<S: IntoListPage>(
    answer: impl Future<Output = obeya::Result<S>>,
) -> obeya::Result<Option<i64>> {
    Ok(answer.await?.into_list_page().count)
}

/// A list that can be requested in pages.
pub(crate) trait Source: Send + Sync + 'static {
    /// A page by its number; only numbered lists have pages after the first.
    fn page(&self, number: i32) -> Work;
    fn first(&self) -> Work;
    fn count(&self) -> Work;
    fn pages(&self) -> Box<dyn Stream>;
    /// The columns of its batches.
    fn schema(&self) -> SchemaRef;
    /// The pages as batches; `counted` requests the total number of records from services that return it only
    /// on request.
    fn batches(&self, counted: bool) -> Fetch;
    /// The result of `$apply` on the list; `None` for a list of v1.
    fn transformed(
        &self,
        _transformations: &str,
        _order: Option<String>,
        _window: Window,
    ) -> Option<obeya::Result<Box<dyn Source>>> {
        None
    }
}

/// The most records to return, and the number of records to skip.
#[derive(Clone, Copy, Default)]
pub(crate) struct Window {
    pub(crate) top: Option<i32>,
    pub(crate) skip: i32,
}

impl Window {
    /// How many of this many records are in it.
    pub(crate) fn given(self, count: i32) -> i32 {
        let top = self.top.unwrap_or(i32::MAX);
        count.saturating_sub(self.skip).clamp(0, top.max(0))
    }

    /// The most records of a request for the first one.
    pub(crate) fn first(self) -> i32 {
        self.top.map_or(1, |top| top.min(1))
    }
}

/// The pages with the number of rows of the list. With a start or an end it has fewer than there are matching
/// records.
pub(crate) fn with_count(
    pages: Paged<ArrowPage>,
    given: impl Fn(i32) -> i32 + Send + 'static,
) -> Fetch {
    let pages = pages.map(move |page| {
        page.map(|mut page| {
            page.count = page.count.map(&given);
            page
        })
    });
    pages.boxed()
}

/// A list of v1 with numbered pages, and the most records to return.
pub(crate) struct Numbered<L> {
    list: L,
    top: Option<Top>,
}

impl<L> Numbered<L> {
    fn with_count(&self, pages: Paged<ArrowPage>) -> Fetch {
        let top = self.top.and_then(|Top(top)| i32::try_from(top).ok());
        with_count(pages, move |count| count.min(top.unwrap_or(i32::MAX)))
    }
}

macro_rules! numbered_lists {
    ($($list:ty),*) => {
        $(
            impl Source for Numbered<$list> {
                fn page(&self, number: i32) -> Work {
                    work(list_page(self.list.clone().page(number).send()))
                }

                fn first(&self) -> Work {
                    work(first(self.list.clone().page_size(1).send()))
                }

                fn count(&self) -> Work {
                    work(count(self.list.clone().page_size(1).send()))
                }

                fn pages(&self) -> Box<dyn Stream> {
                    Box::new(self.list.clone().pages())
                }

                fn schema(&self) -> SchemaRef {
                    self.list.arrow_schema()
                }

                fn batches(&self, _counted: bool) -> Fetch {
                    self.with_count(self.list.clone().arrow_pages())
                }
            }
        )*
    };
}

numbered_lists! { Records<IncidentV1>, Records<Improvement>, BoardTasks }

impl Source for Numbered<obeya::Values> {
    fn page(&self, number: i32) -> Work {
        work(list_page(self.list.clone().page(number)))
    }

    fn first(&self) -> Work {
        work(first(self.list.clone().page_size(1).page(1)))
    }

    fn count(&self) -> Work {
        work(count(self.list.clone().page_size(1).page(1)))
    }

    fn pages(&self) -> Box<dyn Stream> {
        Box::new(self.list.clone().pages())
    }

    fn schema(&self) -> SchemaRef {
        obeya::value_schema()
    }

    fn batches(&self, _counted: bool) -> Fetch {
        self.with_count(self.list.clone().arrow_pages())
    }
}

/// A list that is returned whole, with the function that requests it and the name of its operation.
struct Whole<F>(F, &'static str);

impl<F, A, S> Source for Whole<F>
where
    F: Fn() -> A + Send + Sync + 'static,
    A: Future<Output = obeya::Result<S>> + Send + 'static,
    S: IntoListPage,
{
    fn page(&self, _number: i32) -> Work {
        work(list_page((self.0)()))
    }

    fn first(&self) -> Work {
        work(first((self.0)()))
    }

    fn count(&self) -> Work {
        work(count((self.0)()))
    }

    fn pages(&self) -> Box<dyn Stream> {
        Box::new(Once(Some(self.page(1))))
    }

    fn schema(&self) -> SchemaRef {
        tables::schema::<S::Record>()
    }

    fn batches(&self, _counted: bool) -> Fetch {
        let (answer, operation) = ((self.0)(), self.1);
        let page = async move {
            let page = answer.await?.into_list_page();
            ArrowPage::whole(operation, &page.items)
        };
        stream::once(page.boxed()).boxed()
    }
}

/// The request of the next page; `None` after the last one.
pub(crate) type Next<'a> = Pin<Box<dyn Future<Output = Option<obeya::Result<Make>>> + Send + 'a>>;

/// Pages, one after the other.
pub(crate) trait Stream: Send {
    fn next(&mut self) -> Next<'_>;
}

impl<S: IntoListPage> Stream for Paged<S> {
    fn next(&mut self) -> Next<'_> {
        Box::pin(async {
            let page = Paged::next(self).await?;
            Some(page.map(|page| make(page.into_list_page())))
        })
    }
}

/// The only page of a list that is returned whole.
struct Once(Option<Work>);

impl Stream for Once {
    fn next(&mut self) -> Next<'_> {
        let page = self.0.take();
        Box::pin(async { Some(page?.await) })
    }
}

/// A lazy list.
#[pyclass(frozen, generic, module = "obeya._obeya")]
pub(crate) struct Query {
    source: ForkGuard<Box<dyn Source>>,
    state: Arc<CallState>,
}

impl Query {
    /// The list of this request.
    pub(crate) fn new(handle: &Handle, source: impl Source) -> Self {
        Self {
            source: ForkGuard::new(Box::new(source)),
            state: Arc::clone(handle.call_state()),
        }
    }

    /// A list of v1 with numbered pages, which `limited` gives a limit.
    pub(crate) fn numbered<L>(
        handle: &Handle,
        mut list: L,
        top: Option<Top>,
        limited: fn(L, u32) -> L,
    ) -> Self
    where
        Numbered<L>: Source,
    {
        if let Some(Top(records)) = top {
            list = limited(list, records);
        }
        Self::new(handle, Numbered { list, top })
    }

    /// A list that is returned whole by each call of `ask`, for the `operation` with this id.
    pub(crate) fn whole<A, S>(
        handle: &Handle,
        operation: &'static str,
        ask: impl Fn() -> A + Send + Sync + 'static,
    ) -> Self
    where
        A: Future<Output = obeya::Result<S>> + Send + 'static,
        S: IntoListPage,
    {
        Self::new(handle, Whole(ask, operation))
    }

    fn source(&self) -> PyResult<&dyn Source> {
        Ok(&**self.source.get("list")?)
    }

    /// The columns of its batches.
    pub(crate) fn schema(&self) -> PyResult<SchemaRef> {
        Ok(self.source()?.schema())
    }
}

#[pymethods]
impl Query {
    #[pyo3(signature = (number=1, /))]
    fn page(&self, number: i32) -> PyResult<Call> {
        Ok(Call::new(&self.state, self.source()?.page(number)))
    }

    fn first(&self) -> PyResult<Call> {
        Ok(Call::new(&self.state, self.source()?.first()))
    }

    fn count(&self) -> PyResult<Call> {
        Ok(Call::new(&self.state, self.source()?.count()))
    }

    fn pages(&self) -> PyResult<Pages> {
        let pages = self.source()?.pages();
        Ok(Pages {
            rest: ForkGuard::new(Arc::new(Mutex::new(Some(pages)))),
            state: Arc::clone(&self.state),
        })
    }

    /// The pages as batches, each with the total number of records if known.
    #[pyo3(signature = (counted, /))]
    fn batches(&self, counted: bool) -> PyResult<Batches> {
        Ok(Batches::new(self.source()?.batches(counted), &self.state))
    }

    /// A collection of batches.
    fn rows(&self) -> PyResult<Rows> {
        Ok(Rows::new(self.schema()?))
    }

    /// The result of `$apply` on the list. The other options apply to its rows.
    #[pyo3(signature = (transformations, order_by, top, skip, /))]
    fn transformed(
        &self,
        transformations: &str,
        order_by: Option<Names>,
        top: Option<i32>,
        skip: Option<i32>,
    ) -> PyResult<Self> {
        let window = Window {
            top,
            skip: skip.unwrap_or(0),
        };
        let Some(source) =
            self.source()?
                .transformed(transformations, order_by.map(|Names(keys)| keys), window)
        else {
            let text = "found a list of v1, which the service does not group; expected one of v2";
            return Err(PyTypeError::new_err(text));
        };
        let source = source.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self {
            source: ForkGuard::new(source),
            state: Arc::clone(&self.state),
        })
    }

    /// An Arrow stream that fetches pages while another library reads it. The protocol allows ignoring the
    /// requested schema.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let source = self.source()?;
        arrow::fetching(py, source.batches(false), source.schema())
    }

    /// The columns of the batches.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema(py, &self.schema()?)
    }
}

/// The pages of a list that is being read.
#[pyclass(frozen, generic, module = "obeya._obeya")]
pub(crate) struct Pages {
    rest: ForkGuard<Arc<Rest>>,
    state: Arc<CallState>,
}

/// The remaining pages, if any.
type Rest = Mutex<Option<Box<dyn Stream>>>;

#[pymethods]
impl Pages {
    /// The next page, or `None` after the last and after a failure.
    fn next(&self) -> PyResult<Call> {
        let rest = Arc::clone(self.rest.get("iterator")?);
        let next = async move {
            // Taken out while a page is fetched, so that an interrupt or cancellation drops the request.
            let taken = rest.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(mut pages) = taken else {
                return Ok(make(None::<()>));
            };
            let next = pages.next().await;
            match next {
                None => Ok(make(None::<()>)),
                Some(Err(error)) => Err(error),
                Some(Ok(page)) => {
                    *rest.lock().unwrap_or_else(PoisonError::into_inner) = Some(pages);
                    Ok(page)
                }
            }
        };
        Ok(Call::new(&self.state, Box::pin(next)))
    }
}

/// One page of a list: a sequence of records.
#[pyclass(frozen, generic, sequence, module = "obeya")]
pub(crate) struct Page {
    /// The records, as a tuple.
    #[pyo3(get)]
    items: Py<PyTuple>,
    /// The number of all matching records, if the service returns it.
    #[pyo3(get)]
    count: Option<i64>,
    /// Address of the next page, if there is one. Iterating the list follows it.
    #[pyo3(get)]
    next_link: Option<String>,
}

#[pymethods]
impl Page {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.items.bind(py).len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.items.bind(py).as_any().get_item(index)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.items.bind(py).try_iter()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let all = self
            .count
            .map_or_else(String::new, |count| format!(" of {count}"));
        let more = if self.next_link.is_some() {
            ", more follow"
        } else {
            ""
        };
        format!(
            "<obeya.Page: {}{all} records{more}>",
            self.items.bind(py).len()
        )
    }
}
