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

/// The JSON of `fields`, a mapping of names to values. `place` is the name of a function or a field in
/// errors.
pub(crate) fn collect(table: &Table, fields: &Bound<'_, PyAny>, place: &str) -> PyResult<Value> {
    let Ok(fields) = fields.cast::<PyMapping>() else {
        return Err(PyTypeError::new_err(format!(
            "{place}: found {}, expected a dictionary",
            type_name(fields)
        )));
    };
    object(table, fields, place, true, 1)
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

fn object(
    table: &Table,
    fields: &Bound<'_, PyMapping>,
    place: &str,
    strict: bool,
    depth: usize,
) -> PyResult<Value> {
    let depth = deeper(depth, place)?;
    let mut out = Map::new();
    let mut given: Vec<&str> = Vec::new();
    for entry in fields.items()?.iter() {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = entry.extract()?;
        let key: String = key.extract()?;
        let Some(field) = table.find(&key) else {
            if strict {
                return Err(unknown(table, place, &key));
            }
            continue;
        };
        if given.contains(&field.wire) {
            return Err(PyTypeError::new_err(format!(
                "{place} got multiple values for argument '{}': it is also called '{}'",
                field.python, field.wire
            )));
        }
        given.push(field.wire);
        if let Some(value) = property(table, field, &value, place, depth)? {
            out.insert(field.wire.to_owned(), value);
        }
    }
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
            "{place} missing required argument(s): {}",
            missing.join(", ")
        )))
    }
}

fn unknown(table: &Table, place: &str, key: &str) -> PyErr {
    let names: Vec<&str> = table.fields.iter().map(|field| field.python).collect();
    PyTypeError::new_err(format!(
        "{place} got an unexpected argument '{key}'; expected {}",
        names.join(", ")
    ))
}

fn property(
    table: &Table,
    field: &Field,
    value: &Bound<'_, PyAny>,
    place: &str,
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
            "{place}: {} cannot be None",
            field.python
        )));
    }
    let place = field.python;
    Ok(Some(match field.nested {
        Nested::Nothing => plain(value, place, depth)?,
        Nested::One(table) => part(table, value, place, depth)?,
        Nested::Many(table) => parts(table, value, place, depth)?,
    }))
}

/// A list of objects.
pub(crate) fn list(table: &Table, values: &Bound<'_, PyAny>, place: &str) -> PyResult<Value> {
    parts(table, values, place, 1)
}

fn parts(table: &Table, values: &Bound<'_, PyAny>, place: &str, depth: usize) -> PyResult<Value> {
    let depth = deeper(depth, place)?;
    let Some(values) = sequence(values) else {
        return Err(PyTypeError::new_err(format!(
            "{place}: found {}, expected a list",
            type_name(values)
        )));
    };
    let parts = (0..values.len()?)
        .map(|n| part(table, &values.get_item(n)?, &format!("{place}[{n}]"), depth));
    Ok(Value::Array(parts.collect::<PyResult<_>>()?))
}

/// A list, a tuple or another sequence with a length. A text is not a list of its letters.
fn sequence<'a, 'py>(values: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PySequence>> {
    if values.is_instance_of::<PyString>() {
        return None;
    }
    values.cast::<PySequence>().ok()
}

/// One level deeper, if that is allowed: recursion without an end would take the interpreter down with it.
fn deeper(depth: usize, place: &str) -> PyResult<usize> {
    if depth > MAX_DEPTH {
        // The path of such a deep value is as long as the value is deep.
        let place: String = place.chars().take(40).collect();
        return Err(PyValueError::new_err(format!(
            "{place}: nested more than {MAX_DEPTH} levels deep; does it contain itself?"
        )));
    }
    Ok(depth + 1)
}

/// An object within a body: a dictionary, a record of the same thing, or its id.
fn part(table: &Table, value: &Bound<'_, PyAny>, place: &str, depth: usize) -> PyResult<Value> {
    if let Ok(fields) = value.cast::<PyMapping>() {
        return object(table, fields, place, true, depth);
    }
    if let Ok(to_dict) = value.getattr("to_dict") {
        // A record of the same thing has more fields than a body takes.
        let fields = to_dict.call0()?;
        return object(table, fields.cast::<PyMapping>()?, place, false, depth);
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
        "{place}: found {}, expected {expected}",
        type_name(value)
    )))
}

/// A value as JSON. Anything that behaves like a number is accepted, so that those of numpy and pandas work.
fn plain(value: &Bound<'_, PyAny>, place: &str, depth: usize) -> PyResult<Value> {
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
            .map_err(|error| PyValueError::new_err(format!("{place}: {error}")))?;
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
                PyValueError::new_err(format!("{place}: {number} is no number that can be sent"))
            });
    }
    if let Ok(fields) = value.cast::<PyMapping>() {
        let depth = deeper(depth, place)?;
        let mut out = Map::new();
        for entry in fields.items()?.iter() {
            let (key, value): (String, Bound<'_, PyAny>) = entry.extract()?;
            let value = plain(&value, &format!("{place}[{key:?}]"), depth)?;
            out.insert(key, value);
        }
        return Ok(Value::Object(out));
    }
    if let Some(items) = sequence(value) {
        let depth = deeper(depth, place)?;
        let items =
            (0..items.len()?).map(|n| plain(&items.get_item(n)?, &format!("{place}[{n}]"), depth));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    Err(PyTypeError::new_err(format!(
        "{place}: {} cannot be sent",
        type_name(value)
    )))
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    value
        .get_type()
        .name()
        .map_or_else(|_| "something".to_owned(), |name| name.to_string())
}
