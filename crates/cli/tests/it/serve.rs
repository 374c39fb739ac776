//! `obeya serve`: the one line, the service behind it, and the way it stops.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use obeya::Client;
use obeya_testkit::Serving;
use serde_json::Value;

use crate::binary::{database, obeya, run, run_unread, serve_existing, serve_new, signal};
use crate::credentials::{Credentials, PLANT};

/// A client of the service that may do what this scope opens.
fn client(serving: &Serving, db: &str, scope: &str) -> Client {
    Credentials::add(db, &[scope]).client(&serving.url)
}

#[tokio::test]
async fn it_says_where_it_listens_and_answers_there() {
    let (folder, db) = database();
    let serving = serve_new(&db, &[]);
    assert!(
        folder.path().join("plant.db").exists(),
        "the database is made, as --create says"
    );
    // Made while the service runs, by another process.
    let client = client(&serving, &db, "Data.Read");
    assert_eq!(client.areas().list().await.expect("areas").items, []);
}

/// Every write of the SDK carries a key of its own.
#[tokio::test]
async fn a_client_has_as_many_idempotency_keys_as_the_option_says() {
    let (_folder, db) = database();
    run(["import", PLANT, "--db", &db]).success();
    let serving = serve_new(&db, &["--idempotency-keys", "2"]);
    let client = client(&serving, &db, "Data.ReadWrite");
    let delete = async || client.datasources().delete_values(12, &[1]).await;
    for _ in 0..2 {
        assert_eq!(delete().await.expect("room for a key"), 0);
    }
    let refused = delete().await.expect_err("no room");
    assert_eq!(refused.code(), Some("idempotency.quota"), "{refused}");
}

#[cfg(unix)]
#[test]
fn a_signal_stops_it_in_order() {
    for name in ["-TERM", "-INT"] {
        let (folder, db) = database();
        let mut serving = serve_new(&db, &["--log", "info", "--log-format", "json"]);
        signal(&serving.child, name);
        assert_eq!(
            serving.child.wait().expect("ended").code(),
            Some(0),
            "{name}"
        );
        let mut rest = String::new();
        serving.out.read_to_string(&mut rest).expect("the rest");
        assert_eq!(rest, "", "one line on stdout and no other");
        let mut log = String::new();
        serving
            .child
            .stderr
            .take()
            .expect("piped")
            .read_to_string(&mut log)
            .expect("the log");
        assert!(!log.is_empty(), "the log is on stderr");
        for line in log.lines() {
            let line: Value = serde_json::from_str(line).expect("each line of the log is JSON");
            assert_eq!(line["level"], "INFO", "nothing to warn of: {line}");
        }
        // SQLite wrote it into the file.
        assert!(!folder.path().join("plant.db-wal").exists(), "{name}");
    }
}

#[test]
fn a_database_that_is_missing_is_made_only_where_that_is_asked_for() {
    let (folder, db) = database();
    let file = folder.path().join("plant.db");
    let serve = [
        "serve",
        "--db",
        &db,
        "--listen",
        "127.0.0.1:0",
        "--log",
        "off",
    ];
    let err = run_unread(serve).failure(1);
    assert!(
        err.contains("there is no database") && err.contains("--create creates a new database"),
        "{err}"
    );
    assert!(!file.exists());
    // SQLite takes a file of no bytes for a new database.
    std::fs::write(&file, []).expect("a file");
    let err = run_unread(serve).failure(1);
    assert!(err.contains("holds no database of this program"), "{err}");
    assert_eq!(std::fs::metadata(&file).expect("the file").len(), 0);
    serve_new(&db, &[]);
    serve_existing(&db, &[]);
}

#[test]
fn an_address_that_is_taken_is_a_failure_with_its_cause() {
    let (_folder, db) = database();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = taken.local_addr().expect("an address").to_string();
    let done = run([
        "serve", "--create", "--db", &db, "--listen", &address, "--log", "off",
    ]);
    let err = done.failure(1);
    assert!(
        err.starts_with(&format!(
            "error: the service did not start\n  because: cannot listen on {address}\n  because: "
        )),
        "{err}"
    );
}

