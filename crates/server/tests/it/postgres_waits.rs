//! Round trips of a request to PostgreSQL, counted by a proxy. Over a network a round trip costs more than
//! the rest of a small request.

use std::sync::Arc;

use obeya_server::store::{Session, StoreError};
use obeya_testkit::Proxy;
use reqwest::Method;
use serde_json::{Value, json};

use crate::etags::send;
use crate::incidents_plant::{self, least, least_update, with};
use crate::support::{Database, Service};

fn fill(session: &mut dyn Session) -> Result<(), StoreError> {
    incidents_plant::fill(session)?;
    let rows = "INSERT INTO datasources (id, title) VALUES (1, 'Output')";
    session.execute(rows, &[]).map(drop)
}

/// The number of requests that are counted together: background work is far less than half a round trip for
/// each.
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
    let before = proxy.turns();
    for round in 0..ROUNDS {
        ask(round).await;
    }
    let turns = proxy.turns() - before;
    (turns + u64::from(ROUNDS) / 2) / u64::from(ROUNDS)
}

/// A transaction takes one round trip to begin and one to end; the end of a read is not waited for.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_read_and_written_in_few_turns() {
    let database = Database::new();
    let (user, rest) = database.url().split_once('@').expect("a user");
    let (server, path) = rest.split_once('/').expect("a database");
    let proxy = Proxy::to(server);
    let through = format!("{user}@{}/{path}", proxy.address());
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
