//! Values arrive once and in their order, whatever happens to the service, the network or the ingester.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_util::TryStreamExt as _;
use obeya_ingester::deliver::Delivered;
use obeya_ingester::gather::Gathered;
use obeya_ingester::spool::Spool;
use obeya_ingester::{Summary, ingest};
use obeya_testkit::Fault;
use tokio::sync::{mpsc, watch};

use crate::plant::{DATASOURCE, Plant, line, lines, readings, settings};

#[tokio::test]
async fn values_arrive_with_what_their_topic_says() {
    let plant = Plant::start(|| None).await;
    let texts = [
        "hall/temperature 2026-11-26T08:00:00+0100 21.5",
        "press/oee 2026-11-26T07:00:01Z 88",
        "press/noise 2026-11-26T07:00:02Z 71",
        "hall/temperature yesterday 22",
    ];
    let summary = plant.ingest(&texts.map(str::to_owned)).await;
    let gathered = Gathered {
        values: 2,
        unmapped: 1,
        faulty: 1,
    };
    assert_eq!(
        summary,
        Summary {
            gathered,
            delivered: Delivered {
                sent: 2,
                refused: 0
            }
        }
    );

    let found: Vec<_> = plant
        .client
        .datasources()
        .values(DATASOURCE)
        .stream()
        .try_collect()
        .await
        .expect("values");
    let [value] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(value.value_date.to_string(), "2026-11-26T07:00:00Z");
    assert_eq!((value.value, value.area_id), (21.5, Some(2)));
    assert_eq!(
        (value.dimension.as_deref(), value.dimension2.as_deref()),
        (Some("hall 1"), None)
    );
    // The two of the plant, and this one.
    let pressed = plant.values(12).await;
    assert_eq!(pressed.len(), 3);
    assert_eq!(pressed[2], ("2026-11-26T07:00:01Z".to_owned(), 88.0));
}

#[tokio::test]
async fn an_answer_that_is_lost_adds_nothing_twice() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&attempts);
    // The service carries out each batch, and its first two answers are lost.
    let lose =
        move || (counted.fetch_add(1, Ordering::SeqCst) % 3 < 2).then_some(Fault::ResetAfter);
    let plant = Plant::start(lose).await;
    let (texts, expected) = readings(0..25);
    let summary = plant.ingest(&texts).await;
    assert_eq!(
        summary.delivered,
        Delivered {
            sent: 3,
            refused: 0
        }
    );
    assert_eq!(attempts.load(Ordering::SeqCst), 9);
    assert_eq!(plant.values(DATASOURCE).await, expected);
}

#[tokio::test]
async fn nothing_is_lost_while_the_service_is_away() {
    let (tried, mut attempts) = mpsc::unbounded_channel();
    let mut plant = Plant::start(move || {
        // The test may have ended.
        let _ = tried.send(());
        None
    })
    .await;
    let (sender, receiver) = mpsc::channel(200);
    let (_stop, stop) = watch::channel(false);
    let (client, folder) = (plant.client.clone(), plant.spool());
    let ingester = tokio::spawn(async move {
        let spool = Spool::open(&folder).expect("opened");
        ingest(&client, &settings(10, 3600), &spool, receiver, stop).await
    });
    let (texts, expected) = readings(0..200);
    for (number, text) in (1..).zip(&texts) {
        if number == 101 {
            // Ten batches are under way, or sent.
            attempts.recv().await.expect("an attempt");
            plant.stop().await;
        }
        sender
            .send(line(number, text))
            .await
            .expect("it takes lines");
    }
    drop(sender);
    // Attempts without a service, since the first lines were sent before.
    for _ in 0..15 {
        attempts.recv().await.expect("an attempt");
    }
    plant.start_again().await;
    let summary = ingester.await.expect("no panic").expect("ingested");
    assert_eq!(
        summary.delivered,
        Delivered {
            sent: 20,
            refused: 0
        }
    );
    assert_eq!(plant.values(DATASOURCE).await, expected);
}

