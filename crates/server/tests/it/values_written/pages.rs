//! Pages and counts after writes: cached positions and counts of earlier states do not show.

use reqwest::Method;
use serde_json::json;

use super::{VALUES, add, delete, page, plant, value};
use crate::support::{Answer, Service};

/// A value for each second of some hours, its figure the number of the second.
async fn seconds(service: &Service, count: usize) {
    let at = |n: usize| {
        let (hour, minute, second) = (n / 3600, n / 60 % 60, n % 60);
        value(
            n as f64,
            &format!("2025-06-01T{hour:02}:{minute:02}:{second:02}Z"),
        )
    };
    let values: Vec<_> = (0..count).map(at).collect();
    for piece in values.chunks(10_000) {
        add(service, VALUES, piece).await;
    }
}

fn figures((count, values): (i64, Vec<(i64, f64)>)) -> (i64, f64, f64) {
    let first = values.first().expect("a value").1;
    (count, first, values.last().expect("a value").1)
}

#[tokio::test]
async fn far_pages_and_counts_follow_every_write() {
    const FAR: &str = "?pageSize=1000&page=13";
    const EVEN: &str = "?pageSize=1000&page=7&$filter=value%20mod%202%20eq%200";
    let service = plant().await;
    seconds(&service, 13_000).await;
    let look = async || {
        (
            figures(page(&service, FAR).await),
            figures(page(&service, EVEN).await),
        )
    };
    let before = ((13_000, 12_000.0, 12_999.0), (6_500, 12_000.0, 12_998.0));
    assert_eq!(look().await, before);
    // Twice, so that the caches are used.
    assert_eq!(look().await, before);
    // In the middle: all behind it move on by one.
    let middle = value(0.5, "2025-06-01T01:00:00.5Z");
    let added = service.post(VALUES, &middle).await.json();
    assert_eq!(
        look().await,
        ((13_001, 11_999.0, 12_998.0), (6_500, 12_000.0, 12_998.0))
    );
    // To the front, and among those that the filter takes.
    let path = format!("{VALUES}/{}", added["id"]);
    service.put(&path, &value(-2, "2025-05-31T00:00:00Z")).await;
    assert_eq!(
        look().await,
        ((13_001, 11_999.0, 12_998.0), (6_501, 11_998.0, 12_998.0))
    );
    delete(&service, &path).await;
    assert_eq!(look().await, before);
    let hour = "?from=2025-06-01T00:00:00Z&to=2025-06-01T00:59:59Z";
    let replaced = service
        .put(
            &format!("{VALUES}/batchReplace{hour}"),
            &json!([value(2, "2025-06-01T00:00:00Z")]),
        )
        .await;
    assert_eq!(replaced.status, 200, "{}", replaced.text());
    // 3,600 values became one.
    assert_eq!(page(&service, FAR).await, (9_401, Vec::new()));
    assert_eq!(
        figures(page(&service, "?pageSize=1000&page=10").await),
        (9_401, 12_599.0, 12_999.0)
    );
    assert_eq!(page(&service, EVEN).await, (4_701, Vec::new()));
}

#[tokio::test]
async fn a_tag_says_whether_the_values_changed() {
    let service = plant().await;
    seconds(&service, 10).await;
    let ask = |path: &str, tag: &str, accept: &str| {
        let request = service.request(Method::GET, path);
        Answer::of(
            request
                .header("if-none-match", tag)
                .header("accept", accept),
        )
    };
    let json = "application/json";
    let tag = service.get(VALUES).await.header("etag").to_owned();
    assert!(!tag.is_empty());
    let same = ask(VALUES, &tag, json).await;
    assert_eq!((same.status, same.body.len()), (304, 0));
    assert_eq!(same.header("etag"), tag);
    // Another page, another filter, another form: other bytes.
    for (path, accept) in [
        (format!("{VALUES}?pageSize=5"), json),
        (format!("{VALUES}?page=2"), json),
        (format!("{VALUES}?$filter=value%20gt%203"), json),
        (format!("{VALUES}?from=2025-01-01T00:00:00Z"), json),
        ("/v1/Datasources/2/values".to_owned(), json),
        (VALUES.to_owned(), "text/csv"),
    ] {
        let other = ask(&path, &tag, accept).await;
        assert_eq!(other.status, 200, "{path} {accept}");
        let own = other.header("etag").to_owned();
        assert_ne!(own, tag, "{path} {accept}");
        assert_eq!(
            ask(&path, &own, accept).await.status,
            304,
            "{path} {accept}"
        );
    }
    // A page that depends on the time may differ next time.
    let moving = format!("{VALUES}?$filter=valueDate%20lt%20now()");
    assert_eq!(ask(&moving, "*", json).await.header("etag"), "");
    // Another datasource's values are not these.
    let elsewhere = json!({"value": 1, "valueDate": "2025-06-01T00:00:00Z", "dimension": "x"});
    service.post("/v1/Datasources/2/values", &elsewhere).await;
    assert_eq!(ask(VALUES, &tag, json).await.status, 304);
    let mut tags = vec![tag];
    for (method, path, body) in [
        (
            Method::POST,
            VALUES.to_owned(),
            value(1, "2025-06-01T00:00:00Z"),
        ),
        (
            Method::PUT,
            format!("{VALUES}/1"),
            value(7, "2025-06-01T00:00:00Z"),
        ),
        (Method::DELETE, format!("{VALUES}/batch"), json!([1])),
        (
            Method::POST,
            format!("{VALUES}/batch"),
            json!([value(0, "2025-06-01T00:00:00Z")]),
        ),
        (
            Method::PUT,
            format!("{VALUES}/batchReplace?from=2025-06-01T00:00:00Z&to=2025-06-01T00:00:00Z"),
            json!([]),
        ),
    ] {
        let written = Answer::of(service.request(method.clone(), &path).json(&body)).await;
        assert_eq!(written.status, 200, "{method} {path}: {}", written.text());
        let changed = ask(VALUES, tags.last().expect("a tag"), json).await;
        assert_eq!(changed.status, 200, "{method} {path}");
        let tag = changed.header("etag").to_owned();
        assert!(!tags.contains(&tag), "{method} {path}: {tag}");
        tags.push(tag);
    }
}

