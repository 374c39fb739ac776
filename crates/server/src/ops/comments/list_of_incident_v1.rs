//! GET /v1/Incidents/{id}/comments

use obeya_odata::sql::{Predicate, Value};

use super::list_of_incident::incident;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::{Form, Records};
use obeya_store::entities;

static FORM: Form = Form::of(&entities::INCIDENT_COMMENT_V1);

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = i64::from(call.id()?);
    reading::read(call, |request| {
        Ok(Records::all(request, &FORM, &[])?
            .only(Predicate::new("{t}.incident_id = ?", [Value::Int(id)]))
            .under(incident(id)))
    })
    .await
}
