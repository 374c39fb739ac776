//! `obeya init`: the folder runs with the commands that are printed, nothing is replaced, and a failure
//! leaves nothing.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
#[cfg(unix)]
use std::process::Stdio;

use obeya_testkit::Serving;
use obeya_testkit::postgres::Scratch;
use serde_json::Value;

use crate::binary::{obeya, run, run_unread, signal};
use crate::credentials::Credentials;

/// An address of this machine that is free.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    listener.local_addr().expect("an address").to_string()
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("UTF-8")
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// The lines that are printed as commands, as arguments.
fn commands(out: &str) -> Vec<Vec<String>> {
    let lines = out.lines().filter_map(|line| line.strip_prefix("  obeya "));
    lines
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect()
}

fn started(arguments: &[String]) -> Serving {
    let mut command = obeya();
    command.args(arguments);
    Serving::spawn(command)
}

#[cfg(unix)]
fn mode(file: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).expect("a file").permissions().mode() & 0o777
}

#[test]
fn the_folder_runs_with_the_printed_commands() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("plants/one");
    let path = folder.to_str().expect("UTF-8");
    let address = free_address();
    let out = run(["init", path, "--yes", "--listen", &address]).success();
    assert_eq!(names(&folder), ["obeya.toml", "plant.db"]);
    let file = fs::read_to_string(folder.join("obeya.toml")).expect("text");
    assert!(file.contains("\ndb = \"sqlite:plant.db\"\n"), "{file}");
    assert!(
        file.contains(&format!("\nlisten = \"{address}\"\n")),
        "{file}"
    );
    #[cfg(unix)]
    assert_eq!(mode(&folder.join("plant.db")), 0o600);

    let [serve, status] = &commands(&out)[..] else {
        panic!("{out}")
    };
    let serving = started(serve);
    assert_eq!(serving.url, format!("http://{address}"));
    assert!(run(status).success().contains("readiness     ready"));
    let word = |name: &str| {
        let line = out.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{name} in {out}"))
            .trim()
            .to_owned()
    };
    let credentials = Credentials {
        id: word("client_id"),
        secret: word("client_secret"),
    };
    assert_eq!(word("scopes"), "public.api.read");
    assert!(!credentials.token(&serving.url).is_empty());
}

#[test]
fn the_secret_may_go_to_a_file_of_its_owner() {
    let root = tempfile::tempdir().expect("a folder");
    let [folder, secret] =
        ["plant", "secret"].map(|name| root.path().join(name).display().to_string());
    let address = free_address();
    let flags = [
        "--yes",
        "--listen",
        &address,
        "--client",
        "wall",
        "--scope",
        "Boards.Read",
        "--secret-file",
        &secret,
    ];
    let out = run(["init", &folder].iter().chain(&flags)).success();
    let text = fs::read_to_string(&secret).expect("text");
    assert!(
        text.trim().len() > 20 && !out.contains(text.trim()),
        "{out}"
    );
    #[cfg(unix)]
    assert_eq!(mode(Path::new(&secret)), 0o600);
    let [serve, status] = &commands(&out)[..] else {
        panic!("{out}")
    };
    let _serving = started(serve);
    let shown = run(status.iter().chain([&"--json".to_owned()])).success();
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(shown["records"]["boards"], 0, "{shown}");
    // No scope of this client opens them.
    assert_eq!(shown["records"]["incidents"], Value::Null, "{shown}");
    let db = format!("sqlite:{folder}/plant.db");
    let listed = run(["client", "list", "--json", "--db", &db]).success();
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(
        (&listed[0]["name"], listed.as_array().map(Vec::len)),
        (&"wall".into(), Some(1))
    );
}

#[test]
fn no_file_is_replaced() {
    for taken in ["obeya.toml", "plant.db", "secret"] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_str().expect("UTF-8");
        let file = folder.path().join(taken);
        fs::write(&file, "taken").expect("written");
        let secret = folder.path().join("secret").display().to_string();
        let err = run(["init", path, "--yes", "--secret-file", &secret]).failure(1);
        assert!(err.contains(taken), "{err}");
        assert_eq!(names(folder.path()), [taken]);
        assert_eq!(fs::read(&file).expect("a file"), b"taken");
    }
}

