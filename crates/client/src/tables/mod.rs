//! Records as rows of typed columns: a record's properties with their wire names, in wire order, for Arrow
//! and other columnar formats.
//!
//! The columns of each record are generated from the specification ([`Tabular`]); encoders work on [`Cell`].
//! Nothing here fetches records or writes files.
//!
//! ```
//! use obeya::model::Area;
//! use obeya::tables;
//!
//! let area = Area { id: Some(2), name: Some("Line 3".to_owned()), ..Area::default() };
//! let batch = tables::batch(&[area])?;
//! assert_eq!((batch.num_rows(), batch.schema()), (1, tables::schema::<Area>()));
//! # Ok::<(), arrow_schema::ArrowError>(())
//! ```

/// Declares the columns and links of records.
macro_rules! tabular {
    ($($record:ty: $columns:ident $(, $links:ident)?;)*) => {$(
        impl $crate::tables::Tabular for $record {
            fn columns() -> &'static [$crate::tables::Column<Self>] {
                &$columns
            }

            $(fn links() -> &'static [$crate::tables::Column<Self>] {
                &$links
            })?
        }
    )*};
}

mod batch;
mod cell;
mod column_set;
mod records;
#[cfg(test)]
mod tests;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, SchemaRef};

pub use batch::Rows;
pub use cell::{Cell, Column, Field, Kind};
pub(crate) use column_set::ColumnSet;

/// Whether the values of a column are mostly distinct (ids and instants), so that dictionary encoding would
/// cost time and save nothing.
#[must_use]
pub fn is_mostly_distinct(field: &arrow_schema::Field) -> bool {
    field.name() == "id" || matches!(field.data_type(), DataType::Timestamp(..))
}

/// A record with columns: every record of a list, and the parts of an incident.
pub trait Tabular: Sized + 'static {
    /// Its columns. Nested lists ([`Kind::List`]) come last.
    fn columns() -> &'static [Column<Self>];

    /// The columns of related records that [`expand`](crate::List::expand) includes: one record as
    /// [`Kind::Row`], several as [`Kind::List`], each without its own links.
    #[must_use]
    fn links() -> &'static [Column<Self>] {
        &[]
    }
}

/// The columns that are not lists.
#[must_use]
pub fn scalars<T: Tabular>() -> &'static [Column<T>] {
    let columns = T::columns();
    let is_list = |column: &Column<T>| matches!(column.field.kind, Kind::List(_));
    let lists = columns.iter().position(is_list);
    &columns[..lists.unwrap_or(columns.len())]
}

/// The schema of all columns.
#[must_use]
pub fn schema<T: Tabular>() -> SchemaRef {
    cell::schema(T::columns().iter().map(|column| &column.field))
}

/// The records as a batch of [`schema`]. Instants are rounded down to microseconds, and each batch has its
/// own dictionaries.
///
/// # Errors
/// When a record lacks a property that the interface requires.
pub fn batch<T: Tabular>(records: &[T]) -> Result<RecordBatch, ArrowError> {
    ColumnSet::all().batch(records)
}
