//! One bound over the memory of bodies and answers: clients that announce much and send nothing, or ask for
//! much and take nothing, are refused beyond it, and others go on.

use std::time::Duration;

use obeya_server::Config;
use obeya_server::store::{Session, StoreError};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::busy_readers::client;
use crate::incidents_plant;
use crate::support::{Answer, Service};

const MIB: usize = 1 << 20;
/// Incidents with texts of this length …
const LONG_TEXT: usize = 60_000;
/// … are three pages.
const MANY: i64 = 160;
/// The receive buffer of clients that take nothing.
const BUFFER_BYTES: u32 = 4 << 10;
/// The share of one client; the smallest that there is, as it has to be enough for one body.
const SHARE: usize = 16 * MIB;
/// The time in which a test fails that would otherwise wait for the deadline of a request.
const PATIENCE: Duration = Duration::from_secs(30);

const V2: &str = "/v2/incidents";
const V1: &str = "/v1/Incidents?pageSize=10000";

/// Twice the share of a client, and no deadline that would release anything.
fn little_memory(config: &mut Config) {
    config.limits.memory_bytes = 2 * SHARE;
    config.limits.request = Duration::from_secs(600);
    config.limits.body_read = Duration::from_secs(600);
    config.limits.body_pause = Duration::from_secs(600);
    config.limits.send = Duration::from_secs(600);
}

