//! The published archives: one of each crate, and the source distribution of the Python package. Each must
//! contain a readme, the licences and every file that a build reads, and must build in an empty folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, cargo, command, root};
use crate::report::Part;
use crate::{features, venv};

/// Files of the repository that the archives contain, by their name there: the licences, and the
/// specification for crates whose build script generates code from it.
const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];
const SPEC: (&str, &str) = ("openapi.yaml", "spec/openapi.yaml");

/// Packs everything and inspects the archives. `long` also compiles each set of features alone and builds the
/// content of the archives, which takes a quarter of an hour.
pub(crate) fn tests(long: bool) -> Result<Part> {
    // The constraints pin the version that the tests of the Python package use.
    venv::install(&["-c", "bindings/python/requirements-test.txt", "maturin"])?;
    let folder = tempfile::tempdir()?;
    let workdir = folder.path();
    let crates = crates(workdir)?;
    let sdist = sdist(workdir)?;
    let unpacked = unpack(&sdist, &workdir.join("sdist"))?;
    // The source distribution contains its crates as folders.
    let mut packages = entries(&unpacked.join("crates"))?;
    packages.push(unpacked);
    packages.extend_from_slice(&crates);
    let mut all = Vec::new();
    for package in &packages {
        all.extend(faults(workdir, package)?);
    }
    for fault in &all {
        eprintln!("{fault}");
    }
    if long && all.is_empty() {
        features::check_each()?;
        build_crates(workdir, &crates)?;
        build_sdist(&sdist, &workdir.join("wheels"), &workdir.join("built"))?;
    }
    let archives = if all.is_empty() { crates.len() + 1 } else { 0 };
    Ok(Part::new("Packages", true, archives, all.len()))
}

/// Runs this part alone.
pub(crate) fn run(long: bool) -> Result<()> {
    let part = tests(long)?;
    if part.failed > 0 {
        bail!("{} faults of packages", part.failed);
    }
    Ok(())
}

/// Packs the published crates, and returns the folders they were unpacked to.
fn crates(workdir: &Path) -> Result<Vec<PathBuf>> {
    let mut package = cargo();
    // The working tree is packed, committed or not.
    package.args([
        "package",
        "--quiet",
        "--workspace",
        "--no-verify",
        "--allow-dirty",
    ]);
    for private in ["xtask", "obeya-python", "obeya-testkit", "obeya-ingester"] {
        package.args(["--exclude", private]);
    }
    process::run(package.arg("--target-dir").arg(workdir.join("packed")))?;
    let archives = entries(&workdir.join("packed/package"))?;
    let archives = archives.iter().filter(|path| has_ending(path, "crate"));
    archives
        .map(|archive| unpack(archive, &workdir.join("crates")))
        .collect()
}

/// Packs the source distribution of the Python package.
fn sdist(workdir: &Path) -> Result<PathBuf> {
    let mut maturin = command(venv::interpreter()?);
    maturin.args([
        "-m",
        "maturin",
        "sdist",
        "--manifest-path",
        "bindings/python/Cargo.toml",
        "--out",
    ]);
    process::run(maturin.arg(workdir.join("dist")))?;
    let mut archives = entries(&workdir.join("dist"))?;
    archives.pop().context("maturin sdist wrote nothing")
}

/// Unpacks an archive into a folder, and returns the only folder in it.
pub(crate) fn unpack(archive: &Path, to: &Path) -> Result<PathBuf> {
    fs::create_dir_all(to)?;
    process::run(command("tar").arg("-xzf").arg(archive).arg("-C").arg(to))?;
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".crate").trim_end_matches(".tar.gz");
    Ok(to.join(name))
}

/// The missing or wrong files of an unpacked package. A link is not accepted: an archive must have the
/// content.
fn faults(workdir: &Path, package: &Path) -> Result<Vec<String>> {
    let mut expected = LICENCES.map(|name| (name, name)).to_vec();
    let build = fs::read_to_string(package.join("build.rs"));
    if build.is_ok_and(|build| build.contains("obeya_codegen")) {
        expected.push(SPEC);
    }
    let mut faults = Vec::new();
    let readme = package.join("README.md");
    if !fs::read_to_string(&readme).is_ok_and(|text| text.starts_with("# ")) {
        let shown = readme.strip_prefix(workdir).unwrap_or(&readme).display();
        faults.push(format!(
            "{shown}: expected a file that starts with a heading"
        ));
    }
    for (name, original) in expected {
        let path = package.join(name);
        let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
        if !is_file || fs::read(&path)? != fs::read(root().join(original))? {
            let shown = path.strip_prefix(workdir).unwrap_or(&path).display();
            faults.push(format!(
                "{shown}: expected a file with the content of {original}"
            ));
        }
    }
    Ok(faults)
}

/// Builds the unpacked crates in a separate workspace that patches crates.io, where none of them is yet.
fn build_crates(workdir: &Path, crates: &[PathBuf]) -> Result<()> {
    let mut manifest =
        "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n\n[patch.crates-io]\n".to_owned();
    for unpacked in crates {
        let folder = unpacked.file_name().unwrap_or_default().to_string_lossy();
        let name = folder.trim_end_matches(concat!("-", env!("CARGO_PKG_VERSION")));
        manifest.push_str(&format!("{name} = {{ path = \"crates/{folder}\" }}\n"));
    }
    fs::write(workdir.join("Cargo.toml"), manifest)?;
    // The locked versions, which everything else is tested with.
    fs::copy(root().join("Cargo.lock"), workdir.join("Cargo.lock"))?;
    let mut check = Command::new(cargo().get_program());
    check.args(["check", "--quiet", "--workspace"]);
    check
        .current_dir(workdir)
        .env("CARGO_TARGET_DIR", workdir.join("built"));
    process::run(&mut check)
}

/// Builds a wheel from a source distribution, or the folder of one, as pip does on a platform without a
/// wheel, but unoptimised: into an empty folder `wheels`, compiling in `target`.
pub(crate) fn build_sdist(sdist: &Path, wheels: &Path, target: &Path) -> Result<PathBuf> {
    let empty = tempfile::tempdir()?;
    let mut pip = command(venv::interpreter()?);
    pip.args([
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--wheel-dir",
    ]);
    pip.arg(wheels).arg(sdist).current_dir(&empty);
    pip.env("MATURIN_PEP517_ARGS", "--profile dev");
    pip.env("CARGO_TARGET_DIR", target);
    process::run(&mut pip)?;
    match &entries(wheels)?[..] {
        [wheel] if has_ending(wheel, "whl") => Ok(wheel.clone()),
        found => bail!("found {found:?}, expected one wheel"),
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}
