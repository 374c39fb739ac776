//! A database server that fails: clients get a clear answer at once, no accepted write is lost, and the
//! service recovers without help.

use std::sync::Arc;
use std::time::{Duration, Instant};

use obeya_server::store::{Session, Store, StoreError, StoreOptions, Value, WriteFault};
use obeya_server::{Clock, Config, Server};
use obeya_testkit::postgres::{Cluster, Shutdown, connect};
use reqwest::Method;
use serde_json::json;
use tokio_postgres::Client;

use crate::busy_readers::{client, goes_on};
use crate::incidents_plant::{self, accepted, least, least_update, plant, with};
use crate::store::{Held, add_area, areas, opened};
use crate::support::sql::number;
use crate::support::{Answer, Database, START, Service};

/// The password of the user `postgres` of a server of our own.
const PASSWORD: &str = "on1y-for-a-test";

/// The time in which every request must be answered, whatever the server does.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server of our own, running.
fn cluster() -> Cluster {
    let mut cluster = Cluster::new(PASSWORD);
    cluster.start(&["jit=off"]);
    cluster
}

/// The address of one of its databases.
fn url(cluster: &Cluster, database: &str) -> String {
    cluster.url(&format!("postgres:{PASSWORD}"), database)
}

/// The service on the plant, over a server that may be stopped.
async fn plant_on(cluster: &Cluster) -> Service {
    let database = Database::at(url(cluster, "postgres"));
    let service = Service::start_on(Arc::new(database), |_| ()).await;
    let filled = service.store().write(incidents_plant::fill).await;
    filled.expect("the rows fit the schema");
    service
}

/// The answer of the service, which must be fast.
async fn in_time(request: reqwest::RequestBuilder) -> Answer {
    tokio::time::timeout(PATIENCE, Answer::of(request))
        .await
        .expect("an answer in time")
}

/// Asserts that the answer suggests a retry.
fn is_unavailable(answer: &Answer) {
    answer.is_problem(503, "unavailable");
    assert_eq!(answer.header("retry-after"), "1");
}

/// Requests until the service has recovered, which must be soon.
async fn until_well(service: &Service, path: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = in_time(service.request(Method::GET, path)).await;
        if answer.status == 200 {
            return;
        }
        is_unavailable(&answer);
        assert!(Instant::now() < deadline, "{}", answer.text());
    }
}

/// Another transaction, which locks the areas.
async fn lock(url: &str) -> Client {
    let other = connect(url).await;
    let lock = "BEGIN; LOCK TABLE areas IN ACCESS EXCLUSIVE MODE";
    other.batch_execute(lock).await.expect("a lock");
    other
}

