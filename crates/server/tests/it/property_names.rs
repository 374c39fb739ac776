//! Names of properties in bodies: matched without case, at every level, in every operation that writes; each
//! at most once.

use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant;
use crate::support::{Answer, Service};
use crate::values_written;

/// Every write with properties in its body, on the plant of incidents. Each body changes something, and
/// together they have every kind of property: at the top, in lists, optional, required and never null.
fn writes() -> Vec<(Method, &'static str, Value)> {
    let (post, put) = (Method::POST, Method::PUT);
    let report = json!({
        "incidentTypeId": 3, "severity": "High", "title": "Housing cracked", "incidentDate": "2025-06-01", "status": "InProgress",
        "isAnonymous": false, "createdByUserId": "u-117", "text": "At the press", "areaId": 2, "dueDate": "2025-07-01T12:00:00Z",
        "categories": [{"id": 31}], "causes": [{"id": 41, "title": "Worn"}], "consequences": [{"id": 51, "amount": 3.5}, {"id": 52}],
        "customFields": [{"id": 61, "value": "A-7"}],
    });
    let update = json!({
        "incidentTypeId": 3, "severity": "High", "title": "Bigger", "incidentDate": "2025-06-01", "status": "InProgress",
        "resolvedDate": null, "text": "More", "externalId": "x-9",
    });
    vec![
        (post.clone(), "/v1/Incidents", report),
        (put.clone(), "/v1/Incidents/100", update),
        (
            put.clone(),
            "/v1/Incidents/100/categories",
            json!([{"id": 32}]),
        ),
        (
            put.clone(),
            "/v1/Incidents/100/causes",
            json!([{"id": 42, "title": "x"}]),
        ),
        (
            put.clone(),
            "/v1/Incidents/100/consequences",
            json!([{"id": 51, "amount": 2}, {"id": 52, "amount": 7.5}]),
        ),
        (
            put.clone(),
            "/v1/Incidents/100/customfields/61",
            json!({"value": "B-8"}),
        ),
        (
            put.clone(),
            "/v1/Incidents/100/responsible",
            json!({"followUpGroupId": 4, "responsibleUserId": "u-104"}),
        ),
        (
            put.clone(),
            "/v1/Incidents/100/severity",
            json!({"severity": "Medium"}),
        ),
        (
            put.clone(),
            "/v1/Incidents/100/status",
            json!({"status": "Resolved"}),
        ),
        (
            post,
            "/v1/Improvements",
            json!({"title": "Third clamp", "suggestedByUserId": "u-104", "status": "Planned", "costOfInvestment": 12.5, "priorityStatus": "LowEffortHighEffect"}),
        ),
        (
            put,
            "/v1/Improvements/317",
            json!({"title": "Fourth", "status": "InProgress", "dueDate": null, "gainOfInvestment": 1}),
        ),
    ]
}

/// Every write of values.
fn writes_of_values() -> Vec<(Method, &'static str, Value)> {
    let (post, put) = (Method::POST, Method::PUT);
    let value = json!({
        "value": 1.5, "valueDate": "2025-03-01T06:30:00Z", "areaId": 2, "description": "d", "dimension": "1", "dimension2": "2",
        "dimension3": "3", "dimension4": "4", "externalId": "e",
    });
    let later = json!({"value": 2, "valueDate": "2025-03-02T06:30:00Z", "dimension2": "B"});
    vec![
        (post.clone(), "/v1/Datasources/1/values", value.clone()),
        (put.clone(), "/v1/Datasources/1/values/1", later.clone()),
        (
            post,
            "/v1/Datasources/1/values/batch",
            json!([value, later]),
        ),
        (
            put,
            "/v1/Datasources/1/values/batchReplace?from=2025-03-01T00:00:00Z&to=2025-03-31T00:00:00Z",
            json!([later, value]),
        ),
    ]
}

