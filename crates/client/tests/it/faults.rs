//! Random faults of networks, proxies and services against every kind of call: the right answer or a typed
//! error, in bounded time, and never two of what was to be created once.
//!
//! The server speaks HTTP over plain sockets, since no HTTP library answers half a body. Each scenario has
//! its own records, under its own path.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use obeya::model::{DatasourceValueInput, Timestamp};
use obeya::{Client, Error};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::edits::value;

/// What becomes of a request.
#[derive(Clone, Copy, Debug)]
enum Fault {
    TooMany,
    Unavailable,
    ProxyBefore,
    ProxyAfter,
    ResetBefore,
    ResetAfter,
    HalfBody,
    Slow,
    Expired,
}

const FAULTS: [Fault; 9] = [
    Fault::TooMany,
    Fault::Unavailable,
    Fault::ProxyBefore,
    Fault::ProxyAfter,
    Fault::ResetBefore,
    Fault::ResetAfter,
    Fault::HalfBody,
    Fault::Slow,
    Fault::Expired,
];

/// The kinds of calls.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Get,
    Stream,
    Create,
    Edit,
    Delete,
}

const KINDS: [Kind; 5] = [
    Kind::Get,
    Kind::Stream,
    Kind::Create,
    Kind::Edit,
    Kind::Delete,
];

/// The records of a scenario, and the faults that are still to come.
struct Plant {
    rng: fastrand::Rng,
    faults: u32,
    has_keys: bool,
    /// The bodies of the creates that were carried out.
    created: Vec<String>,
    /// How the requests under a key ended.
    ended: HashMap<String, (u16, String)>,
    value: Value,
    version: u32,
    is_deleted: bool,
    log: Vec<String>,
}

type Plants = Arc<Mutex<HashMap<u64, Plant>>>;

struct Request {
    method: String,
    path: String,
    headers: HashMap<String, String>,
    body: String,
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let mut lines = head.lines();
            let mut first = lines.next().unwrap().split(' ');
            let (method, path) = (first.next().unwrap(), first.next().unwrap());
            let headers: HashMap<String, String> = lines
                .filter_map(|line| line.split_once(": "))
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect();
            let length = headers
                .get("content-length")
                .map_or(0, |text| text.parse().unwrap());
            if bytes.len() >= end + 4 + length {
                let body = String::from_utf8(bytes[end + 4..end + 4 + length].to_vec()).unwrap();
                let (method, path) = (method.to_owned(), path.to_owned());
                return Some(Request {
                    method,
                    path,
                    headers,
                    body,
                });
            }
        }
        let mut chunk = [0; 4096];
        match stream.read(&mut chunk).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&chunk[..read]),
            _ => return None,
        }
    }
}

fn response(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
}

impl Plant {
    fn tag(&self) -> String {
        format!("\"v{}\"", self.version)
    }

