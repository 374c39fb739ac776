//! Tries the image: umoci, which knows only the standard, unpacks it for a runtime, and runc starts it with
//! fewer rights than a container has by default.
//!
//! It needs root, and changes nothing of the machine: containers, their state and the volume are in a folder
//! of their own.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::expect;
use crate::dist::image::VOLUME;
use crate::process::{self, command};
use crate::running::Running;

/// Starts the image twice: in the network of this machine, on loopback, and as it is.
pub(super) fn check(archive: &Path, work: &Path) -> Result<()> {
    let started = Instant::now();
    let (layout, folder) = (work.join("layout"), work.join("bundle"));
    fs::create_dir(&layout)?;
    process::run(
        command("tar")
            .arg("-xf")
            .arg(archive)
            .arg("-C")
            .arg(&layout),
    )?;
    let image = format!("{}:{}", layout.display(), env!("CARGO_PKG_VERSION"));
    process::run(
        command("umoci")
            .args(["unpack", "--image", &image])
            .arg(&folder),
    )?;
    let bundle = Bundle::open(&folder, &layout, work)?;

    let database = [
        "serve",
        "--create",
        "--listen",
        "127.0.0.1:0",
        "--log",
        "warn",
    ];
    let created = bundle.start("obeya-dist-create", Network::OfThisMachine, Some(&database))?;
    expect(&created.running, "/readyz", "\r\n\r\nready")?;
    println!(
        "image: first answer after {:.1} s",
        started.elapsed().as_secs_f64()
    );
    created.stop()?;

    let started = Instant::now();
    let container = bundle.start("obeya-dist", Network::OfItsOwn, None)?;
    let probe: Vec<&str> = bundle.healthcheck.iter().map(String::as_str).collect();
    if !container.exec(&probe)? {
        bail!("the health check of the image fails on a service that is ready: {probe:?}");
    }
    // Port 1 has no service.
    let [words @ .., _] = &probe[..] else {
        bail!("the image has no health check");
    };
    if container.exec(&[words, &["http://127.0.0.1:1"]].concat())? {
        bail!("the health check of the image succeeds where no service is: {probe:?}");
    }
    container.stop()?;
    println!(
        "image: started as it is, healthy and stopped after {:.1} s",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The image, unpacked for a runtime.
struct Bundle {
    folder: PathBuf,
    /// What runc knows of its containers.
    state: PathBuf,
    /// What umoci made of the image's settings.
    settings: Value,
    /// The command that asks the service how it is.
    healthcheck: Vec<String>,
}

#[derive(Clone, Copy)]
enum Network {
    OfThisMachine,
    OfItsOwn,
}

impl Bundle {
    /// Reads the settings, and adds an empty volume and the limits of a careful operator: a read-only system,
    /// no capability.
    fn open(folder: &Path, layout: &Path, work: &Path) -> Result<Self> {
        let mut settings: Value = json_file(&folder.join("config.json"))?;
        let index = json_file(&layout.join("index.json"))?;
        let manifest = json_file(&blob(layout, &index["manifests"][0])?)?;
        let image = json_file(&blob(layout, &manifest["config"])?)?;
        let healthcheck = image["config"]["Healthcheck"]["Test"]
            .as_array()
            .context("the image has no health check")?;
        let healthcheck = healthcheck
            .iter()
            .skip(1)
            .filter_map(|word| Some(word.as_str()?.to_owned()))
            .collect();

        let volume = work.join("volume");
        fs::create_dir(&volume)?;
        // A new volume has the owner and the mode of the folder in the image.
        let inside = fs::metadata(folder.join("rootfs").join(VOLUME.trim_start_matches('/')))?;
        let user = &settings["process"]["user"];
        if user["uid"] != inside.uid() || user["uid"] == 0 || inside.mode() & 0o777 != 0o700 {
            bail!(
                "{VOLUME} of the image: found the owner {} and the mode {:o}, expected the user of \
                 the image ({}, not root) and 700",
                inside.uid(),
                inside.mode() & 0o777,
                user["uid"]
            );
        }
        chown(&volume, Some(inside.uid()), Some(inside.gid()))?;
        let mounts = settings["mounts"]
            .as_array_mut()
            .context("umoci wrote no mounts")?;
        mounts.retain(|mount| mount["destination"] != VOLUME);
        mounts.push(json!({
            "destination": VOLUME,
            "type": "bind",
            "source": volume,
            "options": ["bind", "rw", "nosuid", "nodev", "noexec"],
        }));
        settings["root"]["readonly"] = true.into();
        settings["process"]["terminal"] = false.into();
        settings["process"]["noNewPrivileges"] = true.into();
        settings["process"]["capabilities"] = json!({});
        Ok(Self {
            folder: folder.to_owned(),
            state: work.join("runc"),
            settings,
            healthcheck,
        })
    }

    /// Starts a container, with arguments instead of the image's, and waits until it says its address.
    fn start(
        &self,
        id: &'static str,
        network: Network,
        arguments: Option<&[&str]>,
    ) -> Result<Container> {
        let mut settings = self.settings.clone();
        if let Network::OfThisMachine = network {
            let namespaces = settings["linux"]["namespaces"]
                .as_array_mut()
                .context("umoci wrote no namespaces")?;
            namespaces.retain(|namespace| namespace["type"] != "network");
        }
        if let Some(arguments) = arguments {
            let words = settings["process"]["args"]
                .as_array_mut()
                .context("umoci wrote no arguments")?;
            words.truncate(1);
            words.extend(arguments.iter().map(|&word| word.into()));
        }
        fs::write(self.folder.join("config.json"), settings.to_string())?;
        let mut run = runc(&self.state);
        run.args(["run", "--bundle"]).arg(&self.folder).arg(id);
        let state = self.state.clone();
        match Running::start(&mut run) {
            Ok(running) => Ok(Container { id, state, running }),
            Err(error) => {
                delete(&state, id);
                Err(error)
            }
        }
    }
}

/// A container that runs. It is deleted when this value is dropped.
struct Container {
    id: &'static str,
    state: PathBuf,
    running: Running,
}

impl Container {
    /// Runs a command inside. Whether it succeeded.
    fn exec(&self, words: &[&str]) -> Result<bool> {
        let mut exec = runc(&self.state);
        let status = exec.args(["exec", self.id]).args(words).status();
        Ok(status.context("cannot start runc")?.success())
    }

    /// Stops it as a runtime does, and fails unless that ends the service well.
    fn stop(mut self) -> Result<()> {
        process::run(runc(&self.state).args(["kill", self.id, "TERM"]))?;
        let status = self.running.wait()?;
        if !status.success() {
            bail!("the image ended with {status} after SIGTERM");
        }
        Ok(())
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        delete(&self.state, self.id);
    }
}

/// Kills and deletes a container, if it is still there.
fn delete(state: &Path, id: &str) {
    // Where it is gone, this fails and says so.
    let _ = runc(state).args(["delete", "--force", id]).output();
}

fn runc(state: &Path) -> Command {
    let mut runc = command("runc");
    runc.arg("--root").arg(state);
    runc
}

/// The file of a descriptor.
fn blob(layout: &Path, descriptor: &Value) -> Result<PathBuf> {
    let digest = descriptor["digest"].as_str().context("no digest")?;
    Ok(layout.join("blobs").join(digest.replace(':', "/")))
}

fn json_file(path: &Path) -> Result<Value> {
    let text = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    serde_json::from_slice(&text).with_context(|| path.display().to_string())
}
