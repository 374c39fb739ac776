//! Clients that nobody here wrote: generated from our specification, for any OData service, or a browser on
//! the pages of the service. Each runs one session against the service on `spec/plant`.
//!
//! `xtask/clients` has a folder for each tool, with its version and those of its dependencies in a lock file,
//! and the program of its session. A session prints `ok` and the name of each step as it succeeds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::guide;
use crate::plant_service::{self, PlantService};
use crate::process::{command, exists, root, run as run_command, tee};
use crate::report::Part;
use crate::venv;

/// A client and its session.
struct Client {
    /// The folder in `xtask/clients`.
    folder: &'static str,
    /// `None` if there is nothing to generate, or `session` does.
    generator: Option<Generator>,
    session: Session,
    steps: &'static [&'static str],
}

/// A tool in Python that writes a client into the folder `generated`. Its package is in `requirements.txt`.
#[derive(Clone, Copy)]
enum Generator {
    OpenapiPythonClient,
    /// openapi-generator, with the generator in it and its options.
    OpenapiGenerator(&'static [&'static str]),
}

/// The program of a session.
#[derive(Clone, Copy)]
enum Session {
    /// A script of `package.json`.
    Npm(&'static str),
    /// A program in Python, with the packages of `requirements.txt`.
    Python(&'static str),
}

/// Reads and writes of v1 and reads of v2.
const GENERATED: &[&str] = &[
    "token", "list", "filter", "create", "update", "resolve", "values", "null", "delete",
];

/// Reads of v2, which has no writes.
const ODATA: &[&str] = &[
    "token", "list", "filter", "expand", "count", "key", "null", "groups",
];

/// What a person does with the pages of the service, in a headless Chromium.
const PAGES: &[&str] = &[
    "page",
    "accessible",
    "commands",
    "keyboard",
    "phone",
    "guide",
    "proxy",
    "token",
    "call",
];

/// The examples for Excel and Power BI, parsed by the parser of their editor.
const POWER_QUERY: &[&str] = &["parser", "files", "connection"];

/// A copy in a bucket, read by engines for data that outgrows one machine.
const LAKE: &[&str] = &[
    "copy", "delta-rs", "duckdb", "polars", "dask", "spark", "followed",
];

/// python-odata is run with the tests of the Python package.
const CLIENTS: [Client; 12] = [
    Client::of_npm("openapi-fetch", "session", GENERATED),
    // Version 0.95 and later need Node.js 22.
    Client::of_npm("hey-api", "session", GENERATED),
    Client::generated(
        "openapi-python-client",
        Generator::OpenapiPythonClient,
        Session::Python("session.py"),
    ),
    Client::generated(
        "openapi-generator",
        Generator::OpenapiGenerator(&["python"]),
        Session::Python("session.py"),
    ),
    Client::generated(
        "openapi-generator-typescript",
        Generator::OpenapiGenerator(&[
            "typescript-fetch",
            "--additional-properties=importFileExtension=.js",
        ]),
        Session::Npm("session"),
    ),
    // Compiled by Mono, which no registry of npm or Python has: the packages mono-mcs, mono-runtime,
    // libmono-system-net-http4.0-cil, libmono-system-runtime-serialization4.0-cil,
    // libmono-system-web4.0-cil and libmono-system-componentmodel-dataannotations4.0-cil of Debian.
    Client::generated(
        "openapi-generator-csharp",
        Generator::OpenapiGenerator(&[
            "csharp",
            "--library=httpclient",
            "--additional-properties=packageName=Obeya,targetFramework=netstandard2.0,\
             nullableReferenceTypes=false,validatable=false,useDateTimeOffset=true,supportsRetry=false",
        ]),
        Session::Npm("session"),
    ),
    Client::of_npm("odata", "client", ODATA),
    Client::of_npm("odata", "query", ODATA),
    Client::of_npm("odata", "o", ODATA),
    // It parses and asks nothing: Excel and Power BI are not here to run the queries.
    Client::of_npm("power-query", "session", POWER_QUERY),
    // Spark needs Java 17 or later.
    Client {
        folder: "lake",
        generator: None,
        session: Session::Python("session.py"),
        steps: LAKE,
    },
    // Needs a Chromium, which npm cannot install.
    Client::of_npm("browser", "session", PAGES),
];

/// Runs this part alone, or the sessions in some folders.
pub(crate) fn run(only: &[String]) -> Result<()> {
    if let Some(unknown) = only.iter().find(|name| !is_folder(name)) {
        bail!("found the client {unknown}, expected a folder in xtask/clients with a session");
    }
    let part = tests(only)?;
    println!("{} steps passed, {} failed", part.passed, part.failed);
    if part.failed > 0 {
        bail!("clients failed");
    }
    Ok(())
}

fn is_folder(name: &str) -> bool {
    CLIENTS.iter().any(|client| client.folder == name)
}

/// Runs these sessions or all, also after a failure, on a service with the guide. Steps are counted.
pub(crate) fn tests(only: &[String]) -> Result<Part> {
    plant_service::build(Some(&guide::build()?))?;
    let (mut passed, mut failed) = (0, 0);
    let is_wanted =
        |client: &&Client| only.is_empty() || only.iter().any(|name| name == client.folder);
    for client in CLIENTS.iter().filter(is_wanted) {
        let output = client.session().unwrap_or_else(|error| {
            eprintln!("{}: {error:#}", client.folder);
            String::new()
        });
        let succeeded = count(client.steps, &output);
        passed += succeeded;
        failed += client.steps.len() - succeeded;
    }
    Ok(Part::new("Clients", true, passed, failed))
}

/// How many steps succeeded, in their order.
fn count(steps: &[&str], output: &str) -> usize {
    let printed = output.lines().filter_map(|line| line.strip_prefix("ok "));
    printed
        .zip(steps)
        .take_while(|(printed, step)| printed == *step)
        .count()
}

impl Client {
    const fn of_npm(
        folder: &'static str,
        script: &'static str,
        steps: &'static [&'static str],
    ) -> Self {
        Self {
            folder,
            generator: None,
            session: Session::Npm(script),
            steps,
        }
    }

    const fn generated(folder: &'static str, generator: Generator, session: Session) -> Self {
        Self {
            folder,
            generator: Some(generator),
            session,
            steps: GENERATED,
        }
    }

    /// Installs the tool, generates the client and runs the session on a service of its own; what it printed.
    fn session(&self) -> Result<String> {
        let folder = match self.session {
            Session::Npm(_) => npm_folder(self.folder)?,
            Session::Python(_) => copied(self.folder)?,
        };
        if folder.join("requirements.txt").exists() {
            let install = ["-m", "pip", "install", "--quiet", "-r", "requirements.txt"];
            run_command(self.python(&folder)?.args(install))?;
        }
        let service = PlantService::start(&folder.join("plant"))?;
        if let Some(generator) = self.generator {
            // A file of an operation that is gone must not be compiled.
            drop(fs::remove_dir_all(folder.join("generated")));
            let spec = format!("{}/openapi.json", service.url());
            run_command(generator.add_to(&mut self.python(&folder)?, &spec))?;
        }
        let mut program = match self.session {
            Session::Npm(script) => {
                let mut npm = command("npm");
                npm.current_dir(&folder).args(["run", script]);
                npm
            }
            Session::Python(file) => {
                let mut python = self.python(&folder)?;
                python.arg(file);
                python
            }
        };
        service.introduce(&mut program);
        Ok(tee(&mut program)?.1)
    }

    /// Python with the packages of this client, in the folder.
    fn python(&self, folder: &Path) -> Result<Command> {
        let venv = format!("target/clients/{}/venv", self.folder);
        let mut python = command(&venv::interpreter_of(&venv)?);
        python.current_dir(folder);
        Ok(python)
    }
}

impl Generator {
    /// Adds the arguments of Python that run the tool on the specification at this address.
    fn add_to<'a>(self, python: &'a mut Command, spec: &str) -> &'a mut Command {
        match self {
            Self::OpenapiPythonClient => python
                .args(["-m", "openapi_python_client", "generate", "--overwrite"])
                .args([
                    "--meta=none",
                    "--config=config.yaml",
                    "--output-path=generated",
                ])
                .arg(format!("--url={spec}")),
            Self::OpenapiGenerator(generator) => python
                .args([
                    "-c",
                    "import openapi_generator_cli; openapi_generator_cli.cli()",
                ])
                .args(["generate", "--output=generated"])
                .arg(format!("--input-spec={spec}"))
                .arg("--generator-name")
                .args(generator),
        }
    }
}

