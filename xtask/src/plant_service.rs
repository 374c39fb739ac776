//! The service in a child process, on `spec/plant`: the data behind the examples of the specification.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process::{self, cargo, command, root, target};
use crate::running::Running;

/// Builds the binary that the service runs from, with the guide in this folder if there is one.
pub(crate) fn build(guide: Option<&Path>) -> Result<()> {
    let mut build = cargo();
    build.args(["build", "--package", "obeya-cli"]);
    if let Some(guide) = guide {
        build.env("OBEYA_GUIDE", guide);
    }
    process::run(&mut build)
}

/// The service, with a client that has every scope.
pub(crate) struct PlantService {
    running: Running,
    client_id: String,
    client_secret: String,
}

impl PlantService {
    /// Starts the service on a new copy of the plant in this folder, which is emptied. The binary has been
    /// built.
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        copy(folder)?;
        let db = format!("sqlite:{}", folder.join("plant.db").display());
        process::run(obeya().args(["import", "--db", &db]).arg(folder))?;
        let (client_id, client_secret) = add_client(&db)?;
        let log = fs::File::create(folder.join("serve.log"))?;
        let mut serve = obeya();
        serve.args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log",
            "warn",
            "--db",
            &db,
        ]);
        let running = Running::start(serve.stderr(log))
            .with_context(|| format!("see {}", folder.join("serve.log").display()))?;
        Ok(Self {
            running,
            client_id,
            client_secret,
        })
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.running.address())
    }

    /// Tells a program where the binary and the service are, and the credentials of its client.
    pub(crate) fn introduce(&self, program: &mut Command) {
        program
            .env("OBEYA", binary())
            .env("OBEYA_URL", self.url())
            .env("OBEYA_CLIENT_ID", &self.client_id)
            .env("OBEYA_CLIENT_SECRET", &self.client_secret);
    }

    /// A token of the client.
    pub(crate) fn token(&self) -> Result<String> {
        // Both consist of letters, digits, `-` and `_`, which a form does not escape.
        let form = format!(
            "grant_type=client_credentials&client_id={}&client_secret={}",
            self.client_id, self.client_secret
        );
        let headers = format!(
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
            form.len()
        );
        let answer = self.running.ask("POST /connect/token", &headers, &form)?;
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let body: Value = serde_json::from_str(body).context("no answer to the token request")?;
        let token = body["access_token"].as_str();
        Ok(token.context("no token was given")?.to_owned())
    }
}

/// The binary.
fn binary() -> PathBuf {
    target().join(format!("debug/obeya{}", std::env::consts::EXE_SUFFIX))
}

fn obeya() -> Command {
    command(binary())
}

/// Adds a client with every scope; its id and its secret.
fn add_client(db: &str) -> Result<(String, String)> {
    let added = obeya()
        .args(["client", "add", "tests", "--json", "--db", db])
        .args(["--scope", "public.api.read", "--scope", "public.api.write"])
        .output()?;
    let client: Value = serde_json::from_slice(&added.stdout)
        .with_context(|| String::from_utf8_lossy(&added.stderr).into_owned())?;
    let text = |name: &str| client[name].as_str().unwrap_or_default().to_owned();
    Ok((text("client_id"), text("client_secret")))
}

/// Copies the plant into an empty folder. Records in the trash get the current time as their deletion date:
/// the stored dates are older than 30 days, and the purge would remove them.
fn copy(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let now = Value::from(jiff::Timestamp::now().to_string());
    let plant = root().join("spec/plant");
    for entry in fs::read_dir(&plant).with_context(|| plant.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default();
            copy_files(&path, &folder.join(name))?;
            continue;
        }
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

/// Copies the contents of attachments as they are.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir(to).with_context(|| to.display().to_string())?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        fs::copy(&path, target).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
