//! Next links: they lead through a list without repeating or missing a row, whatever else changes in it, and
//! only the service can make one.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use obeya_server::store::Session;
use obeya_server::store::engine::StoreError;
use reqwest::Method;
use serde_json::Value as Json;

use crate::reads_plant::{Incidents, Plant, cases, ids};
use crate::support::{Answer, Service};

/// Rows that stay where they are while a list is walked.
const STEADY: i64 = 10_000;

/// An answer of the service, with a preference.
async fn preferring(service: &Service, path: &str, preference: &str) -> Answer {
    let request = service.request(Method::GET, path);
    Answer::of(request.header("Prefer", preference)).await
}

/// The path of the next page.
fn next(service: &Service, body: &Json) -> Option<String> {
    let link = body["@odata.nextLink"].as_str()?;
    let path = link.strip_prefix(service.running.base_url());
    Some(path.expect("an address of this service").to_owned())
}

fn fill(session: &mut dyn Session) -> Result<(), StoreError> {
    // Names that many share, and a seventh of them null.
    session.execute(
        "WITH RECURSIVE n (id) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT id + 1 FROM n WHERE id < ?1)
         INSERT INTO boards (id, name) SELECT id, CASE WHEN id % 7 = 0 THEN NULL ELSE 'Board ' || (id * 31 % 97) END FROM n",
        &[STEADY.into()],
    )?;
    Ok(())
}

