//! A service in a process of its own.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::binary::obeya;

/// A service under way; stopped when the test ends, however it ends.
pub struct Serving {
    pub child: Child,
    pub out: BufReader<ChildStdout>,
    pub url: String,
}

impl Serving {
    /// Starts one, which makes a database that is not there.
    pub fn start(db: &str, more: &[&str]) -> Self {
        Self::start_by(obeya(), db, more)
    }

    /// Starts one on a database that is there.
    pub fn start_existing(db: &str, more: &[&str]) -> Self {
        Self::spawn(obeya(), db, more)
    }

    /// By a command that runs the binary with the arguments it is given. Makes a database that is not there.
    pub fn start_by(command: Command, db: &str, more: &[&str]) -> Self {
        Self::spawn(command, db, &[more, &["--create"]].concat())
    }

    fn spawn(mut command: Command, db: &str, more: &[&str]) -> Self {
        let arguments = ["serve", "--db", db, "--listen", "127.0.0.1:0"];
        command
            .args(arguments)
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("a line");
        let url = line
            .strip_prefix("listening on ")
            .map(str::trim_end)
            .unwrap_or_else(|| panic!("{line:?}"));
        let url = url.to_owned();
        Self { child, out, url }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Gone already if the test stopped it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
