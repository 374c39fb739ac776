//! Incident types.

use obeya_odata::sql::{Predicate, Value};

use super::incidents::reads::parent;
use crate::http::body::Response;
use crate::http::extract::query_parameter;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_model::bounds::operations::list_incident_types_v1::language;
use obeya_read::text::quoted;
use obeya_read::{List, PointQuery, check_options};
use obeya_store::grants::Kind;
use obeya_store::{entities, types};

static INCIDENT_TYPE_V2: PointQuery = PointQuery::new(&entities::INCIDENT_TYPE_V2, "incident type");

/// GET /v1/Incidents/types
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    check_options(call.query(), &[], &call.app.config.limits.query)?;
    let language = language(call.query())?;
    let mut types = call
        .store()
        .read_inline(move |session| {
            types::list(session, language.as_deref()).map_err(Problem::from)
        })
        .await?;
    types.retain(|one| call.grants().allow(Kind::IncidentType, one.id));
    call.reply_json(&types)
}

/// GET /v1/Incidents/types/{id}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let language = language(call.query())?;
    let detail = call
        .look_up(move |session| types::detail(session, id, language.as_deref()))
        .await?;
    let detail = detail.ok_or_else(|| Problem::not_found("incident type", id))?;
    call.reply_json_record(&detail)
}

/// GET /v2/incidents/types
pub(crate) async fn list_v2(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        List::of(&entities::INCIDENT_TYPE_V2).prepare(request)
    })
    .await
}

/// GET /v2/incidents/types/{incidentTypeId}: the incident type without its categories and other parts.
pub(crate) async fn get_v2(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| INCIDENT_TYPE_V2.prepare(request, id)).await
}

/// GET /v2/incidents/{incidentId}/types: the one type of the incident, as a list.
pub(crate) async fn list_of_incident(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let list = List::of(&entities::INCIDENT_TYPE_V2)
        .only(of_incident(id))
        .under(parent(id));
    reading::read(call, |request| list.prepare(request)).await
}

/// GET /v2/incidents/{incidentId}/types/{incidentTypeId}: 404 for a type that is not the incident's.
pub(crate) async fn get_of_incident(call: Call) -> Result<Response, Problem> {
    let (incident, id) = (call.id()?, call.id_at(1)?);
    reading::read(call, |request| {
        INCIDENT_TYPE_V2.prepare_under(request, id, parent(incident), of_incident(incident))
    })
    .await
}

fn of_incident(id: i32) -> Predicate {
    Predicate::new(
        "{t}.id = (SELECT i.incident_type_id FROM incidents AS i WHERE i.id = ?)",
        [Value::Int(id.into())],
    )
}

/// The parameter `language`.
fn language(query: &str) -> Result<Option<String>, Problem> {
    let code = query_parameter(query, "language")?;
    match code.as_deref() {
        Some(wrong) if !is_language(wrong) => Err(Problem::invalid_query(
            "language",
            format!(
                "expected a language code such as nb or en-GB, found {}",
                quoted(wrong)
            ),
        )),
        _ => Ok(code),
    }
}

/// Two or three letters, then parts of two to eight letters or digits.
fn is_language(code: &str) -> bool {
    let mut parts = code.split('-');
    let first = parts.next().unwrap_or_default();
    language::LENGTH.contains(&code.len())
        && (2..=3).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(|part| {
            (2..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_languages() {
        for code in [
            "nb",
            "nb-NO",
            "en-GB",
            "gsw",
            "zh-Hant-TW",
            "es-419",
            "de-1996",
        ] {
            assert!(is_language(code), "{code}");
        }
        for code in [
            "",
            "n",
            "norsk",
            "nb_NO",
            "nb-",
            "-nb",
            "nb-N",
            "nb-norwegian",
            "12",
            "nb NO",
            "ø-NO",
            &"ab-cdefghij".repeat(4),
        ] {
            assert!(!is_language(code), "{code}");
        }
    }

    #[test]
    fn the_parameter_is_given_once_or_not_at_all() {
        assert_eq!(language("x=1").ok(), Some(None));
        assert_eq!(
            language("language=nb%2DNO&x=1").ok(),
            Some(Some("nb-NO".to_owned()))
        );
        assert!(language("language=nb&language=sv").is_err());
        assert_eq!(language("Language=nb").ok(), Some(Some("nb".to_owned())));
        assert!(language("language=nb&Language=sv").is_err());
        assert_eq!(language("language=&x=1").ok(), Some(None));
        assert_eq!(language("x=1&language").ok(), Some(None));
        assert!(language("language=&language=nb").is_err());
        assert!(language("language=%20").is_err());
    }
}
