//! A page of a list, and the iterator that fetches page after page.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Mutex;

use obeya::Paged;
use obeya::model::{DatasourceValue, DatasourceValuePage};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use crate::errors;
use crate::models::Record;
use crate::runtime::{AtHome, wait};

/// One page of a list: a sequence of records.
#[pyclass(frozen, generic, sequence, module = "obeya")]
pub(crate) struct Page {
    /// The records, as a tuple.
    #[pyo3(get)]
    items: Py<PyTuple>,
    /// How many records match in all; only with `count=True`.
    #[pyo3(get)]
    count: Option<i64>,
    /// Address of the next page, if there is one. The `iter_…` methods follow it.
    #[pyo3(get)]
    next_link: Option<String>,
}

impl Page {
    /// A page as the SDK gave it.
    pub(crate) fn new<T: Record>(py: Python<'_>, page: obeya::Page<T>) -> PyResult<Self> {
        let items: Vec<_> = page
            .items
            .into_iter()
            .map(|item| item.into_object(py))
            .collect::<PyResult<_>>()?;
        Ok(Self {
            items: PyTuple::new(py, items)?.unbind(),
            count: page.count,
            next_link: page.next_link,
        })
    }
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

/// Makes the Python object of one record.
type Make = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// What a page is made of.
pub(crate) trait Batch: Send + 'static {
    /// A record of it.
    type Record: Record;

    /// Its records.
    fn records(self) -> Vec<Self::Record>;
}

impl<T: Record> Batch for obeya::Page<T> {
    type Record = T;

    fn records(self) -> Vec<T> {
        self.items
    }
}

impl Batch for DatasourceValuePage {
    type Record = DatasourceValue;

    fn records(self) -> Vec<DatasourceValue> {
        self.values
    }
}

/// The next page, once it is there; nothing after the last.
type Next<'a> = Pin<Box<dyn Future<Output = Option<obeya::Result<VecDeque<Make>>>> + Send + 'a>>;

/// A stream of pages, whatever their records.
trait Pages: Send {
    fn next(&mut self) -> Next<'_>;
}

impl<B: Batch> Pages for Paged<B> {
    fn next(&mut self) -> Next<'_> {
        Box::pin(async {
            let page = Paged::next(self).await?;
            Some(page.map(|page| page.records().into_iter().map(make).collect()))
        })
    }
}

fn make<T: Record>(record: T) -> Make {
    Box::new(move |py| Ok(Record::into_object(record, py)?.unbind()))
}

/// An iterator over records that fetches the next page when it has given out the last record of the one before.
#[pyclass(frozen, generic, module = "obeya")]
pub(crate) struct Records {
    state: AtHome<Mutex<State>>,
}

struct State {
    ready: VecDeque<Make>,
    /// Nothing after the end, or after an error.
    pages: Option<Box<dyn Pages>>,
}

impl Records {
    /// An iterator over the records of these pages. Nothing is fetched before the first record is asked for.
    pub(crate) fn new<B: Batch>(pages: Paged<B>) -> Self {
        let state = State {
            ready: VecDeque::new(),
            pages: Some(Box::new(pages)),
        };
        Self {
            state: AtHome::new(Mutex::new(state)),
        }
    }
}

#[pymethods]
impl Records {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        // Never waits: whoever holds it may be waiting for the GIL, which we hold.
        let Ok(mut state) = self.state.get("iterator")?.try_lock() else {
            return Err(PyRuntimeError::new_err(
                "the iterator is already in use by another thread",
            ));
        };
        loop {
            if let Some(make) = state.ready.pop_front() {
                return make(py).map(Some);
            }
            let Some(mut pages) = state.pages.take() else {
                return Ok(None);
            };
            match wait(py, pages.next())? {
                None => return Ok(None),
                Some(Err(error)) => return Err(errors::exception(py, &error)),
                Some(Ok(ready)) => {
                    state.ready = ready;
                    state.pages = Some(pages);
                }
            }
        }
    }
}
