//! A service in a child process.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A running service. Its process ends with this value.
pub struct Serving {
    /// The process.
    pub child: Child,
    /// The lines that it prints after its address.
    pub out: BufReader<ChildStdout>,
    /// Its base URL.
    pub url: String,
}

impl Serving {
    /// Starts `obeya serve` on a database and a free port, by a command that runs the binary.
    ///
    /// # Panics
    /// If the first line of the output is not the address.
    #[must_use]
    pub fn start(mut command: Command, db: &str, more: &[&str]) -> Self {
        let arguments = ["serve", "--db", db, "--listen", "127.0.0.1:0"];
        command.args(arguments).args(more);
        Self::spawn(command)
    }

    /// Starts a service by a command with all its arguments.
    ///
    /// # Panics
    /// If the first line of the output is not the address.
    #[must_use]
    pub fn spawn(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
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
        // A test may have ended it already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
