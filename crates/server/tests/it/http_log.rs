//! The content of the log, and what must never be in it.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use obeya_server::store::{Dialect, StoreError};
use tracing_subscriber::fmt::MakeWriter;

use crate::support::{Answer, Service};

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8(bytes.clone()).expect("UTF-8")
    }

    /// The lines that contain this text.
    fn lines(&self, text: &str) -> Vec<String> {
        let all = self.text();
        all.lines()
            .filter(|line| line.contains(text))
            .map(str::to_owned)
            .collect()
    }

    /// Takes every event of this thread, which is where a test's service runs, down to the finest.
    fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(self.clone())
            .finish();
        tracing::subscriber::set_default(subscriber)
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn a_request_leaves_one_line_without_secrets_query_or_body() {
    let log = Log::default();
    let _listening = log.listen();
    let service = Service::start().await;
    let client = service
        .running
        .add_client("erp", &["Data.Read"])
        .await
        .expect("a client");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", &client.client_id),
        ("client_secret", &client.client_secret),
    ];
    let token = service.ask_token(&form).await.json()["access_token"]
        .as_str()
        .expect("a token")
        .to_owned();
    let request = service
        .http
        .get(service.url("/v2/areas/7?$select=private"))
        .bearer_auth(&token);
    Answer::of(request.header("x-request-id", "order-7")).await;
    let body = serde_json::json!({"title": "private"});
    service.put("/v1/Improvements/1", &body).await;

    let lines = log.lines("order-7");
    assert_eq!(lines.len(), 1, "{lines:?}");
    for part in [
        "/v2/areas/7".to_owned(),
        "status=400".to_owned(),
        client.client_id.clone(),
    ] {
        assert!(lines[0].contains(&part), "{part} in {}", lines[0]);
    }
    // The log of the test's own client, which shares the thread, is not ours to judge.
    let ours = log.lines("obeya").join("\n");
    for secret in [token.as_str(), &client.client_secret, "private"] {
        assert!(!ours.contains(secret), "{secret} in {ours}");
    }
}

/// A proxy's own address is of no use to the reader of a log, and a client must not choose what is there.
#[tokio::test]
async fn the_log_has_the_address_that_a_trusted_proxy_reports() {
    let proxies = ["127.0.0.0/8", "192.0.2.0/24"];
    for (proxy, logged) in proxies.into_iter().zip(["198.51.100.7", "127.0.0.1"]) {
        let log = Log::default();
        let _listening = log.listen();
        let service = Service::start_with(|config| {
            config.trusted_proxies = vec![proxy.parse().expect("a network")];
        })
        .await;
        let request = service.request(reqwest::Method::GET, "/v2/areas");
        let request = request.header("x-request-id", "through-proxy");
        Answer::of(request.header("x-forwarded-for", "203.0.113.9, 198.51.100.7")).await;
        let lines = log.lines("through-proxy");
        let ours: Vec<_> = lines
            .iter()
            .filter(|line| line.contains("answered"))
            .collect();
        assert_eq!(ours.len(), 1, "{lines:?}");
        assert!(ours[0].contains(&format!("address={logged} ")), "{ours:?}");

        let request = service.http.post(service.url("/connect/token"));
        let request = request.form(&[("grant_type", "client_credentials")]);
        let request = request.header("x-forwarded-for", "203.0.113.9, 198.51.100.7");
        assert_eq!(Answer::of(request).await.status, 401);
        let lines = log.lines("refused a token request");
        assert!(lines[0].contains("peer=127.0.0.1:"), "{lines:?}");
        assert!(
            lines[0].contains(&format!("address={logged} ")),
            "{lines:?}"
        );
    }
}

/// A client without a token cannot fill the log with its requests.
#[tokio::test]
async fn of_a_long_path_the_log_holds_the_beginning() {
    let log = Log::default();
    let _listening = log.listen();
    let service = Service::start().await;
    let broken = service
        .store()
        .write(|session| session.execute("ALTER TABLE boards RENAME TO mislaid", &[]));
    let broken: Result<_, StoreError> = broken.await;
    broken.expect("renamed");
    // The access log of a 404, and what is logged of a 500: `+` and zeros are read as part of the number.
    let unknown = format!("/v2/{}", "x".repeat(40_000));
    let failing = format!("/v2/boards({}1)", "0".repeat(40_000));
    for (id, path, status, lines) in [("long-1", &unknown, 404, 1), ("long-2", &failing, 500, 2)] {
        let request = service.request(reqwest::Method::GET, path);
        let answer = Answer::of(request.header("x-request-id", id)).await;
        assert_eq!(answer.status, status, "{}", answer.text());
        let found = log.lines(id);
        let found: Vec<_> = found.iter().filter(|line| line.contains("path=")).collect();
        assert_eq!(found.len(), lines, "{found:?}");
        for line in found {
            let beginning = &path[..256];
            let mark = format!("path={beginning}… ({} bytes)", path.len());
            assert!(line.contains(&mark), "{line}");
            assert!(line.len() < 1024, "{line}");
        }
    }
    let method = reqwest::Method::from_bytes(&[b'M'; 40_000]).expect("a token");
    let request = service.request(method, "/v2/areas");
    let answer = Answer::of(request.header("x-request-id", "long-3")).await;
    assert_eq!(answer.status, 405, "{}", answer.text());
    for line in log.lines("long-3") {
        assert!(line.len() < 1024, "{line}");
    }
}

