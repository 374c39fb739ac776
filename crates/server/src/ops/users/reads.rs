//! Reading users.

use obeya_odata::sql::{Predicate, Value};

use super::{FORM, LIVE, RECORD_V1, roles};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::text::quoted;
use obeya_read::{List, Parent, PointQuery, RecordForm, Records};
use obeya_store::entities;

static USER: PointQuery = PointQuery::new(&entities::USER, "user");
static GROUP_V1: RecordForm = RecordForm::of(&entities::GROUP_V1);

/// GET /v2/users
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| List::of(&entities::USER).prepare(request)).await
}

/// GET /v2/users/{userId}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.user_id()?;
    reading::read(call, |request| USER.prepare(request, id)).await
}

/// GET /v1/Users
pub(crate) async fn list_v1(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        Ok(Records::filtered(request, &FORM)?.only(Predicate::new(LIVE, [])))
    })
    .await
}

/// GET /v1/Users/{userId}
pub(crate) async fn get_v1(call: Call) -> Result<Response, Problem> {
    let id = call.user_id()?;
    let named = id.clone();
    let user = call
        .look_up(move |session| RECORD_V1.read(session, id.as_str()))
        .await?;
    let user = user.ok_or_else(|| Problem::not_found("user", quoted(&named)))?;
    call.reply_whole_record(user)
}

/// GET /v1/Users/{userId}/groups: the groups of which a user is a member.
pub(crate) async fn list_groups(call: Call) -> Result<Response, Problem> {
    let id = call.user_id()?;
    reading::read(call, |request| {
        let member = "{t}.id IN (SELECT m.group_id FROM group_members AS m WHERE m.user_id = ?)";
        Ok(Records::all(request, &GROUP_V1, &[])?
            .only(Predicate::new(member, [Value::Text(id.clone())]))
            .under(Parent {
                noun: "user",
                exists: "SELECT 1 FROM users WHERE id = ?1 AND deleted_date IS NULL".into(),
                id: id.into(),
                source: None,
            }))
    })
    .await
}

/// GET /v1/Users/roles/{role}: the users with a role.
pub(crate) async fn list_of_role(call: Call) -> Result<Response, Problem> {
    let role = roles::role(&call, 0)?;
    reading::read(call, |request| {
        // A role has no quotation mark and no backslash, so it is a part of the list only if it is one of it.
        let role = Value::Text(format!("\"{role}\""));
        let holds = Predicate::new("replace({t}.roles, ?, '') <> {t}.roles", [role]);
        Ok(Records::all(request, &FORM, &[])?
            .only(Predicate::new(LIVE, []))
            .only(holds))
    })
    .await
}
