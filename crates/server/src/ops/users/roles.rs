//! The roles of users in the plant. The service stores them; what one allows is decided elsewhere.

use obeya_model::bounds::operations::add_user_role::role as bounds;

use super::{answer_v1, change, missing};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::NoBody;
use crate::ops::writing::{self, Decision, Written};
use obeya_read::text::quoted;
use obeya_rules::error::{Complaint, DomainError};
use obeya_store::tables::organisation::UserRow;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, users};

/// The most roles of a user.
const MOST_ROLES: usize = 100;

/// PUT /v1/Users/{userId}/roles/{role}
pub(crate) async fn add(call: Call) -> Result<Response, Problem> {
    let role = role(&call, 1)?;
    change_roles(call, move |_, mut roles| {
        if !roles.contains(&role) {
            roles.push(role.clone());
        }
        if roles.len() > MOST_ROLES {
            let complaints = vec![Complaint {
                field: "role".to_owned(),
                text: format!("expected at most {MOST_ROLES} roles of one user"),
            }];
            let code = "user.roles";
            return Err(DomainError::Unprocessable { code, complaints }.into());
        }
        Ok(roles)
    })
    .await
}

/// DELETE /v1/Users/{userId}/roles/{role}
pub(crate) async fn remove(call: Call) -> Result<Response, Problem> {
    let role = role(&call, 1)?;
    change_roles(call, move |_, mut roles| {
        let at = roles.iter().position(|one| *one == role);
        roles.remove(
            at.ok_or_else(|| WriteError::Missing("role of the user", role.as_str().into()))?,
        );
        Ok(roles)
    })
    .await
}

/// The role in the path, the `index`-th parameter from 0.
pub(super) fn role(call: &Call, index: usize) -> Result<String, Problem> {
    let role = call.name_at(index)?;
    let is_plain = |c: char| c >= ' ' && !matches!(c, '"' | '\\');
    if bounds::LENGTH.contains(&role.chars().count()) && role.chars().all(is_plain) {
        return Ok(role);
    }
    Err(Problem::invalid_path(
        "role",
        format!(
            "expected at most {} characters without quotation marks, backslashes and control characters, found {}",
            bounds::LENGTH.end(),
            quoted(&role)
        ),
    ))
}

async fn change_roles(
    call: Call,
    roles: impl Fn(&UserRow, Vec<String>) -> Result<Vec<String>, WriteError> + Send + 'static,
) -> Result<Response, Problem> {
    let id = call.user_id()?;
    writing::write(call, NoBody, |(), _| {
        let present = id.clone();
        let work = move |session: &mut dyn Session| {
            let before = users::find(session, &id)?.ok_or_else(|| missing(&id))?;
            let after = UserRow {
                roles: roles(&before, before.roles.to_vec())?.into(),
                ..before.clone()
            };
            let id = id.clone();
            let answer = move |session: &mut dyn Session| answer_v1(session, id);
            if after == before {
                return Ok(Written::unchanged(answer));
            }
            users::put(session, &after)?;
            Ok(Written::changed(
                change(Some(&before), Some(&after)),
                answer,
            ))
        };
        Ok(Decision::record(answer_v1, work)
            .against(move |session| answer_v1(session, present.clone())))
    })
    .await
}
