//! The contract through Prism, a proxy that validates every response with the description that the service
//! serves. `cargo xtask test --long` installs it and runs this test.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};

use tempfile::TempDir;

use super::calls::{Ask, Ids, call};
use super::plant::{Caller, client_at, served};
use super::record::Recorder;
use super::schema::operations;
use super::{OPTIONS, declared, successes};
use crate::support::{Answer, Service};

/// The environment variable that names the folder with the package.
const FOLDER: &str = "OBEYA_TEST_PRISM";
/// What it prints with its address.
const LISTENING: &str = "Prism is listening on ";
/// What it prints for each response.
const JUDGED: &str = "Received forward response";
/// What it prints after that for one that does not match the description.
const VIOLATION: &str = "Violation: response";

/// The body of this operation is a JSON string, which Prism 5 forwards without its quotation marks.
const SPOILT: &str = "updateIncidentExternalId";

#[tokio::test]
#[ignore = "Prism is installed by `cargo xtask test --long`"]
async fn prism_finds_no_fault_in_any_response() {
    let service = served().await;
    let prism = Prism::before(&service).await;
    let recorder = Recorder::default();
    let client = async |caller| client_at(&prism.url, &service, caller, &recorder).await;
    let all = client(Caller::All).await;
    let elsewhere = client(Caller::Elsewhere).await;
    let nobody = client(Caller::Nobody).await;
    for operation in operations() {
        let id = operation.id.as_str();
        let declared = declared::answers(operation);
        // Each is refused: the test of the contract says how.
        let _ = call(&nobody, id, Ids::Known, Ask::default()).await;
        let _ = call(&elsewhere, id, Ids::Known, Ask::default()).await;
        if declared.contains("404 not_found") {
            let _ = call(&all, id, Ids::Unknown, Ask::default()).await;
        }
        for (code, ask) in OPTIONS {
            if declared.contains(&format!("400 {code}")) {
                let _ = call(&all, id, Ids::Known, ask).await;
            }
        }
    }
    let mut not_served = successes(&all).await;
    not_served.dedup();
    assert_eq!(not_served, [SPOILT]);
    recorder.finds_no_fault();
    prism.finds_no_fault();
}

/// A running proxy, which ends with this value.
struct Prism {
    /// The URL at which it stands for the service.
    url: String,
    process: Child,
    /// Collects what it prints.
    printed: Option<JoinHandle<Vec<String>>>,
    _files: TempDir,
}

impl Prism {
    /// Starts the proxy before a service.
    async fn before(service: &Service) -> Self {
        let folder = std::env::var_os(FOLDER).expect("the folder in which Prism is installed");
        let files = tempfile::tempdir().expect("a folder");
        let description = Answer::of(service.http.get(service.url("/openapi.json"))).await;
        let spec = files.path().join("openapi.json");
        fs::write(&spec, description.text()).expect("a file");
        // Prism takes no port 0. If another process takes this one first, Prism says so and the test fails.
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port().to_string();
        drop(free);
        let mut process = Command::new("node")
            .arg(Path::new(&folder).join("node_modules/@stoplight/prism-cli/dist/index.js"))
            .arg("proxy")
            .arg(&spec)
            .arg(service.url(""))
            .args(["--host", "127.0.0.1", "--port", &port])
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node.js");
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        Self {
            url: listening(&mut output),
            process,
            printed: Some(thread::spawn(|| {
                output.lines().map_while(Result::ok).collect()
            })),
            _files: files,
        }
    }

    /// Ends it. Asserts that it has seen responses, and that each matched the description.
    #[track_caller]
    fn finds_no_fault(mut self) {
        self.end();
        let printed = self.printed.take().expect("ended once").join();
        let lines = printed.expect("no panic");
        assert!(lines.iter().any(|line| line.contains(JUDGED)), "{lines:?}");
        let faults = (0..lines.len()).filter(|at| lines[*at].contains(VIOLATION));
        // With the request that it belongs to.
        let faults = faults.map(|at| lines[at.saturating_sub(8)..=at].join("\n"));
        let faults: Vec<_> = faults.collect();
        assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    }

    fn end(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Prism {
    fn drop(&mut self) {
        self.end();
    }
}

/// Its URL, which it prints once it listens.
fn listening(output: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    let mut printed = String::new();
    while output.read_line(&mut line).expect("text") > 0 {
        if let Some((_, rest)) = line.split_once(LISTENING) {
            return rest.trim().to_owned();
        }
        printed.push_str(&line);
        line.clear();
    }
    panic!("Prism ended: {printed}");
}
