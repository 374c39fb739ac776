//! The records as Python classes, and the tables that turn keyword arguments into request bodies.
//!
//! `generated_records.rs` and `generated_bodies.rs` are written by `cargo xtask regen` from the
//! specification: one macro call for each schema. The macros are defined here. A class contains the SDK's
//! struct and reads it through getters, so no value is stored twice; a record is immutable, and equality
//! compares values.

mod from_python;
mod generated_bodies;
mod generated_records;
mod table;
mod to_python;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use serde::Serialize;

pub(crate) use from_python::{changes, collect, parse, rows};
pub(crate) use generated_bodies::*;
pub(crate) use generated_records::*;
pub(crate) use table::{Field, Kind, Table};
pub(crate) use to_python::{Form, ToPython};

/// A record that has a Python class.
pub(crate) trait Record: Clone + Send + 'static {
    /// The record as an instance of its class.
    fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>>;
}

/// Enums are plain text in Python: values that this version does not know are passed through.
macro_rules! enums {
    ($($name:ident)*) => {
        $(
            impl $crate::models::ToPython for obeya::model::$name {
                fn to_python<'py>(&self, py: pyo3::Python<'py>, _: $crate::models::Form) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                    Ok(pyo3::types::PyString::new(py, self.as_str()).into_any())
                }
            }
        )*
    };
}

/// The list of all classes.
macro_rules! records {
    ($($name:ident)*) => {
        /// Adds every class to the module.
        pub(crate) fn add_classes(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
            use pyo3::types::PyModuleMethods as _;
            $(module.add_class::<$name>()?;)*
            Ok(())
        }
    };
}

/// A class over a struct of the SDK: `getter = rust_field: table row;` for each attribute.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident $table:ident $text:literal {
        $($(#[$field_doc:meta])* $getter:ident = $rust:ident: $field:expr;)*
    }) => {
        pub(crate) static $table: $crate::models::Table = $crate::models::Table { name: $text, fields: &[$($field),*], kind: $crate::models::Kind::Record };

        $(#[$doc])*
        #[pyo3::pyclass(frozen, eq, module = "obeya.models")]
        #[derive(PartialEq)]
        pub(crate) struct $name(pub(crate) obeya::model::$name);

        #[pyo3::pymethods]
        impl $name {
            $(
                $(#[$field_doc])*
                #[getter]
                fn $getter<'py>(&self, py: pyo3::Python<'py>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                    $crate::models::ToPython::to_python(&self.0.$rust, py, $crate::models::Form::Record)
                }
            )*

            #[classattr]
            fn __match_args__(py: pyo3::Python<'_>) -> pyo3::PyResult<pyo3::Bound<'_, pyo3::types::PyTuple>> {
                $table.names(py)
            }

            /// The record with these fields, named as the attributes are or as on the wire.
            #[classmethod]
            #[pyo3(signature = (fields, /))]
            fn from_dict(_class: &pyo3::Bound<'_, pyo3::types::PyType>, fields: &pyo3::Bound<'_, pyo3::PyAny>) -> pyo3::PyResult<Self> {
                Ok(Self($crate::models::parse(&$table, $crate::models::collect(&$table, fields, $text)?)?))
            }

            /// Reads the record from JSON as it is on the wire.
            #[classmethod]
            #[pyo3(signature = (text, /))]
            fn from_json(_class: &pyo3::Bound<'_, pyo3::types::PyType>, text: &str) -> pyo3::PyResult<Self> {
                Ok(Self($crate::models::parse(&$table, $crate::models::read_json(text)?)?))
            }

            /// Every attribute by name; records within it are dictionaries too.
            fn to_dict<'py>(&self, py: pyo3::Python<'py>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                $crate::models::ToPython::to_python(&self.0, py, $crate::models::Form::Dict)
            }

            /// The record as it is on the wire.
            fn to_json(&self) -> pyo3::PyResult<String> {
                $crate::models::write_json(&self.0)
            }

            fn __repr__(&self, py: pyo3::Python<'_>) -> pyo3::PyResult<String> {
                $crate::models::repr($text, &self.fields(py)?)
            }

            /// The representation in a notebook.
            fn _repr_html_(&self, py: pyo3::Python<'_>) -> pyo3::PyResult<String> {
                $crate::models::html($text, &self.fields(py)?)
            }

            /// Equal records have the same hash: it is that of the attributes. A record with a dictionary has
            /// none, as a tuple of dictionaries.
            fn __hash__(&self, py: pyo3::Python<'_>) -> pyo3::PyResult<isize> {
                $crate::models::hash(py, $text, &self.fields(py)?)
            }

            fn __reduce__<'py>(slf: &pyo3::Bound<'py, Self>) -> pyo3::PyResult<(pyo3::Bound<'py, pyo3::PyAny>, (String,))> {
                Ok(($crate::models::reader(slf.as_any())?, (slf.get().to_json()?,)))
            }
        }

        impl $name {
            fn fields<'py>(&self, py: pyo3::Python<'py>) -> pyo3::PyResult<Vec<$crate::models::Attribute<'py>>> {
                Ok(vec![
                    $((const { $field }.python, $crate::models::ToPython::to_python(&self.0.$rust, py, $crate::models::Form::Record)?)),*
                ])
            }
        }

        impl $crate::models::ToPython for obeya::model::$name {
            fn to_python<'py>(&self, py: pyo3::Python<'py>, form: $crate::models::Form) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                match form {
                    $crate::models::Form::Record => $crate::models::Record::into_object(self.clone(), py),
                    $crate::models::Form::Dict => {
                        let dict = pyo3::types::PyDict::new(py);
                        $(
                            let value = $crate::models::ToPython::to_python(&self.$rust, py, form)?;
                            pyo3::types::PyDictMethods::set_item(&dict, const { $field }.python, value)?;
                        )*
                        Ok(dict.into_any())
                    }
                }
            }
        }

        impl $crate::models::Record for obeya::model::$name {
            fn into_object(self, py: pyo3::Python<'_>) -> pyo3::PyResult<pyo3::Bound<'_, pyo3::PyAny>> {
                Ok(pyo3::Bound::new(py, $name(self))?.into_any())
            }
        }
    };
}

