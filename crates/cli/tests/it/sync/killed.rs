//! Killed at any moment, a copy is whole or is made whole by the next run.

use std::time::{Duration, Instant};

use obeya::Client;
use obeya::model::{
    CategoryInput, DatasourceValueInput, GroupMemberCreate, GroupRole, IncidentCreate,
    IncidentSeverity, Patch, TaskPatch,
};

use super::bucket::Bucket;
use super::copy::{Copy, assert_same};
use super::plant::Plant;
use super::wire::{FIELDS, tables};

/// How often a run is killed: searching longer finds rarer moments.
fn rounds() -> u32 {
    if obeya_testkit::is_long() { 200 } else { 20 }
}

/// Something of every kind, so that each run has work in each table.
pub async fn change(client: &Client, round: u32) {
    let incidents = client.incidents();
    let day = "2026-04-01".parse().expect("a day");
    let title = format!("Round {round}");
    let new = IncidentCreate::new(
        6,
        IncidentSeverity::Low,
        title,
        day,
        vec![CategoryInput::new(60)],
    );
    let new = incidents.create(&new).await.expect("created");
    let id = 1 + i32::try_from(round % 40).expect("small");
    match round % 3 {
        0 => incidents.delete(new.id).await.expect("deleted"),
        1 => drop(
            incidents
                .set_severity(id, IncidentSeverity::High)
                .await
                .expect("set"),
        ),
        _ => drop(
            incidents
                .set_custom_field(2 * (1 + id % 20), 62, "Press")
                .await
                .expect("set"),
        ),
    }
    // With comments on it, which come and go with it.
    match round % 2 {
        0 => incidents.delete(1).await.expect("deleted"),
        _ => drop(incidents.restore(1).await.expect("restored")),
    }
    let tags = vec![format!("Round {round}"), "a".to_owned()];
    let tagged = TaskPatch {
        tags: Patch::Value(tags),
        ..TaskPatch::default()
    };
    client.tasks().patch(501, &tagged).await.expect("set");
    match round % 2 {
        0 => client
            .groups()
            .remove_member(4, "u-1")
            .await
            .expect("removed"),
        _ => {
            let member = GroupMemberCreate {
                group_role: GroupRole::Viewer,
                user_id: "u-1".to_owned(),
            };
            client.groups().put_member(4, &member).await.expect("put");
        }
    }
    let month = 1 + round % 12;
    let date = format!("2027-{month:02}-01T00:00:00Z")
        .parse()
        .expect("an instant");
    let value = DatasourceValueInput::new(f64::from(round), date);
    let value = client
        .datasources()
        .create_value(12, &value)
        .await
        .expect("created");
    if round.is_multiple_of(2) {
        client
            .datasources()
            .delete_value(12, value.id)
            .await
            .expect("deleted");
    }
    let old = i32::try_from(5 * round + 1).expect("small");
    client
        .datasources()
        .delete_values(12, &[old])
        .await
        .expect("deleted");
}

async fn kill(copy: &Copy, plant: &Plant) {
    let (to, client) = (copy.to(), plant.client());
    let mut whole = Duration::from_millis(300);
    let mut unfinished = 0;
    let mut random = obeya_testkit::rng();
    for round in 0..rounds() {
        change(&client, round).await;
        let mut child = plant.start_sync(&to);
        tokio::time::sleep(whole.mul_f64(random.f64())).await;
        if child.try_wait().expect("asked").is_none() {
            unfinished += 1;
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        if let Copy::Bucket(bucket) = copy {
            bucket.expire_lease();
        }
        // Readers do not wait for the next run: whatever is there can be read.
        copy.tables().await;
        let begun = Instant::now();
        plant.sync(&to, &[]).success();
        whole = begun.elapsed();
        let service = tables(&client, FIELDS).await;
        assert_same(
            &copy.tables().await,
            &service,
            &format!("{to}, round {round}"),
        );
    }
    println!("killed: {unfinished} of {} were not done", rounds());
    assert!(unfinished > 0, "none was killed before its end");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_moment_a_folder_can_be_read_and_the_next_run_mends_it() {
    let plant = Plant::new(60, 1200);
    kill(&Copy::Folder(plant.folder.path().join("copy")), &plant).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_moment_a_bucket_is_whole() {
    let plant = Plant::new(60, 1200);
    kill(&Copy::Bucket(Bucket::new()), &plant).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_moment_a_database_is_whole() {
    let plant = Plant::new(60, 1200);
    kill(&Copy::Sqlite(plant.folder.path().join("copy.db")), &plant).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_moment_a_database_is_whole_on_postgres() {
    let plant = Plant::new(60, 1200);
    kill(
        &Copy::Postgres(obeya_testkit::postgres::Scratch::empty()),
        &plant,
    )
    .await;
}
