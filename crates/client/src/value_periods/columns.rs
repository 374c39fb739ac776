//! The columns of periods, for tables and files.

use super::PeriodValue;
use crate::tables::{Cell, Column, Kind, Tabular};

static COLUMNS: [Column<PeriodValue>; 3] = [
    Column::new("start", Kind::Instant, false, |period| {
        Cell::Instant(period.start)
    }),
    Column::new("value", Kind::Number, true, |period| {
        period.value.map_or(Cell::Null, Cell::Number)
    }),
    Column::new("count", Kind::Long, false, |period| {
        Cell::Long(period.count)
    }),
];

impl Tabular for PeriodValue {
    fn columns() -> &'static [Column<Self>] {
        &COLUMNS
    }
}
