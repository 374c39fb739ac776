//! Writers of one record at the same time: with `If-Match` none of them loses what another wrote.

use std::sync::Arc;

use obeya::model::{IncidentSeverity, IncidentUpdate, IncidentV1};
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

use crate::etags::send;
use crate::incidents_plant::{least_update, plant, with};
use crate::support::Service;

const PATH: &str = "/v1/Incidents/100";
const WRITERS: u64 = 8;
const TIMES: u64 = 12;

/// Reads the number in the incident's text and writes the next one, until it has been the one to do so
/// `TIMES` times; how often it was refused.
async fn count_up(service: Arc<Service>) -> u64 {
    let (mut done, mut refused) = (0, 0);
    while done < TIMES {
        let read = service.get(PATH).await;
        let text = read.json()["text"].clone();
        let number: u64 = text.as_str().expect("a text").parse().expect("a number");
        let next = with(least_update(), &json!({"text": (number + 1).to_string()}));
        let headers = [("if-match", read.header("etag"))];
        let written = send(&service, (Method::PUT, PATH), &headers, Some(&next)).await;
        if written.status == 200 {
            assert_eq!(written.json()["text"], next["text"]);
            done += 1;
        } else {
            written.is_problem(412, "precondition.failed");
            refused += 1;
        }
    }
    refused
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_that_was_accepted_is_in_the_record() {
    let one = Arc::new(plant().await);
    let two = Arc::new(Service::start_on(Arc::clone(&one.database), |_| {}).await);
    one.put(PATH, &with(least_update(), &json!({"text": "0"})))
        .await;
    let mut writers = JoinSet::new();
    for at in 0..WRITERS {
        writers.spawn(count_up(Arc::clone(if at % 2 == 0 { &one } else { &two })));
    }
    let refused: u64 = writers.join_all().await.into_iter().sum();
    let sum = one.get(PATH).await.json()["text"].clone();
    assert_eq!(sum, (WRITERS * TIMES).to_string());
    // Otherwise there was no conflict, and nothing was tested.
    assert!(refused > 0);
}

/// As in the SDK's documentation: one field by its own operation, several with the tag of the record that was
/// read.
#[tokio::test]
async fn the_sdk_undoes_no_change_of_others() {
    let service = plant().await;
    let client = obeya::Client::builder()
        .base_url(service.running.base_url())
        .token(service.token())
        .build()
        .expect("a client");
    let update = |incident: &IncidentV1, title: &str| {
        IncidentUpdate::new(
            incident.incident_type_id,
            incident.severity.clone(),
            title,
            incident.incident_date,
        )
    };
    let read = async |client: obeya::Client| client.incidents().get(100).await;
    let found = client.tagged(read).await.expect("found");
    let others = update(&found.value, "Of somebody else");
    let others = client.incidents().update(100, &others).await;
    others.expect("changed by somebody else");

    let stale = update(&found.value, &found.value.title);
    let tag = found.tag.expect("a tag");
    let late = client.if_match(tag).incidents().update(100, &stale).await;
    assert!(late.expect_err("too late").is_precondition_failed());
    let severity = match found.value.severity {
        IncidentSeverity::Low => IncidentSeverity::High,
        _ => IncidentSeverity::Low,
    };
    let after = client.incidents().set_severity(100, severity.clone()).await;
    let after = after.expect("one field");
    assert_eq!(after.title, "Of somebody else");
    assert_eq!(after.severity, severity);
}
