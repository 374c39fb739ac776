//! Background tasks of the service.

use std::sync::Arc;
use std::time::Duration;

use obeya_server::Config;
use obeya_server::store::StoreError;

use crate::support::{START, Service};

const TICKS_PER_SECOND: i64 = 10_000_000;
const DAY: u64 = 86_400;
const THIRTY_DAYS: i64 = 30 * 86_400;

/// For what the upkeep does by itself.
const PATIENCE: Duration = Duration::from_secs(10);

fn change(config: &mut Config) {
    config.limits.purge = Duration::from_millis(10);
    config.limits.file_check = Duration::from_millis(10);
}

/// A service with an incident in the trash, deleted at [`START`].
async fn with_trash() -> Service {
    let service = Service::start_with(change).await;
    let written = service.store().write(|session| {
        let deleted = (START * TICKS_PER_SECOND).into();
        session.execute("INSERT INTO incident_types (id, title) VALUES (1, 'Safety')", &[])?;
        session.execute(
            "INSERT INTO incidents (incident_type_id, reported_date, status, severity, title, incident_date, last_modified, deleted_date) \
             VALUES (1, ?1, 'New', 'Low', 'Oil leak', 0, ?1, ?1)",
            &[deleted],
        )
    });
    let written: Result<_, StoreError> = written.await;
    assert_eq!(written.expect("written"), 1);
    service
}

async fn number(service: &Service, sql: &'static str) -> Option<i64> {
    let read = service
        .store()
        .read(move |session| session.first(sql, &[], |row| row.int(0)));
    let read: Result<_, StoreError> = read.await;
    read.expect("read").flatten()
}

async fn incidents(service: &Service) -> Option<i64> {
    number(service, "SELECT count(*) FROM incidents").await
}

/// How many seconds of running are noted since the first check at which something was due.
async fn noted(service: &Service) -> Option<i64> {
    let sql = "SELECT last FROM counters WHERE name = 'trash_check_ran'";
    number(service, sql).await
}

/// Waits until so much running is noted.
async fn until_noted(service: &Service, ran: Option<i64>) {
    let waited = async { while noted(service).await != ran {} };
    let waited = tokio::time::timeout(PATIENCE, waited).await;
    waited.unwrap_or_else(|_| panic!("{ran:?} is noted"));
}

async fn until_emptied(service: &Service) {
    let emptied = async { while incidents(service).await != Some(0) {} };
    let emptied = tokio::time::timeout(PATIENCE, emptied).await;
    emptied.expect("emptied");
}

#[tokio::test]
async fn the_trash_is_emptied_after_30_days_and_a_day_of_running() {
    let service = with_trash().await;
    service.clock.elapse(2 * DAY);
    service.clock.advance(THIRTY_DAYS - 1);
    assert_eq!(noted(&service).await, None, "nothing is due");
    service.clock.advance(1);
    until_noted(&service, Some(0)).await;
    service.clock.elapse(DAY - 1);
    until_noted(&service, Some(86_399)).await;
    assert_eq!(incidents(&service).await, Some(1));
    service.clock.elapse(1);
    until_emptied(&service).await;
    until_noted(&service, None).await;
}

#[tokio::test]
async fn a_clock_that_was_a_month_ahead_empties_no_trash() {
    let service = with_trash().await;
    service.clock.advance(31 * 86_400);
    until_noted(&service, Some(0)).await;
    service.clock.elapse(DAY - 1);
    until_noted(&service, Some(86_399)).await;
    service.clock.advance(-31 * 86_400);
    until_noted(&service, None).await;
    // Ahead again, when a day of running has passed since the first time.
    service.clock.elapse(DAY);
    service.clock.advance(31 * 86_400);
    until_noted(&service, Some(0)).await;
    assert_eq!(incidents(&service).await, Some(1));
}

#[tokio::test]
async fn a_day_of_running_may_be_of_several_processes() {
    let first = with_trash().await;
    first.clock.advance(THIRTY_DAYS);
    until_noted(&first, Some(0)).await;
    first.clock.elapse(DAY / 2);
    until_noted(&first, Some(43_200)).await;
    let database = Arc::clone(&first.database);
    let Service { running, clock, .. } = first;
    running.shutdown().await;

    let second = Service::start_on(database, |config| {
        change(config);
        config.clock = clock.clock();
    });
    let second = second.await;
    // A process counts from its first check on.
    let counted = async {
        while noted(&second).await == Some(43_200) {
            clock.elapse(1);
        }
    };
    tokio::time::timeout(PATIENCE, counted)
        .await
        .expect("counted");
    assert_eq!(incidents(&second).await, Some(1));
    clock.elapse(DAY / 2);
    until_emptied(&second).await;
}

#[tokio::test]
async fn a_clock_that_jumps_is_counted() {
    let service = Service::start_with(change).await;
    assert_eq!(service.figure("obeya_clock_jumps_total").await, 0);
    // The first look may come after the first jump.
    let counted = async {
        while service.figure("obeya_clock_jumps_total").await == 0 {
            service.clock.advance(3_600);
        }
    };
    tokio::time::timeout(PATIENCE, counted)
        .await
        .expect("counted");
    let last = service.figure("obeya_clock_last_jump_seconds").await;
    assert!(last >= 3_600 && last % 3_600 == 0, "{last}");
}
