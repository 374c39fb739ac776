//! PUT /v1/Incidents/{id}/customfields/{customFieldId}: one field's value; the others stay.

use obeya_model::IncidentCustomFieldUpdate;

use super::{answer, open};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::writing::{self, Decision};
use obeya_rules::validate::Check;
use obeya_store::incidents::FieldValue;
use obeya_store::references::{Part, References};
use obeya_store::{Session, incidents, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let (id, field_id) = (call.id()?, call.id_at(1)?);
    writing::write(
        call,
        json::<IncidentCustomFieldUpdate>(),
        |body, deciding| {
            let mut check = Check::default();
            check.not_empty("value", &body.value);
            check.finish(Some(()))?;
            let now = deciding.now;
            let work = move |session: &mut dyn Session| {
                incidents::prefetch_custom_field(session, id, field_id)?;
                let stored = open(session, id)?;
                let mut references = References::new(session);
                references.parts(
                    Part::CustomField,
                    stored.incident_type_id,
                    [field_id],
                    |_| "customFieldId".to_owned(),
                )?;
                references
                    .field_values([(field_id, body.value.as_str())], |_| "value".to_owned())?;
                references.finish()?;
                let value = incidents::custom_field(session, id, field_id)?;
                if value.as_ref() == Some(&body.value) {
                    return answer(session, id);
                }
                let stamp = stamp::next(session, now, stored.last_modified)?;
                let field = FieldValue {
                    id: field_id,
                    value: &body.value,
                };
                incidents::set_custom_field(session, id, field, now)?;
                incidents::touch(session, id, stamp)?;
                answer(session, id)
            };
            Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
        },
    )
    .await
}
