//! Records as rows of typed columns: a record's properties by their wire names, in the order of the wire, as
//! Arrow and whatever else is made of columns.
//!
//! The columns of each record follow from the specification ([`Tabular`]); what becomes of them is written
//! once over [`Cell`]. Nothing here fetches, and nothing here knows a file or a database.
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

/// Which columns a record has, and which its links.
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
mod records;
mod shape;
#[cfg(test)]
mod tests;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, SchemaRef};

pub use batch::Rows;
pub use cell::{Cell, Column, Field, Kind};
pub(crate) use shape::Shape;

/// Whether hardly two values of a column are alike: ids and moments. A dictionary of them costs whoever
/// writes a file, and saves nothing.
#[must_use]
pub fn is_mostly_distinct(field: &arrow_schema::Field) -> bool {
    field.name() == "id" || matches!(field.data_type(), DataType::Timestamp(..))
}

/// A record that has columns. Every record of a list has, and so have the parts of an incident.
pub trait Tabular: Sized + 'static {
    /// Its columns. Those that are lists of their own ([`Kind::List`]) come last.
    fn columns() -> &'static [Column<Self>];

    /// Columns for the related records that [`expand`](crate::List::expand) brings along: one record as
    /// [`Kind::Row`], several as [`Kind::List`], each with the columns it has without links of its own.
    #[must_use]
    fn links() -> &'static [Column<Self>] {
        &[]
    }
}

/// The columns that hold one value each.
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

/// The records as a batch of [`schema`]. Instants lose what is smaller than a microsecond, and each batch has
/// dictionaries of its own.
///
/// # Errors
/// When a record lacks what the interface promises.
pub fn batch<T: Tabular>(records: &[T]) -> Result<RecordBatch, ArrowError> {
    Shape::whole().batch(records)
}
