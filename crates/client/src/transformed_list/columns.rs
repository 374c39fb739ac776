//! The typed columns of a [`TransformedList`], and its rows as record batches.
//!
//! JSON does not have these types: the request is bound to the entity model, by the binder of the service.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Fields, Schema, SchemaRef};
use futures_util::future::Either;
use futures_util::{TryStreamExt as _, stream};
use obeya_model::{Date, Timestamp};
use obeya_odata::edm::Type;
use obeya_odata::{Context, Limits, OptionName, Options};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::TransformedList;
use crate::decode::{self, DecodeMismatch};
use crate::error::{Error, Result};
use crate::list::Resource;
use crate::paged::{Page, Paged};
use crate::tables::{Cell, Kind, Rows};
use crate::values::ArrowPage;

/// The options that a request for rows has.
const OPTIONS: [OptionName; 5] = [
    OptionName::Apply,
    OptionName::OrderBy,
    OptionName::Top,
    OptionName::Skip,
    OptionName::Count,
];

/// The columns of the rows of [`TransformedList`], in their order.
#[derive(Clone, Debug)]
pub struct RowColumns {
    operation: &'static str,
    columns: Vec<RowColumn>,
}

#[derive(Clone, Debug)]
struct RowColumn {
    /// The navigations to a property, and its name.
    path: Vec<String>,
    name: String,
    kind: Kind,
}

impl<T: Resource> TransformedList<T> {
    /// The columns of the rows: the properties they are grouped by, with a dot after each navigation
    /// (`area.name`), and the names that the request gives.
    ///
    /// # Errors
    /// [`Error::Request`] for transformations, orders and numbers that the service would refuse, for
    /// transformations that name nothing, for options of the list, and for a list of texts, which no column
    /// has.
    pub fn columns(&self) -> Result<RowColumns> {
        let url = self.url()?;
        let operation = self.list.operation().id();
        let refused = |reason: String| Error::Request { operation, reason };
        let context = Context {
            now: 0,
            limits: Limits::default(),
        };
        let query = url.query().unwrap_or_default();
        let bound = Options::parse(query, &OPTIONS, &context.limits)
            .and_then(|(options, _)| options.bind(T::entity_type(), &context))
            .map_err(|error| refused(error.to_string()))?;
        let Some(columns) = bound.result() else {
            let reason = "found filters only; expected `groupby`, `aggregate`, `concat` or `compute`, which name the values of a row";
            return Err(refused(reason.to_owned()));
        };
        let columns = columns.iter().map(|column| {
            Ok(RowColumn {
                path: column.path.clone(),
                name: column.path.join("."),
                kind: kind(column.ty).ok_or_else(|| {
                    refused(format!(
                        "found a column of type {}, which rows cannot have",
                        column.ty.name()
                    ))
                })?,
            })
        });
        Ok(RowColumns {
            operation,
            columns: columns.collect::<Result<_>>()?,
        })
    }

    /// The schema of the batches: the [`columns`](Self::columns), all nullable.
    ///
    /// # Errors
    /// Those of [`columns`](Self::columns).
    pub fn arrow_schema(&self) -> Result<SchemaRef> {
        Ok(self.columns()?.schema())
    }

    /// All rows as a stream of record batches, one for each page and at least one.
    pub fn arrow_stream(self) -> Paged<RecordBatch> {
        Paged::new(self.batches().map_ok(|page| page.batch))
    }

    /// Like [`arrow_stream`](Self::arrow_stream), with the total number of rows if requested with
    /// `count(true)`.
    pub fn arrow_pages(self) -> Paged<ArrowPage> {
        Paged::new(self.batches())
    }

    fn batches(self) -> impl futures_core::Stream<Item = Result<ArrowPage>> + Send + 'static {
        let columns = match self.columns() {
            Ok(columns) => columns,
            Err(error) => return Either::Left(stream::iter([Err(error)])),
        };
        let pages = self.pages_inner();
        let pages = pages.and_then(move |page| std::future::ready(columns.page(&page)));
        Either::Right(pages)
    }
}

impl RowColumns {
    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The values of a row, in the order of the columns.
    ///
    /// # Errors
    /// [`Error::Decode`] if the service returns a value of another type.
    pub fn cells<'a>(&self, row: &'a Map<String, Value>) -> Result<Vec<Cell<'a>>> {
        let cells = self.columns.iter().map(|column| {
            cell(column.value(row), column.kind).map_err(|error| {
                let reason = decode::kinds(error.to_string());
                DecodeMismatch::named(&column.name, reason).into_error(self.operation)
            })
        });
        cells.collect()
    }

    /// Their schema: all columns are nullable.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        let fields = self.columns.iter();
        let fields = fields.map(|column| Field::new(&column.name, column.kind.arrow(), true));
        Arc::new(Schema::new(fields.collect::<Fields>()))
    }

    fn page(&self, page: &Page<Map<String, Value>>) -> Result<ArrowPage> {
        let kinds = self.columns.iter().map(|column| column.kind);
        let mut batch = Rows::of(self.schema(), kinds);
        for row in &page.items {
            batch.push(self.cells(row)?);
        }
        let count = page.count.and_then(|count| i32::try_from(count).ok());
        ArrowPage::of(self.operation, batch.finish(), count)
    }
}

impl RowColumn {
    /// The value of a row; null where a navigation leads to nothing.
    fn value<'a>(&self, row: &'a Map<String, Value>) -> &'a Value {
        let mut value = &Value::Null;
        let mut names = self.path.iter();
        if let Some(first) = names.next() {
            value = row.get(first).unwrap_or(value);
        }
        names.fold(value, |value, name| value.get(name).unwrap_or(&Value::Null))
    }
}

/// The kind of the column of a type; `None` for a type that a column cannot have.
fn kind(ty: Type) -> Option<Kind> {
    Some(match ty {
        Type::Boolean => Kind::Bool,
        Type::Int32 => Kind::Int,
        Type::Int64 => Kind::Long,
        Type::Double => Kind::Number,
        Type::String | Type::Guid => Kind::Text,
        Type::Enum(_) => Kind::DictionaryText,
        Type::Date => Kind::Day,
        Type::DateTimeOffset => Kind::Instant,
        _ => return None,
    })
}

/// The value as a cell of its column.
fn cell(value: &Value, kind: Kind) -> serde_json::Result<Cell<'_>> {
    if value.is_null() {
        return Ok(Cell::Null);
    }
    Ok(match kind {
        Kind::Int => Cell::Int(i32::deserialize(value)?),
        Kind::Long => Cell::Long(i64::deserialize(value)?),
        Kind::Number => Cell::Number(match value.as_str() {
            // OData JSON Format 4.01, 7.1.
            Some("INF") => f64::INFINITY,
            Some("-INF") => f64::NEG_INFINITY,
            Some("NaN") => f64::NAN,
            _ => f64::deserialize(value)?,
        }),
        Kind::Bool => Cell::Bool(bool::deserialize(value)?),
        Kind::Text | Kind::DictionaryText => Cell::Text(<&str>::deserialize(value)?),
        Kind::Instant => Cell::Instant(Timestamp::deserialize(value)?),
        Kind::Day => Cell::Day(Date::deserialize(value)?),
        Kind::Texts | Kind::Row(_) | Kind::List(_) => unreachable!("`kind` returns none of these"),
    })
}