/// A body with the names of all its properties respelled.
fn respelled(body: &Value, respell: fn(&str) -> String) -> Value {
    match body {
        Value::Object(properties) => properties
            .iter()
            .map(|(name, value)| (respell(name), respelled(value, respell)))
            .collect(),
        Value::Array(items) => items.iter().map(|item| respelled(item, respell)).collect(),
        other => other.clone(),
    }
}

/// As languages write them whose properties begin with a capital letter.
fn capitalised(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

async fn sent(
    service: &Service,
    write: &(Method, &str, Value),
    respell: fn(&str) -> String,
) -> Value {
    let (method, path, body) = write;
    let request = service.request(method.clone(), path);
    let answer = Answer::of(request.json(&respelled(body, respell))).await;
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.text());
    answer.json()
}

#[tokio::test]
async fn every_write_knows_its_properties_in_any_case() {
    let exact = incidents_plant::plant().await;
    for respell in [
        capitalised as fn(&str) -> String,
        |name| name.to_uppercase(),
        |name| name.to_lowercase(),
    ] {
        let other = incidents_plant::plant().await;
        for write in &writes() {
            let path = write.1;
            assert_eq!(
                sent(&other, write, respell).await["error"],
                Value::Null,
                "{path}"
            );
        }
        let reference = incidents_plant::plant().await;
        for write in &writes() {
            sent(&reference, write, str::to_owned).await;
        }
        let written = incidents_plant::everything(&other).await;
        assert_eq!(written, incidents_plant::everything(&reference).await);
        assert_ne!(written, incidents_plant::everything(&exact).await);
    }
}

#[tokio::test]
async fn every_write_of_values_knows_its_properties_in_any_case() {
    let reference = values_written::plant().await;
    for write in &writes_of_values() {
        sent(&reference, write, str::to_owned).await;
    }
    let expected = values_written::everything(&reference).await;
    for respell in [
        capitalised as fn(&str) -> String,
        |name| name.to_uppercase(),
        |name| name.to_lowercase(),
    ] {
        let other = values_written::plant().await;
        for write in &writes_of_values() {
            sent(&other, write, respell).await;
        }
        assert_eq!(values_written::everything(&other).await, expected);
    }
}

/// A body with the name of its first property, or of that of its first item, replaced by `name`.
fn with_first_named(body: &Value, name: fn(&str) -> String) -> (Value, String) {
    match body {
        Value::Array(items) => {
            let (first, found) = with_first_named(&items[0], name);
            let items: Vec<_> = std::iter::once(&first).chain(&items[1..]).collect();
            (json!(items), format!("[0].{found}"))
        }
        body => {
            let mut properties = body.as_object().expect("an object").clone();
            let (first, value) = body.as_object().into_iter().flatten().next().expect("one");
            properties.remove(first);
            properties.insert(name(first), value.clone());
            (Value::Object(properties), name(first))
        }
    }
}

