//! The writer over a connection that panics, or ends its transactions.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use futures_util::future;

use super::{Sharing, Writer};
use crate::caller::Caller;
use crate::connect::{Connect, Connection, Work};
use crate::engine::Capabilities;
use crate::{Dialect, EachRow, Session, StoreError, StoreOptions, Value, View};

/// What ends the transaction, as a full disk does.
const TOO_MUCH: &str = "too much";

/// Counts the connections that were opened.
#[derive(Default)]
struct Engine(AtomicUsize);

/// Does nothing; one that `panics` does where a savepoint ends.
struct Fake {
    panics: bool,
    is_open: bool,
}

impl Connect for Engine {
    type Connection = Fake;

    const IN_PROCESS: bool = true;
    const MOST_SAVEPOINTS: usize = 100;

    fn reader(&self, _: Work) -> Result<Fake, StoreError> {
        unreachable!("nobody reads")
    }

    fn writer(&self) -> Result<Fake, StoreError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Fake {
            panics: false,
            is_open: false,
        })
    }
}

impl Connection for Fake {
    fn begin_read(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn end_read(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn begin_write(&mut self) -> Result<(), StoreError> {
        self.is_open = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.is_open = false;
        Ok(())
    }

    fn roll_back(&mut self) -> Result<(), StoreError> {
        panic!("a connection that panicked was used again")
    }

    fn begin_savepoint(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn end_savepoint(&mut self, _: bool) -> Result<(), StoreError> {
        assert!(!self.panics, "the end of a savepoint panics");
        Ok(())
    }

    fn is_in_transaction(&self) -> bool {
        self.is_open
    }

    fn set_caller(&mut self, _: Option<Caller>) {}

    fn limit_to_short(&mut self) {}

    fn end_limit(&mut self) -> bool {
        false
    }
}

impl Session for Fake {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn capabilities(&self) -> &'static dyn Capabilities {
        crate::testing::capabilities(self.dialect())
    }

    fn query(&mut self, _: &str, _: &[Value<'_>], _: &mut EachRow<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn execute(&mut self, sql: &str, _: &[Value<'_>]) -> Result<u64, StoreError> {
        if sql == TOO_MUCH {
            self.is_open = false;
            return Err(StoreError::Unavailable("the disk is full".into()));
        }
        Ok(0)
    }

    fn append(&mut self, _: &str, _: &[&str], _: &[Value<'_>]) -> Result<(), StoreError> {
        Ok(())
    }

    fn view(&mut self) -> Result<Option<View>, StoreError> {
        Ok(None)
    }
}

#[tokio::test]
async fn a_panic_of_the_connection_ends_the_connection_and_not_the_writer() {
    let engine = Arc::new(Engine::default());
    let first = Fake {
        panics: true,
        is_open: false,
    };
    let writer = Writer::start(Arc::clone(&engine), first, &StoreOptions::default()).unwrap();
    let panicked: Result<(), StoreError> = writer.run(|_| Ok(()), Sharing::Plain).await;
    assert!(
        matches!(&panicked, Err(StoreError::Uncertain(_))),
        "{panicked:?}"
    );
    let next: Result<i64, StoreError> = writer.run(|_| Ok(5), Sharing::Plain).await;
    assert!(matches!(next, Ok(5)), "{next:?}");
    assert_eq!(engine.0.load(Ordering::SeqCst), 1);
    writer.stop().await;
}

/// Work, and how it shares a transaction.
type Sent = (
    Box<dyn Fn(&mut dyn Session) -> Result<u64, StoreError> + Send>,
    Sharing,
);

/// Jobs that all wait when the transaction of the first of them begins; what each is answered with.
async fn at_once(jobs: Vec<Sent>) -> Vec<Result<u64, StoreError>> {
    let sound = Fake {
        panics: false,
        is_open: false,
    };
    let options = StoreOptions::default();
    let writer = Writer::start(Arc::new(Engine::default()), sound, &options).unwrap();
    let (go, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    // The last of its transaction: some of the jobs may be sent before it begins.
    let gate: Sent = (
        Box::new(move |_| {
            let _ = held.lock().unwrap().recv();
            Ok(0)
        }),
        Sharing::Isolated,
    );
    let sent = iter::once(gate).chain(jobs);
    let answers = future::join_all(sent.map(|(work, sharing)| writer.run(work, sharing)));
    // Polled for the first time, they are sent one after the other; only then is the gate opened.
    let (mut answers, ()) = future::join(answers, async { drop(go) }).await;
    writer.stop().await;
    answers.split_off(1)
}

fn too_much(session: &mut dyn Session) -> Result<u64, StoreError> {
    session.execute(TOO_MUCH, &[])
}

#[tokio::test]
async fn what_must_not_run_twice_runs_once_whatever_ends_a_transaction_behind_it() {
    let runs = Arc::new(AtomicUsize::new(0));
    let once = {
        let runs = Arc::clone(&runs);
        move |_: &mut dyn Session| {
            runs.fetch_add(1, Ordering::SeqCst);
            Ok(1)
        }
    };
    let answers = at_once(vec![
        (Box::new(|_| Ok(0)), Sharing::Plain),
        (Box::new(once), Sharing::Isolated),
        (Box::new(too_much), Sharing::Plain),
        (Box::new(|_| Ok(3)), Sharing::Plain),
    ]);
    let answers = answers.await;
    assert!(
        matches!(
            answers[..],
            [Ok(0), Ok(1), Err(StoreError::Unavailable(_)), Ok(3)]
        ),
        "{answers:?}"
    );
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_transaction_that_ends_over_every_job_is_not_tried_for_each() {
    const JOBS: usize = 20;
    let runs = Arc::new(AtomicUsize::new(0));
    // There is room until the last one; without what that one began, there is none for the others either.
    let job = |number: usize| -> Sent {
        let runs = Arc::clone(&runs);
        let work = move |session: &mut dyn Session| {
            let run = runs.fetch_add(1, Ordering::SeqCst);
            if run == number && number + 1 < JOBS {
                return Ok(0);
            }
            too_much(session)
        };
        (Box::new(work), Sharing::Plain)
    };
    let answers = at_once((0..JOBS).map(job).collect()).await;
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
    // All of them in the first of eight transactions, and one in each of the others.
    assert_eq!(runs.load(Ordering::SeqCst), JOBS + 7);
}
