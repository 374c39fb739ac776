//! What `/metrics` shows while something happens, and that the list of metrics in the documents is complete.

use std::collections::BTreeMap;
use std::time::Duration;

use obeya_server::store::Dialect;
use tokio::io::AsyncWriteExt as _;

use crate::ENGINE;
use crate::store::Held;
use crate::support::{Answer, Service, raw};

/// Where each metric is described, for operators.
const LIST: &str = include_str!("../../../../docs/operations.md");

/// The metrics of `/metrics` with their types.
async fn shown(service: &Service) -> BTreeMap<String, String> {
    let text = service.get_as(None, "/metrics").await.text();
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let named = types.map(|line| line.split_once(' ').expect("a name and a type"));
    named
        .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
        .collect()
}

/// The rows of the table whose heading is `| metric | type | …`.
fn listed() -> Vec<(String, String, String)> {
    let table = LIST.split_once("| metric | type |").expect("a table").1;
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split(" | ").map(str::trim);
        let mut cell = || cells.next().expect("three cells").to_owned();
        let (name, kind, meaning) = (cell(), cell(), cell());
        (name.trim_matches('`').to_owned(), kind, meaning)
    })
    .collect()
}

#[tokio::test]
async fn every_metric_is_in_the_list_of_the_documents_and_no_other() {
    let service = Service::start().await;
    let expected = listed().into_iter().filter(|(_, _, meaning)| {
        let of_files = meaning.starts_with("SQLite:") && ENGINE != Dialect::Sqlite;
        let of_linux = meaning.starts_with("Linux:") && !cfg!(target_os = "linux");
        let of_unix = meaning.contains("on Unix") && !cfg!(unix);
        !of_files && !of_linux && !of_unix
    });
    let expected: BTreeMap<_, _> = expected.map(|(name, kind, _)| (name, kind)).collect();
    assert!(expected.len() > 15, "{expected:?}");
    assert_eq!(shown(&service).await, expected);
}

/// `Accept` of Prometheus 2 and 3, of an older agent, and of tools that name no format of metrics.
#[tokio::test]
async fn a_scraper_chooses_openmetrics_or_the_text_format() {
    let service = Service::start().await;
    let open = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let text = "text/plain; version=0.0.4; charset=utf-8";
    for (accept, expected) in [
        (
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
             text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
            open,
        ),
        (
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
             application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,\
             text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
            open,
        ),
        ("text/plain;version=0.0.4;q=0.5,*/*;q=0.1", text),
        ("*/*", text),
        ("application/json", text),
    ] {
        let url = service.url("/metrics");
        let answer = Answer::of(service.http.get(url).header("accept", accept)).await;
        assert_eq!(answer.status, 200, "{accept}");
        assert_eq!(answer.headers["content-type"], expected, "{accept}");
        // The end of the body is of OpenMetrics, and an error in the text format.
        assert_eq!(
            answer.text().ends_with("# EOF\n"),
            expected == open,
            "{accept}"
        );
    }
}

/// A rule over a metric that is not there never fires.
#[test]
fn the_alerts_of_the_documents_are_about_listed_metrics() {
    let rules = LIST.split_once("```yaml\ngroups:").expect("rules").1;
    let rules = rules.split_once("```").expect("an end").0;
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = rules.split(|letter| !is_part(letter));
    let used: Vec<&str> = words
        .filter(|word| word.starts_with("obeya_") || word.starts_with("process_"))
        .collect();
    assert!(used.len() > 10, "{used:?}");
    for name in used {
        let is_listed = listed().iter().any(|(listed, kind, _)| {
            let histogram = kind == "histogram"
                && ["_bucket", "_sum", "_count"]
                    .map(|part| format!("{listed}{part}"))
                    .contains(&name.to_owned());
            listed == name || histogram
        });
        assert!(is_listed, "{name}");
    }
}

