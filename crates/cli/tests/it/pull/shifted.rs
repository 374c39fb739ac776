//! Values are deleted, inserted and moved between two pages of a pull, which shifts all later pages.

use std::collections::BTreeMap;

use serde_json::Value;

use super::plant::{DATASOURCE, Plant, changed, insert};
use super::read;
use super::relay::Relay;
use crate::binary::done;

const VALUES: u32 = 1_000;
const ENDINGS: [&str; 2] = ["ndjson", "parquet"];

/// What a pull of pages of a hundred through a relay gives: how often each value came, by its text `x-` and
/// number.
fn pulled(plant: &Plant, relay: &Relay, ending: &str, more: &[&str]) -> BTreeMap<String, u32> {
    let file = plant.file(&format!("values.{ending}"));
    let path = file.to_str().expect("UTF-8");
    let arguments = ["values", DATASOURCE, "--page-size", "100", "-o", path];
    let mut command = plant.pull(&[&arguments[..], more].concat());
    done(command.env("OBEYA_BASE_URL", relay.url())).success();
    let found = match ending {
        "parquet" => read::objects(&read::parquet(&file)),
        _ => read::lines(&std::fs::read_to_string(&file).expect("read")),
    };
    let mut times = BTreeMap::new();
    for value in &found {
        let Value::String(text) = &value["externalId"] else {
            panic!("{value}");
        };
        *times.entry(text.clone()).or_default() += 1;
    }
    times
}

/// Fails unless each of these came once.
#[track_caller]
fn once(times: &BTreeMap<String, u32>, mut numbers: impl Iterator<Item = u32>, what: &str) {
    let other = numbers.find(|number| times.get(&format!("x-{number}")) != Some(&1));
    assert_eq!(
        other.map(|number| (number, times.get(&format!("x-{number}")))),
        None,
        "{what}: of {}",
        times.len()
    );
}

/// The database changes once, between the first page and every other.
fn after_the_first_page(
    plant: &Plant,
    change: impl Fn(&rusqlite::Connection) + Send + 'static,
) -> impl FnMut(usize) + Send + 'static {
    let database = plant.database();
    move |asked| {
        if asked == 1 {
            change(&database);
        }
    }
}

fn one_goes_and_one_comes_after(database: &rusqlite::Connection) {
    changed(
        database,
        "DELETE FROM datasource_values WHERE external_id = 'x-7'",
    );
    insert(database, VALUES, VALUES + 1, 20_000_000);
}

#[test]
fn one_that_goes_before_a_page_and_one_that_comes_after_it_hide_none() {
    for ending in ENDINGS {
        let plant = Plant::with_values(VALUES);
        let change = after_the_first_page(&plant, one_goes_and_one_comes_after);
        let relay = Relay::start(&plant.serving.url, change);
        let times = pulled(&plant, &relay, ending, &[]);
        // The one that went was on the first page; the one that came is on the last.
        once(&times, 0..=VALUES, ending);
        assert_eq!(times.len(), VALUES as usize + 1, "{ending}");
    }
}

#[test]
fn one_that_moves_to_a_later_day_hides_none() {
    for ending in ENDINGS {
        let plant = Plant::with_values(VALUES);
        let change = after_the_first_page(&plant, |database| {
            let day = 864_000_000_000_u64;
            changed(
                database,
                &format!(
                    "UPDATE datasource_values SET value_date = value_date + {day} WHERE external_id = 'x-7'"
                ),
            );
        });
        let relay = Relay::start(&plant.serving.url, change);
        let times = pulled(&plant, &relay, ending, &["--where", "value gt -10"]);
        once(&times, (0..VALUES).filter(|number| *number != 7), ending);
        // As it was, and as it is.
        assert_eq!(times["x-7"], 2, "{ending}");
    }
}

#[test]
fn a_page_that_is_empty_by_now_hides_none() {
    for ending in ENDINGS {
        let plant = Plant::with_values(200);
        let change = after_the_first_page(&plant, |database| {
            changed(
                database,
                "DELETE FROM datasource_values WHERE cast(substr(external_id, 3) AS INTEGER) < 100",
            );
        });
        let relay = Relay::start(&plant.serving.url, change);
        let times = pulled(&plant, &relay, ending, &["--from", "2023-11-01"]);
        once(&times, 0..200, ending);
    }
}

/// Its count says that something moved, as far as a count can say it.
#[test]
fn a_service_that_names_no_state_is_believed_its_count() {
    for ending in ENDINGS {
        let plant = Plant::with_values(VALUES);
        let change = after_the_first_page(&plant, |database| {
            changed(
                database,
                "DELETE FROM datasource_values WHERE external_id = 'x-7'",
            );
        });
        let relay = Relay::without_state(&plant.serving.url, change);
        once(&pulled(&plant, &relay, ending, &[]), 0..VALUES, ending);
    }
}

/// Under it a state says nothing of what matches, so the relay may as well hide it.
#[test]
fn a_condition_that_asks_for_the_time_is_pulled_page_by_page() {
    for ending in ENDINGS {
        let plant = Plant::with_values(VALUES);
        let change = after_the_first_page(&plant, one_goes_and_one_comes_after);
        let relay = Relay::without_state(&plant.serving.url, change);
        let times = pulled(&plant, &relay, ending, &["--where", "valueDate lt now()"]);
        once(&times, 0..=VALUES, ending);
        // One request to a page, and one that finds nothing more.
        assert!(relay.asked() <= 13, "{}", relay.asked());
    }
}

/// Before each request the values with the numbers from 0 on go one by one, and others come at the end.
fn with_every_request(plant: &Plant) -> impl FnMut(usize) + Send + 'static {
    let database = plant.database();
    move |asked| {
        changed(
            &database,
            &format!("DELETE FROM datasource_values WHERE external_id = 'x-{asked}'"),
        );
        let number = VALUES + u32::try_from(asked).expect("small");
        insert(&database, number, number + 1, 20_000_000);
    }
}

#[test]
fn it_comes_to_its_end_though_every_page_shows_another_state() {
    for ending in ENDINGS {
        let plant = Plant::with_values(VALUES);
        let relay = Relay::start(&plant.serving.url, with_every_request(&plant));
        let times = pulled(&plant, &relay, ending, &[]);
        // At most five requests to a hundred values, each of which brings another value.
        assert!(relay.asked() <= 60, "{}", relay.asked());
        once(&times, 60..VALUES, ending);
        assert!(times.values().all(|times| *times == 1), "{ending}: twice");
    }
}

/// Where a page begins by date does not help then: the first page of every round is one that has been there.
#[test]
fn more_values_of_one_instant_than_fit_on_a_page_are_come_past() {
    for ending in ENDINGS {
        let plant = Plant::with_values(VALUES);
        // Of one microsecond, but not of one tick, so that by id they are in another order.
        changed(
            &plant.database(),
            "UPDATE datasource_values SET value_date = 17000360000000000 + id % 10
             WHERE cast(substr(external_id, 3) AS INTEGER) BETWEEN 300 AND 649",
        );
        let relay = Relay::start(&plant.serving.url, with_every_request(&plant));
        let more = [
            "--where",
            "value gt -10 or value lt -20",
            "--to",
            "2100-01-01",
        ];
        let times = pulled(&plant, &relay, ending, &more);
        assert!(relay.asked() <= 90, "{}", relay.asked());
        once(&times, 90..VALUES, ending);
        assert!(times.values().all(|times| *times == 1), "{ending}: twice");
    }
}
