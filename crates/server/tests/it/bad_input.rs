//! Invalid input, one test for each kind: a clear problem, and an unchanged store.
//!
//! Every write here would change the plant if one thing about it were correct. Details of each kind are
//! tested with their subject.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use obeya_server::admin;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::incidents_plant::{everything, least, least_update, plant, with};
use crate::support::{Answer, Service};

const INCIDENT: &str = "/v1/Incidents/100";
const IMPROVEMENT: &str = "/v1/Improvements/317";

/// A test for each kind: the request, made with the service at hand, is answered so and changes nothing.
macro_rules! refuses {
    ($($name:ident: $status:literal $code:literal = |$service:ident| $request:expr;)+) => { $(
        #[tokio::test]
        async fn $name() {
            let service = plant().await;
            let before = everything(&service).await;
            let request = {
                let $service = &service;
                $request
            };
            let problem = Answer::of(request).await.is_problem($status, $code);
            let detail = problem["detail"].as_str().expect("a detail");
            assert!(detail.len() > 10, "{problem:#}");
            assert_eq!(everything(&service).await, before);
        }
    )+ };
}

refuses! {
    no_token: 401 "token.missing" = |s| s.http.put(s.url(INCIDENT)).json(&least_update());
    a_malformed_token: 401 "token.invalid" = |s| changed_by(s, "no.such.token");
    a_token_of_another_key: 401 "token.invalid" = |s| {
        // Another token's signature fits this one as little as another key's.
        let other = s.token_for(&["public.api.write"]).await;
        let (claims, _) = s.token().rsplit_once('.').expect("a signature");
        let (_, signature) = other.rsplit_once('.').expect("a signature");
        changed_by(s, &format!("{claims}.{signature}"))
    };
    an_unsigned_token: 401 "token.invalid" = |s| {
        let claims = s.token().split('.').nth(1).expect("claims");
        let head = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
        changed_by(s, &format!("{head}.{claims}."))
    };
    an_expired_token: 401 "token.expired" = |s| {
        // Five seconds more are allowed for the clocks of replicas.
        s.clock.advance(86_405);
        changed_by(s, s.token())
    };
    a_token_of_a_revoked_client: 401 "token.revoked" = |s| {
        for client in admin::list_clients(s.db()).await.expect("clients") {
            s.running.revoke_client(&client.client_id).await.expect("revoked");
        }
        changed_by(s, s.token())
    };
    a_missing_scope: 403 "scope.missing" = |s| {
        let reader = s.token_for(&["public.api.read", "Incidents.Read", "Improvements.ReadWrite"]).await;
        changed_by(s, &reader)
    };

    an_unknown_path: 404 "not_found" = |s| put(s, "/v1/Incidents/100/title", &json!("x"));
    an_unknown_id: 404 "not_found" = |s| put(s, "/v1/Incidents/99", &least_update());
    an_id_that_is_a_word: 400 "path.invalid" = |s| put(s, "/v1/Incidents/first", &least_update());
    an_id_beyond_32_bits: 400 "path.invalid" = |s| put(s, "/v1/Incidents/4294967396", &least_update());
    a_wrong_method: 405 "method.not_allowed" = |s| s.request(Method::PATCH, INCIDENT);
    a_wrong_media_type: 415 "media_type.unsupported" = |s| raw(s, "text/plain", least_update().to_string());
    an_accept_that_cannot_be_served: 406 "media_type.not_acceptable" = |s| put(s, INCIDENT, &least_update()).header("accept", "image/png");

    a_body_that_is_not_json: 400 "body.malformed" = |s| json_text(s, "title=Bigger");
    a_body_that_breaks_off: 400 "body.malformed" = |s| json_text(s, least_update().to_string().trim_end_matches('}'));
    a_body_with_more_behind_it: 400 "body.malformed" = |s| json_text(s, &format!("{} 1", least_update()));
    a_body_that_is_too_deep: 400 "body.malformed" = |s| extended(s, &format!("\"x\":{}{}", "[".repeat(200), "]".repeat(200)));
    a_body_that_is_too_large: 413 "body.too_large" = |s| extended(s, &format!("\"text\":\"{}\"", "x".repeat(1 << 20)));
    a_lone_surrogate: 400 "body.malformed" = |s| extended(s, r#""text":"\ud83d""#);
    nul_in_a_text: 400 "body.malformed" = |s| extended(s, r#""text":"a\u0000b""#);
    bytes_that_are_not_utf8: 400 "body.malformed" = |s| {
        let mut body = least_update().to_string().into_bytes();
        let place = body.iter().position(|byte| *byte == b'C').expect("a letter of the title");
        body[place] = 0xff;
        s.request(Method::PUT, INCIDENT).header("content-type", "application/json").body(body)
    };

    an_unknown_property_under_strict_handling: 400 "body.unknown_property" = |s| {
        put(s, INCIDENT, &with(least_update(), &json!({"colour": "red"}))).header("prefer", "handling=strict")
    };
    a_missing_required_property: 400 "body.invalid" = |s| {
        let mut body = least_update();
        body.as_object_mut().expect("an object").remove("severity");
        put(s, INCIDENT, &body)
    };
    a_property_of_another_type: 400 "body.invalid" = |s| extended(s, r#""areaId":"2""#);
    null_where_nothing_can_be: 400 "body.invalid" = |s| extended(s, r#""status":null"#);
    a_property_given_twice: 400 "body.invalid" = |s| extended(s, r#""title":"Bigger""#);
    a_wrong_word: 400 "body.invalid" = |s| extended(s, r#""status":"Done""#);
    an_empty_title: 400 "body.invalid" = |s| put(s, INCIDENT, &with(least_update(), &json!({"title": ""})));
    a_title_of_101_characters: 400 "body.invalid" = |s| put(s, IMPROVEMENT, &json!({"title": "ø".repeat(101)}));
    an_external_id_of_256_characters: 400 "body.invalid" = |s| put(s, "/v1/Incidents/100/externalId", &json!("x".repeat(256)));
    a_date_with_month_13: 400 "body.invalid" = |s| put(s, INCIDENT, &with(least_update(), &json!({"incidentDate": "2025-13-01"})));
    a_date_that_no_calendar_has: 400 "body.invalid" = |s| extended(s, r#""dueDate":"2025-02-30T00:00:00Z""#);
    an_amount_that_is_no_number: 400 "body.malformed" = |s| amount(s, "NaN");
    an_amount_that_no_double_holds: 400 "body.malformed" = |s| amount(s, "1e999");

    a_category_of_another_type: 422 "reference.other_type" = |s| report(s, &json!({"categories": [{"id": 60}]}));
    a_cause_of_another_type: 422 "reference.other_type" = |s| report(s, &json!({"causes": [{"id": 43}]}));
    a_consequence_of_another_type: 422 "reference.other_type" = |s| report(s, &json!({"consequences": [{"id": 53}]}));
    a_custom_field_of_another_type: 422 "reference.other_type" = |s| report(s, &json!({"customFields": [{"id": 63, "value": "3"}]}));
    a_reference_to_nothing: 422 "reference.unknown" = |s| report(s, &json!({"areaId": 99}));
    a_responsible_user_of_another_group: 422 "responsible.not_member" = |s| report(s, &json!({"followUpGroupId": 4, "responsibleUserId": "u-117"}));
    a_forbidden_transition: 409 "improvement.transition" = |s| put(s, IMPROVEMENT, &json!({"status": "Activated"}));
    an_early_evaluation: 409 "incident.evaluation" = |s| extended(s, r#""evaluationStatus":"Good""#);

    search_with_filter: 400 "odata.search_with_filter" = |s| s.request(Method::GET, "/v2/areas?$search=press&$filter=id eq 2");
    a_bare_number_in_search: 400 "odata.syntax" = |s| s.request(Method::GET, "/v2/areas?$search=2");
    an_unknown_property_in_filter: 400 "odata.unknown_property" = |s| s.request(Method::GET, "/v2/areas?$filter=colour eq 'red'");
    a_mistyped_parameter: 400 "query.invalid" = |s| values(s, "pageSiz=7");
    a_mistyped_option: 400 "odata.option" = |s| values(s, "filters=value gt 1");
    a_mistyped_option_of_v2: 400 "odata.option" = |s| s.request(Method::GET, "/v2/areas?order_by=name");
    a_mistyped_option_of_a_count: 400 "odata.option" = |s| s.request(Method::GET, "/v2/areas/$count?filtre=id eq 2");
    a_page_of_nothing: 400 "query.invalid" = |s| values(s, "pageSize=0");
    a_page_of_10001: 400 "query.invalid" = |s| values(s, "pageSize=10001");
    page_0: 400 "query.invalid" = |s| values(s, "page=0");
    from_after_to: 400 "query.invalid" = |s| values(s, "from=2025-02-01T00:00:00Z&to=2025-01-01T00:00:00Z");
}

/// Existing clients send properties of other versions of the interface.
#[tokio::test]
async fn an_unknown_property_is_ignored() {
    let service = plant().await;
    let body = with(least_update(), &json!({"colour": "red", "title": "Bigger"}));
    let answer = Answer::of(put(&service, INCIDENT, &body)).await;
    assert_eq!(
        (answer.status, &answer.json()["title"]),
        (200, &json!("Bigger"))
    );
}

/// An update that would be carried out with the right scope.
fn changed_by(service: &Service, token: &str) -> RequestBuilder {
    let request = service.http.put(service.url(INCIDENT)).bearer_auth(token);
    request.json(&with(least_update(), &json!({"title": "Bigger"})))
}

fn put(service: &Service, path: &str, body: &Value) -> RequestBuilder {
    service.request(Method::PUT, path).json(body)
}

fn raw(service: &Service, media_type: &str, body: String) -> RequestBuilder {
    let request = service.request(Method::PUT, INCIDENT);
    request.header("content-type", media_type).body(body)
}

fn json_text(service: &Service, body: &str) -> RequestBuilder {
    raw(service, "application/json", body.to_owned())
}

/// The least update with one more member, as text.
fn extended(service: &Service, member: &str) -> RequestBuilder {
    let least = least_update().to_string();
    let open = least.strip_suffix('}').expect("an object");
    json_text(service, &format!("{open},{member}}}"))
}

fn amount(service: &Service, number: &str) -> RequestBuilder {
    let path = "/v1/Incidents/100/consequences";
    let request = service.request(Method::PUT, path);
    let body = format!("[{{\"id\":51,\"amount\":{number}}}]");
    request
        .header("content-type", "application/json")
        .body(body)
}

/// A report that would be taken without this.
fn report(service: &Service, more: &Value) -> RequestBuilder {
    let request = service.request(Method::POST, "/v1/Incidents");
    request.json(&with(least(), more))
}

fn values(service: &Service, query: &str) -> RequestBuilder {
    service.request(Method::GET, &format!("/v1/Datasources/1/values?{query}"))
}
