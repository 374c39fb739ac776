//! Python arguments of operations: options of lists, times, and objects that identify a record. Texts go to
//! the service unchanged.

use std::marker::PhantomData;

use obeya::fields::{Entity, check_words};
use obeya::model::{Date, Timestamp};
use obeya::tables::Tabular;
use obeya::{Get, List, Resource, WholeList};
use pyo3::PyClass;
use pyo3::exceptions::{PyTypeError, PyUnicodeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDate, PyDateTime, PyDict, PyString};

use crate::handle::Handle;
use crate::linked::Linked;
use crate::lists::{Query, Window};
use crate::models::{
    self, Area, Board, BoardDetail, BoardSummary, DataList, Datasource, DatasourceDetail,
    DatasourceValue, GroupV1, GroupV2, Improvement, IncidentCommentV1, IncidentCommentV2,
    IncidentCustomField, IncidentType, IncidentTypeCustomField, IncidentTypeDetail,
    IncidentTypeSummary, IncidentV1, IncidentV2, ProjectMilestone, Record, Task, TaskComment,
    TaskInfo, TrashedIncident,
};
use crate::names::{Names, written};

/// A list of v2 with the options that these keyword arguments are.
pub(crate) fn list<T: Resource + Record + Tabular>(
    handle: &Handle,
    mut list: List<T>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Query> {
    let mut window = Window::default();
    for (key, value) in options.into_iter().flatten() {
        if value.is_none() {
            continue;
        }
        let key: String = key.extract()?;
        let named = |error| named(&key, &value, &error);
        let text = || value.extract::<String>().map_err(named);
        let names = || value.extract::<Names>().map(|names| names.0).map_err(named);
        let number = || value.extract::<i32>().map_err(named);
        list = match key.as_str() {
            "where" => list.filter(value.extract::<Where>().map_err(named)?.checked::<T>()?),
            "order_by" => list.orderby(names()?),
            "select" => list.select(names()?),
            "expand" => list.expand(names()?),
            "search" => list.search(text()?),
            "top" => {
                window.top = Some(number()?);
                list.top(number()?)
            }
            "skip" => {
                window.skip = number()?;
                list.skip(number()?)
            }
            "count" => list.count(value.extract().map_err(named)?),
            _ => return Err(PyTypeError::new_err(format!("no list has '{key}'"))),
        };
    }
    Ok(Query::new(handle, Linked { list, window }))
}

/// A list of v1 that comes in one response, with the options that these keyword arguments are.
pub(crate) fn whole<T: Entity + Record + Tabular>(
    handle: &Handle,
    operation: &'static str,
    mut list: WholeList<T>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Query> {
    for (key, value) in options.into_iter().flatten() {
        if value.is_none() {
            continue;
        }
        let key: String = key.extract()?;
        let named = |error| named(&key, &value, &error);
        list = match key.as_str() {
            "where" => list.filter(value.extract::<Where>().map_err(named)?.checked::<T>()?),
            "order_by" => list.orderby(value.extract::<Names>().map_err(named)?.0),
            _ => return Err(PyTypeError::new_err(format!("no list of v1 has '{key}'"))),
        };
    }
    Ok(Query::whole(handle, operation, move || list.clone().send()))
}

/// A request for one record with the options that mean something for one.
pub(crate) fn get<T: Resource, I>(
    mut get: Get<T, I>,
    select: Option<Names>,
    expand: Option<Names>,
) -> Get<T, I> {
    if let Some(Names(properties)) = select {
        get = get.select(properties);
    }
    if let Some(Names(navigations)) = expand {
        get = get.expand(navigations);
    }
    get
}

/// A condition: a filter of `obeya._filters`, or text, which goes to the service unchecked.
pub(crate) enum Where {
    Filter(String),
    Text(String),
}

impl Where {
    /// The text of a condition on the records `T`; a filter must have words of this version only.
    pub(crate) fn checked<T: Entity>(self) -> PyResult<String> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Filter(text) => match check_words::<T>(&text) {
                Ok(()) => Ok(text),
                Err(unknown) => Err(PyValueError::new_err(format!(
                    "argument 'where': {unknown}"
                ))),
            },
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Where {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text = written(value, intern!(value.py(), "_where"), "a filter")?;
        Ok(match value.is_instance_of::<PyString>() {
            true => Self::Text(text),
            false => Self::Filter(text),
        })
    }
}

/// A record's id, or the record itself.
pub(crate) struct Id<T>(pub(crate) i32, PhantomData<fn() -> T>);

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Id<T> {}

/// A record with an id. The interface shows some records in several forms, each a separate class.
pub(crate) trait Identified: PyClass {
    /// Whether this is a record of it.
    fn has(value: Borrowed<'_, '_, PyAny>) -> bool;
}

macro_rules! identified {
    ($($thing:ident $(= $class:ident)*;)*) => {
        $(
            impl Identified for $thing {
                fn has(value: Borrowed<'_, '_, PyAny>) -> bool {
                    value.is_instance_of::<$thing>() $(|| value.is_instance_of::<$class>())*
                }
            }
        )*
    };
}

identified! {
    Area;
    Board = BoardSummary = BoardDetail;
    GroupV2 = GroupV1;
    IncidentV1 = IncidentV2 = TrashedIncident;
    IncidentCommentV2 = IncidentCommentV1;
    IncidentCustomField = IncidentTypeCustomField;
    IncidentTypeSummary = IncidentTypeDetail = IncidentType;
    Improvement;
    Datasource = DatasourceDetail;
    DataList;
    ProjectMilestone;
    TaskInfo = Task;
    TaskComment;
    DatasourceValue;
}

impl<'py, T: Identified> FromPyObject<'_, 'py> for Id<T> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let id: PyResult<i32> = if T::has(value) {
            value.getattr("id")?.extract()
        } else if value.is_instance_of::<PyBool>() {
            Err(PyTypeError::new_err("found bool"))
        } else {
            value.extract()
        };
        let id = id.map_err(|error| {
            let py = value.py();
            let class = T::type_object(py);
            let text = match class.name() {
                Ok(class) => format!(
                    "{}; expected an id or {class} that has one",
                    error.value(py)
                ),
                Err(_) => error.value(py).to_string(),
            };
            PyErr::from_type(error.get_type(py), text)
        })?;
        Ok(Self(id, PhantomData))
    }
}