/// Both plants, with every write on the one it is for.
async fn all_writes() -> (Service, Service, Vec<(bool, (Method, &'static str, Value))>) {
    let (incidents, values) = (
        incidents_plant::plant().await,
        values_written::plant().await,
    );
    // A value to replace.
    sent(&values, &writes_of_values()[0], str::to_owned).await;
    let all = writes().into_iter().map(|write| (true, write));
    let all = all.chain(writes_of_values().into_iter().map(|write| (false, write)));
    (incidents, values, all.collect())
}

#[tokio::test]
async fn strict_handling_names_the_spelling_in_every_write() {
    let (incidents, values, writes) = all_writes().await;
    for (is_incident, (method, path, body)) in writes {
        let service = if is_incident { &incidents } else { &values };
        let (respelled, name) = with_first_named(&body, capitalised);
        let meant = with_first_named(&body, str::to_owned).1;
        let meant = meant.trim_start_matches("[0].");
        let request = service.request(method.clone(), path).json(&respelled);
        let strict = Answer::of(request.header("prefer", "handling=strict")).await;
        let problem = strict.is_problem(400, "body.unknown_property");
        assert_eq!(
            problem["errors"],
            json!({name: [format!("is not a property of this body; did you mean `{meant}`?")]}),
            "{method} {path}"
        );
        let request = service.request(method.clone(), path).json(&body);
        let exact = Answer::of(request.header("prefer", "handling=strict")).await;
        assert_eq!(exact.status, 200, "{method} {path}: {}", exact.text());
    }
}

/// Such a body used to change nothing, and to be answered as if it had been carried out.
#[tokio::test]
async fn a_body_of_none_but_unknown_properties_is_refused_by_every_write() {
    let (incidents, values, writes) = all_writes().await;
    let before = (
        incidents_plant::everything(&incidents).await,
        values_written::everything(&values).await,
    );
    for (is_incident, (method, path, body)) in &writes {
        let service = if *is_incident { &incidents } else { &values };
        let unknown = match body {
            Value::Array(_) => json!([{"nosuch": 1}]),
            _ => json!({"nosuch": 1}),
        };
        let field = if body.is_array() {
            "[0].nosuch"
        } else {
            "nosuch"
        };
        let request = service.request(method.clone(), path);
        let problem = Answer::of(request.json(&unknown))
            .await
            .is_problem(400, "body.unknown_property");
        assert_eq!(
            problem["errors"],
            json!({field: ["is not a property of this body"]}),
            "{method} {path}"
        );
    }
    let improvement = "/v1/Improvements/317";
    let problem = incidents
        .put(improvement, &json!({"stauts": "Planned"}))
        .await
        .is_problem(400, "body.unknown_property");
    assert_eq!(
        problem["errors"],
        json!({"stauts": ["is not a property of this body; did you mean `status`?"]})
    );
    // An empty body says nothing that could be lost, and a known property is enough.
    for path in [improvement, "/v1/Incidents/100/severity"] {
        let empty = incidents.put(path, &json!({})).await;
        assert_eq!(empty.status, 200, "{path}: {}", empty.text());
    }
    let after = (
        incidents_plant::everything(&incidents).await,
        values_written::everything(&values).await,
    );
    assert_eq!(after, before);
    let known = json!({"stauts": "Planned", "priorityStatus": "LowEffortHighEffect"});
    let known = incidents.put(improvement, &known).await;
    assert_eq!(known.status, 200, "{}", known.text());
}

#[tokio::test]
async fn a_property_given_twice_in_any_case_is_refused_by_every_write() {
    let incidents = incidents_plant::plant().await;
    let values = values_written::plant().await;
    // A value to replace.
    sent(&values, &writes_of_values()[0], str::to_owned).await;
    let before = (
        incidents_plant::everything(&incidents).await,
        values_written::everything(&values).await,
    );
    let all = writes().into_iter().map(|write| (&incidents, write));
    let all = all.chain(writes_of_values().into_iter().map(|write| (&values, write)));
    for (service, (method, path, body)) in all {
        // In the last item of a list, and at the end of an object.
        let (open, index) = match &body {
            Value::Array(items) => (
                body.to_string().trim_end_matches("}]").to_owned(),
                format!("[{}].", items.len() - 1),
            ),
            _ => (
                body.to_string().trim_end_matches('}').to_owned(),
                String::new(),
            ),
        };
        let close = if index.is_empty() { "}" } else { "}]" };
        let last = body
            .as_array()
            .map_or(&body, |items| items.last().expect("an item"));
        for (name, value) in last.as_object().expect("an object") {
            for (again, expected) in [
                (name.clone(), "is given more than once".to_owned()),
                (
                    capitalised(name),
                    format!(
                        "is given more than once, as `{name}` and as `{}`",
                        capitalised(name)
                    ),
                ),
            ] {
                let request = service
                    .request(method.clone(), path)
                    .header("content-type", "application/json");
                let answer =
                    Answer::of(request.body(format!("{open},\"{again}\":{value}{close}"))).await;
                let problem = answer.is_problem(400, "body.invalid");
                assert_eq!(
                    problem["errors"][format!("{index}{name}")],
                    json!([expected]),
                    "{method} {path}: {problem:#}"
                );
            }
        }
    }
    let after = (
        incidents_plant::everything(&incidents).await,
        values_written::everything(&values).await,
    );
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_day_may_be_written_as_its_midnight_and_as_no_other_time() {
    let service = incidents_plant::plant().await;
    let body = |date: &str| {
        incidents_plant::with(
            incidents_plant::least_update(),
            &json!({"incidentDate": date}),
        )
    };
    for midnight in [
        "2025-10-01T00:00:00",
        "2025-10-01T00:00:00Z",
        "2025-10-01T00:00:00+02:00",
        "2025-10-01T00:00:00-0800",
    ] {
        let written = service.put("/v1/Incidents/100", &body(midnight)).await;
        assert_eq!(written.status, 200, "{midnight}: {}", written.text());
        assert_eq!(written.json()["incidentDate"], "2025-10-01", "{midnight}");
    }
    let refused = service
        .put("/v1/Incidents/100", &body("2025-10-01T06:30:00Z"))
        .await;
    assert_eq!(
        refused.is_problem(400, "body.invalid")["errors"],
        json!({"incidentDate": ["expected a date such as 2026-03-02 or a timestamp at midnight, found the time of day 06:30:00"]})
    );
}

#[tokio::test]
async fn an_offset_needs_no_colon() {
    let service = values_written::plant().await;
    let values = "/v1/Datasources/1/values";
    for (date, instant) in [
        ("2025-03-01T06:30:00+0000", "2025-03-01T06:30:00Z"),
        ("2025-03-01T06:30:00+0200", "2025-03-01T04:30:00Z"),
        ("2025-03-01T06:30:00-0130", "2025-03-01T08:00:00Z"),
    ] {
        let added = service.post(values, &values_written::value(1, date)).await;
        assert_eq!(added.status, 200, "{date}: {}", added.text());
        assert_eq!(added.json()["valueDate"], instant, "{date}");
    }
    // Both ends are left out, so that only the second value lies between them.
    for period in [
        "from=2025-03-01T06:00:00%2B0200&to=2025-03-01T05:00:00-0130",
        // A plus that was not escaped is a space.
        "from=2025-03-01T06:00:00+0200&to=2025-03-01T08:30:00+0200",
    ] {
        let page = service.get(&format!("{values}?{period}")).await;
        assert_eq!(page.status, 200, "{period}: {}", page.text());
        let dates = page.json()["values"]
            .as_array()
            .expect("values")
            .iter()
            .map(|value| value["valueDate"].clone())
            .collect::<Vec<_>>();
        assert!(
            dates.contains(&json!("2025-03-01T04:30:00Z"))
                && !dates.contains(&json!("2025-03-01T08:00:00Z")),
            "{period}: {dates:?}"
        );
    }
}

#[tokio::test]
async fn a_timestamp_may_be_written_as_its_day_and_in_no_other_numeric_form() {
    let service = values_written::plant().await;
    let values = "/v1/Datasources/1/values";
    let add = async |date: &str| service.post(values, &values_written::value(1, date)).await;
    let added = add("2025-03-01").await;
    assert_eq!(added.status, 200, "{}", added.text());
    assert_eq!(added.json()["valueDate"], "2025-03-01T00:00:00Z");
    for date in ["03-01-2025", "01.03.2025", "2025-02-29", "20250301"] {
        let problem = add(date).await.is_problem(400, "body.invalid");
        let message = problem["errors"]["valueDate"][0].as_str().expect("a text");
        let expected = match date {
            "2025-02-29" => "a day the calendar has",
            _ => "a timestamp such as 2026-03-02T06:12:00Z or a date such as 2026-03-02",
        };
        assert_eq!(message, format!("expected {expected}"), "{date}");
    }

    let service = incidents_plant::plant().await;
    let body = json!({"dueDate": "2025-10-01"});
    let body = incidents_plant::with(incidents_plant::least_update(), &body);
    let written = service.put("/v1/Incidents/100", &body).await;
    assert_eq!(written.json()["dueDate"], "2025-10-01T00:00:00Z");
}
