//! The tables of a copy: a group of tables for each record type, with their columns. No I/O here.
//!
//! `listed` has those of the records whose lists have no stamps.

use std::collections::BTreeSet;

use obeya::model::{
    CategoryReference, CauseReference, DatasourceValue, Improvement, IncidentConsequence,
    IncidentCustomField, IncidentV1,
};
use obeya::tables::{Tabular as _, scalars};

use super::listed;
use super::row::{Owner, Table, TableGroup};
use super::state::State;

const INCIDENT: Option<Owner> = Some(Owner::by_number("incident_id"));

/// Incidents with their parts, and a column for each custom field.
pub(super) fn incidents(state: &State) -> TableGroup {
    incidents_with(state.custom_fields.columns())
}

fn incidents_with<'a>(custom_fields: impl Iterator<Item = &'a str>) -> TableGroup {
    let mut main = Table::of("incidents", 1, None, scalars::<IncidentV1>());
    main.add_texts(custom_fields);
    TableGroup {
        main,
        parts: vec![
            Table::of(
                "incident_consequences",
                2,
                INCIDENT,
                IncidentConsequence::columns(),
            ),
            Table::of(
                "incident_categories",
                2,
                INCIDENT,
                CategoryReference::columns(),
            ),
            Table::of("incident_causes", 2, INCIDENT, CauseReference::columns()),
            Table::of(
                "incident_custom_fields",
                2,
                INCIDENT,
                IncidentCustomField::columns(),
            ),
        ],
    }
}

/// The column names of incidents, which custom fields must not use.
pub(super) fn incident_column_names() -> BTreeSet<String> {
    let table = Table::of("incidents", 1, None, scalars::<IncidentV1>());
    table.names().map(str::to_owned).collect()
}

pub(super) fn improvements() -> TableGroup {
    TableGroup::single(Table::of("improvements", 1, None, Improvement::columns()))
}

/// The table of values.
pub(super) const VALUES: &str = "datasource_values";

pub(super) fn values() -> TableGroup {
    let table = Table::of(VALUES, 1, None, DatasourceValue::columns());
    TableGroup::single(table.indexed(&["datasource_id", "value_date"]))
}

/// The names of all tables of a copy.
pub(super) fn tables() -> BTreeSet<&'static str> {
    let stamped = [incidents_with(std::iter::empty()), improvements(), values()];
    let groups = stamped.into_iter().chain(listed::groups());
    let names = groups.flat_map(|group| {
        let names: Vec<&str> = group.tables().map(|table| table.name).collect();
        names
    });
    names.collect()
}
