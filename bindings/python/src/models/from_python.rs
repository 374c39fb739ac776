//! From Python's arguments to the SDK's request bodies, by the tables of the specification.
//!
//! Names and shapes are checked here, because Python promises a `TypeError` for them; the service checks the
//! values. Nothing is dropped silently: an unknown name is an error, and so is `None` where a field cannot be
//! cleared. Arguments may contain themselves or be infinite, so nesting is limited and only objects with a
//! length are read.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDate, PyMapping, PySequence, PyString};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::table::{Field, Kind, Nested, Table};

/// How deep objects and lists may nest. No record of a plant comes near it; a list that contains itself gets
/// there.
const MAX_DEPTH: usize = 64;

/// The JSON of `fields`, a mapping of names to values. `location` is the name of a function or a field in
/// errors.
pub(crate) fn collect(table: &Table, fields: &Bound<'_, PyAny>, location: &str) -> PyResult<Value> {
    object(table, mapping(fields, location)?, location, true, 1)
}

/// The JSON of some fields of a body, which may be without any that it requires.
pub(crate) fn changes(table: &Table, fields: &Bound<'_, PyAny>, location: &str) -> PyResult<Value> {
    Ok(Value::Object(properties(
        table,
        mapping(fields, location)?,
        location,
        true,
        1,
    )?))
}

/// Reads a body or a record out of its JSON.
pub(crate) fn parse<T: DeserializeOwned>(table: &Table, json: Value) -> PyResult<T> {
    serde_path_to_error::deserialize(json).map_err(|error| {
        let path = error.path().to_string();
        // The first step of the path is a property of the table; the caller knows it by its Python name.
        let end = path.find(['.', '[']).unwrap_or(path.len());
        let name = table
            .find(&path[..end])
            .map_or(&path[..end], |field| field.python);
        PyValueError::new_err(format!(
            "{}: {name}{}: {}",
            table.name,
            &path[end..],
            error.inner()
        ))
    })
}

fn mapping<'a, 'py>(
    fields: &'a Bound<'py, PyAny>,
    location: &str,
) -> PyResult<&'a Bound<'py, PyMapping>> {
    fields.cast::<PyMapping>().map_err(|_| {
        PyTypeError::new_err(format!(
            "{location}: found {}, expected a dictionary",
            type_name(fields)
        ))
    })
}

/// An object with everything that it requires.
fn object(
    table: &Table,
    fields: &Bound<'_, PyMapping>,
    location: &str,
    strict: bool,
    depth: usize,
) -> PyResult<Value> {
    let out = properties(table, fields, location, strict, depth)?;
    let missing: Vec<String> = table
        .fields
        .iter()
        .filter(|field| field.required && !field.nullable && !out.contains_key(field.wire))
        .map(|field| format!("'{}'", field.python))
        .collect();
    if missing.is_empty() {
        Ok(Value::Object(out))
    } else {
        Err(PyTypeError::new_err(format!(
            "{location} missing required argument(s): {}",
            missing.join(", ")
        )))
    }
}

/// Those of its properties that are there.
fn properties(
    table: &Table,
    fields: &Bound<'_, PyMapping>,
    location: &str,
    strict: bool,
    depth: usize,
) -> PyResult<Map<String, Value>> {
    let depth = deeper(depth, location)?;
    let mut out = Map::new();
    let mut given: Vec<&str> = Vec::new();
    for entry in fields.items()?.iter() {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = entry.extract()?;
        let key: String = key.extract()?;
        let Some(field) = table.find(&key) else {
            if strict {
                return Err(unknown(table, location, &key));
            }
            continue;
        };
        if given.contains(&field.wire) {
            return Err(PyTypeError::new_err(format!(
                "{location} got multiple values for argument '{}': it is also called '{}'",
                field.python, field.wire
            )));
        }
        given.push(field.wire);
        if let Some(value) = property(table, field, &value, location, depth)? {
            out.insert(field.wire.to_owned(), value);
        }
    }
    Ok(out)
}

fn unknown(table: &Table, location: &str, key: &str) -> PyErr {
    let names: Vec<&str> = table.fields.iter().map(|field| field.python).collect();
    PyTypeError::new_err(format!(
        "{location} got an unexpected argument '{key}'; expected {}",
        names.join(", ")
    ))
}

fn property(
    table: &Table,
    field: &Field,
    value: &Bound<'_, PyAny>,
    location: &str,
    depth: usize,
) -> PyResult<Option<Value>> {
    if value.is_none() {
        if field.nullable {
            return Ok(Some(Value::Null));
        }
        if table.kind == Kind::Record && !field.required {
            return Ok(None);
        }
        return Err(PyTypeError::new_err(format!(
            "{location}: {} cannot be None",
            field.python
        )));
    }
    let location = field.python;
    Ok(Some(match field.nested {
        Nested::Nothing => plain(value, location, depth)?,
        Nested::One(table) => part(table, value, location, depth)?,
        Nested::Many(table) => parts(table, value, location, depth)?,
    }))
}

