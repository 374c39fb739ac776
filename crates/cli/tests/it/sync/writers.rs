//! Two writers and a syncer at the same time; at the end the copy is what the service has.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use obeya::model::{
    CategoryInput, DatasourceValueInput, ImprovementCreate, IncidentCreate, IncidentSeverity,
};
use obeya::{Client, Result};

use super::copy::{Copy, assert_same};
use super::plant::Plant;
use super::wire::{FIELDS, tables};

fn how_long() -> Duration {
    Duration::from_secs(if obeya_testkit::is_long() { 60 } else { 2 })
}

/// Makes random writes until it is asked to stop; returns how many.
async fn write(client: Client, stop: Arc<AtomicBool>, mut random: fastrand::Rng) -> u32 {
    let mut written = 0;
    while !stop.load(Ordering::Relaxed) {
        match step(&client, &mut random).await {
            Ok(()) => written += 1,
            // The other writer was faster, or what it is about is gone.
            Err(error) if matches!(error.status(), Some(404 | 409 | 412)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    written
}

async fn step(client: &Client, random: &mut fastrand::Rng) -> Result<()> {
    let incidents = client.incidents();
    let datasources = client.datasources();
    let id = random.i32(1..80);
    let value = |random: &mut fastrand::Rng| {
        let date = format!(
            "2025-{:02}-10T{:02}:00:00Z",
            random.u8(1..10),
            random.u8(0..24)
        );
        DatasourceValueInput::new(random.f64(), date.parse().expect("an instant"))
    };
    match random.u8(0..12) {
        0 => {
            let day = "2026-04-01".parse().expect("a day");
            let new = IncidentCreate::new(
                6,
                IncidentSeverity::Low,
                "New",
                day,
                vec![CategoryInput::new(60)],
            );
            incidents.create(&new).await.map(drop)
        }
        1 => incidents.delete(id).await,
        2 | 3 => incidents.restore(id).await.map(drop),
        4 | 5 => incidents
            .set_severity(id, IncidentSeverity::Medium)
            .await
            .map(drop),
        6 => client
            .improvements()
            .create(&ImprovementCreate::new("Idea", "u-1"))
            .await
            .map(drop),
        7 => client.improvements().delete(random.i32(1..60)).await,
        8 => datasources.create_value(12, &value(random)).await.map(drop),
        9 => datasources
            .update_value(12, random.i32(1..1300), &value(random))
            .await
            .map(drop),
        10 => datasources.delete_value(12, random.i32(1..1300)).await,
        _ => {
            let values: Vec<_> = (0..random.usize(1..30)).map(|_| value(random)).collect();
            let values: Vec<_> = values
                .into_iter()
                .map(|value| DatasourceValueInput {
                    value_date: "2025-06-15T12:00:00Z".parse().expect("an instant"),
                    ..value
                })
                .collect();
            let (from, to) = ("2025-06-15T00:00:00Z", "2025-06-16T00:00:00Z");
            datasources
                .replace_values(
                    12,
                    from.parse().expect("an instant"),
                    to.parse().expect("an instant"),
                    &values,
                )
                .await
                .map(drop)
        }
    }
}

async fn race(copy: &Copy, plant: &Plant) {
    let (to, client) = (copy.to(), plant.client());
    let stop = Arc::new(AtomicBool::new(false));
    let mut random = obeya_testkit::rng();
    let writers: Vec<_> = [random.fork(), random.fork()]
        .into_iter()
        .map(|random| tokio::spawn(write(plant.client(), Arc::clone(&stop), random)))
        .collect();
    let end = Instant::now() + how_long();
    let mut runs = 0;
    while Instant::now() < end {
        plant.sync(&to, &[]).success();
        runs += 1;
    }
    stop.store(true, Ordering::Relaxed);
    let mut written = 0;
    for writer in writers {
        written += writer.await.expect("no panic");
    }
    let out = plant.sync(&to, &[]).success();
    println!("{to}: {runs} runs beside {written} writes");
    assert!(written > 10, "{written} writes are no race");
    assert!(out.contains("is up to date"), "{out}");
    assert_same(&copy.tables().await, &tables(&client, FIELDS).await, &to);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_made_while_others_write_comes_to_what_the_service_has() {
    let plant = Plant::new(60, 1200);
    for copy in Copy::all(plant.folder.path()) {
        race(&copy, &plant).await;
    }
}
