//! Lists of v2, and what the service transforms them to (`$apply`): rows, each a `dict`.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use futures_util::future::FutureExt as _;
use futures_util::stream::StreamExt as _;
use obeya::tables::{Cell, Tabular};
use obeya::{ArrowPage, List, Page, Paged, Resource, RowColumns, TransformedList};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};

use crate::answer::{Work, make, work};
use crate::arrow::Fetch;
use crate::errors;
use crate::lists::{ListPage, Next, Source, Stream, Window, count, first, list_page, with_count};
use crate::models::Record;
use crate::time;

/// A list of v2, whose pages have links.
pub(crate) struct Linked<T> {
    pub(crate) list: List<T>,
    pub(crate) window: Window,
}

impl<T: Resource + Record + Tabular> Source for Linked<T> {
    fn page(&self, _number: i32) -> Work {
        work(list_page(self.list.clone().send()))
    }

    fn first(&self) -> Work {
        work(first(self.list.clone().top(self.window.first()).send()))
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
        in_window(list.count(true).arrow_pages(), self.window)
    }

    fn transformed(
        &self,
        transformations: &str,
        order: Option<String>,
        window: Window,
    ) -> Option<obeya::Result<Box<dyn Source>>> {
        let transformed = self.list.clone().apply(transformations);
        let list = Transformed::new(transformed, order, window);
        Some(list.map(|list| Box::new(list) as Box<dyn Source>))
    }
}

/// The pages with the number of rows in a window of the list.
fn in_window(pages: Paged<ArrowPage>, window: Window) -> Fetch {
    with_count(pages, move |count| window.given(count))
}

/// A list that the service transforms, and the columns of its rows.
pub(crate) struct Transformed<T> {
    transformed: TransformedList<T>,
    columns: Arc<RowColumns>,
    window: Window,
}

impl<T: Resource + Clone> Transformed<T> {
    pub(crate) fn new(
        mut transformed: TransformedList<T>,
        order: Option<String>,
        window: Window,
    ) -> obeya::Result<Self> {
        if let Some(keys) = order {
            transformed = transformed.orderby(keys);
        }
        if let Some(top) = window.top {
            transformed = transformed.top(top);
        }
        if window.skip != 0 {
            transformed = transformed.skip(window.skip);
        }
        Ok(Self {
            columns: Arc::new(transformed.columns()?),
            transformed,
            window,
        })
    }
}

/// A row, and its columns.
#[derive(Clone)]
struct Row(Arc<RowColumns>, Map<String, Value>);

impl Record for Row {
    fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let Self(columns, values) = self;
        let row = PyDict::new(py);
        let cells = columns.cells(&values);
        let cells = cells.map_err(|error| errors::exception(py, &error))?;
        for (name, cell) in columns.names().zip(cells) {
            row.set_item(name, object(py, &cell)?)?;
        }
        Ok(row.into_any())
    }
}

fn object<'py>(py: Python<'py>, cell: &Cell<'_>) -> PyResult<Bound<'py, PyAny>> {
    match cell {
        Cell::Int(number) => number.into_bound_py_any(py),
        Cell::Long(number) => number.into_bound_py_any(py),
        Cell::Number(number) => number.into_bound_py_any(py),
        Cell::Bool(value) => value.into_bound_py_any(py),
        Cell::Text(text) => text.into_bound_py_any(py),
        Cell::Instant(instant) => Ok(time::datetime(py, *instant)?.into_any()),
        Cell::Day(day) => Ok(time::date(py, *day)?.into_any()),
        // No row has lists.
        Cell::Null | Cell::Texts(_) | Cell::Row(..) | Cell::List(..) => {
            Ok(py.None().into_bound(py))
        }
    }
}

fn row_page(columns: &Arc<RowColumns>, page: Page<Map<String, Value>>) -> ListPage<Row> {
    let rows = page.items.into_iter();
    ListPage {
        items: rows.map(|row| Row(Arc::clone(columns), row)).collect(),
        count: page.count,
        next_link: page.next_link,
    }
}

impl<T: Resource + Clone> Source for Transformed<T> {
    fn page(&self, _number: i32) -> Work {
        let (page, columns) = (self.transformed.clone().send(), Arc::clone(&self.columns));
        work(page.map(move |page| Ok(row_page(&columns, page?))))
    }

    fn first(&self) -> Work {
        let page = self.transformed.clone().top(self.window.first()).send();
        let columns = Arc::clone(&self.columns);
        work(page.map(move |page| Ok(row_page(&columns, page?).items.into_iter().next())))
    }

    fn count(&self) -> Work {
        let page = self.transformed.clone().count(true).top(0).send::<Value>();
        work(page.map(|page| Ok(page?.count)))
    }

    fn pages(&self) -> Box<dyn Stream> {
        Box::new(RowPages {
            pages: self.transformed.clone().pages(),
            columns: Arc::clone(&self.columns),
        })
    }

    fn schema(&self) -> SchemaRef {
        self.columns.schema()
    }

    fn batches(&self, counted: bool) -> Fetch {
        let transformed = self.transformed.clone();
        match counted {
            false => transformed.arrow_pages().boxed(),
            true => in_window(transformed.count(true).arrow_pages(), self.window),
        }
    }
}

/// The pages of the rows.
struct RowPages {
    pages: Paged<Page<Map<String, Value>>>,
    columns: Arc<RowColumns>,
}

impl Stream for RowPages {
    fn next(&mut self) -> Next<'_> {
        Box::pin(async {
            let page = self.pages.next().await?;
            Some(page.map(|page| make(row_page(&self.columns, page))))
        })
    }
}
