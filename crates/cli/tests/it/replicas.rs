//! Three replicas over one PostgreSQL, behind a proxy that takes them in turn, while one after another is
//! killed and started again.

pub mod plant;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use obeya::Client;
use obeya_testkit::Proxy;
use obeya_testkit::postgres::{Scratch, connect};
use tokio::task::JoinSet;

use crate::credentials::import_plant;
use plant::Fleet;

/// Replicas at a time.
const REPLICAS: usize = 3;

/// How long a caller waits for an answer.
pub const TIMEOUT: Duration = Duration::from_secs(20);

/// Callers at a time.
const CALLERS: usize = 6;

/// What one caller knows to be kept, and what it does not know.
#[derive(Default)]
struct Known {
    /// Title and external id of each incident, by its id. More than one external id where the answer to a
    /// change never came.
    kept: HashMap<i32, (String, Vec<Option<String>>)>,
    /// Titles of incidents whose creation was not answered.
    unanswered: Vec<String>,
    reads: usize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_accepted_write_is_kept_and_no_read_is_wrong_while_replicas_die() {
    let time = Duration::from_secs(if obeya_testkit::is_long() { 60 } else { 12 });
    let database = Scratch::empty();
    let plant = import_plant(database.url());
    let proxy = Proxy::balancing();
    let mut fleet = Fleet::start(database.url(), &proxy, REPLICAS);
    let client = plant.builder(&proxy.url()).timeout(TIMEOUT);
    let client = client.build().expect("a client");
    let expected = Arc::new(plant::fixed(&client).await.expect("the first reads"));

    let over = Arc::new(AtomicBool::new(false));
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let (client, expected, over) = (client.clone(), expected.clone(), over.clone());
        callers.spawn(async move {
            let mut known = Known::default();
            while !over.load(Ordering::Relaxed) {
                known.write(&client, caller).await;
                known.change(&client).await;
                if let Some(found) = answered(plant::fixed(&client).await) {
                    assert_eq!(found, *expected);
                    known.reads += 1;
                }
            }
            known
        });
    }
    let begun = Instant::now();
    let mut random = obeya_testkit::rng();
    let mut deaths = 0;
    while begun.elapsed() < time {
        tokio::time::sleep(Duration::from_millis(random.u64(300..1500))).await;
        fleet.replace_one(&proxy, random.usize(..REPLICAS));
        deaths += 1;
    }
    over.store(true, Ordering::Relaxed);
    let all = callers.join_all().await;

    let mut kept = HashMap::new();
    let mut unanswered = Vec::new();
    let mut reads = 0;
    for known in all {
        kept.extend(known.kept);
        unanswered.extend(known.unanswered);
        reads += known.reads;
    }
    println!(
        "{deaths} deaths, {} incidents kept, {} unanswered, {reads} reads",
        kept.len(),
        unanswered.len()
    );
    assert!(deaths >= 5 && kept.len() > 50 && reads > 50);
    look(database.url(), kept, &unanswered).await;
}

impl Known {
    /// Reports an incident.
    async fn write(&mut self, client: &Client, caller: usize) {
        let title = format!("caller {caller}, {:016x}", fastrand::u64(..));
        match answered(client.incidents().create(&plant::incident(&title)).await) {
            Some(made) => {
                assert_eq!(made.title, title);
                self.kept.insert(made.id, (title, vec![None]));
            }
            None => self.unanswered.push(title),
        }
    }

    /// Changes one of the incidents, whose answer shows all that was written before.
    async fn change(&mut self, client: &Client) {
        let Some((&id, (title, external))) = fastrand::choice(self.kept.iter_mut()) else {
            return;
        };
        let next = format!("{:016x}", fastrand::u64(..));
        let changed = client.incidents().set_external_id(id, next.as_str()).await;
        match answered(changed) {
            Some(incident) => {
                assert_eq!(incident.title, *title, "incident {id}");
                assert_eq!(incident.external_id.as_ref(), Some(&next), "incident {id}");
                *external = vec![Some(next)];
            }
            None => external.push(Some(next)),
        }
    }
}

/// An answer, or `None` where there was none because a replica died: any other error is wrong.
fn answered<T>(result: obeya::Result<T>) -> Option<T> {
    match result {
        Ok(answer) => Some(answer),
        Err(obeya::Error::Connection { .. } | obeya::Error::Timeout { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// Compares the database with the responses to the callers.
async fn look(
    url: &str,
    mut kept: HashMap<i32, (String, Vec<Option<String>>)>,
    unanswered: &[String],
) {
    let database = connect(url).await;
    let sql = "SELECT id::int4, title, external_id FROM incidents WHERE title LIKE 'caller %'";
    for row in database.query(sql, &[]).await.expect("the incidents") {
        let (id, title): (i32, String) = (row.get(0), row.get(1));
        let Some((known, external)) = kept.remove(&id) else {
            assert!(
                unanswered.contains(&title),
                "nobody asked for {id}, {title}"
            );
            continue;
        };
        assert_eq!(title, known, "incident {id}");
        assert!(
            external.contains(&row.get(2)),
            "incident {id}: {external:?}"
        );
    }
    assert_eq!(kept.len(), 0, "accepted and lost: {kept:?}");
    let sql =
        "SELECT count(*), count(DISTINCT last_modified) FROM incidents WHERE title LIKE 'caller %'";
    let row = database.query_one(sql, &[]).await.expect("the stamps");
    assert_eq!(
        row.get::<_, i64>(0),
        row.get::<_, i64>(1),
        "two changes share a stamp"
    );
}
