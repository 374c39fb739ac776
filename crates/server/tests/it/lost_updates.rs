//! Writers of one record at the same time: with `If-Match` none of them loses what another wrote.

use std::sync::Arc;

use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

use crate::etags::send;
use crate::incidents_plant::{least_update, plant, with};
use crate::support::Service;

const PATH: &str = "/v1/Incidents/100";
const WRITERS: u64 = 8;
const TIMES: u64 = 12;

/// Reads the number in the incident's text and writes the next one, until it has been the one to do so `TIMES` times; how often it was refused.
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
    // Otherwise nobody was in anybody's way, and nothing was shown.
    assert!(refused > 0);
}