/// Clients combine pages by it, so it is the same for every request, and different after any change.
#[tokio::test]
async fn the_state_is_the_same_on_every_page_until_a_value_changes() {
    let service = plant().await;
    seconds(&service, 10).await;
    let ask = |path: &str, accept: &str, tag: &str| {
        let request = service.request(Method::GET, path);
        Answer::of(
            request
                .header("accept", accept)
                .header("if-none-match", tag),
        )
    };
    let state = async || {
        let page = service.get(VALUES).await;
        page.header("obeya-state").to_owned()
    };
    let before = state().await;
    // As long as a digest, with characters that any client can store.
    assert_eq!(before.len(), 22, "{before}");
    for query in [
        "",
        "?pageSize=3&page=3",
        "?pageSize=3&page=30",
        "?$filter=value%20gt%203&$orderby=value%20desc",
        "?$filter=valueDate%20lt%20now()",
        "?from=2025-06-01T00:00:05Z",
    ] {
        let path = format!("{VALUES}{query}");
        for accept in [
            "application/json",
            "text/csv",
            "application/vnd.apache.arrow.stream",
        ] {
            let page = ask(&path, accept, "\"none\"").await;
            assert_eq!(page.header("obeya-state"), before, "{query} {accept}");
            let tag = page.header("etag").to_owned();
            if !tag.is_empty() {
                let same = ask(&path, accept, &tag).await;
                let found = (same.status, same.header("obeya-state"));
                assert_eq!(found, (304, before.as_str()), "{query} {accept}");
            }
        }
    }
    // Values of another datasource are separate, and writes to it are not visible here.
    let elsewhere = "/v1/Datasources/2/values";
    assert_ne!(service.get(elsewhere).await.header("obeya-state"), before);
    let other = json!({"value": 1, "valueDate": "2025-06-01T00:00:00Z", "dimension": "x"});
    assert_eq!(service.post(elsewhere, &other).await.status, 200);
    assert_eq!(state().await, before);
    let missing = service.get("/v1/Datasources/99/values").await;
    assert_eq!(missing.header("obeya-state"), "");
    // One goes and one comes: as many as before.
    let mut states = vec![before];
    for (method, path, body) in [
        (
            Method::PUT,
            format!("{VALUES}/1"),
            value(1, "2025-06-02T00:00:00Z"),
        ),
        (Method::DELETE, format!("{VALUES}/batch"), json!([2])),
        (
            Method::POST,
            VALUES.to_owned(),
            value(1, "2025-06-01T00:00:00Z"),
        ),
        (
            Method::POST,
            format!("{VALUES}/batch"),
            json!([value(0, "2025-06-01T00:00:00Z")]),
        ),
        (
            Method::PUT,
            format!("{VALUES}/batchReplace?from=2025-06-01T00:00:04Z&to=2025-06-01T00:00:04Z"),
            json!([value(7, "2025-06-01T00:00:04Z")]),
        ),
    ] {
        let written = Answer::of(service.request(method.clone(), &path).json(&body)).await;
        assert_eq!(written.status, 200, "{method} {path}: {}", written.text());
        let state = state().await;
        assert!(!states.contains(&state), "{method} {path}: {state}");
        states.push(state);
    }
}

/// An older copy of the database is restored: later writes must not be mistaken for earlier ones.
#[tokio::test]
async fn a_tag_of_values_that_were_lost_fits_no_others() {
    let service = plant().await;
    seconds(&service, 3).await;
    let state = async || {
        let sql = "SELECT value_count, change_counter FROM datasources WHERE id = 1";
        let state = service
            .store()
            .read(move |session| session.first(sql, &[], |row| Ok((row.int(0)?, row.int(1)?))));
        let state: Result<_, obeya_server::store::StoreError> = state.await;
        state.expect("a datasource").expect("a datasource")
    };
    let (count, counter) = state().await;
    let lost = service
        .post(VALUES, &value(1, "2025-06-01T10:00:00Z"))
        .await;
    let tag = service.get(VALUES).await.header("etag").to_owned();
    let back = service.store().write(move |session| {
        session.execute("DELETE FROM datasource_values WHERE id = 4", &[])?;
        session.execute(
            "UPDATE datasources SET value_count = ?1, change_counter = ?2 WHERE id = 1",
            &[count.into(), counter.into()],
        )?;
        session.execute("UPDATE counters SET last = 3", &[])
    });
    back.await.expect("as it was");
    // The clock is the one thing that is not put back.
    service.clock.advance(1);
    let other = service
        .post(VALUES, &value(2, "2025-06-01T10:00:00Z"))
        .await;
    assert_eq!(other.json()["id"], lost.json()["id"]);
    assert_ne!(service.get(VALUES).await.header("etag"), tag);
}
