//! Random faults of networks and proxies between the SDK and the service, against every kind of call: the
//! right answer or a typed error, after few requests, and never two records of one create.
//!
//! A relay makes the faults; all else is the service's, and what it stored is read past the relay.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use obeya::model::{DatasourceValueInput, ImprovementCreate, Timestamp};
use obeya::{Client, ClientBuilder, Error};
use obeya_server::admin::NewClient;
use obeya_server::store::engine::{Session, StoreError};
use obeya_testkit::{Fault, Proxy};
use serde_json::Value;

use crate::support::{ALL, Service};

const FAULTS: [Fault; 9] = [
    Fault::Refuse("HTTP/1.1 429 X\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n"),
    // As the service refuses what it has not changed anything for.
    Fault::Refuse(
        "HTTP/1.1 503 X\r\ncontent-type: application/problem+json\r\nretry-after: 0\r\n\
         content-length: 22\r\n\r\n{\"code\":\"unavailable\"}",
    ),
    Fault::Refuse("HTTP/1.1 502 X\r\nretry-after: 0\r\ncontent-length: 6\r\n\r\n<html>"),
    Fault::Replace("HTTP/1.1 504 X\r\nretry-after: 0\r\ncontent-length: 6\r\n\r\n<html>"),
    Fault::ResetBefore,
    Fault::ResetAfter,
    Fault::Cut,
    Fault::Delay(Duration::from_millis(40)),
    Fault::SpoilToken,
];

/// The kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Get,
    /// Pages that follow by links.
    Linked,
    /// Pages by number, several requested at once.
    Numbered,
    CreateValues,
    Create,
    Edit,
    Delete,
}

const KINDS: [Kind; 7] = [
    Kind::Get,
    Kind::Linked,
    Kind::Numbered,
    Kind::CreateValues,
    Kind::Create,
    Kind::Edit,
    Kind::Delete,
];

impl Kind {
    /// The most requests of a call without faults, and for each fault.
    fn requests(self) -> (usize, usize) {
        match self {
            Self::Get | Self::CreateValues | Self::Create | Self::Delete => (1, 1),
            Self::Linked | Self::Numbered => (PAGES, 1),
            // Refused for its tag, it reads the value and writes again.
            Self::Edit => (4, 3),
        }
    }

    /// Whether a call that is sent again has the same effect as once.
    fn is_read(self) -> bool {
        matches!(self, Self::Get | Self::Linked | Self::Numbered)
    }
}

const PAGES: usize = 4;
/// The values of the datasource that is read, and the areas.
const IDS: [i32; PAGES] = [1, 2, 3, 4];
const READ: i32 = 1;
const WRITTEN: i32 = 2;

const ROWS: [&str; 3] = [
    "INSERT INTO users (id, user_name, display_name) VALUES ('u-104', 'ingrid', 'Ingrid')",
    "INSERT INTO areas (id, name) VALUES (1, 'Press hall'), (2, 'Paint'), (3, 'Assembly'), (4, 'Store')",
    "INSERT INTO datasources (id, title) VALUES (1, 'Output'), (2, 'Scrap')",
];

fn fill(session: &mut dyn Session) -> Result<(), StoreError> {
    ROWS.iter()
        .try_for_each(|sql| session.execute(sql, &[]).map(drop))
}

/// The faults that are still to come in a scenario, and its requests.
struct Script {
    rng: fastrand::Rng,
    left: u32,
    /// The first line of each request, and its fault.
    log: Vec<(String, Option<Fault>)>,
}

type Scripts = Arc<Mutex<HashMap<u64, Script>>>;

/// The fault of a request. Its client is the scenario's, by the end of its name.
fn next_fault(scripts: &Scripts, head: &str) -> Option<Fault> {
    let line = head.lines().next().expect("a first line");
    if line.contains("/connect/token") || line.contains("/.well-known/") {
        return None;
    }
    let name = head
        .lines()
        .find_map(|line| line.strip_prefix("user-agent: "));
    let seed = name.and_then(|name| name.rsplit('/').next()?.parse().ok());
    let mut scripts = scripts.lock().expect("no panic");
    // A request that was given up may arrive after its scenario has ended.
    let script = scripts.get_mut(&seed.expect("the scenario"))?;
    let fault = (script.left > 0 && script.rng.bool()).then(|| {
        script.left -= 1;
        FAULTS[script.rng.usize(..FAULTS.len())]
    });
    script.log.push((line.to_owned(), fault));
    fault
}

