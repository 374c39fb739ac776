//! Updates of records by the ids of their operations: the SDK reads what a request requires and detects what
//! others have changed meanwhile.
//!
//! A record that is passed is what the change is based on; an id is only an id.

use obeya::{Client, Edit, EditTarget, Editable};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::PyTuple;
use pyo3::{PyClass, PyTypeInfo};
use serde::de::DeserializeOwned;

use super::plain::{Arguments, unknown};
use crate::answer::Answer;
use crate::arguments::Identified;
use crate::call::Call;
use crate::handle::Handle;
use crate::models::{
    self, DATASOURCE_VALUE_INPUT, Datasource, DatasourceValue, IMPROVEMENT_UPDATE, INCIDENT_UPDATE,
    Improvement, IncidentV1, TASK_INFO_UPDATE, TASK_PATCH, Table, Task, TaskInfo,
};

/// The update by this operation: ids, then the properties that change.
pub(crate) fn edit(
    handle: &Handle,
    operation: &str,
    arguments: &Bound<'_, PyTuple>,
) -> PyResult<Call> {
    let arguments = &Arguments(arguments);
    match operation {
        "updateIncident" => {
            let on = target::<IncidentV1, IncidentV1, _>(arguments, 0, "incident", |it| &it.0)?;
            let changes = changes(arguments, 1, &INCIDENT_UPDATE, "incidents.update()")?;
            send(handle, changes, |client| client.incidents().edit(on))
        }
        "updateImprovement" => {
            let on =
                target::<Improvement, Improvement, _>(arguments, 0, "improvement", |it| &it.0)?;
            let changes = changes(arguments, 1, &IMPROVEMENT_UPDATE, "improvements.update()")?;
            send(handle, changes, |client| client.improvements().edit(on))
        }
        "updateTaskV1" => {
            let on = target::<TaskInfo, TaskInfo, _>(arguments, 0, "task", |it| &it.0)?;
            let changes = changes(arguments, 1, &TASK_INFO_UPDATE, "tasks.update()")?;
            send(handle, changes, |client| client.tasks().edit(on))
        }
        "patchTask" => {
            let on = target::<Task, TaskInfo, _>(arguments, 0, "task", |it| &it.0)?;
            let changes = changes(arguments, 1, &TASK_PATCH, "tasks.patch()")?;
            send(handle, changes, |client| client.tasks().edit_v2(on))
        }
        "updateDatasourceValue" => {
            let datasource = arguments.id::<Datasource>(0, "datasource")?;
            let on =
                target::<DatasourceValue, DatasourceValue, _>(arguments, 1, "value", |it| &it.0)?;
            let name = "datasources.edit_value()";
            let changes = changes(arguments, 2, &DATASOURCE_VALUE_INPUT, name)?;
            send(handle, changes, move |client| {
                client.datasources().edit_value(datasource, on)
            })
        }
        _ => Err(unknown(operation)),
    }
}

/// The record in an argument, of the form `C` that the operation answers with, or its id. A record of another
/// form could not be compared with the changes of others, and would be written over them.
fn target<C, I, R>(
    arguments: &Arguments<'_, '_>,
    position: usize,
    name: &str,
    record: impl FnOnce(&C) -> &R,
) -> PyResult<EditTarget<R>>
where
    C: PyClass<Frozen = True> + PyTypeInfo + Sync,
    I: Identified,
    R: Editable,
{
    let value = arguments.any(position)?;
    if let Ok(seen) = value.cast::<C>() {
        return Ok(record(seen.get()).into());
    }
    if I::has(value.as_borrowed()) {
        let found = value.get_type().name()?;
        let expected = C::type_object(value.py()).name()?;
        return Err(PyTypeError::new_err(format!(
            "argument '{name}': found {found}, expected {expected} or an id, \
             which changes the record as it is now"
        )));
    }
    Ok(arguments.id::<I>(position, name)?.into())
}

/// The properties that change, checked before anything is sent.
fn changes<T: DeserializeOwned>(
    arguments: &Arguments<'_, '_>,
    position: usize,
    table: &Table,
    location: &str,
) -> PyResult<T> {
    let fields = arguments.any(position)?;
    models::parse(table, models::changes(table, &fields, location)?)
}

fn send<R: Editable + Answer>(
    handle: &Handle,
    changes: R::Changes,
    edit: impl FnOnce(Client) -> Edit<R> + Send + 'static,
) -> PyResult<Call> {
    handle.call(move |client| edit(client).changes(changes).send())
}
