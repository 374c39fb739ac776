//! The tables of a copy: a group of tables for each record type, with their columns. No I/O here.

use std::collections::BTreeSet;

use obeya::model::{
    self, Area, Board, CategoryReference, CauseReference, Datasource, DatasourceValue, Improvement,
    IncidentCommentV2, IncidentConsequence, IncidentCustomField, IncidentTypeSummary, IncidentV1,
};
use obeya::tables::{Tabular as _, scalars};

use super::row::{Table, TableGroup};
use super::state::{Source, State};

/// Incidents with their parts, and a column for each custom field.
pub(super) fn incidents(state: &State) -> TableGroup {
    let mut main = Table::of("incidents", 1, None, scalars::<IncidentV1>());
    main.add_texts(state.custom_fields.columns());
    TableGroup {
        main,
        parts: vec![
            Table::of(
                "incident_consequences",
                2,
                OWNER,
                IncidentConsequence::columns(),
            ),
            Table::of(
                "incident_categories",
                2,
                OWNER,
                CategoryReference::columns(),
            ),
            Table::of("incident_causes", 2, OWNER, CauseReference::columns()),
            Table::of(
                "incident_custom_fields",
                2,
                OWNER,
                IncidentCustomField::columns(),
            ),
        ],
    }
}

const OWNER: Option<&str> = Some("incident_id");

/// The column names of incidents, which custom fields must not use.
pub(super) fn incident_column_names() -> BTreeSet<String> {
    let table = Table::of("incidents", 1, None, scalars::<IncidentV1>());
    table.names().map(str::to_owned).collect()
}

pub(super) fn improvements() -> TableGroup {
    TableGroup::single(Table::of("improvements", 1, None, Improvement::columns()))
}

pub(super) fn comments() -> TableGroup {
    let table = Table::of("comments", 1, None, IncidentCommentV2::columns());
    TableGroup::single(table.indexed(&["incident_id"]))
}

pub(super) fn boards() -> TableGroup {
    TableGroup::single(Table::of("boards", 1, None, Board::columns()))
}

pub(super) fn groups() -> TableGroup {
    TableGroup::single(Table::of("groups", 1, None, model::GroupV2::columns()))
}

pub(super) fn areas() -> TableGroup {
    TableGroup::single(Table::of("areas", 1, None, Area::columns()))
}

pub(super) fn types() -> TableGroup {
    TableGroup::single(Table::of(
        "incident_types",
        1,
        None,
        IncidentTypeSummary::columns(),
    ))
}

pub(super) fn datasources() -> TableGroup {
    TableGroup::single(Table::of("datasources", 1, None, Datasource::columns()))
}

pub(super) fn values() -> TableGroup {
    let table = Table::of("datasource_values", 1, None, DatasourceValue::columns());
    TableGroup::single(table.indexed(&["datasource_id", "value_date"]))
}

/// The names of all tables of a copy.
pub(super) fn tables() -> BTreeSet<&'static str> {
    let state = State::new(Source {
        url: String::new(),
        client_id: String::new(),
    });
    let groups = [
        incidents(&state),
        improvements(),
        comments(),
        boards(),
        groups(),
        areas(),
        types(),
        datasources(),
        values(),
    ];
    let names = groups.iter().flat_map(TableGroup::tables);
    names.map(|table| table.name).collect()
}
