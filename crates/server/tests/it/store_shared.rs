//! Group commit on every engine: whatever one write does, the others are stored once, and each answer matches
//! the stored state.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use obeya_server::store::{Dialect, Session, Store, StoreError, StoreOptions, stamp};
use tokio::task::JoinHandle;

use crate::ENGINE;
use crate::store::{add_area, areas, opened, opened_with};

/// The action of a write after its row was inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Stays.
    Well,
    /// Is refused before it changes anything.
    Refused,
    /// Fails after it has changed something.
    Fails,
    /// Fails of the engine: another row is there already.
    Collides,
    Panics,
}

use End::{Collides, Fails, Panics, Refused, Well};

/// Adds an area with a stamp for its name; the stamp.
pub fn add(session: &mut dyn Session, id: i64, end: End) -> Result<i64, StoreError> {
    let refused = || StoreError::Unavailable("on purpose".into());
    if end == Refused {
        return Err(refused());
    }
    let stamp = stamp::next(session, 1_000, 0)?;
    add_area(session, id, &stamp.to_string())?;
    match end {
        Well | Refused => Ok(stamp),
        Fails => Err(refused()),
        Collides => add_area(session, id, "again").map(|_| stamp),
        Panics => panic!("on purpose"),
    }
}

/// A write under way.
type Write = JoinHandle<Result<i64, StoreError>>;

/// A blocked writer, so that the writes sent meanwhile share one commit.
pub struct Gate {
    store: Store,
    go: mpsc::Sender<()>,
    writes: Vec<Write>,
}

impl Gate {
    pub async fn close(store: &Store) -> Self {
        let (go, held) = mpsc::channel::<()>();
        let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let held = Mutex::new(Some(held));
        let gate = store.clone();
        let write = tokio::spawn(async move {
            let work = move |session: &mut dyn Session| {
                // It may run again: it waits once.
                if let Some(held) = held.lock().expect("no panic within").take() {
                    begin.send(()).expect("somebody waits");
                    held.recv().expect("it is opened");
                }
                add(session, 1, Well)
            };
            gate.write(work).await
        });
        begun.recv().await.expect("begun");
        Gate {
            store: store.clone(),
            go,
            writes: vec![write],
        }
    }

    /// Sends another one after those before. Its id is its position.
    pub async fn send(
        &mut self,
        work: impl Fn(&mut dyn Session, i64) -> Result<i64, StoreError> + Send + 'static,
        is_isolated: bool,
    ) {
        let (store, waiting) = (self.store.clone(), self.store.queued_writes());
        let id = i64::try_from(self.writes.len()).expect("few") + 1;
        let work = move |session: &mut dyn Session| work(session, id);
        self.writes.push(tokio::spawn(async move {
            if is_isolated {
                store.write_isolated(work).await
            } else {
                store.write(work).await
            }
        }));
        while self.store.queued_writes() == waiting {
            tokio::task::yield_now().await;
        }
    }

    pub async fn send_all(&mut self, ends: &[End]) {
        for &end in ends {
            self.send(move |session, id| add(session, id, end), false)
                .await;
        }
    }

    /// Releases them; returns the answers from id 1 on.
    pub async fn open(self) -> Vec<Result<i64, StoreError>> {
        self.go.send(()).expect("the gate waits");
        let mut answers = Vec::new();
        for write in self.writes {
            answers.push(write.await.expect("no panic"));
        }
        answers
    }
}

/// Each area with the stamp it is named after.
async fn there(store: &Store) -> Vec<(i64, i64)> {
    let rows = store.read(|session| {
        session.all("SELECT id, name FROM areas ORDER BY id", &[], |row| {
            let stamp = row.text(1)?.and_then(|name| name.parse().ok());
            Ok((row.int(0)?.unwrap_or(-1), stamp.unwrap_or(-1)))
        })
    });
    let rows: Result<_, StoreError> = rows.await;
    rows.expect("areas")
}

/// The stored rows are those that were answered, with stamps in the order of the writes and without a gap,
/// because nothing else took one.
pub async fn check(store: &Store, answers: &[Result<i64, StoreError>]) {
    let answered: Vec<_> = (1..)
        .zip(answers)
        .filter_map(|(id, answer)| Some((id, *answer.as_ref().ok()?)))
        .collect();
    let there = there(store).await;
    assert_eq!(there, answered, "{answers:?}");
    let stamps: Vec<_> = there.iter().map(|&(_, stamp)| stamp).collect();
    let expected: Vec<_> = (1_000..).take(stamps.len()).collect();
    assert_eq!(stamps, expected);
}

