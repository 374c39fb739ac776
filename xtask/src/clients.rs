//! Clients that nobody here wrote: generated from our specification, for any OData service, or a browser on
//! the pages of the service. Each runs one session against the service on `spec/plant`.
//!
//! `xtask/clients` has a folder for each tool, with its version and those of its dependencies in a lock file,
//! and the program of its session. A session prints `ok` and the name of each step as it succeeds.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::plant_service::{self, PlantService};
use crate::process::{command, exists, root, run as run_command, tee};
use crate::report::Part;
use crate::schemathesis::Binary;
use crate::venv;

/// A client and its session.
struct Client {
    /// The folder in `xtask/clients`.
    folder: &'static str,
    runtime: Runtime,
    steps: &'static [&'static str],
}

enum Runtime {
    /// A script of `package.json`.
    Npm(&'static str),
    /// The arguments of an interpreter that writes the client, before the address of the specification; and
    /// the program of the session.
    Python {
        generator: &'static [&'static str],
        session: &'static str,
    },
}

/// Reads and writes of v1 and reads of v2.
const GENERATED: &[&str] = &[
    "token", "list", "filter", "create", "update", "resolve", "values", "null", "delete",
];

/// Reads of v2, which has no writes.
const ODATA: &[&str] = &["token", "list", "filter", "expand", "count", "key", "null"];

/// What a person does with the pages of the service, in a headless Chromium.
const PAGES: &[&str] = &["page", "accessible", "keyboard", "phone", "token", "call"];

/// python-odata is run with the tests of the Python package.
const CLIENTS: [Client; 8] = [
    Client {
        folder: "openapi-fetch",
        runtime: Runtime::Npm("session"),
        steps: GENERATED,
    },
    Client {
        // Version 0.95 and later need Node.js 22.
        folder: "hey-api",
        runtime: Runtime::Npm("session"),
        steps: GENERATED,
    },
    Client {
        folder: "openapi-python-client",
        runtime: Runtime::Python {
            generator: &[
                "-m",
                "openapi_python_client",
                "generate",
                "--overwrite",
                "--meta",
                "none",
                "--config",
                "config.yaml",
                "--output-path",
                "generated",
                "--url",
            ],
            session: "session.py",
        },
        steps: GENERATED,
    },
    Client {
        folder: "openapi-generator",
        runtime: Runtime::Python {
            generator: &[
                "-c",
                "import openapi_generator_cli; openapi_generator_cli.cli()",
                "generate",
                "--generator-name",
                "python",
                "--output",
                "generated",
                "--input-spec",
            ],
            session: "session.py",
        },
        steps: GENERATED,
    },
    Client {
        folder: "odata",
        runtime: Runtime::Npm("client"),
        steps: ODATA,
    },
    Client {
        folder: "odata",
        runtime: Runtime::Npm("query"),
        steps: ODATA,
    },
    Client {
        folder: "odata",
        runtime: Runtime::Npm("o"),
        steps: ODATA,
    },
    Client {
        // Needs a Chromium, which npm cannot install.
        folder: "browser",
        runtime: Runtime::Npm("session"),
        steps: PAGES,
    },
];

/// Runs this part alone.
pub(crate) fn run() -> Result<()> {
    let part = tests(Binary::ToBuild)?;
    println!("{} steps passed, {} failed", part.passed, part.failed);
    if part.failed > 0 {
        bail!("clients failed");
    }
    Ok(())
}

/// Runs every session, also after a failure. Steps are counted.
pub(crate) fn tests(binary: Binary) -> Result<Part> {
    if binary == Binary::ToBuild {
        plant_service::build()?;
    }
    let (mut passed, mut failed) = (0, 0);
    for client in &CLIENTS {
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
    /// Installs the tool and runs the session on a service of its own; what it printed.
    fn session(&self) -> Result<String> {
        match &self.runtime {
            Runtime::Npm(script) => {
                let folder = npm_folder(self.folder)?;
                let service = PlantService::start(&folder.join("plant"))?;
                let mut session = command("npm");
                session.current_dir(&folder).args(["run", script]);
                service.introduce(&mut session);
                Ok(tee(&mut session)?.1)
            }
            Runtime::Python { generator, session } => {
                let folder = copied(self.folder)?;
                let python = venv::interpreter_of(&format!("target/clients/{}/venv", self.folder))?;
                let run_python = |arguments: &[&str]| {
                    let mut python = command(&python);
                    python.current_dir(&folder).args(arguments);
                    python
                };
                let install = ["-m", "pip", "install", "--quiet", "-r", "requirements.txt"];
                run_command(&mut run_python(&install))?;
                let service = PlantService::start(&folder.join("plant"))?;
                let spec = format!("{}/openapi.json", service.url());
                run_command(run_python(generator).arg(spec))?;
                let mut program = run_python(&[session]);
                service.introduce(&mut program);
                Ok(tee(&mut program)?.1)
            }
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