/// A folder of `xtask/clients` in `target/clients`, with the packages of its lock file.
pub(crate) fn npm_folder(name: &str) -> Result<PathBuf> {
    if !exists("npm", "--version") {
        bail!("Node.js 20.19 or later with npm is needed, such as the packages nodejs and npm");
    }
    let folder = copied(name)?;
    let mut install = command("npm");
    install.current_dir(&folder);
    run_command(install.args(["ci", "--prefer-offline", "--no-audit", "--no-fund"]))?;
    Ok(folder)
}

/// The copy of a folder of `xtask/clients` in `target/clients`.
fn copied(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/clients").join(name);
    copy(&root().join("xtask/clients").join(name), &folder)?;
    Ok(folder)
}

/// Copies the files of a folder into another, which keeps what it has besides: installed packages.
fn copy(from: &Path, to: &PathBuf) -> Result<()> {
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))
            .with_context(|| entry.path().display().to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_count_in_their_order_only() {
        let steps = ["token", "list", "filter"];
        for (output, succeeded) in [
            ("> tsc\nok token\nok list\nok filter\n", 3),
            ("ok token\nAssertionError\n", 1),
            ("ok token\nok filter\n", 1),
            ("ok list\nok filter\nok token\n", 0),
            ("ok token\nok list\nok filter\nok more\n", 3),
            ("", 0),
        ] {
            assert_eq!(count(&steps, output), succeeded, "{output}");
        }
    }
}
