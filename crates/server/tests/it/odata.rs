//! The semantic cases over HTTP: the answer to each filter and order is the one computed from the
//! specification.

use std::collections::BTreeMap;

use obeya_model::Timestamp;
use serde_json::Value;

use crate::reads_plant::{Incidents, Plant, cases, ids};

/// Where the records of an entity are listed, and under which property. Values are listed by datasource.
fn lists(entity: &str) -> (&'static [&'static str], &'static str) {
    match entity {
        "areas" => (&["/v2/areas"], "value"),
        "boards" => (&["/v2/boards"], "value"),
        "groups" => (&["/v2/groups"], "value"),
        "incidentComments" => (&["/v2/incidents/comments"], "value"),
        "datasourceValues" => (
            &["/v1/Datasources/1/values", "/v1/Datasources/2/values"],
            "values",
        ),
        "incidents" => (&["/v1/Incidents/trash"], "values"),
        other => panic!("the fixture has no {other}"),
    }
}

/// One plant with its incidents in use, for their comments; one with them in the trash, where the interface
/// filters incidents.
struct Plants {
    live: Plant,
    trashed: Plant,
}

impl Plants {
    async fn new() -> Self {
        let deleted: Timestamp = "2026-03-01T00:00:00Z".parse().expect("a timestamp");
        let now: jiff::Timestamp = "2026-03-02T00:00:00Z".parse().expect("a timestamp");
        let live = Plant::new().await;
        let trashed = Plant::with(Incidents::Deleted(deleted), |config| {
            config.clock = obeya_server::Clock::new(move || now);
        })
        .await;
        Self { live, trashed }
    }

    fn of(&self, entity: &str) -> &Plant {
        if entity == "incidents" {
            &self.trashed
        } else {
            &self.live
        }
    }

    /// The ids in each list of the entity for an option.
    async fn ask(&self, entity: &str, option: &str, text: &str) -> Result<Vec<Vec<i64>>, String> {
        let (paths, property) = lists(entity);
        let mut found = Vec::new();
        for path in paths {
            let answer = self
                .of(entity)
                .get(&format!("{path}?{option}={}", encoded(text)))
                .await;
            if answer.status != 200 {
                return Err(format!("{}: {}", answer.status, answer.text()));
            }
            found.push(ids(&answer.json()[property]));
        }
        Ok(found)
    }
}

/// Every byte that is not a letter or digit, percent-encoded.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

fn expected(case: &Value) -> Vec<i64> {
    case["expected_ids"]
        .as_array()
        .expect("ids")
        .iter()
        .filter_map(Value::as_i64)
        .collect()
}

#[tokio::test]
async fn every_filter_gives_the_rows_of_the_specification() {
    let plants = Plants::new().await;
    let mut wrong = BTreeMap::new();
    for case in cases()["cases"].as_array().expect("cases") {
        let (entity, filter) = (
            case["entity"].as_str().expect("an entity"),
            case["filter"].as_str().expect("a filter"),
        );
        let found = plants.ask(entity, "$filter", filter).await.map(|lists| {
            let mut ids = lists.concat();
            ids.sort_unstable();
            ids
        });
        if found != Ok(expected(case)) {
            wrong.insert(
                case["id"].to_string(),
                format!(
                    "{entity}: {filter}: {found:?}, expected {:?}",
                    expected(case)
                ),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn every_order_is_the_one_of_the_specification() {
    let plants = Plants::new().await;
    for case in cases()["orderby_cases"].as_array().expect("cases") {
        let (entity, order) = (
            case["entity"].as_str().expect("an entity"),
            case["orderby"].as_str().expect("an order"),
        );
        // The trash takes no order.
        if entity == "incidents" {
            continue;
        }
        let expected = expected(case);
        for found in plants
            .ask(entity, "$orderby", order)
            .await
            .expect("an answer")
        {
            let of_this_list: Vec<i64> = expected
                .iter()
                .copied()
                .filter(|id| found.contains(id))
                .collect();
            assert_eq!(found, of_this_list, "{entity}: {order}");
        }
    }
}

#[tokio::test]
async fn a_word_that_is_no_member_is_refused_by_every_list() {
    let plants = Plants::new().await;
    for (entity, path, word, hint) in [
        (
            "",
            "/v2/incidents?$filter=severity eq 'high'",
            "high",
            "; did you mean `High`?",
        ),
        (
            "",
            "/v2/incidents/$count?$filter=severity ne 'high'",
            "high",
            "; did you mean `High`?",
        ),
        (
            "",
            "/v2/boards?$filter=group/type eq 'general'",
            "general",
            "; did you mean `GENERAL`?",
        ),
        (
            "",
            "/v2/groups?$expand=boards($filter=boardType eq 'daily')",
            "daily",
            "; expected one of `Weekly`, `Kanban`, `SmartActionList`, `Yearly`",
        ),
        (
            "",
            "/v1/Incidents?$filter=status in ('New','inprogress')",
            "inprogress",
            "; did you mean `InProgress`?",
        ),
        (
            "",
            "/v1/Improvements?$filter=status eq 'archived'",
            "archived",
            "; did you mean `Archived`?",
        ),
        (
            "incidents",
            "/v1/Incidents/trash?$filter=status eq @s&@s='new'",
            "new",
            "; did you mean `New`?",
        ),
    ] {
        let answer = plants.of(entity).get(path).await;
        let problem = answer.is_problem(400, "odata.value");
        let detail = problem["detail"].as_str().expect("a detail");
        assert!(
            detail.contains(&format!("found '{word}', which is no member of")),
            "{path}: {detail}"
        );
        assert!(detail.contains(hint), "{path}: {detail}");
    }
    // Only requests know the first, and no record of the fixture is an improvement.
    for path in [
        "/v1/Improvements?$filter=status ne 'Activated'",
        "/v1/Improvements?$filter=tolower(status) eq 'archived'",
    ] {
        let answer = plants.live.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
}

#[tokio::test]
async fn every_wrong_filter_is_refused() {
    let plants = Plants::new().await;
    for case in cases()["error_cases"].as_array().expect("cases") {
        let (entity, filter) = (
            case["entity"].as_str().expect("an entity"),
            case["filter"].as_str().expect("a filter"),
        );
        let (paths, _) = lists(entity);
        let answer = plants
            .of(entity)
            .get(&format!("{}?$filter={}", paths[0], encoded(filter)))
            .await;
        assert_eq!(answer.status, 400, "{entity}: {filter}: {}", answer.text());
    }
}

#[tokio::test]
async fn what_asks_the_time_is_asked_anew() {
    let service = crate::support::Service::start().await;
    let rows = service.store().write(|session| {
        session.execute("INSERT INTO areas (id, name) VALUES (1, 'Hall')", &[])?;
        session.execute("INSERT INTO datasources (id, title) VALUES (1, 'Output')", &[])?;
        session.execute(
            "INSERT INTO datasource_values (id, datasource_id, value_date, registration_date) VALUES (1, 1, 0, 0)",
            &[],
        )
    });
    rows.await.expect("an area and a value");
    // Half a minute after the clock of a test starts.
    let filter = "$filter=now() gt 2025-06-02T08:00:30Z";
    for (advance, found) in [(0, 0), (60, 1)] {
        service.clock.advance(advance);
        for (path, property) in [
            ("/v2/areas", "value"),
            ("/v1/Datasources/1/values", "values"),
        ] {
            let body = service.get(&format!("{path}?{filter}")).await.json();
            assert_eq!(ids(&body[property]).len(), found, "{path}: {body}");
        }
    }
}