/// Incidents 1000, 1001 … with long texts.
async fn with_long_texts(service: &Service) {
    let filled = service.store().write(|session| {
        incidents_plant::fill(session)?;
        let text = "0123456 ".repeat(LONG_TEXT / 8);
        for at in 1000..1000 + MANY {
            session.execute(
                "INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, last_modified, text)
                    VALUES (?1, 3, 10, 'New', 'Low', 'Long', 20000, 10, ?2)",
                &[at.into(), text.as_str().into()],
            )?;
        }
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the rows fit the schema");
}

/// The ids of all pages; checks that none is longer than a page may be.
async fn pages(service: &Service, query: &str, prefer: &str) -> Vec<Vec<i64>> {
    let mut link = Some(format!("{}{V2}{query}", service.running.base_url()));
    let mut pages = Vec::new();
    while let Some(url) = link {
        let request = service.http.get(url).bearer_auth(service.token());
        let page = Answer::of(request.header("prefer", prefer)).await;
        assert_eq!(page.status, 200, "{}", page.text());
        // Up to the record that exceeds 4 MiB.
        let longest = 4 * MIB + 2 * LONG_TEXT;
        assert!(page.body.len() <= longest, "{} bytes", page.body.len());
        let page = page.json();
        pages.push(crate::reads_plant::ids(&page["value"]));
        link = page["@odata.nextLink"].as_str().map(str::to_owned);
    }
    pages
}

#[tokio::test]
async fn a_page_of_long_records_is_shorter_and_the_rest_follows() {
    let service = Service::start().await;
    with_long_texts(&service).await;
    let all: Vec<i64> = [100, 101].into_iter().chain(1000..1000 + MANY).collect();
    let down: Vec<i64> = all.iter().rev().copied().collect();
    let many = all.len();
    for (query, prefer, expected, count) in [
        ("", "", &all[..], 3),
        // Many keys are equal: the id decides.
        (
            "?$orderby=title desc,id desc&$filter=id ge 1000",
            "",
            &down[..many - 2],
            3,
        ),
        ("?$top=100&$skip=2&$count=true", "", &all[2..102], 2),
        // A page is halved until it is short enough.
        ("?$expand=type,comments", "", &all, 4),
        ("?$top=20", "maxpagesize=7", &all[..20], 3),
    ] {
        let pages = pages(&service, query, prefer).await;
        assert_eq!(pages.concat(), expected, "{query}");
        assert_eq!(pages.len(), count, "{query}");
        assert!(pages.iter().all(|page| !page.is_empty()), "{query}");
    }
    let counted = service.get(&format!("{V2}?$count=true")).await.json();
    assert_eq!(counted["@odata.count"], many);
}

/// Asks and reads nothing but the status. In this version a body is not in chunks.
async fn asked(service: &Service, token: &str, path: &str) -> (u16, TcpStream) {
    let socket = TcpSocket::new_v4().expect("a socket");
    let sized = socket.set_recv_buffer_size(BUFFER_BYTES);
    sized.expect("a size that may be set");
    let connected = socket.connect(service.running.address()).await;
    let mut stream = connected.expect("a connection");
    let request = format!(
        "GET {path} HTTP/1.0\r\nHost: plant.example\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    let sent = stream.write_all(request.as_bytes()).await;
    sent.expect("a request that is taken");
    let mut start = [0; 12];
    let read = tokio::time::timeout(PATIENCE, stream.read_exact(&mut start)).await;
    read.expect("a status in time").expect("a status");
    let status = std::str::from_utf8(&start[9..]).expect("ASCII");
    (status.parse().expect("a status"), stream)
}

/// One client asks again and again and takes nothing.
async fn is_bounded_for(path: &str, change: impl FnOnce(&mut Config)) {
    let service = Service::start_with(|config| {
        little_memory(config);
        change(config);
    })
    .await;
    with_long_texts(&service).await;
    let (_, heavy) = client(&service, "public.api.read").await;
    let (_, other) = client(&service, "public.api.read").await;
    let mut held = Vec::new();
    let refused = loop {
        let (status, stream) = asked(&service, &heavy, path).await;
        let bytes = service.figure("obeya_http_held_bytes").await;
        assert!(bytes <= SHARE as u64, "{bytes} bytes");
        if status != 200 {
            break (status, stream);
        }
        held.push(stream);
        assert!(held.len() < 100, "nothing is ever refused: {bytes} bytes");
    };
    let (status, mut stream) = refused;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("a problem");
    assert_eq!(status, 503, "{answer}");
    assert!(answer.contains("\r\nretry-after: 1\r\n"), "{answer}");
    assert!(answer.contains("\"unavailable\""), "{answer}");
    assert!(service.figure("obeya_http_memory_refused_total").await > 0);
    // What is small goes on, and so do the others.
    let small = service.get_as(Some(&heavy), "/v1/Incidents/100").await;
    assert_eq!(small.status, 200, "{}", small.text());
    for path in [path, V2] {
        let answer = service.get_as(Some(&other), path).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(answer.body.len() > 4 * MIB);
    }
    drop(held);
    let again = async { while service.get_as(Some(&heavy), path).await.status != 200 {} };
    tokio::time::timeout(PATIENCE, again)
        .await
        .expect("memory that is free again");
}

#[tokio::test]
async fn clients_that_take_nothing_of_their_v2_lists_are_refused_when_the_memory_is_used() {
    is_bounded_for(V2, |_| {}).await;
}

#[tokio::test]
async fn clients_that_take_nothing_of_their_v1_lists_are_refused_when_the_memory_is_used() {
    // Each waits with its reader; there must be more of them than fit.
    is_bounded_for(V1, |config| {
        config.limits.database_connections = 40;
        config.limits.client_reads = 40;
    })
    .await;
}

/// A batch of the largest size, without its body.
async fn announced(service: &Service, token: &str) -> TcpStream {
    let mut stream = crate::support::raw::connect(service.running.address()).await;
    let head = format!(
        "POST /v1/Datasources/1/values/batch HTTP/1.1\r\nHost: plant.example\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {SHARE}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream
}

fn insert_datasource(session: &mut dyn Session) -> Result<(), StoreError> {
    let rows = "INSERT INTO datasources (id, title) VALUES (1, 'Output')";
    session.execute(rows, &[]).map(drop)
}

fn batch(values: usize) -> Value {
    let value =
        json!({"value": 1, "valueDate": "2025-06-01T10:00:00Z", "description": "x".repeat(250)});
    vec![value; values].into()
}

#[tokio::test]
async fn a_body_counts_as_it_arrives_and_not_as_it_is_announced() {
    let service = Service::start_with(little_memory).await;
    let filled = service.store().write(insert_datasource).await;
    filled.expect("the row fits the schema");
    let (_, heavy) = client(&service, "public.api.write").await;
    let (_, other) = client(&service, "public.api.write").await;
    let send = async |token: &str, values: usize| {
        let url = service.url("/v1/Datasources/1/values/batch");
        let request = service.http.post(url).bearer_auth(token);
        let answer = Answer::of(request.json(&batch(values)));
        tokio::time::timeout(PATIENCE, answer)
            .await
            .expect("an answer in time")
    };
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(announced(&service, &heavy).await);
    }
    let accepted = send(&heavy, 1000).await;
    assert_eq!(accepted.status, 200, "{}", accepted.text());

    // Of one of them all but the end.
    let most = vec![b' '; SHARE - MIB / 16];
    let mut sent = silent.pop().expect("one");
    sent.write_all(&most).await.expect("sent");
    let counted =
        async { while service.figure("obeya_http_body_bytes").await < most.len() as u64 {} };
    tokio::time::timeout(PATIENCE, counted)
        .await
        .expect("all of it is counted");
    let refused = send(&heavy, 1000).await;
    refused.is_problem(503, "unavailable");
    assert_eq!(refused.header("retry-after"), "1");
    // A small body is not counted, and another client has its own share.
    assert_eq!(send(&heavy, 10).await.status, 200);
    assert_eq!(send(&other, 1000).await.status, 200);
    drop(sent);
    let again = async { while send(&heavy, 1000).await.status != 200 {} };
    tokio::time::timeout(PATIENCE, again)
        .await
        .expect("memory that is free again");
    assert_eq!(service.figure("obeya_http_body_bytes").await, 0);
}

/// A record that is read without a list is an answer like any other.
#[tokio::test]
async fn single_records_are_in_the_budget_and_answers_to_changes_are_never_refused() {
    let service = Service::start_with(|config| {
        config.limits.memory_bytes = 1;
        config.limits.body_bytes = LONG_TEXT / 2;
        config.limits.batch_bytes = LONG_TEXT / 2;
        config.limits.attachment_bytes = LONG_TEXT / 4;
    })
    .await;
    with_long_texts(&service).await;
    let filled = service.store().write(|session| {
        let title = "x".repeat(LONG_TEXT);
        let row = "INSERT INTO datasources (id, title) VALUES (1, ?1)";
        session.execute(row, &[title.as_str().into()])?;
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the row fits the schema");
    for path in ["/v1/Incidents/1000", "/v1/Datasources/1"] {
        service.get(path).await.is_problem(503, "unavailable");
    }
    assert_eq!(service.get("/v1/Incidents/100").await.status, 200);
    // Nothing is sent of a record that the client has.
    for path in ["/v1/Incidents/1000", "/v1/Datasources/1"] {
        let known = service.request(reqwest::Method::GET, path);
        let known = Answer::of(known.header("if-none-match", "*")).await;
        assert_eq!(known.status, 304, "{path}: {}", known.text());
    }
    let request = service.request(reqwest::Method::PUT, "/v1/Incidents/1000/externalId");
    let answer = Answer::of(request.json(&json!("e-7"))).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.body.len() > LONG_TEXT);
    assert_eq!(answer.json()["externalId"], "e-7");
}

/// The values of a body wait for the writer after their request was answered with 504, and are still counted.
#[tokio::test]
async fn a_body_counts_until_the_writer_is_done_with_its_values() {
    let service = Service::start_with(|config| {
        little_memory(config);
        config.limits.request = Duration::from_secs(2);
    })
    .await;
    let filled = service.store().write(insert_datasource).await;
    filled.expect("the row fits the schema");
    let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let store = service.store().clone();
    let held = tokio::spawn(async move {
        let work = move |_: &mut dyn Session| {
            // Nobody waits for a second attempt.
            let _ = begin.send(());
            // Ends when the sender goes.
            let _ = wait.lock().expect("no panic").recv();
            Ok::<_, StoreError>(())
        };
        store.write_isolated(work).await.expect("nothing to fail");
    });
    begun.recv().await.expect("begun");
    let answer = service
        .post("/v1/Datasources/1/values/batch", &batch(1000))
        .await;
    answer.is_problem(504, "timeout");
    let bytes = batch(1000).to_string().len() as u64;
    assert_eq!(service.figure("obeya_http_body_bytes").await, bytes);
    drop(go);
    held.await.expect("no panic");
    let released = async { while service.figure("obeya_http_body_bytes").await > 0 {} };
    tokio::time::timeout(PATIENCE, released)
        .await
        .expect("memory that is free again");
}