/// A list of bodies, which are the rows of a longer list from `first` on. Errors name the row.
pub(crate) fn rows<T: DeserializeOwned>(
    table: &Table,
    values: &Bound<'_, PyAny>,
    name: &str,
    first: usize,
) -> PyResult<Vec<T>> {
    let items = items(values, name)?;
    let row = |n: usize| {
        let location = format!("{name}[{}]", first + n);
        let body = part(table, &items.get_item(n)?, &location, 2);
        body.and_then(|body| parse(table, body))
            .map_err(|error| within(&location, error, values.py()))
    };
    (0..items.len()?).map(row).collect()
}

/// The same error with its place, unless the message begins with that. An exception of the caller's own
/// stays.
fn within(location: &str, error: PyErr, py: Python<'_>) -> PyErr {
    let text = error.value(py).to_string();
    if text.starts_with(location) {
        return error;
    }
    let text = format!("{location}: {text}");
    let kind = error.get_type(py);
    if kind.is(py.get_type::<PyTypeError>()) {
        PyTypeError::new_err(text)
    } else if kind.is(py.get_type::<PyValueError>()) {
        PyValueError::new_err(text)
    } else {
        error
    }
}

fn parts(
    table: &Table,
    values: &Bound<'_, PyAny>,
    location: &str,
    depth: usize,
) -> PyResult<Value> {
    let depth = deeper(depth, location)?;
    let values = items(values, location)?;
    let parts = (0..values.len()?).map(|n| {
        part(
            table,
            &values.get_item(n)?,
            &format!("{location}[{n}]"),
            depth,
        )
    });
    Ok(Value::Array(parts.collect::<PyResult<_>>()?))
}

/// The items of a list, or an error for anything else.
fn items<'a, 'py>(
    values: &'a Bound<'py, PyAny>,
    location: &str,
) -> PyResult<&'a Bound<'py, PySequence>> {
    sequence(values).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "{location}: found {}, expected a list",
            type_name(values)
        ))
    })
}

/// A list, a tuple or another sequence with a length. A text is not a list of its letters.
fn sequence<'a, 'py>(values: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PySequence>> {
    if values.is_instance_of::<PyString>() {
        return None;
    }
    values.cast::<PySequence>().ok()
}

/// One level deeper, if that is allowed: recursion without an end would take the interpreter down with it.
fn deeper(depth: usize, location: &str) -> PyResult<usize> {
    if depth > MAX_DEPTH {
        // The path of such a deep value is as long as the value is deep.
        let location: String = location.chars().take(40).collect();
        return Err(PyValueError::new_err(format!(
            "{location}: nested more than {MAX_DEPTH} levels deep; does it contain itself?"
        )));
    }
    Ok(depth + 1)
}

/// An object within a body: a dictionary, a record of the same thing, or its id.
fn part(table: &Table, value: &Bound<'_, PyAny>, location: &str, depth: usize) -> PyResult<Value> {
    if let Ok(fields) = value.cast::<PyMapping>() {
        return object(table, fields, location, true, depth);
    }
    if let Ok(to_dict) = value.getattr("to_dict") {
        // A record of the same thing has more fields than a body takes.
        let fields = to_dict.call0()?;
        return object(table, fields.cast::<PyMapping>()?, location, false, depth);
    }
    if table.is_named_by_id()
        && !value.is_instance_of::<PyBool>()
        && let Ok(id) = value.extract::<i64>()
    {
        return Ok(serde_json::json!({ "id": id }));
    }
    let expected = if table.is_named_by_id() {
        "a dictionary, a record or an id"
    } else {
        "a dictionary or a record"
    };
    Err(PyTypeError::new_err(format!(
        "{location}: found {}, expected {expected}",
        type_name(value)
    )))
}

/// A value as JSON. Anything that behaves like a number is accepted, so that those of numpy and pandas work.
fn plain(value: &Bound<'_, PyAny>, location: &str, depth: usize) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().into());
    }
    if let Ok(text) = value.cast::<PyString>() {
        // A lone surrogate, which no UTF-8 has.
        let text = text
            .to_str()
            .map_err(|error| PyValueError::new_err(format!("{location}: {error}")))?;
        return Ok(text.into());
    }
    // A datetime is a date too.
    if value.is_instance_of::<PyDate>() {
        return Ok(value.call_method0("isoformat")?.extract::<String>()?.into());
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(number.into());
    }
    if let Ok(number) = value.extract::<f64>() {
        return serde_json::Number::from_f64(number)
            .map(Value::Number)
            .ok_or_else(|| {
                PyValueError::new_err(format!(
                    "{location}: {number} is no number that can be sent"
                ))
            });
    }
    if let Ok(fields) = value.cast::<PyMapping>() {
        let depth = deeper(depth, location)?;
        let mut out = Map::new();
        for entry in fields.items()?.iter() {
            let (key, value): (String, Bound<'_, PyAny>) = entry.extract()?;
            let value = plain(&value, &format!("{location}[{key:?}]"), depth)?;
            out.insert(key, value);
        }
        return Ok(Value::Object(out));
    }
    if let Some(items) = sequence(value) {
        let depth = deeper(depth, location)?;
        let items = (0..items.len()?)
            .map(|n| plain(&items.get_item(n)?, &format!("{location}[{n}]"), depth));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    Err(PyTypeError::new_err(format!(
        "{location}: {} cannot be sent",
        type_name(value)
    )))
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    value
        .get_type()
        .name()
        .map_or_else(|_| "something".to_owned(), |name| name.to_string())
}