async fn refusal(url: &str) -> String {
    let Err(error) = Server::start(Config::new(url)).await else {
        panic!("{url} was opened");
    };
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn what_cannot_be_used_is_reported_at_the_start_and_without_the_password() {
    let mut cluster = cluster();
    let wrong = refusal(&cluster.url("postgres:wr0ng-one", "postgres")).await;
    assert!(wrong.contains("password authentication failed"), "{wrong}");
    let missing = refusal(&url(&cluster, "nowhere")).await;
    assert!(missing.contains("\"nowhere\" does not exist"), "{missing}");
    cluster.stop(Shutdown::Immediate);
    let nobody = refusal(&url(&cluster, "postgres")).await;
    assert!(nobody.contains("refused"), "{nobody}");
    for text in [wrong, missing, nobody] {
        assert!(text.starts_with("cannot open the database postgres://"));
        assert!(
            !text.contains(PASSWORD) && !text.contains("wr0ng"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone() {
    let (database, store) = opened().await;
    let added = store.write(|session| add_area(session, 1, "a")).await;
    added.expect("an area");
    store.close().await;
    let other = connect(database.url()).await;
    let newer = "UPDATE obeya_schema SET version = 4711";
    other.batch_execute(newer).await.expect("a newer one");
    let text = refusal(database.url()).await;
    assert!(
        text.contains("has schema version 4711, and this program knows versions up to "),
        "{text}"
    );
    let left =
        "SELECT (SELECT version FROM obeya_schema)::bigint * 10 + (SELECT count(*) FROM areas)";
    let left: i64 = other.query_one(left, &[]).await.expect("a row").get(0);
    assert_eq!(left, 47_111);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_is_reported_at_once_and_used_again_when_it_is_back() {
    let mut cluster = cluster();
    let service = plant_on(&cluster).await;
    let before = accepted(&service, "POST", "/v1/Incidents", &least()).await;
    let id = before["id"].as_i64().expect("an id");

    // One request is with the server when that stops.
    let other = lock(service.db()).await;
    let held = tokio::spawn(Answer::of(service.request(Method::GET, "/v2/areas")));
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    while number(service.store(), waiting).await == 0 {}
    cluster.stop(Shutdown::Immediate);
    let cut = tokio::time::timeout(PATIENCE, held).await;
    is_unavailable(&cut.expect("an answer in time").expect("no panic"));
    drop(other);

    let path = format!("/v1/Incidents/{id}");
    for (method, path, body) in [
        (Method::GET, "/v2/areas", None),
        (Method::GET, "/v1/Boards/7", None),
        (Method::GET, "/readyz", None),
        (Method::POST, "/v1/Incidents", Some(least())),
        (Method::PUT, path.as_str(), Some(least_update())),
        (Method::GET, "/v2/areas", None),
    ] {
        let mut request = service.request(method.clone(), path);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = in_time(request).await;
        assert_eq!(answer.status, 503, "{method} {path}: {}", answer.text());
        assert_eq!(answer.header("retry-after"), "1", "{method} {path}");
    }

    cluster.start(&["jit=off"]);
    until_well(&service, "/v2/areas").await;
    until_well(&service, "/readyz").await;
    let changed = accepted(&service, "PUT", &path, &least_update()).await;
    assert_eq!(changed["id"], before["id"], "it was kept");
    let next = accepted(&service, "POST", "/v1/Incidents", &least()).await;
    assert!(next["id"].as_i64() > Some(id), "{next}");
}

/// An answer is whole, or seen to be broken off, or a problem; never one that only looks whole.
#[tokio::test(flavor = "multi_thread")]
async fn connections_that_are_cut_lose_nothing_and_cut_no_answer_short_unseen() {
    let service = plant().await;
    let filled = service.store().write(|session| {
        session.execute(
            "INSERT INTO datasources (id, title, value_count) VALUES (1, 'Output', 10000)",
            &[],
        )?;
        session.execute(
            "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date)
             SELECT 1, i, i, i / 7.0, 0 FROM generate_series(1, 10000) AS i",
            &[],
        )
    });
    filled.await.expect("values");
    let path = "/v1/Datasources/1/values?pageSize=10000";
    let whole = service.get(path).await;
    assert_eq!(
        whole.json()["values"].as_array().map(Vec::len),
        Some(10_000)
    );

    let other = connect(service.db()).await;
    let cutting = tokio::spawn(async move {
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        loop {
            other.batch_execute(cut).await.expect("cut");
            tokio::time::sleep(Duration::from_millis(7)).await;
        }
    });
    let (mut broken, mut kept) = (0, Vec::new());
    for round in 0..60 {
        // A head comes in any case.
        let response = service.request(Method::GET, path).send().await;
        let response = response.expect("an answer");
        match (response.status().as_u16(), response.bytes().await) {
            (200, Ok(body)) => assert!(body == whole.body, "round {round}: {} bytes", body.len()),
            (503, Ok(_)) | (200, Err(_)) => broken += 1,
            (status, body) => panic!("round {round}: {status}: {body:?}"),
        }
        let request = service.request(Method::POST, "/v1/Incidents");
        let answer = in_time(request.json(&least())).await;
        match answer.status {
            200 => kept.push(answer.json()["id"].as_i64().expect("an id")),
            // Not done, or not known to be done.
            503 | 504 => broken += 1,
            status => panic!("round {round}: {status}: {}", answer.text()),
        }
    }
    cutting.abort();
    assert!(cutting.await.is_err_and(|error| error.is_cancelled()));
    assert!(broken > 0, "nothing was cut");
    until_well(&service, path).await;
    let ids = service
        .store()
        .read(|session| session.all("SELECT id FROM incidents", &[], |row| row.int(0)));
    let ids: Result<Vec<_>, StoreError> = ids.await;
    let ids = ids.expect("ids");
    for id in kept {
        assert!(ids.contains(&Some(id)), "{id} was accepted and is gone");
    }
}

/// Far more lists than readers, all of one client, with endless statements such as those of expensive
/// filters: the service and other clients do not wait for them.
#[tokio::test(flavor = "multi_thread")]
async fn lists_that_take_long_stop_nobody_else() {
    let service = Service::start_with(|config| {
        // Less than the server waits for a lock.
        config.limits.database_wait = Duration::from_secs(2);
        config.limits.auth_poll = Duration::from_millis(10);
        config.limits.client_reads = 12;
    })
    .await;
    let (_, heavy) = client(&service, "public.api.read").await;
    let other = lock(service.db()).await;
    let lists: Vec<_> = (0..64)
        .map(|_| {
            let list = service.http.get(service.url("/v2/areas"));
            let list = list.bearer_auth(&heavy);
            tokio::spawn(async move {
                loop {
                    let answer = list.try_clone().expect("no body");
                    is_unavailable(&Answer::of(answer).await);
                }
            })
        })
        .collect();
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    let see = connect(service.db()).await;
    loop {
        let waiting: i64 = see.query_one(waiting, &[]).await.expect("a row").get(0);
        // What long work of one client may use.
        if waiting >= 9 {
            break;
        }
    }
    for (path, status) in [
        ("/v2/boards", 200),
        ("/v2/boards/1", 404),
        ("/v2/boards/1?$select=name", 404),
        ("/v1/Incidents/1", 404),
        ("/v1/Incidents", 200),
        // Long work from the start.
        ("/v1/Incidents?pageSize=10000", 200),
    ] {
        let answer = in_time(service.request(Method::GET, path)).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
    }
    // It is ready, gives tokens, and refuses a client that was revoked.
    goes_on(&service).await;
    for list in lists {
        list.abort();
        let ended = list.await.expect_err("no end of its own");
        assert!(ended.is_cancelled(), "{ended}");
    }
    other.batch_execute("COMMIT").await.expect("no lock");
}

/// Neither on the server, where they would wait for the lock, nor here.
#[tokio::test(flavor = "multi_thread")]
async fn lists_whose_clients_have_gone_are_cancelled() {
    let service = Service::start_with(|config| {
        config.limits.statement = Duration::from_secs(3600);
    })
    .await;
    let other = lock(service.db()).await;
    let see = connect(service.db()).await;
    let until_waiting = async |lists: i64| {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
        let waits = async {
            while see
                .query_one(waiting, &[])
                .await
                .expect("a row")
                .get::<_, i64>(0)
                != lists
            {}
        };
        tokio::time::timeout(Duration::from_secs(30), waits)
            .await
            .unwrap_or_else(|_| panic!("never {lists} lists that wait"));
    };
    let lists = ["/v2/areas", "/v2/areas?$filter=id gt 7"].map(|path| {
        let request = service.request(Method::GET, path);
        tokio::spawn(async move { drop(request.send().await) })
    });
    until_waiting(2).await;
    for list in lists {
        list.abort();
    }
    until_waiting(0).await;
    other.batch_execute("COMMIT").await.expect("no lock");
    assert_eq!(service.get("/v2/areas").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_finds_every_connection_in_use_is_refused_after_a_short_wait() {
    let service = Service::start_with(|config| {
        config.limits.database_connections = 1;
        config.limits.database_wait = Duration::from_millis(100);
    })
    .await;
    let held = Held::all(service.store(), 1).await;
    is_unavailable(&in_time(service.request(Method::GET, "/v2/boards")).await);
    held.release().await;
    assert_eq!(service.get("/v2/boards").await.status, 200);
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_ended_and_reported() {
    let options = StoreOptions {
        statement_budget: Duration::from_millis(100),
        ..StoreOptions::default()
    };
    let database = Database::new();
    let store = database.open_with(&options).await;
    let sleep = |session: &mut dyn Session| session.first("SELECT pg_sleep(30)", &[], |_| Ok(()));
    for outcome in [store.read(sleep).await, store.write(sleep).await] {
        assert!(matches!(outcome, Err(StoreError::Timeout)), "{outcome:?}");
    }
    assert_eq!(areas(&store).await, 0);

    let service = Service::start_with(|config| {
        config.limits.statement = Duration::from_millis(100);
    })
    .await;
    let other = lock(service.db()).await;
    let answer = in_time(service.request(Method::GET, "/v2/areas")).await;
    assert_eq!(answer.status, 503, "{}", answer.text());
    other.batch_execute("COMMIT").await.expect("no lock");
    assert_eq!(service.get("/v2/areas").await.status, 200);
}

/// No file may grow beyond some megabytes, which the server takes for a full disk.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_what_does_not_fit_and_loses_nothing() {
    // Not a whole number of pages, so that what does not fit is written in part, as on a disk.
    let mut cluster = Cluster::new(PASSWORD);
    cluster.limit_files(Some(8001));
    cluster.start(&["jit=off"]);
    let store = Store::open(&url(&cluster, "postgres"), &StoreOptions::default()).await;
    let store = store.expect("a store");
    let long = "x".repeat(1_900);
    let fill = move |session: &mut dyn Session, from: i64, count: i64| {
        let rows: Vec<Value<'_>> = (from..from + count)
            .flat_map(|id| [Value::Int(id), Value::Text(&long)])
            .collect();
        session.append("areas", &["id", "name"], &rows)
    };
    let mut accepted = 0;
    let refused = loop {
        let fill = fill.clone();
        let written = store
            .write(move |session| fill(session, accepted, 200))
            .await;
        match written {
            Ok(()) => accepted += 200,
            Err(error) => break error,
        }
        assert!(accepted < 100_000, "the disk does not become full");
    };
    // From version 16 on the server distinguishes a file limit from a full disk, and has no code for it.
    let message = match &refused {
        StoreError::NotWritable(WriteFault::DiskFull, text) => text.clone(),
        StoreError::Engine(cause) => cause.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(message.contains("could not extend"), "{message}");
    assert_eq!(
        areas(&store).await,
        accepted,
        "nothing more and nothing less"
    );
    let small = store.write(|session| {
        let sql = "INSERT INTO projects (id, name) VALUES (1, 'fits')";
        session.execute(sql, &[])
    });
    assert_eq!(small.await.expect("a small one"), 1);
    // Disk space is freed, and used up again.
    let emptied = store
        .write(|session| session.execute("TRUNCATE areas CASCADE", &[]))
        .await;
    emptied.expect("emptied");
    store
        .write(move |session| fill(session, 0, 200))
        .await
        .expect("it fits");
    assert_eq!(areas(&store).await, 200);
}

/// A server whose files may grow no larger than 4 MB has no space for what the probe fills. A small write
/// does not show that.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_full_disk_writes_work_once_there_is_space_for_several_probes() {
    let mut cluster = Cluster::new(PASSWORD);
    cluster.limit_files(Some(8001));
    cluster.start(&["jit=off"]);
    let store = Store::open(&url(&cluster, "postgres"), &StoreOptions::default()).await;
    let store = store.expect("a store");
    let fails = "DO $$ BEGIN RAISE EXCEPTION 'as asked' USING ERRCODE = '53100'; END $$";
    let full = store
        .write(move |session| session.execute(fails, &[]))
        .await;
    assert!(
        matches!(full, Err(StoreError::NotWritable(WriteFault::DiskFull, _))),
        "{full:?}"
    );
    for id in 1..=10 {
        let added = store
            .write(move |session| add_area(session, id, "small"))
            .await;
        added.expect("a small write");
        let probed = store.probe_write().await;
        assert!(
            matches!(
                probed,
                Err(StoreError::NotWritable(WriteFault::DiskFull, _))
            ),
            "{probed:?}"
        );
        assert_eq!(store.write_fault(), Some(WriteFault::DiskFull));
    }
    cluster.stop(Shutdown::Fast);
    cluster.limit_files(None);
    cluster.start(&["jit=off"]);
    // The connection that writes is lost, which the first write finds.
    while store
        .write(|session| add_area(session, 99, "x"))
        .await
        .is_err()
    {}
    for _ in 1..5 {
        store.probe_write().await.expect_err("too early to tell");
        assert_eq!(store.write_fault(), Some(WriteFault::DiskFull));
    }
    store.probe_write().await.expect("the fifth in a row");
    assert_eq!(store.write_fault(), None);
    store.close().await;
}

/// Two services whose clocks are minutes apart, over one database.
#[tokio::test]
async fn clocks_that_differ_turn_no_stamp_back_and_early_tokens_are_refused() {
    let issuer = |config: &mut Config| {
        config.auth_url = Some("https://login.plant.example".to_owned());
    };
    let ahead = plant().await;
    let ahead = Service::start_on(Arc::clone(&ahead.database), |config| {
        issuer(config);
        let later = jiff::Timestamp::from_second(START + 600).expect("a time");
        config.clock = Clock::new(move || later);
    })
    .await;
    let behind = Service::start_on(Arc::clone(&ahead.database), issuer).await;
    let path = "/v1/Incidents/100";
    let mut last = String::new();
    for round in 0..6 {
        let service = [&ahead, &behind][round % 2];
        let body = with(least_update(), &json!({"title": format!("Round {round}")}));
        let changed = accepted(service, "PUT", path, &body).await;
        let stamp = changed["lastModified"]
            .as_str()
            .expect("a stamp")
            .to_owned();
        let parse = |text: &str| text.parse::<jiff::Timestamp>().ok();
        assert!(parse(&stamp) > parse(&last), "{stamp} after {last}");
        last = stamp;
    }
    // A token is valid everywhere, except that one from the future is refused until its time has come.
    let answer = ahead.get_as(Some(behind.token()), "/v2/areas").await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let early = behind.get_as(Some(ahead.token()), "/v2/areas").await;
    let problem = early.is_problem(401, "token.invalid");
    let detail = problem["detail"].as_str().unwrap_or_default();
    assert!(detail.contains("not valid yet"), "{detail}");
    behind.clock.advance(600);
    let answer = behind.get_as(Some(ahead.token()), "/v2/areas").await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}
