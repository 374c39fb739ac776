//! Runs the binary.

use std::ffi::OsStr;
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use obeya_testkit::Serving;
use serde_json::Value;
use tempfile::TempDir;

/// The binary, without the OBEYA variables of the tests' environment.
pub fn obeya() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_obeya"));
    for (variable, _) in std::env::vars_os() {
        // Those of the tests themselves stay: they mean nothing to the binary.
        let name = variable.to_string_lossy();
        if name.starts_with("OBEYA_") && !name.starts_with("OBEYA_TEST_") {
            command.env_remove(variable);
        }
    }
    command.envs(crate::sync::bucket::environment());
    command.stdin(Stdio::null());
    command
}

/// Runs it to completion.
pub fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Done {
    Done(obeya().args(arguments).output().expect("started"))
}

/// Adds a client `erp` with the scope `Data.Read`; what the command printed as JSON.
pub fn added_client(db: &str) -> Value {
    let add = "client add erp --scope Data.Read --json --db".split(' ');
    serde_json::from_str(&run(add.chain([db])).success()).expect("JSON")
}

/// Sends a signal to a process, such as `-TERM`.
#[track_caller]
pub fn signal(child: &Child, signal: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([signal, &id]).status();
    assert!(sent.expect("kill").success(), "{signal}");
}

/// Runs a command to completion.
pub fn done(command: &mut Command) -> Done {
    Done(command.output().expect("started"))
}

/// Runs it with a closed pipe as its stdout.
pub fn run_unread<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Done {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = obeya();
    command
        .args(arguments)
        .stdout(writer)
        .stderr(Stdio::piped());
    Done(command.output().expect("started"))
}

/// Starts the service on a database, which it creates if it does not exist.
pub fn serve_new(db: &str, more: &[&str]) -> Serving {
    Serving::start(obeya(), db, &[more, &["--create"]].concat())
}

/// Starts the service on a database that exists.
pub fn serve_existing(db: &str, more: &[&str]) -> Serving {
    Serving::start(obeya(), db, more)
}

/// Runs a command to completion, then kills it in each of 20 rounds (200 in long tests) at a random moment,
/// up to somewhat after its end. `look` returns whether everything is there (true) or nothing (false), and
/// empties the target.
pub fn kill_at_random(arguments: &[&str], mut look: impl FnMut() -> bool) {
    let start = || {
        let mut command = obeya();
        command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().expect("started")
    };
    let begun = Instant::now();
    assert!(start().wait().expect("ended").success());
    let whole = begun.elapsed();
    assert!(look(), "one that nobody killed");
    let (mut complete, mut empty) = (0, 0);
    let mut random = obeya_testkit::rng();
    for _ in 0..if obeya_testkit::is_long() { 200 } else { 20 } {
        let mut child = start();
        std::thread::sleep(whole.mul_f64(random.f64() * 1.1));
        child.kill().expect("killed");
        child.wait().expect("ended");
        if look() {
            complete += 1;
        } else {
            empty += 1;
        }
    }
    println!("killed: {empty} left nothing, {complete} were done");
    assert!(empty > 0, "none was killed before its end");
    run(arguments).success();
    assert!(look(), "the last one");
}

/// The outcome of a run.
pub struct Done(Output);

impl Done {
    pub fn code(&self) -> Option<i32> {
        self.0.status.code()
    }

    pub fn out(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).expect("UTF-8")
    }

    pub fn err(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).expect("UTF-8")
    }

    /// Asserts success; returns stdout.
    #[track_caller]
    pub fn success(&self) -> String {
        assert_eq!(self.code(), Some(0), "{}", self.err());
        self.out()
    }

    /// Asserts this exit code and an empty stdout; returns stderr.
    #[track_caller]
    pub fn failure(&self, code: i32) -> String {
        assert_eq!(self.code(), Some(code), "{}", self.err());
        assert_eq!(self.out(), "");
        self.err()
    }
}

/// A folder, and the URL of a database in it that does not exist yet.
pub fn database() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("plant.db").display());
    (folder, url)
}

/// The commands that the help lists.
pub fn commands() -> Vec<String> {
    let help = run(["--help"]).success();
    let (_, listed) = help.split_once("\nCommands:\n").expect("a heading");
    let lines = listed.lines().take_while(|line| line.starts_with("  "));
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<String> = names.map(str::to_owned).collect();
    assert!(commands.len() > 8, "{commands:?}");
    commands
}
