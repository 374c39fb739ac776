//! `obeya status`: what a service answers on one screen, and an exit code that says whether it is ready.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::Value;

use crate::binary::{database, done, obeya, run, serve_new};
use crate::credentials::{PLANT, import_plant};

#[test]
fn everybody_sees_the_state_of_the_service() {
    let (folder, db) = database();
    let serving = serve_new(&db, &[]);
    let out = run(["status", &serving.url]).success();
    let first = out.lines().next().expect("a line");
    assert_eq!(
        first,
        format!("Obeya {} at {}", env!("CARGO_PKG_VERSION"), serving.url)
    );
    for line in [
        "health        ok, after ",
        "readiness     ready, after ",
        "writes        work, 0 wait\n",
        "engine        sqlite\n",
        " of 1024, ",
    ] {
        assert!(out.contains(line), "{line} in {out}");
    }
    let json = run(["status", &serving.url, "--json"]).success();
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["takes_writes"], true);
    assert_eq!(
        (&json["health"]["ok"], &json["readiness"]["ok"]),
        (&true.into(), &true.into())
    );
    let file = std::fs::metadata(folder.path().join("plant.db")).expect("a file");
    assert_eq!(json["metrics"]["obeya_store_file_bytes"], file.len() as f64);
    assert_eq!(json["records"], Value::Null);

    // A second address, at which nobody listens.
    let out = run(["status", &serving.url, "--admin-url", "http://127.0.0.1:1"]).success();
    assert!(out.contains("readiness     ready"), "{out}");
    assert!(
        out.contains("metrics       ") && out.contains("--admin-url names"),
        "{out}"
    );
}

#[test]
fn a_client_sees_how_many_records_it_may_read() {
    let (_folder, db) = database();
    let credentials = import_plant(&db);
    let serving = serve_new(&db, &[]);
    let status = |secret: &str| {
        let mut command = obeya();
        command.args([
            "status",
            &serving.url,
            "--json",
            "--client-id",
            &credentials.id,
        ]);
        command.env("OBEYA_CLIENT_SECRET", secret);
        serde_json::from_str::<Value>(&done(&mut command).success()).expect("JSON")
    };
    let shown = status(&credentials.secret);
    let lines = |file: &str| {
        let text = std::fs::read_to_string(format!("{PLANT}/{file}.jsonl")).expect(file);
        text.lines().filter(|line| !line.trim().is_empty()).count()
    };
    for name in ["areas", "boards", "groups"] {
        assert_eq!(shown["records"][name], lines(name), "{name}: {shown}");
    }
    // It is ready all the same.
    let shown = status("wrong");
    assert_eq!(shown["records"], Value::Null);
    assert!(
        shown["records_error"]
            .as_str()
            .is_some_and(|text| text.contains("invalid_client")),
        "{shown}"
    );
}

#[test]
fn a_service_that_is_not_there_is_a_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let done = run(["status", &url]);
    assert_eq!(done.code(), Some(1));
    assert!(
        done.out().contains("health        no answer: "),
        "{}",
        done.out()
    );
    assert!(
        done.err().contains("the service is not ready"),
        "{}",
        done.err()
    );
    for address in ["plant.example", "ftp://plant.example"] {
        let err = run(["status", address]).failure(1);
        assert!(
            err.contains(&format!("found the address `{address}`, expected")),
            "{err}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_service_without_its_file_is_not_ready() {
    let (folder, db) = database();
    let serving = serve_new(&db, &["--log", "off"]);
    std::fs::remove_file(folder.path().join("plant.db")).expect("removed");
    let done = run(["status", &serving.url]);
    assert_eq!(done.code(), Some(1));
    let out = done.out();
    assert!(
        out.contains("health        ok, ")
            && out.contains("readiness     no: ")
            && out.contains("(503)"),
        "{out}"
    );
}

/// Whoever answers at the address must not control the terminal.
#[test]
fn texts_of_a_server_cannot_control_the_terminal() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut head = [0; 4096];
            let _ = stream.read(&mut head);
            let body = r#"{"detail":"\u001b[2Jready\nreadiness     ready"}"#;
            let head = "HTTP/1.1 503 x\r\nConnection: close\r\nContent-Length:";
            let _ = write!(stream, "{head} {}\r\n\r\n{body}", body.len());
        }
    });
    let done = run(["status", &url]);
    assert_eq!(done.code(), Some(1));
    let out = done.out();
    assert!(
        out.contains(r"readiness     no: \u{1b}[2Jready\nreadiness     ready (503)"),
        "{out}"
    );
    assert!(!out.contains('\u{1b}'), "{out}");
}
