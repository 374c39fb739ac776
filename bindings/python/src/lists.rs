//! Lists that fetch nothing until they are read: a page, all pages one after the other, the first record, or
//! how many there are.
//!
//! The lists of the interface differ in how they come: in pages with links, in numbered pages, or whole. Here
//! they have one face.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::SchemaRef;
use futures_util::future::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};
use obeya::model::{
    DatasourceValue, DatasourceValuePage, Improvement, ImprovementPage, Incident, IncidentPage,
    TrashPage, TrashedIncident,
};
use obeya::tables::{self, Tabular};
use obeya::{ArrowPage, List, Paged, Records, Resource};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyTuple};

use crate::answer::{Answer, Make, Turns, Work, make, work};
use crate::arrow::{self, Batches, Fetch, Rows};
use crate::call::Call;
use crate::handle::Handle;
use crate::models::Record;
use crate::runtime::ForkGuard;

/// One page of any list.
pub(crate) struct Sheet<T> {
    items: Vec<T>,
    /// How many records match in all, if that is known.
    count: Option<i64>,
    next_link: Option<String>,
}

impl<T> Sheet<T> {
    fn numbered(items: Vec<T>, total: i32) -> Self {
        Self {
            items,
            count: Some(total.into()),
            next_link: None,
        }
    }
}

impl<T: Record> Answer for Sheet<T> {
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

/// The answer of a service to a request for a list.
pub(crate) trait IntoSheet: Send + 'static {
    /// A record of it.
    type Record: Record + Tabular;

    fn into_sheet(self) -> Sheet<Self::Record>;
}

impl<T: Record + Tabular> IntoSheet for obeya::Page<T> {
    type Record = T;

    fn into_sheet(self) -> Sheet<T> {
        Sheet {
            items: self.items,
            count: self.count,
            next_link: self.next_link,
        }
    }
}

impl<T: Record + Tabular> IntoSheet for Vec<T> {
    type Record = T;

    fn into_sheet(self) -> Sheet<T> {
        let count = i64::try_from(self.len()).ok();
        Sheet {
            items: self,
            count,
            next_link: None,
        }
    }
}

macro_rules! numbered_pages {
    ($($page:ident of $record:ident counts $count:ident;)*) => {
        $(
            impl IntoSheet for $page {
                type Record = $record;

                fn into_sheet(self) -> Sheet<$record> {
                    Sheet::numbered(self.values, self.$count)
                }
            }
        )*
    };
}

numbered_pages! {
    IncidentPage of Incident counts total;
    ImprovementPage of Improvement counts total;
    TrashPage of TrashedIncident counts total;
    DatasourceValuePage of DatasourceValue counts count;
}

async fn sheet<S: IntoSheet>(
    answer: impl Future<Output = obeya::Result<S>>,
) -> obeya::Result<Sheet<S::Record>> {
    Ok(answer.await?.into_sheet())
}

async fn first<S: IntoSheet>(
    answer: impl Future<Output = obeya::Result<S>>,
) -> obeya::Result<Option<S::Record>> {
    Ok(answer.await?.into_sheet().items.into_iter().next())
}

async fn count<S: IntoSheet>(
    answer: impl Future<Output = obeya::Result<S>>,
) -> obeya::Result<Option<i64>> {
    Ok(answer.await?.into_sheet().count)
}

/// A list that can be requested in pages.
pub(crate) trait Source: Send + Sync + 'static {
    /// A page; only numbered lists have others than the first.
    fn page(&self, number: i32) -> Work;
    fn first(&self) -> Work;
    fn count(&self) -> Work;
    fn pages(&self) -> Box<dyn Stream>;
    /// The columns of its batches.
    fn schema(&self) -> SchemaRef;
    /// The pages as batches; `counted` requests the number of all records, where the service does not always
    /// return it.
    fn batches(&self, counted: bool) -> Fetch;
}

/// A list of v2, whose pages have links, how many records it is to have at most, and how many it leaves out
/// at the beginning.
pub(crate) struct Linked<T> {
    pub(crate) list: List<T>,
    pub(crate) top: Option<i32>,
    pub(crate) skip: i32,
}

impl<T: Resource + Record + Tabular> Source for Linked<T> {
    fn page(&self, _number: i32) -> Work {
        work(sheet(self.list.clone().send()))
    }

    fn first(&self) -> Work {
        let top = self.top.map_or(1, |top| top.min(1));
        work(first(self.list.clone().top(top).send()))
    }

    fn count(&self) -> Work {
        work(count(self.list.clone().count(true).top(0).send()))
    }

    fn pages(&self) -> Box<dyn Stream> {
        Box::new(self.list.clone().pages())
    }

    fn schema(&self) -> SchemaRef {
        self.list.arrow_schema()
    }

    fn batches(&self, counted: bool) -> Fetch {
        let list = self.list.clone();
        if !counted {
            return list.arrow_pages().boxed();
        }
        let (top, skip) = (self.top.unwrap_or(i32::MAX), self.skip);
        // With a start or an end the list has fewer rows than match.
        let given = move |count: i32| count.saturating_sub(skip).clamp(0, top.max(0));
        let pages = list.count(true).arrow_pages();
        let pages = pages.map(move |page| {
            page.map(|mut page| {
                page.count = page.count.map(given);
                page
            })
        });
        pages.boxed()
    }
}