#[tokio::test]
async fn what_a_killed_ingester_has_written_is_sent_by_the_next() {
    let is_cut = Arc::new(AtomicBool::new(true));
    let cut = Arc::clone(&is_cut);
    let (tried, mut attempts) = mpsc::unbounded_channel();
    let plant = Plant::start(move || {
        let _ = tried.send(());
        // Carried out, but the ingester never learns it.
        cut.load(Ordering::SeqCst).then_some(Fault::ResetAfter)
    })
    .await;
    let (texts, expected) = readings(0..40);
    let first = tokio::spawn({
        let (client, folder, texts) = (plant.client.clone(), plant.spool(), texts.clone());
        async move {
            let spool = Spool::open(&folder).expect("opened");
            let (_stop, stop) = watch::channel(false);
            ingest(&client, &settings(10, 3600), &spool, lines(&texts), stop).await
        }
    });
    for _ in 0..2 {
        attempts.recv().await.expect("an attempt");
    }
    first.abort();
    assert!(first.await.expect_err("ended").is_cancelled());
    is_cut.store(false, Ordering::SeqCst);
    let summary = plant.ingest(&[]).await;
    assert_eq!(
        summary.delivered,
        Delivered {
            sent: 4,
            refused: 0
        }
    );
    assert_eq!(plant.values(DATASOURCE).await, expected);
}

#[tokio::test]
async fn a_batch_that_the_service_refuses_holds_up_no_other() {
    let plant = Plant::start(|| None).await;
    let (mut texts, expected) = readings(0..30);
    texts.insert(0, "nobody/knows 2026-11-26T07:00:00Z 1".to_owned());
    let summary = plant.ingest(&texts).await;
    assert_eq!(
        summary.delivered,
        Delivered {
            sent: 3,
            refused: 1
        }
    );
    assert_eq!(plant.values(DATASOURCE).await, expected);
    let refused = plant.spool().join("refused");
    let names = std::fs::read_dir(&refused)
        .expect("a folder")
        .map(|entry| entry.expect("read").path());
    let reason = names.filter(|name| name.extension().is_some_and(|end| end == "txt"));
    let reason: Vec<_> = reason
        .map(|name| std::fs::read_to_string(name).expect("read"))
        .collect();
    assert!(
        matches!(&reason[..], [text] if text.contains("404")),
        "{reason:?}"
    );
}

#[tokio::test]
async fn values_that_wait_for_others_are_sent_after_a_while() {
    let plant = Plant::start(|| None).await;
    let (sender, receiver) = mpsc::channel(1);
    let (_stop, stop) = watch::channel(false);
    let (client, folder) = (plant.client.clone(), plant.spool());
    let ingester = tokio::spawn(async move {
        let spool = Spool::open(&folder).expect("opened");
        ingest(&client, &settings(10, 0), &spool, receiver, stop).await
    });
    sender
        .send(line(1, "hall/temperature 2026-11-26T07:00:00Z 1"))
        .await
        .expect("taken");
    // The stream goes on, and the batch is not full.
    while plant.values(DATASOURCE).await.is_empty() {
        tokio::task::yield_now().await;
    }
    drop(sender);
    ingester.await.expect("no panic").expect("ingested");
}

#[tokio::test]
async fn a_stopped_ingester_leaves_what_it_has_read_in_the_folder() {
    let mut plant = Plant::start(|| None).await;
    plant.stop().await;
    let (texts, expected) = readings(0..35);
    let spool = Spool::open(&plant.spool()).expect("opened");
    let (stop, stopped) = watch::channel(true);
    // The sender of lines is still there.
    let (sender, receiver) = mpsc::channel(texts.len());
    for (number, text) in (1..).zip(&texts) {
        sender.try_send(line(number, text)).expect("room");
    }
    let summary = ingest(
        &plant.client,
        &settings(10, 3600),
        &spool,
        receiver,
        stopped,
    )
    .await;
    let summary = summary.expect("ended");
    assert_eq!(
        (summary.gathered.values, summary.delivered.sent, spool.len()),
        (35, 0, 4)
    );
    drop((stop, spool));
    plant.start_again().await;
    plant.ingest(&[]).await;
    assert_eq!(plant.values(DATASOURCE).await, expected);
}
