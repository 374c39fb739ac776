//! Retention of the audit log, and the counts of refused tokens.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use obeya_server::store::audit::Filter;
use obeya_server::store::refused_tokens::{self, Counts, MOST_ROWS, RETENTION_MINUTES};
use obeya_server::store::{Store, StoreError};

use crate::audit::entries;
use crate::support::sql::number;
use crate::support::{START, Service};

/// What [`number`] returns where no check is noted.
const NOTHING: i64 = -1;

#[tokio::test]
async fn the_audit_log_is_shortened_on_its_own_if_a_retention_is_set() {
    let service = Service::start_with(|config| {
        config.limits.purge = Duration::from_millis(10);
        config.audit_retention = Some(Duration::from_secs(86_400));
    })
    .await;
    let first = async || {
        let entries = entries(service.store(), Filter::default()).await;
        entries.first().expect("an entry").operation.clone()
    };
    let noted = async || {
        let sql = "SELECT coalesce(max(last), -1) FROM counters WHERE name = 'audit_check_ran'";
        number(service.store(), sql).await
    };
    let until_noted = async |expected: i64| {
        let noted = async { while noted().await != expected {} };
        tokio::time::timeout(Duration::from_secs(10), noted)
            .await
            .expect("noted");
    };
    let day = 86_400;
    // A clock that is a day ahead for less than a day removes nothing.
    service.clock.advance(86_401);
    until_noted(0).await;
    service.clock.advance(-86_401);
    until_noted(NOTHING).await;
    service.clock.elapse(day);
    assert_eq!(first().await, "createKey");
    // What was due is removed after a day of running, and not before.
    service.clock.advance(86_401);
    until_noted(0).await;
    service.clock.elapse(day - 1);
    until_noted(86_399).await;
    assert_eq!(first().await, "createKey");
    service.clock.elapse(1);
    let shortened = async { while first().await != "expireAudit" {} };
    tokio::time::timeout(Duration::from_secs(10), shortened)
        .await
        .expect("shortened");
}

async fn refused(store: &Store) -> Vec<(i64, String, i64, i64)> {
    let listed = store.read(|session| refused_tokens::list(session, 0)).await;
    let listed = listed.expect("counts").into_iter();
    let row =
        |it: refused_tokens::Refused| (it.minute, it.address, it.counts.requests, it.counts.tokens);
    listed.map(row).collect()
}

/// They are stored when the service stops, at the latest.
#[tokio::test]
async fn refused_tokens_are_counted_by_address_and_minute() {
    let service = Service::start_with(|config| {
        config.limits.auth_poll = Duration::from_secs(3600);
    })
    .await;
    for secret in ["a", "b"] {
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", "nobody"),
            ("client_secret", secret),
        ];
        assert_eq!(service.ask_token(&form).await.status, 401);
    }
    let areas = "/v2/areas";
    assert_eq!(service.get_as(Some("abc"), areas).await.status, 401);
    service.clock.advance(60);
    assert_eq!(service.get_as(Some("abc"), areas).await.status, 401);
    // Without a token, and with a good one that lacks the scope, nothing was refused.
    assert_eq!(service.get_as(None, areas).await.status, 401);
    let narrow = service.token_for(&["Boards.Read"]).await;
    assert_eq!(service.get_as(Some(&narrow), areas).await.status, 403);
    let database = Arc::clone(&service.database);
    service.running.shutdown().await;
    let minute = START / 60;
    let address = || "127.0.0.1".to_owned();
    assert_eq!(
        refused(&database.open().await).await,
        [(minute, address(), 2, 1), (minute + 1, address(), 0, 1)]
    );
}

#[tokio::test]
async fn the_counts_of_refused_tokens_are_bounded_by_age_and_number() {
    let service = Service::start().await;
    let store = service.store();
    let add = async |minute: i64, address: &str, now: i64| {
        let counts = Counts {
            requests: 1,
            tokens: 0,
        };
        let counted = HashMap::from([((minute, address.to_owned()), counts)]);
        let added = store.write(move |session| refused_tokens::add(session, &counted, now));
        added.await.expect("added");
    };
    add(5, "a", 5).await;
    add(5, "a", 6).await;
    assert_eq!(refused(store).await, [(5, "a".to_owned(), 2, 0)]);
    let now = 5 + RETENTION_MINUTES;
    add(now, "b", now).await;
    assert_eq!(refused(store).await.len(), 2);
    add(now, "b", now + 1).await;
    assert_eq!(refused(store).await, [(now, "b".to_owned(), 2, 0)]);
    let fill = format!(
        "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < {MOST_ROWS})
         INSERT INTO refused_tokens (minute, address, requests, tokens) SELECT {now} + i, 'c', 1, 1 FROM n"
    );
    let filled = store
        .write(move |session| session.execute(&fill, &[]))
        .await;
    let filled: Result<_, StoreError> = filled;
    assert_eq!(filled.expect("rows"), MOST_ROWS.unsigned_abs());
    add(now + MOST_ROWS, "d", now).await;
    let count = number(store, "SELECT count(*) FROM refused_tokens").await;
    assert_eq!(count, MOST_ROWS);
    let oldest = number(store, "SELECT min(minute) FROM refused_tokens").await;
    assert_eq!(oldest, now + 2);
}