/// Of requests that anybody can send, only some have a line; those of clients have one each.
#[tokio::test]
async fn refused_requests_are_summarised_and_accepted_ones_are_not() {
    const EACH: usize = 60;
    let log = Log::default();
    let _listening = log.listen();
    let begun = Instant::now();
    let service = Service::start_with(|config| {
        config.limits.logged_refusals = 2;
        config.limits.token_failure_rate = None;
    })
    .await;
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", "guess-8"),
    ];
    for _ in 0..EACH {
        assert_eq!(service.get_as(None, "/v2/refused-8").await.status, 404);
        assert_eq!(service.ask_token(&form).await.status, 401);
        assert_eq!(service.get("/v2/areas?$top=8").await.status, 200);
    }
    // The last summary is written at the latest when the service stops.
    service.running.shutdown().await;
    let accepted = log.lines("path=/v2/areas ").len();
    assert_eq!(accepted, EACH);
    let seconds = begun.elapsed().as_secs_f64();
    for (lines, of_path, what, count) in [
        (
            log.lines("answered"),
            ["path=/v2/refused-8 ", "path=/connect/token "],
            "what=\"requests\"",
            2 * EACH,
        ),
        (
            log.lines("refused a token request"),
            ["client_id=", "client_id="],
            "what=\"token requests\"",
            EACH,
        ),
    ] {
        let is_refused = |line: &&String| {
            of_path.iter().any(|path| line.contains(path)) && !line.contains("status=200")
        };
        let logged = lines.iter().filter(is_refused).count();
        let summaries = log.lines(what);
        let counted: usize = summaries
            .iter()
            .map(|line| {
                let (_, count) = line.split_once(" count=").expect("a count");
                let digits = count.split(' ').next().expect("digits");
                digits.parse::<usize>().expect("a number")
            })
            .sum();
        assert_eq!(logged + counted, count, "{summaries:?}");
        // Two lines in each second that had begun.
        let most = 2.0 * (seconds + 1.0);
        assert!((logged as f64) <= most, "{logged} in {seconds} s");
    }
}

/// Attempts to guess secrets are logged, and cannot inject log lines.
#[tokio::test]
async fn a_refused_token_request_is_logged_with_its_address_and_client() {
    let log = Log::default();
    let _listening = log.listen();
    let service = Service::start().await;
    let client = service
        .running
        .add_client("erp", &["Data.Read"])
        .await
        .expect("a client");
    let long = "x".repeat(10_000);
    for (id, logged) in [
        (client.client_id.as_str(), format!("{:?}", client.client_id)),
        ("a\nWARN b\u{1b}[2J", r#""a\nWARN b\u{1b}[2J""#.to_owned()),
        (&long, format!("\"{}… (10000 bytes)\"", "x".repeat(64))),
    ] {
        let before = log.lines("refused a token request").len();
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", id),
            ("client_secret", "guess-7"),
        ];
        assert_eq!(service.ask_token(&form).await.status, 401);
        let lines = log.lines("refused a token request");
        assert_eq!(lines.len(), before + 1, "{lines:?}");
        let line = &lines[before];
        for part in [
            "peer=127.0.0.1:".to_owned(),
            format!("client_id={logged}"),
            "error=\"invalid_client\"".to_owned(),
        ] {
            assert!(line.contains(&part), "{part} in {line}");
        }
    }
    // By HTTP Basic too, and where no client was named.
    let request = service.http.post(service.url("/connect/token"));
    let request = request.form(&[("grant_type", "client_credentials")]);
    let answer = Answer::of(request.basic_auth("basic-7", Some("guess-7"))).await;
    assert_eq!(answer.status, 401);
    assert_eq!(log.lines("client_id=\"basic-7\"").len(), 1);
    service
        .ask_token(&[("grant_type", "client_credentials")])
        .await;
    let lines = log.lines("refused a token request");
    let last = lines.last().expect("a line");
    assert!(
        last.contains("peer=") && !last.contains("client_id="),
        "{last}"
    );
    let ours = log.lines("obeya").join("\n");
    for secret in ["guess-7", &client.client_secret] {
        assert!(!ours.contains(secret), "{secret} in {ours}");
    }
}

/// The cause of a 500 is in the log under its trace id, and nowhere else.
#[tokio::test]
async fn a_fault_of_ours_is_reported_in_the_log_only() {
    let log = Log::default();
    let _listening = log.listen();
    let service = Service::start_with(|config| config.limits.logged_refusals = 1).await;
    // Refusals, which anybody can cause, do not use up its line.
    for _ in 0..5 {
        assert_eq!(service.get_as(None, "/v2/refused-9").await.status, 404);
    }
    let broken = service
        .store()
        .write(|session| session.execute("ALTER TABLE areas RENAME TO mislaid", &[]));
    let broken: Result<_, StoreError> = broken.await;
    broken.expect("renamed");
    let words = match crate::ENGINE {
        Dialect::Postgres => "relation \\\"areas\\\" does not exist",
        _ => "no such table",
    };
    let answer = service.get("/v2/areas").await;
    let problem = answer.is_problem(500, "internal");
    assert!(!answer.text().contains("areas:"), "{problem:#}");
    for cause in ["no such table", "not exist"] {
        assert!(!answer.text().contains(cause), "{problem:#}");
    }
    let lines = log.lines(problem["traceId"].as_str().expect("an id"));
    assert!(
        lines
            .iter()
            .any(|line| line.contains("ERROR") && line.contains(words)),
        "{lines:?}"
    );
}