/// A typed error that these faults may cause. Anything else is a mistake of the client's.
fn is_expected(error: &Error) -> bool {
    match error {
        Error::Connection { .. } => true,
        Error::Api {
            status, earlier, ..
        } => {
            matches!(status, 401 | 412 | 429 | 502 | 503 | 504)
                || (*status == 404 && earlier.is_some())
        }
        _ => false,
    }
}

/// The time of a call. Only a mistake of the client's takes as long.
const LIMIT: Duration = Duration::from_secs(120);

struct Plant {
    service: Service,
    relay: Proxy,
    scripts: Scripts,
    credentials: NewClient,
    /// Past the relay.
    direct: Client,
}

impl Plant {
    async fn start() -> Self {
        let scripts = Scripts::default();
        let shared = Arc::clone(&scripts);
        let relay = Proxy::faulty(move |head| next_fault(&shared, head));
        let service = Service::start().await;
        relay.set(0, Some(service.running.address()));
        service.store().write(fill).await.expect("the rows fit");
        let direct = Client::builder()
            .base_url(service.running.base_url())
            .token(service.token())
            .timeout(LIMIT)
            .build()
            .expect("a client");
        let values: Vec<_> = IDS.map(input).into();
        let created = direct.datasources().create_values(READ, &values).await;
        created.expect("the values");
        let credentials = service.running.add_client("plant", &ALL).await;
        Self {
            credentials: credentials.expect("a client"),
            service,
            relay,
            scripts,
            direct,
        }
    }

    fn client(&self) -> ClientBuilder {
        Client::builder()
            .base_url(self.relay.url())
            .token_url(self.service.url("/connect/token"))
            .client_id(&self.credentials.client_id)
            .client_secret(&self.credentials.client_secret)
            .timeout(LIMIT)
    }

    /// The values of a datasource with this property as JSON.
    async fn stored(&self, datasource: i32, condition: &str) -> Vec<Value> {
        let path = format!("/v1/Datasources/{datasource}/values?$filter={condition}");
        let answer = self.service.get(&path).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let mut page = answer.json();
        let values = page["values"].as_array_mut().expect("values");
        std::mem::take(values)
    }

    /// How many improvements have this title.
    async fn improvements(&self, condition: &str) -> usize {
        let path = format!("/v1/Improvements?$filter={condition}");
        let answer = self.service.get(&path).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["values"].as_array().expect("values").len()
    }
}

fn input(day: i32) -> DatasourceValueInput {
    let date: Timestamp = format!("2025-03-{day:02}T00:00:00Z")
        .parse()
        .expect("a day");
    DatasourceValueInput::new(f64::from(day), date)
}

