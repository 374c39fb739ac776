//! POST /v1/Datasources/{id}/values/batch: adds values, all or none.

use obeya_model::DatasourceValueTotal;

use super::body;
use crate::domain::value::{BATCH_COMPLAINTS, DatasourceValue, check_batch};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::writing;
use crate::store::refusal::Refusal;
use crate::store::values::write;
use crate::store::{Session, stamp};

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    let values = body::values(call.items(BATCH_COMPLAINTS).await?);
    check_batch(&values, None)?;
    let now = call.now();
    writing::of(&call)?
        .figures(move |session| create(session, datasource, &values, now))
        .await
}

fn create(
    session: &mut dyn Session,
    datasource: i32,
    values: &[DatasourceValue],
    now: i64,
) -> Result<DatasourceValueTotal, Refusal> {
    if values.is_empty() {
        body::open(session, datasource)?;
        return Ok(body::total(values));
    }
    body::prefetch(session, datasource)?;
    write::prefetch(session, values.len())?;
    body::check(session, datasource, values)?;
    let stamp = stamp::next(session, now, 0)?;
    write::append(session, datasource, values, stamp)?;
    Ok(body::total(values))
}
