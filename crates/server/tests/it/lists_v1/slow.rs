//! Lists of records with long texts, to clients that take their time.

use std::time::Duration;

use obeya_server::Config;
use obeya_server::store::{Session, StoreError, Value};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::{INCIDENTS, records};
use crate::busy_readers::client;
use crate::incidents_plant;
use crate::reads_plant::ids;
use crate::store::Held;
use crate::support::Service;

/// Together they exceed by far the buffer of a list and the socket buffers of the service.
const MANY: i64 = 600;
/// The receive buffer of the clients: without a limit it grows to tens of megabytes and takes the whole
/// answer.
const BUFFER_BYTES: u32 = 256 << 10;
const LONG_TEXT: usize = 60_000;
/// The buffer limit of a list with one page of the default size.
const HELD_BYTES: u64 = 2 << 20;
/// Longer than a batch and than the buffer; it may be buffered alone.
const LONGEST_TEXT: usize = 3 << 20;
const LONGEST_RECORD: u64 = LONGEST_TEXT as u64 + 4096;

/// The number of attempts before an expected condition counts as failed.
const TRIES: u32 = 100_000;

/// No client here is cut off for slowness alone, on any busy machine.
fn wait_long(config: &mut Config) {
    config.limits.request = Duration::from_secs(600);
    config.limits.send = Duration::from_secs(600);
}

