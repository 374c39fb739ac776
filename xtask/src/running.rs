//! A service in a child process: started, asked over HTTP, and stopped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

/// The process. It is killed when this value is dropped.
pub(crate) struct Running {
    process: Child,
    address: String,
}

impl Running {
    /// Starts `obeya serve` and waits for the line with its address.
    pub(crate) fn start(serve: &mut Command) -> Result<Self> {
        let mut process = serve
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the service")?;
        let mut line = String::new();
        if let Some(stdout) = process.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let address = line.trim().strip_prefix("listening on http://");
        let running = Self {
            process,
            address: address.unwrap_or_default().to_owned(),
        };
        if running.address.is_empty() {
            bail!("the service did not start: it printed {line:?}");
        }
        Ok(running)
    }

    /// Waits until the process ends, which somebody else has asked it to do.
    pub(crate) fn wait(&mut self) -> Result<ExitStatus> {
        Ok(self.process.wait()?)
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Sends a request, without its `Host` and `Connection`; the answer with its head.
    pub(crate) fn ask(&self, line: &str, headers: &str, body: &str) -> Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        let host = &self.address;
        let request =
            format!("{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n{body}");
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
