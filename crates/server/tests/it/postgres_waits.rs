//! How often a request waits for PostgreSQL: a proxy counts the turns of the conversation. Over a network a wait costs more than all else of a small request.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use obeya_server::store::{Session, StoreError};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::etags::send;
use crate::incidents_plant::{self, least, least_update, with};
use crate::support::postgres::Scratch;
use crate::support::{Database, Service};

/// Passes connections on, and counts how often a client speaks after the server has: each time it had to wait before.
struct Proxy {
    port: u16,
    turns: Arc<AtomicU64>,
}

impl Proxy {
    async fn before(server: String) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let turns = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&turns);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.expect("the server");
                client.set_nodelay(true).expect("an option");
                server.set_nodelay(true).expect("an option");
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                let answered = Arc::new(AtomicBool::new(true));
                let (asks, answers) = (Arc::clone(&answered), answered);
                let count = Arc::clone(&count);
                tokio::spawn(pass(from_client, to_server, move || {
                    if asks.swap(false, Ordering::SeqCst) {
                        count.fetch_add(1, Ordering::SeqCst);
                    }
                }));
                tokio::spawn(pass(from_server, to_client, move || {
                    answers.store(true, Ordering::SeqCst);
                }));
            }
        });
        Self { port, turns }
    }
}

/// Until one of the two ends.
async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, noted: impl Fn()) {
    let mut piece = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut piece).await {
        noted();
        if to.write_all(&piece[..length]).await.is_err() {
            return;
        }
    }
}

/// The authority of an address and what stands around it.
fn split(url: &str) -> (String, String, String) {
    let (credentials, rest) = url.split_once('@').expect("a user");
    let (authority, path) = rest.split_once('/').expect("a database");
    (
        format!("{credentials}@"),
        authority.to_owned(),
        format!("/{path}"),
    )
}

fn fill(session: &mut dyn Session) -> Result<(), StoreError> {
    incidents_plant::fill(session)?;
    let rows = "INSERT INTO datasources (id, title) VALUES (1, 'Output')";
    session.execute(rows, &[]).map(drop)
}

/// Requests that are counted together: what the service does beside them is far less than half of one turn each.
const ROUNDS: u32 = 16;

/// A header that each of many requests has.
#[derive(Clone, Copy)]
enum Header {
    None,
    /// `Idempotency-Key`, another one each time.
    Key,
    /// `If-Match: *`
    Match,
}

impl Header {
    fn of(self, round: u32) -> Option<(&'static str, String)> {
        match self {
            Self::None => None,
            Self::Key => Some(("idempotency-key", format!("key-{round}"))),
            Self::Match => Some(("if-match", "*".to_owned())),
        }
    }
}

/// The turns that each of many requests takes, once its statements are prepared.
async fn turns(
    (service, proxy): (&Service, &Proxy),
    (method, path): (&Method, &str),
    header: Header,
    body: impl Fn(u32) -> Option<Value>,
) -> u64 {
    let ask = async |round| {
        let header = header.of(round);
        let header: Vec<_> = header
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        let asked = (method.clone(), path);
        let answer = send(service, asked, &header, body(round).as_ref()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    };
    for round in ROUNDS..ROUNDS + 4 {
        ask(round).await;
    }
    let before = proxy.turns.load(Ordering::SeqCst);
    for round in 0..ROUNDS {
        ask(round).await;
    }
    let turns = proxy.turns.load(Ordering::SeqCst) - before;
    (turns + u64::from(ROUNDS) / 2) / u64::from(ROUNDS)
}

/// A transaction takes a turn to begin and one to end, and nobody waits for the one that ends a read.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_read_and_written_in_few_turns() {
    let scratch = Scratch::new();
    let (user, authority, path) = split(scratch.url());
    let proxy = Proxy::before(authority).await;
    let through = format!("{user}127.0.0.1:{}{path}", proxy.port);
    let service = Service::start_on(Arc::new(Database::at(through)), |_| {}).await;
    service.store().write(fill).await.expect("the rows fit");
    let both = (&service, &proxy);

    let incident = (&Method::PUT, "/v1/Incidents/100");
    let title = |round: u32| {
        let title = format!("Crack {round}");
        Some(with(least_update(), &json!({"title": title})))
    };
    let same = |_: u32| title(0);
    let causes = |round: u32| Some(json!([{"id": 41 + round % 2}]));
    let cost = |round: u32| Some(json!({"costOfInvestment": round}));
    let value = |round: u32| {
        let at = format!("2025-06-01T10:00:{round:02}Z");
        Some(json!({"value": 1e16, "valueDate": at}))
    };
    let values = "/v1/Datasources/1/values";
    let first = value(59).expect("a body");
    let first = service.post(values, &first).await.json()["id"].to_string();
    let first = format!("{values}/{first}");
    let first = (&Method::PUT, first.as_str());

    let by_id = (&Method::GET, "/v1/Incidents/100");
    assert!(turns(both, by_id, Header::None, |_| None).await <= 6);
    let by_id = (&Method::GET, "/v1/Improvements/317");
    assert!(turns(both, by_id, Header::None, |_| None).await <= 2);
    assert!(turns(both, incident, Header::None, title).await <= 4);
    assert!(turns(both, incident, Header::None, same).await <= 4);
    assert!(turns(both, incident, Header::Key, title).await <= 5);
    assert!(turns(both, incident, Header::Match, title).await <= 5);
    let reported = (&Method::POST, "/v1/Incidents");
    assert!(turns(both, reported, Header::None, |_| Some(least())).await <= 5);
    let parts = (&Method::PUT, "/v1/Incidents/100/causes");
    assert!(turns(both, parts, Header::None, causes).await <= 5);
    let improvement = (&Method::PUT, "/v1/Improvements/317");
    assert!(turns(both, improvement, Header::None, cost).await <= 6);
    let added = (&Method::POST, values);
    assert!(turns(both, added, Header::None, value).await <= 5);
    assert!(turns(both, first, Header::None, value).await <= 4);
    assert!(turns(both, first, Header::Match, value).await <= 5);
}