/// A list of v1 with numbered pages.
macro_rules! numbered_lists {
    ($($record:ident)*) => {
        $(
            impl Source for Records<$record> {
                fn page(&self, number: i32) -> Work {
                    work(sheet(self.clone().page(number).send()))
                }

                fn first(&self) -> Work {
                    work(first(self.clone().page_size(1).send()))
                }

                fn count(&self) -> Work {
                    work(count(self.clone().page_size(1).send()))
                }

                fn pages(&self) -> Box<dyn Stream> {
                    Box::new(self.clone().pages())
                }

                fn schema(&self) -> SchemaRef {
                    self.arrow_schema()
                }

                fn batches(&self, _counted: bool) -> Fetch {
                    self.clone().arrow_pages().boxed()
                }
            }
        )*
    };
}

numbered_lists! { Incident Improvement }

impl Source for obeya::Values {
    fn page(&self, number: i32) -> Work {
        work(sheet(self.clone().page(number)))
    }

    fn first(&self) -> Work {
        work(first(self.clone().page_size(1).page(1)))
    }

    fn count(&self) -> Work {
        work(count(self.clone().page_size(1).page(1)))
    }

    fn pages(&self) -> Box<dyn Stream> {
        Box::new(self.clone().pages())
    }

    fn schema(&self) -> SchemaRef {
        obeya::value_schema()
    }

    fn batches(&self, _counted: bool) -> Fetch {
        self.clone().arrow_pages().boxed()
    }
}

/// A list that is returned whole, with the function that requests it and the name of its operation.
struct Whole<F>(F, &'static str);

impl<F, A, S> Source for Whole<F>
where
    F: Fn() -> A + Send + Sync + 'static,
    A: Future<Output = obeya::Result<S>> + Send + 'static,
    S: IntoSheet,
{
    fn page(&self, _number: i32) -> Work {
        work(sheet((self.0)()))
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
            let sheet = answer.await?.into_sheet();
            ArrowPage::whole(operation, &sheet.items)
        };
        stream::once(page.boxed()).boxed()
    }
}

/// The next page, when it has arrived; nothing after the last.
type Next<'a> = Pin<Box<dyn Future<Output = Option<obeya::Result<Make>>> + Send + 'a>>;

/// Pages, one after the other.
pub(crate) trait Stream: Send {
    fn next(&mut self) -> Next<'_>;
}

impl<S: IntoSheet> Stream for Paged<S> {
    fn next(&mut self) -> Next<'_> {
        Box::pin(async {
            let page = Paged::next(self).await?;
            Some(page.map(|page| make(page.into_sheet())))
        })
    }
}

/// The one page of a list that comes whole.
struct Once(Option<Work>);

impl Stream for Once {
    fn next(&mut self) -> Next<'_> {
        let page = self.0.take();
        Box::pin(async { Some(page?.await) })
    }
}

/// A list that is to be fetched.
#[pyclass(frozen, generic, module = "obeya._obeya")]
pub(crate) struct Query {
    source: ForkGuard<Box<dyn Source>>,
    turns: Turns,
}

impl Query {
    /// The list of this request.
    pub(crate) fn new(handle: &Handle, source: impl Source) -> Self {
        Self {
            source: ForkGuard::new(Box::new(source)),
            turns: Arc::clone(handle.turns()),
        }
    }

    /// A list that is returned whole by each call of `ask`, for the `operation` with this id.
    pub(crate) fn whole<A, S>(
        handle: &Handle,
        operation: &'static str,
        ask: impl Fn() -> A + Send + Sync + 'static,
    ) -> Self
    where
        A: Future<Output = obeya::Result<S>> + Send + 'static,
        S: IntoSheet,
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
        Ok(Call::new(&self.turns, self.source()?.page(number)))
    }

    fn first(&self) -> PyResult<Call> {
        Ok(Call::new(&self.turns, self.source()?.first()))
    }

    fn count(&self) -> PyResult<Call> {
        Ok(Call::new(&self.turns, self.source()?.count()))
    }

    fn pages(&self) -> PyResult<Pages> {
        let pages = self.source()?.pages();
        Ok(Pages {
            rest: ForkGuard::new(Arc::new(Mutex::new(Some(pages)))),
            turns: Arc::clone(&self.turns),
        })
    }

    /// The pages as batches, each with how many records there are if that can be known.
    #[pyo3(signature = (counted, /))]
    fn batches(&self, counted: bool) -> PyResult<Batches> {
        Ok(Batches::new(self.source()?.batches(counted), &self.turns))
    }

    /// A collection of batches.
    fn rows(&self) -> PyResult<Rows> {
        Ok(Rows::new(self.schema()?))
    }

    /// As a stream that fetches while another library reads it. The interface allows to answer with our own
    /// schema.
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
    turns: Turns,
}

/// The pages that are left, if there are any.
type Rest = Mutex<Option<Box<dyn Stream>>>;

#[pymethods]
impl Pages {
    /// The next page, or `None` after the last and after a failure.
    fn next(&self) -> PyResult<Call> {
        let rest = Arc::clone(self.rest.get("iterator")?);
        let next = async move {
            // Taken out while a page is fetched, so that an interrupt or a cancellation drops the connection.
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
        Ok(Call::new(&self.turns, Box::pin(next)))
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
