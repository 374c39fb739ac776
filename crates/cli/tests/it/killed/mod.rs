//! A service is killed again and again while callers repeat each request, with the same key, until it is
//! answered: at the end everything requested exists once.
//!
//! The kill is a SIGKILL, so nothing of the process has a say in what is left; what the database itself makes
//! of a crash is its own matter.

mod asked;

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fastrand::Rng;
use obeya_server::store::{Store, StoreError, StoreOptions};
use obeya_testkit::Proxy;
use obeya_testkit::postgres::Scratch;
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::binary::{database, serve_new};
use crate::credentials::import_plant;
use crate::replicas::TIMEOUT;
use asked::{Asked, DATASOURCE};

/// Callers at a time; the more there are, the more answers a kill takes with it.
const CALLERS: usize = 16;

/// How often the service is killed.
fn rounds() -> u32 {
    if obeya_testkit::is_long() { 200 } else { 20 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_asked_under_a_key_is_there_once_whenever_the_service_dies() {
    let (_folder, url): (TempDir, _) = database();
    let file = url.strip_prefix("sqlite:").expect("a file").to_owned();
    let live = async |random: &mut Rng| pass(random, 30..500).await;
    die_again_and_again(&url, rounds(), live, || check(&file)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_asked_is_there_once_where_a_long_log_is_checkpointed_beside_the_writer() {
    let (_folder, url): (TempDir, _) = database();
    let file = url.strip_prefix("sqlite:").expect("a file").to_owned();
    let log = format!("{file}-wal");
    let longest = Cell::new(0);
    let live = async |random: &mut Rng| {
        let reader = Connection::open(&file).expect("a database");
        let held = "BEGIN; SELECT count(*) FROM datasources";
        reader.execute_batch(held).expect("a snapshot");
        pass(random, 1500..3000).await;
        drop(reader);
        pass(random, 0..200).await;
    };
    // Nothing opens the file in between, so each service takes over the log of the one before it.
    let look = || {
        let bytes = std::fs::metadata(&log).map_or(0, |log| log.len());
        longest.set(longest.get().max(bytes));
    };
    die_again_and_again(&url, rounds() / 4, live, look).await;
    check(&file);
    // 2,000 frames are the most that a commit checkpoints.
    let frames = longest.get() / (8192 + 24);
    assert!(frames > 2000, "the longest log had {frames} frames");
}

/// Whether the file is whole. The log of what was killed is taken over by whoever opens the file next.
fn check(file: &str) {
    let database = Connection::open(file).expect("a database");
    let found: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("checked");
    assert_eq!(found, "ok");
}

/// Lets a random time pass, in milliseconds.
async fn pass(random: &mut Rng, time: Range<u64>) {
    tokio::time::sleep(Duration::from_millis(random.u64(time))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_asked_under_a_key_is_there_once_on_postgres_too() {
    let database = Scratch::empty();
    // It takes longer to start there, so it is left to live longer, and dies less often.
    let live = async |random: &mut Rng| pass(random, 200..900).await;
    die_again_and_again(database.url(), rounds() / 2, live, || {}).await;
}

/// Kills the service so many times, each after it was left to `live`, and starts it again; `look` sees the
/// database in between.
async fn die_again_and_again(db: &str, rounds: u32, live: impl AsyncFn(&mut Rng), look: impl Fn()) {
    let plant = import_plant(db);
    let proxy = Proxy::balancing();
    let url = proxy.url();
    // One name for all that follow one another, so that a token is good for each.
    let more = ["--base-url", url.as_str(), "--auth-url", &url];
    let start = || {
        let serving = serve_new(db, &[&more[..], &["--log", "off"]].concat());
        let address = serving.url.strip_prefix("http://").expect("an address");
        proxy.set(0, Some(address.parse().expect("an address")));
        serving
    };
    let mut serving = start();
    // Whoever sends again does it by itself here: how often, and when, is what the test is about.
    let client = plant.builder(&url).timeout(TIMEOUT).max_retries(0);
    let client = client.build().expect("a client");
    // A token takes longer to get than the service lives, and is good for all that follow.
    client.authenticate().await.expect("a token");
    let over = Arc::new(AtomicBool::new(false));
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let (client, over) = (client.clone(), Arc::clone(&over));
        callers.spawn(async move {
            let mut asked = Asked::new(caller);
            while !over.load(Ordering::Relaxed) {
                asked.go_on(&client).await;
            }
            asked
        });
    }
    let mut random = obeya_testkit::rng();
    for _ in 0..rounds {
        live(&mut random).await;
        proxy.set(0, None);
        drop(serving);
        look();
        serving = start();
    }
    over.store(true, Ordering::Relaxed);
    let all = Asked::together(callers.join_all().await);
    drop(serving);
    look();
    println!("{all}");
    assert!(all.sent_again > 0, "no kill took an answer with it");

    let store = Store::open(db, &StoreOptions::default())
        .await
        .expect("opened");
    let compared: Result<_, StoreError> = store.read(move |session| all.compare(session)).await;
    compared.expect("compared");
    let counts: Result<_, StoreError> = store
        .read(|session| {
            let sql = "SELECT value_count, (SELECT count(*) FROM datasource_values AS v WHERE v.datasource_id = d.id) FROM datasources AS d WHERE id = ?1";
            session.first(sql, &[DATASOURCE.into()], |row| Ok((row.int(0)?, row.int(1)?)))
        })
        .await;
    let (stored, counted) = counts.expect("counted").expect("the datasource");
    assert_eq!(stored, counted);
    store.close().await;
}
