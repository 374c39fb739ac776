//! The program: lines from standard input and over TCP, its output, its exit code, and the signal to end.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Output, Stdio};

use crate::plant::{DATASOURCE, Plant, TOPICS, readings};

impl Plant {
    /// The program, started for this plant.
    fn program(&self, arguments: &[&str]) -> Child {
        let topics = self.folder.path().join("topics.toml");
        std::fs::write(&topics, TOPICS).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_ingester"));
        command.arg("--topics").arg(topics);
        command.arg("--spool").arg(self.spool()).args(arguments);
        command
            .env("OBEYA_BASE_URL", self.url())
            .env("OBEYA_CLIENT_ID", &self.credentials.0)
            .env("OBEYA_CLIENT_SECRET", &self.credentials.1)
            .env_remove("OBEYA_AUTH_URL");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().expect("started")
    }
}

/// Writes the input of a program, and waits for its end in a thread that is no part of the service.
async fn run(mut program: Child, input: String) -> Output {
    let mut stdin = program.stdin.take().expect("piped");
    let done = tokio::task::spawn_blocking(move || {
        stdin.write_all(input.as_bytes()).expect("written");
        drop(stdin);
        program.wait_with_output().expect("ended")
    });
    done.await.expect("no panic")
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_input_is_sent_to_its_end() {
    let plant = Plant::start(|| None).await;
    let (texts, expected) = readings(0..25);
    let input = texts.join("\n") + "\nhall/temperature noon 1\nhall/noise 2026-11-26 1\n";
    let output = run(plant.program(&["--batch-values", "10"]), input).await;
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        printed.trim_end(),
        "25 values read, 3 batches sent, 0 refused, 0 left in the folder; left out: 1 lines of topics without a \
         datasource, 1 lines with a fault"
    );
    // A line had a fault.
    assert_eq!(output.status.code(), Some(1));
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(
        log.contains("stdin, line 26: time: found \"noon\""),
        "{log}"
    );
    assert_eq!(plant.values(DATASOURCE).await, expected);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_loses_no_line_of_a_connection() {
    let mut plant = Plant::start(|| None).await;
    // Without a service nothing can be sent.
    plant.stop().await;
    let mut program = plant.program(&["--listen", "127.0.0.1:0", "--batch-seconds", "3600"]);
    let mut printed = BufReader::new(program.stdout.take().expect("piped"));
    let mut address = String::new();
    printed.read_line(&mut address).expect("an address");
    let address = address
        .trim_end()
        .strip_prefix("listening on ")
        .expect("an address");

    let (texts, expected) = readings(0..50);
    let mut connection = TcpStream::connect(address).expect("connected");
    connection
        .write_all((texts.join("\n") + "\n").as_bytes())
        .expect("written");
    connection.shutdown(Shutdown::Write).expect("ended");
    // It is closed when all lines are taken.
    assert_eq!(connection.read(&mut [0]).expect("closed"), 0);
    let id = program.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &id]).status();
    assert!(sent.expect("kill").success());
    assert!(program.wait().expect("ended").success());
    let mut summary = String::new();
    printed.read_to_string(&mut summary).expect("a summary");
    assert!(
        summary.starts_with("50 values read, 0 batches sent, 0 refused, 1 left in the folder"),
        "{summary}"
    );

    plant.start_again().await;
    let output = run(plant.program(&[]), String::new()).await;
    assert!(output.status.success());
    assert_eq!(plant.values(DATASOURCE).await, expected);
}