#[test]
fn a_service_whose_address_nobody_could_read_does_not_pretend_to_have_served() {
    let (_folder, db) = database();
    let arguments = ["serve", "--create", "--db", &db, "--listen", "127.0.0.1:0"];
    let err = run_unread(arguments).failure(1);
    assert!(
        err.contains("error: the address could not be printed"),
        "{err}"
    );
}

/// Opens a connection and sends these bytes.
fn connection(serving: &Serving, bytes: &str) -> TcpStream {
    let address = serving.url.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("connected");
    let patience = std::time::Duration::from_secs(30);
    let limited = stream.set_read_timeout(Some(patience));
    limited.expect("a limit that may be set");
    stream.write_all(bytes.as_bytes()).expect("sent");
    stream
}

/// All that the service sends until it closes the connection. It resets one that it closes before it has read
/// what was sent.
fn until_closed(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => {
            panic!("not closed in time: {error}");
        }
        _ => {}
    }
    String::from_utf8(answer).expect("UTF-8")
}

#[test]
fn its_connections_are_limited_as_the_flags_say() {
    const HALF: &str = "GET /healthz HTTP/1.1\r\nHost: plant.example\r\n";
    let whole = format!("{HALF}Connection: close\r\n\r\n");
    let day = "86400";
    let (_folder, db) = database();

    let flags = [
        ["--connections", "1"],
        ["--head-timeout", day],
        ["--idle-timeout", day],
    ];
    let serving = serve_new(&db, &flags.concat());
    let first = connection(&serving, HALF);
    assert!(until_closed(connection(&serving, &whole)).ends_with("ok\n"));
    assert_eq!(until_closed(first), "");

    let serving = serve_new(&db, &["--head-timeout", "1", "--idle-timeout", day]);
    assert_eq!(until_closed(connection(&serving, HALF)), "");

    let serving = serve_new(&db, &["--idle-timeout", "1", "--head-timeout", day]);
    assert_eq!(until_closed(connection(&serving, "")), "");
}

/// A trusted proxy has no share; of other addresses a second connection is closed.
#[test]
fn the_share_of_an_address_and_its_exceptions_are_flags() {
    const WHOLE: &str = "GET /healthz HTTP/1.1\r\nHost: plant.example\r\n";
    let (_folder, db) = database();
    let share = ["--connections-per-address", "1"];
    let serving = serve_new(&db, &share);
    let _first = connection(&serving, WHOLE);
    assert_eq!(until_closed(connection(&serving, WHOLE)), "");

    let proxies = ["--trusted-proxy", "192.0.2.1,127.0.0.0/8"];
    let serving = serve_existing(&db, &[share, proxies].concat());
    let _first = connection(&serving, WHOLE);
    let request = format!("{WHOLE}Connection: close\r\n\r\n");
    assert!(until_closed(connection(&serving, &request)).ends_with("ok\n"));
}

#[test]
fn its_limits_may_come_from_the_environment() {
    let (_folder, db) = database();
    for (name, flag) in [
        ("OBEYA_CONNECTIONS", "--connections"),
        ("OBEYA_CLIENT_READS", "--client-reads"),
        ("OBEYA_CLIENT_SHARE", "--client-share"),
        ("OBEYA_HEAD_TIMEOUT", "--head-timeout"),
        ("OBEYA_IDLE_TIMEOUT", "--idle-timeout"),
        ("OBEYA_MEMORY", "--memory"),
    ] {
        let mut command = obeya();
        command.env(name, "soon").args(["serve", "--db", &db]);
        let done = command.output().expect("started");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains("soon") && said.contains(flag), "{said}");
    }
}

/// The system may let a process have fewer connections than it wants.
#[cfg(unix)]
#[test]
fn where_the_system_gives_no_more_connections_silent_ones_make_room_too() {
    let (_folder, db) = database();
    let mut limited = std::process::Command::new("sh");
    limited
        .args(["-c", "ulimit -n 100 && exec \"$@\"", "sh"])
        .arg(obeya().get_program());
    let serving = Serving::start(limited, &db, &["--log", "off", "--create"]);
    let _silent: Vec<_> = (0..150).map(|_| connection(&serving, "")).collect();
    let whole = "GET /healthz HTTP/1.1\r\nHost: plant.example\r\nConnection: close\r\n\r\n";
    assert!(until_closed(connection(&serving, whole)).ends_with("ok\n"));
}
