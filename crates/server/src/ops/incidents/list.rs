//! GET /v1/Incidents: incidents that are not in the trash, a page at a time.

use axum::response::Response;
use obeya_odata::sql::Predicate;

use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::read::Records;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    Records::page(&call, &super::FORM)?
        .only(Predicate::new(super::NOT_DELETED, []))
        .with_id("TypeId", "incident_type_id")?
        .in_period_of_days(["IncidentDateFrom", "IncidentDateTo"], "incident_date")?
        .in_period(["LastModifiedFrom", "LastModifiedTo"], "last_modified")?
        .respond(call)
        .await
}
