//! GET /v2/incidents/{incidentId}/comments: the comments of one incident. There is no such list under an
//! incident that is unknown or in the trash.

use obeya_odata::sql::{Predicate, Value};

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::{List, Parent};
use obeya_store::entities;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = i64::from(call.id()?);
    let list = List::of(&entities::INCIDENT_COMMENT)
        .only(Predicate::new("{t}.incident_id = ?", [Value::Int(id)]))
        .under(incident(id));
    reading::read(call, |request| list.prepare(request)).await
}

/// The incident that comments are asked for.
pub(super) fn incident(id: i64) -> Parent {
    Parent {
        noun: "incident",
        exists: "SELECT 1 FROM incidents WHERE id = ?1 AND deleted_date IS NULL".into(),
        id,
        source: None,
    }
}
