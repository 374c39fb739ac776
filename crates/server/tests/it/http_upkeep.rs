//! Background tasks of the service.

use std::time::Duration;

use obeya_server::store::StoreError;

use crate::support::{START, Service};

const TICKS_PER_SECOND: i64 = 10_000_000;

/// The store's tests cover what is purged; here it only has to run.
#[tokio::test]
async fn the_trash_is_emptied_on_its_own() {
    let service =
        Service::start_with(|config| config.limits.purge = Duration::from_millis(10)).await;
    let count = async || {
        let counted = service
            .store()
            .read(|session| session.first("SELECT count(*) FROM incidents", &[], |row| row.int(0)));
        let counted: Result<_, StoreError> = counted.await;
        counted.expect("counted").flatten()
    };
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
    service.clock.advance(29 * 86_400);
    assert_eq!(count().await, Some(1));
    service.clock.advance(86_400 + 1);
    let emptied = async { while count().await != Some(0) {} };
    tokio::time::timeout(Duration::from_secs(10), emptied)
        .await
        .expect("emptied");
}
