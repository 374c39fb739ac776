//! Records as rows of typed columns: what `pull` and `sync` write, whatever they write it to.
//!
//! Each record of the interface has its columns in one place, in the order and by the names of the wire; what becomes of them (Arrow,
//! Parquet, SQL, CSV) is written once over [`Cell`]. Nothing here fetches, and nothing here knows a file or a database.

mod batch;
mod cell;
mod improvements;
mod incidents;
mod organisation;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use batch::Rows;
pub(crate) use cell::{Cell, Column, Kind, schema};
pub(crate) use improvements::IMPROVEMENT;
pub(crate) use incidents::{
    CATEGORY, CAUSE, COMMENT, CONSEQUENCE, CUSTOM_FIELD, INCIDENT, scalars as incident_scalars,
};
pub(crate) use organisation::{AREA, BOARD, GROUP};
pub(crate) use values::VALUE;