/// The keyword arguments of a request body.
macro_rules! body {
    ($table:ident $text:literal { $($field:expr;)* }) => {
        pub(crate) static $table: $crate::models::Table = $crate::models::Table { name: $text, fields: &[$($field),*], kind: $crate::models::Kind::Body };
    };
}

use {body, enums, record, records};

fn read_json(text: &str) -> PyResult<serde_json::Value> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(format!("not JSON: {error}")))
}

/// The function that recreates the record from its JSON, for pickling and copying.
fn reader<'py>(record: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    record.get_type().getattr("from_json")
}

fn write_json(record: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(record).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// An attribute by its name.
type Attribute<'py> = (&'static str, Bound<'py, PyAny>);

/// `Area(id=2, name='Assembly')`: the fields with a value.
fn repr(name: &str, fields: &[Attribute<'_>]) -> PyResult<String> {
    let filled = fields.iter().filter(|(_, value)| !value.is_none());
    let parts = filled.map(|(field, value)| Ok(format!("{field}={}", value.repr()?)));
    Ok(format!(
        "{name}({})",
        parts.collect::<PyResult<Vec<_>>>()?.join(", ")
    ))
}

/// The same as a table with a row for each field.
fn html(name: &str, fields: &[Attribute<'_>]) -> PyResult<String> {
    let mut out = format!("<table><caption>{name}</caption>");
    for (field, value) in fields.iter().filter(|(_, value)| !value.is_none()) {
        let text = match value.cast::<PyString>() {
            Ok(text) => text.to_string(),
            Err(_) => value.repr()?.to_string(),
        };
        out.push_str(&format!(
            "<tr><th>{field}</th><td>{}</td></tr>",
            escape(&text)
        ));
    }
    out.push_str("</table>");
    Ok(out)
}

/// Text that markup cannot begin in.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            other => out.push(other),
        }
    }
    out
}

fn hash(py: Python<'_>, name: &str, fields: &[Attribute<'_>]) -> PyResult<isize> {
    let name = PyString::new(py, name).into_any();
    let values = fields.iter().map(|(_, value)| value.clone());
    PyTuple::new(py, std::iter::once(name).chain(values).collect::<Vec<_>>())?.hash()
}