#[test]
fn a_failure_leaves_nothing() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("plants/one");
    let path = folder.to_str().expect("UTF-8");
    // Nobody would see the secret.
    let err = run_unread(["init", path, "--yes"]).failure(1);
    assert!(
        err.contains("nothing was made, because the result could not be printed"),
        "{err}"
    );
    // The last step but one fails, after the database has its place.
    let missing = root.path().join("missing/secret").display().to_string();
    run(["init", path, "--yes", "--secret-file", &missing]).failure(1);
    let err = run(["init", path, "--yes", "--client", ""]).failure(1);
    assert!(
        err.contains("the database with the first client was not made"),
        "{err}"
    );
    // Nobody is there to answer.
    let err = run(["init", path]).failure(1);
    assert!(
        err.contains("found no terminal to ask on; with --yes"),
        "{err}"
    );
    assert_eq!(names(root.path()), [""; 0]);
}

/// The server is one that does not answer, so the signal comes in the middle of the work.
#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("one");
    let server = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = server.local_addr().expect("an address");
    let mut command = obeya();
    command.args(["init", folder.to_str().expect("UTF-8"), "--yes", "--db"]);
    command.arg(format!("postgres://obeya:hunter2@{address}/plant"));
    let init = command.stderr(Stdio::piped()).spawn().expect("started");
    let connection = server.accept().expect("a connection");
    assert_eq!(names(root.path()), ["one"]);
    signal(&init, "-TERM");
    drop((connection, server));
    let done = init.wait_with_output().expect("ended");
    let err = String::from_utf8(done.stderr).expect("UTF-8");
    assert_eq!(done.status.code(), Some(1), "{err}");
    assert!(!err.contains("hunter2"), "{err}");
    assert_eq!(names(root.path()), [""; 0]);
}

/// The comments of the new file are its documentation: each of them must be a setting.
#[test]
fn each_commented_setting_of_the_file_is_valid() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().to_str().expect("UTF-8");
    run(["init", folder, "--yes"]).success();
    let file = root.path().join("obeya.toml");
    let text = fs::read_to_string(&file).expect("text");
    assert!(text.lines().all(|line| line.len() <= 110), "{text}");
    let lines = text.lines().map(|line| match line.strip_prefix('#') {
        Some(setting) if !setting.starts_with(' ') => setting,
        _ => line,
    });
    fs::write(&file, lines.collect::<Vec<_>>().join("\n")).expect("written");
    let shown = run([
        "config",
        "show",
        "--json",
        "--config",
        file.to_str().expect("UTF-8"),
    ])
    .success();
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    let settings = shown["settings"].as_array().expect("settings");
    let from_file = settings.iter().filter(|setting| setting["from"] == "file");
    assert!(from_file.count() > 10, "{shown}");
}

#[test]
fn on_postgresql_the_database_must_be_empty() {
    let database = Scratch::empty();
    let db = database.url();
    let root = tempfile::tempdir().expect("a folder");
    let folder = |name: &str| root.path().join(name).display().to_string();
    let address = free_address();

    // The client that nobody saw is revoked.
    let err = run_unread(["init", &folder("unread"), "--yes", "--db", db]).failure(1);
    assert!(
        err.contains("the tables remain in") && err.contains("was revoked"),
        "{err}"
    );
    let listed = run(["client", "list", "--json", "--db", db]).success();
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert!(listed[0]["revoked_at"].is_string(), "{listed}");
    let err = run(["init", &folder("second"), "--yes", "--db", db]).failure(1);
    assert!(
        err.contains("has a plant already, expected an empty database"),
        "{err}"
    );
    assert_eq!(names(root.path()), [""; 0]);

    let database = Scratch::empty();
    let db = database.url();
    let out = run([
        "init",
        &folder("third"),
        "--yes",
        "--db",
        db,
        "--listen",
        &address,
    ])
    .success();
    assert_eq!(names(Path::new(&folder("third"))), ["obeya.toml"]);
    #[cfg(unix)]
    if obeya_server::without_password(db) != db {
        assert_eq!(mode(&Path::new(&folder("third")).join("obeya.toml")), 0o600);
        let password = db
            .split_once(':')
            .and_then(|(_, rest)| rest.split([':', '@']).nth(1));
        assert!(!out.contains(password.expect("a password")), "{out}");
    }
    let [serve, status] = &commands(&out)[..] else {
        panic!("{out}")
    };
    let _serving = started(serve);
    assert!(run(status).success().contains("engine        postgresql"));
}