/// Incidents 1000, 1001 …: one half have long texts, the other a custom field with one, and one of the first
/// is longer than the rest.
async fn with_long_texts(service: &Service) {
    let filled = service.store().write(|session| {
        incidents_plant::fill(session)?;
        for at in 0..MANY {
            let text = |bytes: usize| format!("{at:07} ").repeat(bytes / 8);
            let own = match at {
                8 => text(LONGEST_TEXT),
                at if at % 2 == 0 => text(LONG_TEXT),
                _ => text(8),
            };
            insert(
                session,
                "INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, last_modified, text)
                    VALUES (?1, 3, 10, 'New', 'Low', 'Long', 20000, 10, ?2)",
                &[(1000 + at).into(), (&own).into()],
            )?;
            if at % 2 == 1 {
                let value = text(LONG_TEXT);
                insert(
                    session,
                    "INSERT INTO incident_custom_fields (incident_id, custom_field_id, value, registration_date) VALUES (?1, 61, ?2, 17)",
                    &[(1000 + at).into(), (&value).into()],
                )?;
            }
        }
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the rows fit the schema");
}

fn insert(session: &mut dyn Session, sql: &str, binds: &[Value<'_>]) -> Result<(), StoreError> {
    session.execute(sql, binds).map(drop)
}

/// Requests the list and reads only its head.
async fn asked(service: &Service) -> TcpStream {
    let (head, stream) = asked_as(service, service.token()).await;
    assert!(head.contains(" 200 "), "{head}");
    stream
}

/// The same with this token, whatever the answer is.
async fn asked_as(service: &Service, token: &str) -> (String, TcpStream) {
    let socket = TcpSocket::new_v4().expect("a socket");
    let sized = socket.set_recv_buffer_size(BUFFER_BYTES);
    sized.expect("a size that may be set");
    let connected = socket.connect(service.running.address()).await;
    let mut stream = connected.expect("a connection");
    // In this version a body ends with its connection, and is not in chunks.
    let request = format!(
        "GET {INCIDENTS} HTTP/1.0\r\nHost: plant.example\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    let sent = stream.write_all(request.as_bytes()).await;
    sent.expect("a request that is taken");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("a head"));
    }
    (String::from_utf8(head).expect("UTF-8"), stream)
}

/// The bytes buffered for clients, which never exceed the limit.
async fn held(service: &Service) -> u64 {
    let bytes = service.figure("obeya_http_held_bytes").await;
    assert!(bytes <= LONGEST_RECORD, "{bytes} bytes were held");
    bytes
}

/// Requests a list that is long work, and small, until the answer is as wanted.
async fn until_a_list_is(service: &Service, status: u16) {
    for _ in 0..TRIES {
        if service.get("/v1/Improvements?pageSize=10000").await.status == status {
            return;
        }
    }
    panic!("no list was answered with {status}");
}

/// Waits until this much is buffered.
async fn until_held(service: &Service, bytes: u64) {
    for _ in 0..TRIES {
        if held(service).await >= bytes {
            return;
        }
    }
    panic!("the service never held {bytes} bytes");
}

#[tokio::test]
async fn a_client_that_takes_its_time_gets_every_byte_and_little_is_held_for_it() {
    let service = Service::start_with(wait_long).await;
    with_long_texts(&service).await;
    let mut slow = asked(&service).await;
    // In the time that a fast client takes for all of it, a reader that does not wait would have read it too.
    let whole = service.get(INCIDENTS).await;
    held(&service).await;
    let mut expected = vec![100, 101];
    expected.extend(1000..1000 + MANY);
    assert_eq!(ids(&whole.json()["values"]), expected);
    for id in [1000, 1001, 1008, 1599] {
        let alone = service.get(&format!("{INCIDENTS}/{id}")).await.text();
        assert!(records(&whole.text()).contains(&alone), "{id}");
    }

    let mut taken = Vec::new();
    loop {
        // As long as the rest exceeds every buffer, the reader waits for this client, regardless of their
        // speed.
        if taken.len() < whole.body.len() / 3 {
            until_held(&service, HELD_BYTES / 4).await;
        }
        held(&service).await;
        let before = taken.len();
        let mut part = (&mut slow).take(1 << 20);
        let read = part.read_to_end(&mut taken).await;
        read.expect("more of the answer");
        if taken.len() == before {
            break;
        }
    }
    assert!(taken == whole.body, "not the bytes that a fast client gets");
    assert_eq!(held(&service).await, 0);
}

#[tokio::test]
async fn a_client_that_goes_away_gives_back_the_reader_that_waits_for_it() {
    let service = Service::start_with(|config| {
        // Of five, one is for long work.
        config.limits.database_connections = 5;
        config.limits.database_wait = Duration::from_millis(100);
        wait_long(config);
    })
    .await;
    with_long_texts(&service).await;
    let slow = asked(&service).await;
    until_a_list_is(&service, 503).await;
    // Short work has separate readers.
    let alone = service.get("/v1/Incidents/100").await;
    assert_eq!(alone.status, 200);
    drop(slow);
    until_a_list_is(&service, 200).await;
}

#[tokio::test]
async fn clients_that_take_nothing_leave_readers_to_others() {
    let service = Service::start_with(|config| {
        // Of six, two are for long work, and one of them may wait for a client that takes nothing. All
        // requests are of the same client.
        config.limits.database_connections = 6;
        config.limits.client_share = 100;
        config.limits.database_wait = Duration::from_millis(100);
        wait_long(config);
    })
    .await;
    with_long_texts(&service).await;
    let whole = service.get(INCIDENTS).await;
    let slow = [asked(&service).await, asked(&service).await];
    until_a_list_is(&service, 200).await;
    let mut given = 0;
    for mut answer in slow {
        // One waited all the time and gets everything, the other is cut short.
        let mut body = Vec::new();
        let _ = answer.read_to_end(&mut body).await;
        assert!(
            whole.body.starts_with(&body),
            "not the bytes that a fast client gets"
        );
        given += usize::from(body.len() == whole.body.len());
    }
    assert_eq!(given, 1);
}

/// Of eight readers four are for long work, and two of these may wait for clients that take nothing.
#[tokio::test]
async fn a_client_that_takes_nothing_leaves_another_one_its_turn_to_be_slow() {
    let service = Service::start_with(|config| {
        config.limits.database_connections = 8;
        config.limits.database_wait = Duration::from_secs(2);
        wait_long(config);
    })
    .await;
    with_long_texts(&service).await;
    let whole = service.get(INCIDENTS).await;
    let (_, heavy) = client(&service, "public.api.read").await;
    let (_, other) = client(&service, "public.api.read").await;
    let (third, _) = client(&service, "public.api.read").await;
    let held = Held::all(&service.store().for_client(&third.into()), 1).await;
    let mut silent = Vec::new();
    for token in [&heavy, &heavy, &other] {
        let (head, stream) = asked_as(&service, token).await;
        assert!(head.contains(" 200 "), "{head}");
        silent.push(stream);
    }
    // Every reader is in use until one of the three is cut short.
    until_a_list_is(&service, 200).await;
    let mut is_whole = Vec::new();
    for mut answer in silent {
        let mut body = Vec::new();
        let _ = answer.read_to_end(&mut body).await;
        is_whole.push(body == whole.body);
    }
    assert!(is_whole[2], "the other client was cut short");
    assert!(is_whole[0] != is_whole[1], "{is_whole:?}");
    held.release().await;
}

#[tokio::test]
async fn a_hundred_readers_that_take_nothing_keep_no_reader_from_another_client() {
    let service = Service::start_with(|config| {
        config.limits.database_wait = Duration::from_secs(2);
        wait_long(config);
    })
    .await;
    with_long_texts(&service).await;
    let (_, heavy) = client(&service, "public.api.read").await;
    let (_, other) = client(&service, "public.api.read").await;
    let asked = (0..100).map(|_| asked_as(&service, &heavy));
    let silent = futures_util::future::join_all(asked).await;
    let taken = silent.iter().filter(|(head, _)| head.contains(" 200 "));
    assert!(taken.count() > 0, "none is silent");
    // Long work as well, and small.
    let path = "/v1/Improvements?pageSize=10000";
    let answer = service.get_as(Some(&other), path).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    drop(silent);
}
