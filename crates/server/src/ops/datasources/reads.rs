//! Reading datasources and their values.

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_odata::sql::{Predicate, Value};
use obeya_read::{List, Parent, PointQuery, RecordForm, Records, ValuePage};
use obeya_store::{datasources, entities};

static FORM: RecordForm = RecordForm::of(&entities::DATASOURCE);
static DATASOURCE_V2: PointQuery = PointQuery::new(&entities::DATASOURCE_V2, "datasource");

/// GET /v1/Datasources
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| Records::filtered(request, &FORM)).await
}

/// GET /v1/Datasources/{id}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let datasource = call
        .look_up(move |session| datasources::detail(session, id))
        .await?;
    let datasource = datasource.ok_or_else(|| Problem::not_found("datasource", id))?;
    call.reply_json_record(&datasource)
}

/// GET /v1/Datasources/{id}/values: a page of a datasource's values.
pub(crate) async fn list_values(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| ValuePage::prepare(request, id)).await
}

/// GET /v2/datasources
pub(crate) async fn list_v2(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        List::of(&entities::DATASOURCE_V2).prepare(request)
    })
    .await
}

/// GET /v2/datasources/{datasourceId}
pub(crate) async fn get_v2(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| DATASOURCE_V2.prepare(request, id)).await
}

/// GET /v2/datasources/{datasourceId}/values: 404 if the datasource is unknown.
pub(crate) async fn list_values_v2(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let parent = Parent {
        noun: "datasource",
        exists: "SELECT 1 FROM datasources WHERE id = ?1".into(),
        id: id.into(),
        source: Some(format!("datasources({id})/values")),
    };
    let of_datasource = Predicate::new("{t}.datasource_id = ?", [Value::Int(id.into())]);
    let list = List::of(&entities::DATASOURCE_VALUE_V2)
        .only(of_datasource)
        .under(parent);
    reading::read(call, |request| list.prepare(request)).await
}
