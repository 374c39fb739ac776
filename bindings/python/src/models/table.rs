//! A schema at run time: the names of its properties in Python and on the wire, and which are required.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A schema.
pub(crate) struct Table {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its properties, in the order of the specification.
    pub(crate) fields: &'static [Field],
    /// The record or body that it describes.
    pub(crate) kind: Kind,
}

/// The direction of a schema, which decides the meaning of `None` for a field that is not nullable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// To the service: `None` would clear a field that cannot be cleared.
    Body,
    /// From the service: `None` in a record means that the field was not sent.
    Record,
}

/// A property of a schema.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// Its name in Python.
    pub(crate) python: &'static str,
    /// Its name on the wire.
    pub(crate) wire: &'static str,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// Whether it may be empty.
    pub(crate) nullable: bool,
    /// The nested schema.
    pub(crate) nested: Nested,
}

/// The nesting of a property.
#[derive(Clone, Copy)]
pub(crate) enum Nested {
    /// No object of the specification.
    Nothing,
    /// One object.
    One(&'static Table),
    /// A list of objects.
    Many(&'static Table),
}

impl Field {
    /// A property that must be there.
    pub(crate) const fn required(python: &'static str, wire: &'static str) -> Self {
        Self {
            python,
            wire,
            required: true,
            nullable: false,
            nested: Nested::Nothing,
        }
    }

    /// A property that may be left out.
    pub(crate) const fn optional(python: &'static str, wire: &'static str) -> Self {
        Self {
            required: false,
            ..Self::required(python, wire)
        }
    }

    /// The same, holding an object.
    pub(crate) const fn one(self, table: &'static Table) -> Self {
        Self {
            nested: Nested::One(table),
            ..self
        }
    }

    /// The same, holding a list of objects.
    pub(crate) const fn many(self, table: &'static Table) -> Self {
        Self {
            nested: Nested::Many(table),
            ..self
        }
    }

    /// The same, but it may be empty.
    pub(crate) const fn nullable(self) -> Self {
        Self {
            nullable: true,
            ..self
        }
    }
}

impl Table {
    /// The property of this name, in Python or on the wire.
    pub(crate) fn find(&self, name: &str) -> Option<&Field> {
        self.fields
            .iter()
            .find(|field| field.python == name || field.wire == name)
    }

    /// Whether an id alone is enough.
    pub(crate) fn is_named_by_id(&self) -> bool {
        let mut required = self.fields.iter().filter(|field| field.required);
        required.next().is_some_and(|field| field.wire == "id") && required.next().is_none()
    }

    /// The names in Python, as a tuple.
    pub(crate) fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.fields.iter().map(|field| field.python))
    }
}