#[tokio::test]
async fn open_connections_count_until_they_are_closed() {
    let service = Service::start_with(|config| config.limits.connections = 77).await;
    let limit = r#"obeya_http_connections_limit{listener="main"}"#;
    assert_eq!(service.figure(limit).await, 77);
    // That of the requests below is one of them.
    let series = r#"obeya_http_connections{listener="main"}"#;
    let before = service.figure(series).await;
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut stream = raw::connect(service.running.address()).await;
        // The answer shows that the connection was accepted.
        let request = "GET /healthz HTTP/1.1\r\nHost: plant.example\r\n\r\n";
        stream.write_all(request.as_bytes()).await.expect("sent");
        raw::until(&mut stream, "ok\n").await;
        open.push(stream);
    }
    assert_eq!(service.figure(series).await, before + 3);
    drop(open);
    let closed = async { while service.figure(series).await != before {} };
    let closed = tokio::time::timeout(Duration::from_secs(10), closed).await;
    closed.expect("they count no more");
}

#[tokio::test]
async fn commits_and_the_waits_of_writes_are_timed() {
    let service = Service::start().await;
    let counts = [
        "obeya_store_commit_duration_seconds_count",
        "obeya_store_writer_wait_seconds_count",
    ];
    let mut before = Vec::new();
    for count in counts {
        before.push(service.figure(count).await);
    }
    for _ in 0..2 {
        let client = service.running.add_client("erp", &["Data.Read"]).await;
        client.expect("a client");
    }
    for (count, before) in counts.iter().zip(before) {
        // At least, as the service empties the trash when it starts.
        assert!(service.figure(count).await >= before + 2, "{count}");
    }
}

#[tokio::test]
async fn waits_for_readers_and_statuses_of_failures_are_counted() {
    let service = Service::start_with(|config| {
        config.limits.database_connections = 1;
        config.limits.database_wait = Duration::from_millis(50);
    })
    .await;
    let waits = r#"obeya_store_reader_wait_seconds_count{work="short"}"#;
    let unavailable = r#"obeya_http_server_errors_total{status="503"}"#;
    assert_eq!(service.get("/v2/areas").await.status, 200);
    // Whoever gets a reader at once has not waited.
    assert_eq!(service.figure(waits).await, 0);
    assert_eq!(service.figure(unavailable).await, 0);
    let held = Held::all(service.store(), 1).await;
    let refused = service.get("/v2/areas").await;
    refused.is_problem(503, "unavailable");
    held.release().await;
    assert_eq!(service.figure(waits).await, 1);
    assert_eq!(service.figure(unavailable).await, 1);
    for status in ["500", "504"] {
        let series = format!(r#"obeya_http_server_errors_total{{status="{status}"}}"#);
        assert_eq!(service.figure(&series).await, 0, "{status}");
    }
}

#[tokio::test]
async fn the_build_names_its_version_and_engine_and_files_their_sizes() {
    let service = Service::start().await;
    let engine = match ENGINE {
        Dialect::Sqlite => "sqlite",
        _ => "postgresql",
    };
    let version = env!("CARGO_PKG_VERSION");
    let build = format!(r#"obeya_build_info{{version="{version}",engine="{engine}"}}"#);
    assert_eq!(service.figure(&build).await, 1);
    let (file, wal) = ("obeya_store_file_bytes", "obeya_store_wal_bytes");
    if let Some(path) = service.db().strip_prefix("sqlite:") {
        let size = |path: &str| std::fs::metadata(path).expect("a file").len();
        let log = format!("{path}-wal");
        // The service may still be emptying the trash, which it does when it starts.
        let same = async {
            while service.figure(file).await != size(path)
                || service.figure(wal).await != size(&log)
            {}
        };
        let same = tokio::time::timeout(Duration::from_secs(10), same).await;
        same.expect("the sizes of the files");
        assert!(size(path) > 0 && size(&log) > 0);
    } else {
        let text = service.get_as(None, "/metrics").await.text();
        assert!(!text.contains(file) && !text.contains(wal), "{text}");
    }
}