/// A bound of a period: a `datetime`, a `date` or text; UTC unless it has another offset. A day means the
/// whole of it, a moment that moment.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    /// The moment, or the midnight that a day begins with.
    instant: Timestamp,
    is_day: bool,
}

impl Moment {
    /// The moment after which a period begins that has the whole day, but not the moment.
    pub(crate) fn after(self) -> Timestamp {
        shifted(self.instant, if self.is_day { -1 } else { 0 })
    }

    /// The moment before which a period ends that has the whole day, but not the moment.
    pub(crate) fn before(self) -> Timestamp {
        shifted(self.instant, if self.is_day { TICKS_PER_DAY } else { 0 })
    }

    /// The first moment of a period that has both.
    pub(crate) fn first(self) -> Timestamp {
        self.instant
    }

    /// The last moment of a period that has both.
    pub(crate) fn last(self) -> Timestamp {
        shifted(
            self.instant,
            if self.is_day { TICKS_PER_DAY - 1 } else { 0 },
        )
    }
}

/// In ticks of 100 ns.
const TICKS_PER_DAY: i64 = 86_400 * 10_000_000;

/// So many ticks later, but within the years that there are.
fn shifted(instant: Timestamp, ticks: i64) -> Timestamp {
    let (least, most) = (Timestamp::MIN.ticks(), Timestamp::MAX.ticks());
    Timestamp::from_ticks((instant.ticks() + ticks).clamp(least, most)).unwrap_or(instant)
}

impl<'py> FromPyObject<'_, 'py> for Moment {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text = iso(&value)?;
        let instant: Timestamp = text
            .parse()
            .map_err(|error| PyValueError::new_err(format!("{text:?}: {error}")))?;
        Ok(Self {
            instant,
            is_day: text
                .parse::<Date>()
                .is_ok_and(|day| day.to_string() == text),
        })
    }
}

/// A `date` or text, which means the whole day. A `datetime` is rejected: its day depends on the time zone.
#[derive(Clone, Copy)]
pub(crate) struct Day(Date);

impl Day {
    /// The day before it, for a bound that is excluded.
    pub(crate) fn before(self) -> Date {
        Date::from_days(self.0.days() - 1).unwrap_or(self.0)
    }

    /// The day after it, for a bound that is excluded.
    pub(crate) fn after(self) -> Date {
        Date::from_days(self.0.days() + 1).unwrap_or(self.0)
    }
}

impl<'py> FromPyObject<'_, 'py> for Day {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyDateTime>() {
            return Err(PyTypeError::new_err("found a datetime, expected a date"));
        }
        let text = iso(&value)?;
        let day = text
            .parse()
            .map_err(|error| PyValueError::new_err(format!("{text:?}: {error}")))?;
        Ok(Self(day))
    }
}

/// A body of these fields; `location` is the name of the function in errors.
pub(crate) fn body<T: serde::de::DeserializeOwned>(
    table: &models::Table,
    fields: &Bound<'_, PyAny>,
    location: &str,
) -> PyResult<T> {
    models::parse(table, models::collect(table, fields, location)?)
}

/// A list of bodies; `name` is the name of the argument in errors.
pub(crate) fn bodies<T: serde::de::DeserializeOwned>(
    table: &models::Table,
    items: &Bound<'_, PyAny>,
    name: &str,
) -> PyResult<Vec<T>> {
    models::rows(table, items, name, 0)
}

fn iso(value: &Borrowed<'_, '_, PyAny>) -> PyResult<String> {
    if value.is_instance_of::<PyDate>() {
        value.call_method0("isoformat")?.extract()
    } else if value.is_instance_of::<PyString>() {
        value.extract()
    } else {
        let found = value.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "found {found}, expected a day, a moment or text"
        )))
    }
}

/// The same error with the name of the argument in it.
pub(crate) fn named(key: &str, value: &Bound<'_, PyAny>, error: &PyErr) -> PyErr {
    let text = format!("argument '{key}': {}", error.value(value.py()));
    if error.is_instance_of::<PyUnicodeError>(value.py()) {
        // It cannot be made of a text alone.
        return PyValueError::new_err(text);
    }
    PyErr::from_type(error.get_type(value.py()), text)
}
