//! What happens between two requests of a run, on their way through a proxy.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use obeya_testkit::{Answer, Proxy};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::copy::{Copy, assert_same};
use super::plant::Plant;
use super::wire::{FIELDS, tables};
use crate::binary::{Done, done};

/// An answer after which nobody tries again.
pub const FAILED: Answer =
    "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// The client may not do this.
pub const FORBIDDEN: Answer =
    "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

const COMMENTS: &str = "/v2/incidents/comments?";
const INCIDENTS: &str = "/v1/Incidents?";

/// The copy never has the incident, so nothing of it is missed; only the number of comments tells.
#[tokio::test(flavor = "multi_thread")]
async fn an_incident_that_goes_after_its_comments_were_read_takes_them_along() {
    let plant = Plant::new(20, 0);
    let client = plant.client();
    let (incidents, runtime) = (client.incidents(), Handle::current());
    let next = Arc::new(Mutex::new(None));
    let (goes, mut are_read) = (Arc::clone(&next), false);
    let proxy = Proxy::http(&plant.serving.url, &[], move |line| {
        are_read |= line.contains(COMMENTS);
        if are_read && line.contains(INCIDENTS) {
            are_read = false;
            if let Some(id) = goes.lock().expect("no panic").take() {
                runtime.block_on(incidents.delete(id)).expect("deleted");
            }
        }
        None
    });
    let mut with_comments = (1..=20).filter(|id| id % 3 != 0);
    for copy in Copy::all(plant.folder.path()) {
        let to = copy.to();
        for more in [&[][..], &["--full"]] {
            *next.lock().expect("no panic") = with_comments.next();
            let out = done(&mut plant.command_at(&proxy.url(), &to, more)).success();
            assert_eq!(*next.lock().expect("no panic"), None, "{to} {more:?}");
            assert!(out.contains("is up to date"), "{out}");
            let service = tables(&client, FIELDS).await;
            assert_same(&copy.tables().await, &service, &format!("{to} {more:?}"));
        }
    }
}

/// Incidents are asked for their comments a hundred at a time.
#[tokio::test(flavor = "multi_thread")]
async fn a_comment_that_moves_on_while_comments_are_read_is_there_once() {
    let plant = Arc::new(Plant::new(180, 0));
    let client = plant.client();
    let comment = |id: i32, incident: i32, text: &str| json!({"id": id, "incidentId": incident, "text": text, "commentDate": "2026-03-02T00:00:01Z"});
    let next = Arc::new(Mutex::new(None::<[Value; 2]>));
    // The proxy's thread may end after the test: an owner there would keep the service from ending.
    let (writer, moves, mut asked) = (Arc::downgrade(&plant), Arc::clone(&next), 0);
    let proxy = Proxy::http(&plant.serving.url, &[], move |line| {
        let mut moves = moves.lock().expect("no panic");
        if line.contains(COMMENTS) && moves.is_some() {
            asked += 1;
            if asked == 2 {
                asked = 0;
                let moved = moves.take().expect("as it is there");
                let plant = writer.upgrade().expect("the test is running");
                plant.import_more("incident_comments.jsonl", &moved);
            }
        }
        None
    });
    for (copy, id) in Copy::all(plant.folder.path()).into_iter().zip([1, 2, 4, 5]) {
        let to = copy.to();
        let sync = || done(&mut plant.command_at(&proxy.url(), &to, &[])).success();
        sync();
        let with_comments = (id..=180).filter(|id| id % 3 != 0);
        let edited = with_comments.map(|id| comment(2 * id, id, &to));
        plant.import_more("incident_comments.jsonl", &edited.collect::<Vec<_>>());
        // A reply goes with what it replies to.
        let mut reply = comment(2 * id + 1, 178, "And so?");
        reply["parentId"] = json!(2 * id);
        *next.lock().expect("no panic") = Some([comment(2 * id, 178, "It was here"), reply]);
        let out = sync();
        assert_eq!(*next.lock().expect("no panic"), None, "{to}");
        assert!(out.contains("is up to date"), "{out}");
        let service = tables(&client, FIELDS).await;
        assert_same(&copy.tables().await, &service, &to);
        let comments = copy.rows("comments").await;
        let there = comments.iter().find(|row| row["id"] == 2 * id);
        assert_eq!(there.expect("it is there")["incident_id"], 178, "{to}");
    }
}

/// A service that answers so, while `is_broken` is set, where the second page of comments is asked for: the
/// only one that a link leads to.
struct Broken {
    plant: Plant,
    proxy: Proxy,
    is_broken: Arc<AtomicBool>,
}

impl Broken {
    fn new(answer: Answer) -> Self {
        // A page is of 1,000, and these have 1,068.
        let plant = Plant::new(800, 0);
        let is_broken = Arc::<AtomicBool>::default();
        let breaks = Arc::clone(&is_broken);
        let proxy = Proxy::http(&plant.serving.url, &[], move |line| {
            let is_second = line.contains("skiptoken");
            (is_second && breaks.load(Ordering::Relaxed)).then_some(answer)
        });
        Broken {
            plant,
            proxy,
            is_broken,
        }
    }

    fn sync(&self, to: &str, is_broken: bool) -> Done {
        self.is_broken.store(is_broken, Ordering::Relaxed);
        done(&mut self.plant.command_at(&self.proxy.url(), to, &[]))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_breaks_comments_off_is_reported_and_nothing_is_stored() {
    let broken = Broken::new(FAILED);
    let service = tables(&broken.plant.client(), FIELDS).await;
    for copy in Copy::all(broken.plant.folder.path()) {
        let to = copy.to();
        let err = broken.sync(&to, true).failure(1);
        let expected = "because: listIncidentComments: 500 Internal Server Error";
        assert!(err.contains(expected), "{to}: {err}");
        assert!(copy.rows("incidents").await.is_empty(), "{to}");
        broken.sync(&to, false).success();
        assert_same(&copy.tables().await, &service, &to);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_that_goes_amid_the_comments_leaves_all_else_whole() {
    let broken = Broken::new(FORBIDDEN);
    let service = tables(&broken.plant.client(), FIELDS).await;
    for copy in Copy::all(broken.plant.folder.path()) {
        let to = copy.to();
        let out = broken.sync(&to, true).success();
        let line = out.lines().find(|line| line.contains("│ comments "));
        assert!(
            line.is_some_and(|line| line.contains("may not be read")),
            "{to}: {out}"
        );
        let mut without = service.clone();
        without.remove("comments");
        assert_same(&copy.tables().await, &without, &to);
        broken.sync(&to, false).success();
        assert_same(&copy.tables().await, &service, &to);
    }
}
