//! The bodies of the writes, from keyword arguments.

use obeya::model::{
    CauseInput, ConsequenceInput, ImprovementUpdate, IncidentCreate, IncidentUpdate,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::models::{
    self, CAUSE_INPUT, CONSEQUENCE_INPUT, IMPROVEMENT_UPDATE, INCIDENT_CREATE, INCIDENT_UPDATE,
    Improvement, Incident,
};

/// What an update of a whole incident must say, though it may change nothing of it.
const NEEDED: [&str; 4] = ["incident_type_id", "severity", "title", "incident_date"];

pub(super) fn incident(
    py: Python<'_>,
    fields: Option<&Bound<'_, PyDict>>,
) -> PyResult<IncidentCreate> {
    let fields = given(py, fields);
    models::parse(
        &INCIDENT_CREATE,
        models::collect(&INCIDENT_CREATE, &fields, "create_incident()")?,
    )
}

/// The incident's id, and the update. A record gives what an update must say.
pub(super) fn incident_update(
    py: Python<'_>,
    incident: &Bound<'_, PyAny>,
    fields: Option<&Bound<'_, PyDict>>,
) -> PyResult<(i32, IncidentUpdate)> {
    let fields = given(py, fields);
    let id = if incident.is_instance_of::<Incident>() {
        for name in NEEDED {
            // Under either of its names, what the caller says goes before what the record has.
            let wire = INCIDENT_UPDATE.find(name).map_or(name, |field| field.wire);
            if !fields.contains(name)? && !fields.contains(wire)? {
                fields.set_item(name, incident.getattr(name)?)?;
            }
        }
        incident.getattr("id")?.extract()?
    } else {
        incident.extract()?
    };
    Ok((
        id,
        models::parse(
            &INCIDENT_UPDATE,
            models::collect(&INCIDENT_UPDATE, &fields, "update_incident()")?,
        )?,
    ))
}

/// The improvement's id, and the update.
pub(super) fn improvement_update(
    py: Python<'_>,
    improvement: &Bound<'_, PyAny>,
    fields: Option<&Bound<'_, PyDict>>,
) -> PyResult<(i32, ImprovementUpdate)> {
    let fields = given(py, fields);
    let id = if improvement.is_instance_of::<Improvement>() {
        improvement.getattr("id")?.extract()?
    } else {
        improvement.extract()?
    };
    Ok((
        id,
        models::parse(
            &IMPROVEMENT_UPDATE,
            models::collect(&IMPROVEMENT_UPDATE, &fields, "update_improvement()")?,
        )?,
    ))
}

pub(super) fn consequences(items: &Bound<'_, PyAny>) -> PyResult<Vec<ConsequenceInput>> {
    models::parse(
        &CONSEQUENCE_INPUT,
        models::list(&CONSEQUENCE_INPUT, items, "consequences")?,
    )
}

pub(super) fn causes(items: &Bound<'_, PyAny>) -> PyResult<Vec<CauseInput>> {
    models::parse(&CAUSE_INPUT, models::list(&CAUSE_INPUT, items, "causes")?)
}

/// The keyword arguments, of which there may be none: a copy of the caller's, so it may be added to.
fn given<'py>(py: Python<'py>, fields: Option<&Bound<'py, PyDict>>) -> Bound<'py, PyDict> {
    fields.cloned().unwrap_or_else(|| PyDict::new(py))
}
