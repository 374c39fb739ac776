//! Schemathesis over the whole specification, against the real binary. It generates valid and invalid
//! requests from the schemas, and checks every answer against the specification. Its settings are in
//! `spec/schemathesis.toml`.
//!
//! The service runs on `spec/plant`, the data behind the examples of the specification, so that requests made
//! from them succeed.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{self, cargo, command, root, target, tee};
use crate::report::Part;
use crate::rust::number_before;
use crate::venv;

/// Pinned, because another version generates other requests from the same seed.
const PACKAGE: &str = "schemathesis==4.32.5";

/// Examples for each operation with `--long`. The configuration has the usual number, which takes seconds.
const LONG: &str = "400";

/// Runs this part alone.
pub(crate) fn run(long: bool) -> Result<()> {
    let part = tests(long, Binary::ToBuild)?;
    if part.failed > 0 {
        bail!("Schemathesis found {} faults", part.failed);
    }
    Ok(())
}

/// Whether the binary has been built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    /// The Rust tests of this run have built it.
    Built,
    ToBuild,
}

/// Serves the plant and runs Schemathesis against it. Tested operations are counted, not requests: their
/// number depends on the settings.
pub(crate) fn tests(long: bool, binary: Binary) -> Result<Part> {
    venv::install(&[PACKAGE])?;
    if binary == Binary::ToBuild {
        process::run(cargo().args(["build", "--package", "obeya-cli"]))?;
    }
    let folder = root().join("target/schemathesis");
    plant(&folder)?;
    let binary = target().join(format!("debug/obeya{}", std::env::consts::EXE_SUFFIX));
    let db = format!("sqlite:{}", folder.join("plant.db").display());
    let import = ["import", "--db", &db];
    process::run(command(&binary).args(import).arg(&folder))?;
    let service = Service::start(&binary, &db, &folder)?;
    let token = service.token(&binary, &db)?;

    let mut schemathesis = command(venv::interpreter()?);
    schemathesis
        // It writes files to its working directory, which is emptied before the next run.
        .current_dir(&folder)
        .args(["-m", "schemathesis.cli", "--config-file"])
        .arg(root().join("spec/schemathesis.toml"))
        .arg("run")
        .arg(format!("http://{}/openapi.json", service.address))
        .arg("--no-color")
        .env("OBEYA_TOKEN", token);
    if long {
        schemathesis.args(["--max-examples", LONG]);
    }
    let (success, output) = tee(&mut schemathesis)?;
    let found = Found::read(&output);
    let mut part = Part::new("Schemathesis", success, found.tested, found.failures);
    part.note = format!("{} requests", found.requests);
    Ok(part)
}

/// Copies the plant into an empty folder. Records in the trash get the current time as their deletion date:
/// the stored dates are older than 30 days, and the purge would remove them.
fn plant(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let now = Value::from(jiff::Timestamp::now().to_string());
    let plant = root().join("spec/plant");
    for entry in fs::read_dir(&plant).with_context(|| plant.display().to_string())? {
        let path = entry?.path();
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let mut lines = String::new();
        for line in text.lines() {
            let mut record: Value =
                serde_json::from_str(line).with_context(|| path.display().to_string())?;
            if let Some(date) = record.get_mut("deletedDate") {
                *date = now.clone();
            }
            lines.push_str(&format!("{record}\n"));
        }
        let name = path.file_name().context("a file has a name")?;
        fs::write(folder.join(name), lines)?;
    }
    Ok(())
}

/// The service in a child process, which is killed when this value is dropped.
struct Service {
    process: Child,
    address: String,
}

impl Service {
    fn start(binary: &Path, db: &str, folder: &Path) -> Result<Self> {
        let log = fs::File::create(folder.join("serve.log"))?;
        let mut process = command(binary)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--log",
                "warn",
                "--db",
                db,
            ])
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        let mut line = String::new();
        if let Some(stdout) = process.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .unwrap_or("");
        let service = Self {
            process,
            address: address.to_owned(),
        };
        if service.address.is_empty() {
            bail!(
                "the service did not start; see {}",
                folder.join("serve.log").display()
            );
        }
        Ok(service)
    }

    /// A token with every scope, of a new client.
    fn token(&self, binary: &Path, db: &str) -> Result<String> {
        let scopes = ["--scope", "public.api.read", "--scope", "public.api.write"];
        let added = command(binary)
            .args(["client", "add", "schemathesis", "--json", "--db", db])
            .args(scopes)
            .output()?;
        let client: Value = serde_json::from_slice(&added.stdout)
            .with_context(|| String::from_utf8_lossy(&added.stderr).into_owned())?;
        let text = |name: &str| client[name].as_str().unwrap_or("").to_owned();
        // Both consist of letters, digits, `-` and `_`, which a form does not escape.
        let form = format!(
            "grant_type=client_credentials&client_id={}&client_secret={}",
            text("client_id"),
            text("client_secret")
        );
        let request = format!(
            "POST /connect/token HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            self.address,
            form.len()
        );
        let mut stream = TcpStream::connect(&self.address)?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let body: Value = serde_json::from_str(body).context("no answer to the token request")?;
        let token = body["access_token"].as_str();
        Ok(token.context("no token was given")?.to_owned())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The numbers in the summary.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    /// Tested operations without a failure.
    tested: usize,
    requests: usize,
    /// Distinct failures.
    failures: usize,
}

impl Found {
    fn read(output: &str) -> Self {
        let cases = output.lines().find(|line| line.contains(" generated, "));
        let number = |word| {
            cases
                .and_then(|line| number_before(line, word))
                .unwrap_or(0)
        };
        let failures = number(" found ").max(number(" unique failures"));
        let tested = output
            .lines()
            .find_map(|line| line.trim().strip_prefix("Tested: "));
        let tested = tested
            .and_then(|number| number.parse::<usize>().ok())
            .unwrap_or(0);
        Self {
            tested: tested.saturating_sub(failures),
            requests: number(" generated"),
            failures,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_read() {
        let operations = "API Operations:\n  Selected: 49/49\n  Tested: 49\n";
        let failing = "Test cases:\n  2421 generated, 24 found 24 unique failures\n";
        let read = |cases: &str| Found::read(&format!("{operations}{cases}"));
        let found = |tested, requests, failures| Found {
            tested,
            requests,
            failures,
        };
        assert_eq!(read(failing), found(25, 2421, 24));
        assert_eq!(
            read("Test cases:\n  2421 generated, 2421 passed\n"),
            found(49, 2421, 0)
        );
        assert_eq!(
            Found::read("Schema could not be loaded\n"),
            Found::default()
        );
    }
}