/// Rows that are inserted, changed and deleted: `round` spreads them over the list.
fn disturb(session: &mut dyn Session, round: i64) -> Result<(), StoreError> {
    let first = STEADY + round * 20;
    session.execute(
        "WITH RECURSIVE n (id) AS (SELECT CAST(?1 AS bigint) + 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?1 + 20)
         INSERT INTO boards (id, name) SELECT id, CASE WHEN id % 5 = 0 THEN NULL ELSE 'Board ' || (id * 17 % 97) END FROM n",
        &[first.into()],
    )?;
    session.execute(
        "DELETE FROM boards WHERE id > ?1 AND id % 3 = ?2",
        &[STEADY.into(), (round % 3).into()],
    )?;
    session.execute(
        "UPDATE boards SET is_public = 1 - is_public, description = 'moved' WHERE id % 50 = ?1",
        &[(round % 50).into()],
    )?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_row_that_stays_is_seen_once_while_others_come_and_go() {
    let service = Service::start().await;
    service.store().write(fill).await.expect("the boards");
    let stop = Arc::new(AtomicBool::new(false));
    let (store, stopped) = (service.store().clone(), Arc::clone(&stop));
    let writer = tokio::spawn(async move {
        let mut round = 0;
        while !stopped.load(Ordering::Relaxed) {
            round += 1;
            let disturbed = store.write(move |session| disturb(session, round)).await;
            disturbed.expect("a disturbance");
        }
        round
    });
    for orderby in ["", "&$orderby=name", "&$orderby=name%20desc,id%20desc"] {
        let mut path = Some(format!("/v2/boards?$select=id,isPublic{orderby}"));
        let mut seen = HashSet::new();
        let (mut steady, mut pages) = (0, 0);
        while let Some(asked) = path {
            let answer = preferring(&service, &asked, "odata.maxpagesize=100").await;
            assert_eq!(answer.status, 200, "{asked}: {}", answer.text());
            let body = answer.json();
            let found = ids(&body["value"]);
            assert!(found.len() <= 100);
            for id in found {
                assert!(
                    seen.insert(id),
                    "{orderby}: {id} is repeated on page {pages}"
                );
                steady += i64::from(id <= STEADY);
            }
            pages += 1;
            path = next(&service, &body);
        }
        assert_eq!(steady, STEADY, "{orderby}");
        assert!(pages >= 100);
    }
    stop.store(true, Ordering::Relaxed);
    let rounds = writer.await.expect("the writer");
    assert!(rounds > 3, "the list was disturbed {rounds} times");
}

#[tokio::test]
async fn pages_follow_every_order_of_the_cases() {
    let plant = Plant::with(Incidents::Live, |config| config.limits.page_records = 2).await;
    let cases = cases();
    let mut walked = 0;
    for case in cases["orderby_cases"].as_array().expect("the cases") {
        let path = match case["entity"].as_str() {
            Some("boards") => "/v2/boards",
            Some("groups") => "/v2/groups",
            Some("areas") => "/v2/areas",
            Some("incidentComments") => "/v2/incidents/comments",
            _ => continue,
        };
        let orderby = case["orderby"].as_str().expect("an order");
        let mut path = Some(format!("{path}?$orderby={orderby}&$count=true"));
        let mut found = Vec::new();
        while let Some(asked) = path {
            let body = plant.get(&asked).await.json();
            found.extend(ids(&body["value"]));
            let link = body["@odata.nextLink"].as_str();
            path = link.and_then(|link| Some(link.strip_prefix(plant.base_url())?.to_owned()));
            assert_eq!(
                body["@odata.count"].as_u64(),
                case["expected_ids"].as_array().map(|all| all.len() as u64),
                "{orderby}"
            );
        }
        assert_eq!(serde_json::json!(found), case["expected_ids"], "{orderby}");
        walked += 1;
    }
    assert!(walked >= 5, "{walked} orders were walked");
}

#[tokio::test]
async fn an_order_by_the_time_is_the_same_on_every_page() {
    let plant = Plant::with(Incidents::Live, |config| {
        config.limits.page_records = 1;
        // A clock that is another second at each look.
        let second = std::sync::atomic::AtomicI64::new(1_750_000_000);
        config.clock = obeya_server::Clock::new(move || {
            let second = second.fetch_add(1, Ordering::Relaxed);
            jiff::Timestamp::from_second(second).expect("an instant")
        });
    })
    .await;
    let comments = cases()["fixture"]["incidentComments"].clone();
    for orderby in ["now() sub commentDate", "now() sub commentDate desc"] {
        let mut path = Some(format!("/v2/comments?$orderby={orderby}"));
        let mut found = Vec::new();
        while let Some(asked) = path.filter(|_| found.len() < 100) {
            let body = plant.get(&asked).await.json();
            found.extend(ids(&body["value"]));
            let link = body["@odata.nextLink"].as_str();
            path = link.and_then(|link| Some(link.strip_prefix(plant.base_url())?.to_owned()));
        }
        found.sort_unstable();
        assert_eq!(found, ids(&comments), "{orderby}");
    }
}

#[tokio::test]
async fn the_page_size_is_as_preferred_and_said_to_be() {
    let service = Service::start_with(|config| config.limits.page_records = 4).await;
    service.store().write(fill).await.expect("the boards");
    for (preference, rows, applied) in [
        ("odata.maxpagesize=3", 3, Some("odata.maxpagesize=3")),
        ("maxpagesize=2; x=y, wait=5", 2, Some("maxpagesize=2")),
        (
            "return=minimal, MaxPageSize=\"1\"",
            1,
            Some("maxpagesize=1"),
        ),
        // The limit of the service is lower, so it applies as well.
        ("maxpagesize=400", 4, Some("maxpagesize=400")),
        ("maxpagesize=0", 4, None),
        ("maxpagesize=-1", 4, None),
        ("maxpagesize=x", 4, None),
        ("maxpagesize", 4, None),
    ] {
        let answer = preferring(&service, "/v2/boards?$top=9", preference).await;
        assert_eq!(answer.status, 200, "{preference}");
        assert_eq!(ids(&answer.json()["value"]).len(), rows, "{preference}");
        let found = answer.headers.get("preference-applied");
        assert_eq!(
            found.and_then(|value| value.to_str().ok()),
            applied,
            "{preference}"
        );
    }
    // It applies to the following pages without being repeated; `$top` ends the last of them.
    let mut answer = preferring(&service, "/v2/boards?$top=7&$skip=1", "maxpagesize=3").await;
    let mut pages = Vec::new();
    loop {
        let body = answer.json();
        pages.push(ids(&body["value"]));
        let Some(path) = next(&service, &body) else {
            break;
        };
        answer = service.get(&path).await;
    }
    assert_eq!(pages, [vec![2, 3, 4], vec![5, 6, 7], vec![8]]);
}

#[tokio::test]
async fn a_link_belongs_to_its_list_and_cannot_be_forged() {
    let plant = Plant::with(Incidents::Live, |config| config.limits.page_records = 2).await;
    let body = plant
        .get("/v2/boards?$orderby=name&$filter=id gt 0")
        .await
        .json();
    let link = body["@odata.nextLink"].as_str().expect("a further page");
    let (_, token) = link.split_once("$skiptoken=").expect("a token");
    // Options that do not change the rows and their order may change, and spelling does not matter.
    for same in [
        "/v2/boards?$orderby=name&$filter=id gt 0",
        "/v2/boards?filter=(id%20%20gt%200)&$ORDERBY=name%20asc&$select=id&$count=true",
    ] {
        let found = plant.ids(&format!("{same}&$skiptoken={token}")).await;
        assert_eq!(found.len(), 2, "{same}");
        assert!(!ids(&body["value"]).contains(&found[0]), "{same}");
    }
    let mut forged = token.to_owned().into_bytes();
    forged[20] = if forged[20] == b'A' { b'B' } else { b'A' };
    let forged = String::from_utf8(forged).expect("ASCII");
    for other in [
        &format!("/v2/boards?$orderby=name&$filter=id gt 1&$skiptoken={token}"),
        &format!("/v2/boards?$orderby=name desc&$filter=id gt 0&$skiptoken={token}"),
        &format!("/v2/boards?$filter=id gt 0&$skiptoken={token}"),
        &format!("/v2/groups?$orderby=name&$filter=id gt 0&$skiptoken={token}"),
        &format!("/v2/boards?$orderby=name&$filter=id gt 0&$skiptoken={forged}"),
        &format!("/v2/boards?$orderby=name&$filter=id gt 0&$skip=1&$skiptoken={token}"),
        "/v2/boards?$skiptoken=",
        "/v2/boards?$skiptoken=5",
        "/v2/boards?$skiptoken=%00",
    ] {
        let answer = plant.get(other).await;
        assert_eq!(answer.status, 400, "{other}");
        let text = answer.text();
        assert!(text.contains("$skiptoken"), "{text}");
    }
    let twice =
        format!("/v2/boards?$orderby=name&$filter=id gt 0&$skiptoken={token}&skiptoken={token}");
    plant.get(&twice).await.is_problem(400, "odata.option");
}

#[tokio::test]
async fn comments_of_one_incident_are_not_gone_on_with_under_another() {
    let plant = Plant::with(Incidents::Live, |config| config.limits.page_records = 1).await;
    let body = plant.get("/v2/incidents/1/comments").await.json();
    let link = body["@odata.nextLink"].as_str().expect("a further page");
    assert_eq!(plant.get_url(link).await.status, 200);
    let other = link.replace("/incidents/1/", "/incidents/2/");
    plant.get_url(&other).await.is_problem(400, "odata.value");
}

#[tokio::test]
async fn a_link_outlives_a_restart_and_leads_to_another_process() {
    let first = Service::start_with(|config| config.limits.page_records = 2).await;
    first.store().write(fill).await.expect("the boards");
    let body = first.get("/v2/boards").await.json();
    let path = next(&first, &body).expect("a further page");
    let second = Service::start_on(Arc::clone(&first.database), |config| {
        config.limits.page_records = 2;
    })
    .await;
    assert_eq!(ids(&second.get(&path).await.json()["value"]), [3, 4]);
}

#[tokio::test]
async fn a_link_stays_short_however_long_the_texts_are_that_order() {
    let service = Service::start_with(|config| config.limits.page_records = 1).await;
    let areas = service.store().write(|session| {
        for id in 1..=3 {
            let description = format!("{}{id}", "Å".repeat(5_000));
            session.execute(
                "INSERT INTO areas (id, name, description) VALUES (?1, 'A', ?2)",
                &[id.into(), (&description).into()],
            )?;
        }
        Ok::<_, StoreError>(())
    });
    areas.await.expect("three areas");
    let body = service
        .get("/v2/areas?$orderby=description&$select=id")
        .await
        .json();
    let second = next(&service, &body).expect("a second page");
    assert!(second.len() < 300, "{second}");
    let body = service.get(&second).await.json();
    assert_eq!(ids(&body["value"]), [2]);
    let third = next(&service, &body).expect("a third page");
    assert_eq!(ids(&service.get(&third).await.json()["value"]), [3]);

    // The page continues after a row; once that is gone, the position is lost.
    let gone = service.store().write(|session| {
        session.execute("DELETE FROM areas WHERE id = 1", &[])?;
        session.execute("UPDATE areas SET description = 'B' WHERE id = 2", &[])
    });
    gone.await.expect("a change");
    for link in [second, third] {
        service.get(&link).await.is_problem(400, "odata.value");
    }
}
