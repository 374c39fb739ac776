//! A service is killed again and again while callers repeat each request, with the same key, until it is
//! answered: at the end everything requested exists once.
//!
//! The kill is a SIGKILL, so nothing of the process has a say in what is left; what the database itself makes
//! of a crash is its own matter.

mod asked;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use obeya_server::store::{Store, StoreError, StoreOptions};
use obeya_testkit::Proxy;
use obeya_testkit::postgres::Scratch;
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
    die_again_and_again(&url, rounds(), 30..500, || {
        // The log of what was killed is taken over by whoever opens the file next.
        let database = rusqlite::Connection::open(&file).expect("a database");
        let found: String = database
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .expect("checked");
        assert_eq!(found, "ok");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_asked_under_a_key_is_there_once_on_postgres_too() {
    let database = Scratch::empty();
    // It takes longer to start there, so it is left to live longer, and dies less often.
    die_again_and_again(database.url(), rounds() / 2, 200..900, || {}).await;
}

/// Kills the service so many times, each after a life of so many milliseconds, and starts it again; `look`
/// sees the database in between.
async fn die_again_and_again(db: &str, rounds: u32, life: Range<u64>, look: impl Fn()) {
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
        tokio::time::sleep(Duration::from_millis(random.u64(life.clone()))).await;
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
