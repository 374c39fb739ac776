//! `cargo xtask postgres` as a process: the environment of the command, its exit code, and that nothing is
//! left behind.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails, wherever that is noticed"
)]

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Far more than it takes to stop a server.
const DEADLINE: Duration = Duration::from_secs(30);

/// A folder that a server of another account can read, whatever the umask is.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    folder
}

/// A shell under `cargo xtask postgres`, whose server is in a folder.
fn shell(folder: &Path, script: &str) -> Child {
    command(folder, script).spawn().unwrap()
}

fn command(folder: &Path, script: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command
        .args(["postgres", "--", "sh", "-c", script])
        // The server that this test may run under must not be used.
        .env_remove("OBEYA_TEST_POSTGRES")
        .env("TMPDIR", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// The address that the shell prints, and the server's `host:port` in it.
fn printed_address(child: &mut Child) -> (String, String) {
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    let address = line.trim().to_owned();
    let rest = address.split_once('@').unwrap().1;
    let server = rest.split_once('/').unwrap().0.to_owned();
    (address, server)
}

/// The authentication that the server demands from a local user who only knows its port: the number in the
/// message `Authentication…` of PostgreSQL's protocol, which is 0 for none and 10 for SASL with the password.
fn authentication(server: &str) -> u32 {
    let parameters = b"user\0postgres\0\0";
    let length = u32::try_from(8 + parameters.len()).unwrap();
    let mut message = [length, 3 << 16].map(u32::to_be_bytes).concat();
    message.extend(parameters);
    let mut stream = TcpStream::connect(server).unwrap();
    stream.write_all(&message).unwrap();
    let mut answer = [0; 9];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer[0], b'R', "an Authentication message");
    u32::from_be_bytes(answer[5..].try_into().unwrap())
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn a_command_has_a_server_and_its_exit_code_is_passed_on() {
    let folder = folder();
    let script = "echo $OBEYA_TEST_POSTGRES; test -x $OBEYA_TEST_POSTGRES_BIN/initdb || exit 1; read end; exit 7";
    let mut child = shell(folder.path(), script);
    let (address, server) = printed_address(&mut child);
    assert!(address.starts_with("postgres://postgres:"), "{address}");
    assert_eq!(authentication(&server), 10);
    assert!(!is_empty(folder.path()));
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(7));
    assert!(TcpStream::connect(&server).is_err());
    assert!(is_empty(folder.path()));
}

#[test]
fn the_log_of_a_server_that_ended_before_its_command_is_shown() {
    let folder = folder();
    let script = "cd $TMPDIR/obeya-postgres-*/data && kill -QUIT $(head -1 postmaster.pid) \
        && while test -e postmaster.pid; do sleep 0.02; done";
    let mut command = command(folder.path(), script);
    let output = command.stderr(Stdio::piped()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(
        stderr.contains("received immediate shutdown request"),
        "{stderr}"
    );
    assert!(is_empty(folder.path()));
}

#[test]
fn nothing_is_left_of_a_command_that_was_killed() {
    let folder = folder();
    let mut child = shell(folder.path(), "echo $OBEYA_TEST_POSTGRES; read end");
    let (_, server) = printed_address(&mut child);
    assert!(TcpStream::connect(&server).is_ok());
    // SIGKILL: it can do nothing about it any more.
    child.kill().unwrap();
    let deadline = Instant::now() + DEADLINE;
    while !is_empty(folder.path()) {
        assert!(Instant::now() < deadline, "the folder is still there");
        sleep(Duration::from_millis(20));
    }
    assert!(TcpStream::connect(&server).is_err());
    child.wait().unwrap();
}

#[test]
fn nothing_is_left_of_one_that_was_killed_while_the_server_was_made() {
    let folder = folder();
    let mut child = shell(folder.path(), "read end");
    let deadline = Instant::now() + DEADLINE;
    while is_empty(folder.path()) {
        assert!(Instant::now() < deadline, "nothing was started");
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    while !is_empty(folder.path()) {
        assert!(Instant::now() < deadline + DEADLINE, "it is still there");
        sleep(Duration::from_millis(20));
    }
}