    /// The answer of a service without faults.
    fn serve(&mut self, request: &Request) -> (u16, String) {
        let key = request
            .headers
            .get("idempotency-key")
            .filter(|_| self.has_keys);
        if let Some(ended) = key.and_then(|key| self.ended.get(key)) {
            return ended.clone();
        }
        let path = request.path.as_str();
        let answer = match request.method.as_str() {
            "GET" if path.ends_with("/areas/1") => (200, r#"{"id":1,"name":"Line 2"}"#.to_owned()),
            "GET" if path.contains("/values?") => {
                let page = json!({"pageSize": 1, "pageNo": 1, "count": 1, "values": [self.value]});
                (200, page.to_string())
            }
            "GET" => {
                let page: i32 = path
                    .split("page=")
                    .nth(1)
                    .map_or(1, |page| page.parse().unwrap());
                let next = (page < 4).then(|| format!("?page={}", page + 1));
                (
                    200,
                    json!({"value": [{"id": page}], "@odata.nextLink": next}).to_string(),
                )
            }
            "POST" => {
                self.created.push(request.body.clone());
                (200, r#"{"total":1}"#.to_owned())
            }
            "PUT" if request.headers.get("if-match") != Some(&self.tag()) => (412, String::new()),
            "PUT" => {
                for (name, value) in
                    serde_json::from_str::<serde_json::Map<String, Value>>(&request.body).unwrap()
                {
                    self.value[name] = value;
                }
                self.version += 1;
                (200, self.value.to_string())
            }
            _ if self.is_deleted => (404, String::new()),
            _ => {
                self.is_deleted = true;
                (204, String::new())
            }
        };
        // A refused request is not stored.
        if let Some(key) = key
            && answer.0 < 300
        {
            self.ended.insert(key.clone(), answer.clone());
        }
        answer
    }

    /// The bytes to send, and whether the connection ends after them.
    fn answer(&mut self, request: &Request, fault: Option<Fault>) -> (String, bool) {
        self.log
            .push(format!("{} {} {fault:?}", request.method, request.path));
        match fault {
            Some(Fault::TooMany) => return (response(429, "retry-after: 0\r\n", ""), false),
            Some(Fault::Unavailable) => {
                let problem = r#"{"code":"unavailable"}"#;
                return (response(503, "retry-after: 0\r\n", problem), false);
            }
            Some(Fault::ProxyBefore) => {
                return (response(502, "retry-after: 0\r\n", "<html>"), false);
            }
            Some(Fault::ResetBefore) => return (String::new(), true),
            Some(Fault::Expired) => return (response(401, "", ""), false),
            Some(Fault::ProxyAfter | Fault::ResetAfter | Fault::HalfBody | Fault::Slow) | None => {}
        }
        let (status, body) = self.serve(request);
        let tag = format!("etag: {}\r\n", self.tag());
        let whole = response(status, &tag, &body);
        match fault {
            Some(Fault::ProxyAfter) => (response(504, "retry-after: 0\r\n", "<html>"), false),
            Some(Fault::ResetAfter) => (String::new(), true),
            Some(Fault::HalfBody) => (
                whole[..whole.len() - body.len().div_ceil(2).max(3)].to_owned(),
                true,
            ),
            _ => (whole, false),
        }
    }
}

async fn connection(mut stream: TcpStream, plants: Plants) {
    while let Some(request) = read(&mut stream).await {
        let scenario = request.path.split('/').nth(1).unwrap().parse().unwrap();
        let (answer, ends, is_slow) = {
            let mut plants = plants.lock().unwrap();
            let plant: &mut Plant = plants.get_mut(&scenario).unwrap();
            if request.path.ends_with("/connect/token") {
                let token = r#"{"access_token":"t","expires_in":86400,"token_type":"Bearer"}"#;
                (response(200, "", token), false, false)
            } else if request.path.contains("/.well-known/") {
                (response(404, "", ""), false, false)
            } else {
                let fault = (plant.faults > 0 && plant.rng.bool()).then(|| {
                    plant.faults -= 1;
                    FAULTS[plant.rng.usize(..FAULTS.len())]
                });
                let (answer, ends) = plant.answer(&request, fault);
                (answer, ends, matches!(fault, Some(Fault::Slow)))
            }
        };
        if is_slow {
            // A fault of the scenario, and no wait of the test.
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
        if stream.write_all(answer.as_bytes()).await.is_err() || ends {
            return;
        }
    }
}

const LIMIT: Duration = Duration::from_secs(10);

/// A typed error that this fault may cause. Anything else is a mistake of the client's.
fn is_expected(error: &Error) -> bool {
    match error {
        Error::Connection { .. } | Error::Timeout { .. } => true,
        Error::Api {
            status, earlier, ..
        } => {
            matches!(status, 401 | 412 | 429 | 502 | 503 | 504)
                || (*status == 404 && earlier.is_some())
        }
        _ => false,
    }
}

async fn play(url: &str, plants: &Plants, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let (kind, has_keys) = (KINDS[rng.usize(..KINDS.len())], rng.bool());
    let plant = Plant {
        faults: rng.u32(0..5),
        rng: rng.fork(),
        has_keys,
        created: Vec::new(),
        ended: HashMap::new(),
        value: value(),
        version: 1,
        is_deleted: false,
        log: Vec::new(),
    };
    plants.lock().unwrap().insert(seed, plant);
    let client = Client::builder()
        .base_url(format!("{url}/{seed}"))
        .client_id("plant")
        .client_secret("hunter2")
        .idempotency_keys(has_keys)
        .max_retries(rng.u32(0..4))
        .timeout(LIMIT)
        .build()
        .unwrap();
    let started = Instant::now();
    let day: Timestamp = "2026-03-02T00:00:00Z".parse().unwrap();
    let outcome = match kind {
        Kind::Get => client
            .areas()
            .get(1)
            .await
            .map(|area| assert_eq!(area.id, Some(1))),
        Kind::Stream => client.areas().list().stream().all().await.map(|areas| {
            let ids: Vec<i32> = areas.iter().filter_map(|area| area.id).collect();
            assert_eq!(ids, [1, 2, 3, 4], "seed {seed}");
        }),
        Kind::Create => {
            let values = [DatasourceValueInput::new(1.0, day)];
            let created = client.datasources().create_values(9, &values).await;
            created.map(|count| assert_eq!(count, 1))
        }
        Kind::Edit => client
            .datasources()
            .edit_value(9, 5)
            .value(91.0)
            .await
            .map(|now| {
                assert_eq!((now.value, now.dimension.as_deref()), (91.0, Some("late")));
            }),
        Kind::Delete => client.improvements().delete(1).await,
    };
    let took = started.elapsed();
    let plant = plants.lock().unwrap().remove(&seed).unwrap();
    let what = format!(
        "seed {seed}, {kind:?}, keys {has_keys}: {outcome:?}\n{}",
        plant.log.join("\n")
    );
    assert!(took < LIMIT + Duration::from_secs(2), "{what}");
    assert!(plant.created.len() <= 1, "{what}");
    match &outcome {
        Err(error) => assert!(is_expected(error), "{what}"),
        Ok(()) => match kind {
            Kind::Get | Kind::Stream => {}
            Kind::Create => assert_eq!(plant.created.len(), 1, "{what}"),
            Kind::Edit => assert_eq!(
                (&plant.value["value"], &plant.value["areaId"]),
                (&json!(91.0), &json!(2)),
                "{what}"
            ),
            Kind::Delete => assert!(plant.is_deleted, "{what}"),
        },
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_ends_in_its_answer_or_a_typed_error() {
    let scenarios = if obeya_testkit::is_long() {
        10_000
    } else {
        500
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let plants = Plants::default();
    let served = Arc::clone(&plants);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, Arc::clone(&served)));
        }
    });
    let mut rng = obeya_testkit::rng();
    let seeds: Vec<u64> = (0..scenarios).map(|_| rng.u64(..)).collect();
    stream::iter(seeds)
        .for_each_concurrent(64, |seed| play(&url, &plants, seed))
        .await;
}
