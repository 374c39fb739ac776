//! The tables of a copy: a group of tables for each kind of record, with their columns. It reads nothing and
//! writes nothing.

use std::collections::BTreeSet;

use obeya::model::{
    self, Area, Board, CategoryReference, CauseReference, Datasource, DatasourceValue, Improvement,
    Incident, IncidentComment, IncidentConsequence, IncidentCustomField, IncidentTypeSummary,
};
use obeya::tables::{Tabular as _, scalars};

use super::row::{Group, Table};
use super::state::{Source, State};

/// Incidents with their parts, and a column for each custom field.
pub(super) fn incidents(state: &State) -> Group {
    let mut main = Table::of("incidents", 1, None, scalars::<Incident>());
    main.add_texts(state.fields.columns());
    Group {
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

/// The names of the incidents' own columns, which no custom field gets.
pub(super) fn own_columns() -> BTreeSet<String> {
    let table = Table::of("incidents", 1, None, scalars::<Incident>());
    table.names().map(str::to_owned).collect()
}

pub(super) fn improvements() -> Group {
    Group::alone(Table::of("improvements", 1, None, Improvement::columns()))
}

pub(super) fn comments() -> Group {
    let table = Table::of("comments", 1, None, IncidentComment::columns());
    Group::alone(table.indexed(&["incident_id"]))
}

pub(super) fn boards() -> Group {
    Group::alone(Table::of("boards", 1, None, Board::columns()))
}

pub(super) fn groups() -> Group {
    Group::alone(Table::of("groups", 1, None, model::Group::columns()))
}

pub(super) fn areas() -> Group {
    Group::alone(Table::of("areas", 1, None, Area::columns()))
}

pub(super) fn types() -> Group {
    Group::alone(Table::of(
        "incident_types",
        1,
        None,
        IncidentTypeSummary::columns(),
    ))
}

pub(super) fn datasources() -> Group {
    Group::alone(Table::of("datasources", 1, None, Datasource::columns()))
}

pub(super) fn values() -> Group {
    let table = Table::of("datasource_values", 1, None, DatasourceValue::columns());
    Group::alone(table.indexed(&["datasource_id", "value_date"]))
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
    let names = groups.iter().flat_map(Group::tables);
    names.map(|table| table.name).collect()
}