#[tokio::test]
async fn whichever_of_them_fail_the_others_are_there_once_as_they_were_answered() {
    let cases: [&[End]; 9] = [
        &[Well, Fails, Well],
        &[Fails, Well, Well],
        &[Well, Well, Fails],
        &[Well, Collides, Well, Fails, Well],
        &[Fails, Fails, Collides],
        &[Well, Panics, Well],
        &[Well, Refused, Well, Panics, Fails, Refused, Well],
        &[Refused, Refused, Well],
        &[Well, Collides],
    ];
    for ends in cases {
        let (_database, store) = opened().await;
        let mut gate = Gate::close(&store).await;
        gate.send_all(ends).await;
        let answers = gate.open().await;
        for (end, answer) in [Well].iter().chain(ends).zip(&answers) {
            let is_its_own = match end {
                Well => answer.is_ok(),
                Refused | Fails => {
                    matches!(answer, Err(StoreError::Unavailable(text)) if text == "on purpose")
                }
                Collides => matches!(answer, Err(StoreError::Constraint(_))),
                Panics => matches!(answer, Err(StoreError::Engine(_))),
            };
            assert!(is_its_own, "{end:?}: {answer:?}");
        }
        check(&store, &answers).await;
    }
}

/// A write whose answer depends on earlier ones in the commit must not report the result of another run.
#[tokio::test]
async fn a_failure_is_reported_for_the_state_that_was_kept() {
    let (_database, store) = opened().await;
    let mut gate = Gate::close(&store).await;
    gate.send_all(&[Well, Well]).await;
    let sum = |session: &mut dyn Session, id: i64| {
        add_area(session, id, "gone")?;
        let sum = "SELECT CAST(sum(CAST(name AS bigint)) AS bigint) FROM areas WHERE id < ?1";
        let sum = session.first(sum, &[id.into()], |row| row.int(0))?;
        Err(StoreError::Data(format!("{:?}", sum.flatten())))
    };
    gate.send(sum, false).await;
    gate.send_all(&[Fails, Well]).await;
    let answers = gate.open().await;
    // 1000 + 1001 + 1002
    assert!(
        matches!(&answers[3], Err(StoreError::Data(text)) if text == "Some(3003)"),
        "{answers:?}"
    );
    check(&store, &answers).await;
}

#[tokio::test]
async fn what_must_not_run_twice_runs_once_whatever_those_around_it_do() {
    for around in [Well, Refused, Fails, Collides, Panics] {
        for ends_well in [true, false] {
            let (_database, store) = opened().await;
            let mut gate = Gate::close(&store).await;
            let runs = Arc::new(AtomicUsize::new(0));
            gate.send_all(&[Well, around, Well]).await;
            for _ in 0..2 {
                let runs = Arc::clone(&runs);
                let once = move |session: &mut dyn Session, id: i64| {
                    runs.fetch_add(1, Ordering::SeqCst);
                    add(session, id, if ends_well { Well } else { Fails })
                };
                gate.send(once, true).await;
                gate.send_all(&[Well, around]).await;
            }
            let answers = gate.open().await;
            let wells = answers.iter().filter(|answer| answer.is_ok()).count();
            let expected = 5 + 3 * usize::from(around == Well) + 2 * usize::from(ends_well);
            assert_eq!(wells, expected, "{around:?} {ends_well}: {answers:?}");
            assert_eq!(runs.load(Ordering::SeqCst), 2, "{around:?} {ends_well}");
            check(&store, &answers).await;
        }
    }
}

#[tokio::test]
async fn one_that_runs_out_of_time_while_it_writes_takes_no_other_with_it() {
    let brief = Duration::from_secs(1);
    let mut options = StoreOptions::default();
    if ENGINE == Dialect::Sqlite {
        // The clock is checked after more steps than any other statement takes here: only the endless one can
        // run out of time, on any busy machine.
        options.statement_budget = brief;
    }
    let (_database, store) = opened_with(&options).await;
    let mut gate = Gate::close(&store).await;
    gate.send_all(&[Well, Fails, Well]).await;
    let endless = move |session: &mut dyn Session, id: i64| {
        add_area(session, id, "gone")?;
        if ENGINE == Dialect::Postgres {
            // The server measures the time of each: this one gets a separate limit, which ends with its work.
            let limit = format!("SET LOCAL statement_timeout = {}", brief.as_millis());
            session.execute(&limit, &[])?;
        }
        // Rows whose statement ends only after a while.
        let sql = "INSERT INTO areas (id, name) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT 1000 + max(i), 'gone' FROM n";
        session.execute(sql, &[]).map(|_| 0)
    };
    gate.send(endless, false).await;
    gate.send_all(&[Well, Fails, Well]).await;
    let answers = gate.open().await;
    assert!(
        matches!(answers[4], Err(StoreError::Timeout)),
        "{answers:?}"
    );
    let failed: BTreeSet<_> = (0..answers.len())
        .filter(|&n| answers[n].is_err())
        .collect();
    assert_eq!(failed, BTreeSet::from([2, 4, 6]), "{answers:?}");
    check(&store, &answers).await;
}

#[tokio::test]
async fn many_that_fail_among_many_leave_nothing_and_the_writer_lives_on() {
    let (_database, store) = opened().await;
    let mut gate = Gate::close(&store).await;
    let ends: Vec<_> = (0..300)
        .map(|n| [Well, Fails, Well, Collides, Refused, Well, Panics][n % 7])
        .collect();
    gate.send_all(&ends).await;
    let answers = gate.open().await;
    let wells = ends.iter().filter(|&&end| end == Well).count();
    assert_eq!(areas(&store).await, i64::try_from(wells + 1).expect("few"));
    check(&store, &answers).await;
}