async fn play(plant: &Plant, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let kind = KINDS[rng.usize(..KINDS.len())];
    let (has_keys, retries, faults) = (rng.bool(), rng.u32(0..4), rng.u32(0..5));
    let script = Script {
        rng: rng.fork(),
        left: faults,
        log: Vec::new(),
    };
    plant.scripts.lock().expect("no panic").insert(seed, script);
    let client = plant
        .client()
        .user_agent(format!("scenario/{seed}"))
        .idempotency_keys(has_keys)
        .max_retries(retries)
        .build()
        .expect("a client");
    let name = format!("s{seed}");
    let mut made = 0;
    match kind {
        Kind::Edit => {
            let new = DatasourceValueInput {
                description: Some(name.clone()),
                dimension: Some("late".to_owned()),
                area_id: Some(2),
                ..input(1)
            };
            let value = plant.direct.datasources().create_value(WRITTEN, &new).await;
            made = value.expect("a value").id;
        }
        Kind::Delete => {
            let new = ImprovementCreate::new(name.clone(), "u-104");
            let improvement = plant.direct.improvements().create(&new).await;
            made = improvement.expect("an improvement").id;
        }
        _ => {}
    }
    let call = call(&client, kind, &name, made);
    let outcome = tokio::time::timeout(2 * LIMIT, call).await;
    let Script { log, .. } = plant
        .scripts
        .lock()
        .expect("no panic")
        .remove(&seed)
        .expect("the script");
    let what =
        format!("seed {seed}, {kind:?}, keys {has_keys}, {retries} retries: {outcome:?}\n{log:#?}");
    let outcome = outcome.unwrap_or_else(|_| panic!("no end: {what}"));

    let broken: Vec<Fault> = log.iter().filter_map(|(_, fault)| *fault).collect();
    let (least, each) = kind.requests();
    assert!(log.len() <= least + each * broken.len(), "{what}");
    match &outcome {
        Err(error) => assert!(is_expected(error), "{what}"),
        Ok(right) => assert!(right, "{what}"),
    }
    // A call that may be sent again, and often enough for all the faults, must not fail.
    let spoiled = broken.iter().filter(|fault| **fault == Fault::SpoilToken);
    let is_easy = spoiled.count() <= 1 && broken.len() <= retries as usize;
    assert!(
        outcome.is_ok() || !is_easy || !(has_keys || kind.is_read()),
        "{what}"
    );

    let by_name = format!("description eq '{name}'");
    match kind {
        Kind::Get | Kind::Linked | Kind::Numbered => {}
        Kind::CreateValues => {
            let stored = plant.stored(WRITTEN, &by_name).await.len();
            assert!(stored == 1 || (stored == 0 && outcome.is_err()), "{what}");
        }
        Kind::Create => {
            let stored = plant.improvements(&format!("title eq '{name}'")).await;
            assert!(stored == 1 || (stored == 0 && outcome.is_err()), "{what}");
        }
        Kind::Edit => {
            let stored = plant.stored(WRITTEN, &by_name).await;
            let [stored] = &stored[..] else {
                panic!("{stored:?}: {what}");
            };
            assert!(
                stored["value"] == 91.0 || (stored["value"] == 1.0 && outcome.is_err()),
                "{stored}: {what}"
            );
            assert_eq!(
                (&stored["dimension"], &stored["areaId"]),
                (&"late".into(), &2.into()),
                "{what}"
            );
        }
        Kind::Delete => {
            let stored = plant.improvements(&format!("title eq '{name}'")).await;
            assert!(stored == 0 || outcome.is_err(), "{what}");
        }
    }
}

/// Makes the call; whether its answer is right.
async fn call(client: &Client, kind: Kind, name: &str, made: i32) -> Result<bool, Error> {
    let datasources = client.datasources();
    Ok(match kind {
        Kind::Get => client.areas().get(1).await?.name.as_deref() == Some("Press hall"),
        Kind::Linked => {
            let one_by_one = client.header("prefer", "odata.maxpagesize=1")?;
            let areas = one_by_one.areas().list().stream().all().await?;
            let ids: Vec<_> = areas.iter().filter_map(|area| area.id).collect();
            ids == IDS
        }
        Kind::Numbered => {
            let values = datasources.values(READ).page_size(1).stream().all().await?;
            let figures: Vec<f64> = values.iter().map(|value| value.value).collect();
            figures == IDS.map(f64::from)
        }
        Kind::CreateValues => {
            let new = DatasourceValueInput {
                description: Some(name.to_owned()),
                ..input(1)
            };
            datasources.create_values(WRITTEN, &[new]).await? == 1
        }
        Kind::Create => {
            let new = ImprovementCreate::new(name, "u-104");
            client.improvements().create(&new).await?.title.as_deref() == Some(name)
        }
        Kind::Edit => {
            let now = datasources.edit_value(WRITTEN, made).value(91.0).await?;
            (now.value, now.dimension.as_deref(), now.area_id) == (91.0, Some("late"), Some(2))
        }
        Kind::Delete => client.improvements().delete(made).await.map(|()| true)?,
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_ends_in_its_answer_or_a_typed_error() {
    let scenarios = if obeya_testkit::is_long() {
        10_000
    } else {
        500
    };
    let plant = Plant::start().await;
    let mut rng = obeya_testkit::rng();
    let seeds: Vec<u64> = (0..scenarios).map(|_| rng.u64(..)).collect();
    stream::iter(seeds)
        .for_each_concurrent(64, |seed| play(&plant, seed))
        .await;
}
