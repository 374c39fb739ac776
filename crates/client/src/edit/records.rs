//! How each record that can be edited is read and written.

use futures_core::future::BoxFuture;
use http::{HeaderMap, StatusCode};
use obeya_api::call;
use obeya_model::{
    DatasourceValue, DatasourceValueInput, Improvement, ImprovementUpdate, IncidentUpdate,
    IncidentV1, Patch, Task, TaskInfo, TaskInfoUpdate, TaskPatch,
};

use super::sealed::Editable;
use super::{IncidentChanges, Place};
use crate::Client;
use crate::error::Result;
use crate::problem;

/// A record that one operation reads by its id and another changes.
macro_rules! editable {
    ($record:ident: $read:ident, $write:ident($update:ident) $(, $alone:ident($changes:ident))?) => {
        impl Editable for $record {
            const IS_READ_WITH_TAG: bool = true;

            fn id(&self) -> Option<i32> {
                self.id.into()
            }

            fn read(client: Client, place: Place) -> BoxFuture<'static, Result<Self>> {
                Box::pin(async move { client.call(&call::$read::new(place.id)).await })
            }

            fn write(
                client: Client,
                place: Place,
                update: $update,
            ) -> BoxFuture<'static, Result<Self>> {
                Box::pin(async move { client.call(&call::$write::new(place.id, &update)).await })
            }

            $(fn write_alone(
                client: &Client,
                place: Place,
                changes: &$changes,
            ) -> Option<BoxFuture<'static, Result<Self>>> {
                $alone(client, place.id, changes.clone())
            })?
        }
    };
}

editable!(IncidentV1: GetIncidentV1, UpdateIncident(IncidentUpdate), incident_alone(IncidentChanges));
editable!(Improvement: GetImprovementV1, UpdateImprovement(ImprovementUpdate));
editable!(TaskInfo: GetTaskV1, UpdateTaskV1(TaskInfoUpdate));
editable!(Task: GetTaskV2, PatchTask(TaskPatch));

/// The operations of a single property of an incident.
fn incident_alone(
    client: &Client,
    id: i32,
    changes: IncidentChanges,
) -> Option<BoxFuture<'static, Result<IncidentV1>>> {
    let incidents = client.incidents();
    let IncidentChanges {
        status,
        severity,
        external_id,
        ..
    } = changes;
    if let Some(status) = status {
        return Some(Box::pin(
            async move { incidents.set_status(id, status).await },
        ));
    }
    if let Some(severity) = severity {
        return Some(Box::pin(async move {
            incidents.set_severity(id, severity).await
        }));
    }
    let external_id = match external_id {
        Patch::Absent => return None,
        Patch::Null => None,
        Patch::Value(external_id) => Some(external_id),
    };
    Some(Box::pin(async move {
        incidents.set_external_id(id, external_id.as_deref()).await
    }))
}

impl Editable for DatasourceValue {
    // There is no operation for one value: a page has the tag of the page.
    const IS_READ_WITH_TAG: bool = false;

    fn id(&self) -> Option<i32> {
        Some(self.id)
    }

    fn read(client: Client, place: Place) -> BoxFuture<'static, Result<Self>> {
        Box::pin(async move {
            let filter = format!("id eq {}", place.id);
            let call = call::ListDatasourceValuesV1 {
                filter: Some(&filter),
                page: Some(1),
                page_size: Some(1),
                ..call::ListDatasourceValuesV1::new(place.parent)
            };
            let page = client.call(&call).await?;
            page.values.into_iter().next().ok_or_else(|| {
                problem::Document::default().into_error(
                    call::UpdateDatasourceValue::OPERATION.id(),
                    StatusCode::NOT_FOUND,
                    &HeaderMap::new(),
                )
            })
        })
    }

    fn write(
        client: Client,
        place: Place,
        update: DatasourceValueInput,
    ) -> BoxFuture<'static, Result<Self>> {
        Box::pin(async move {
            let call = call::UpdateDatasourceValue::new(place.parent, place.id, &update);
            client.call(&call).await
        })
    }
}
