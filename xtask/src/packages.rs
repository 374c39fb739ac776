//! What is published: an archive of each crate, and the source distribution of the Python package. Both must
//! hold the licences and whatever a build reads, and must build in an empty folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, cargo, command, root};
use crate::report::Part;
use crate::venv;

/// Files of the repository that archives carry, by the name they have there: the licences, and the
/// specification for crates with a build script, all of which generate code from it.
const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];
const SPEC: (&str, &str) = ("openapi.yaml", "spec/openapi.yaml");

/// Packs everything and looks into the archives. `long` builds what is in them too, which takes a quarter of
/// an hour.
pub(crate) fn tests(long: bool) -> Result<Part> {
    // The version that the tests of the Python package name.
    venv::install(&["-c", "bindings/python/requirements-test.txt", "maturin"])?;
    let folder = tempfile::tempdir()?;
    let place = folder.path();
    let crates = crates(place)?;
    let sdist = sdist(place)?;
    let unpacked = unpack(&sdist, &place.join("sdist"))?;
    // The source distribution has its crates as folders.
    let mut packages = entries(&unpacked.join("crates"))?;
    packages.push(unpacked);
    packages.extend_from_slice(&crates);
    let mut all = Vec::new();
    for package in &packages {
        all.extend(faults(place, package)?);
    }
    for fault in &all {
        eprintln!("{fault}");
    }
    if long && all.is_empty() {
        build_crates(place, &crates)?;
        build_sdist(place, &sdist)?;
    }
    let archives = if all.is_empty() { crates.len() + 1 } else { 0 };
    Ok(Part::new("Packages", true, archives, all.len()))
}

/// The same, alone.
pub(crate) fn run(long: bool) -> Result<()> {
    let part = tests(long)?;
    if part.failed > 0 {
        bail!("{} faults of packages", part.failed);
    }
    Ok(())
}

/// Packs the crates that are published; where each was unpacked.
fn crates(place: &Path) -> Result<Vec<PathBuf>> {
    let mut package = cargo();
    // What is checked is the working tree, committed or not.
    package.args([
        "package",
        "--quiet",
        "--workspace",
        "--no-verify",
        "--allow-dirty",
    ]);
    for private in ["xtask", "obeya-python", "obeya-testkit"] {
        package.args(["--exclude", private]);
    }
    process::run(package.arg("--target-dir").arg(place.join("packed")))?;
    let archives = entries(&place.join("packed/package"))?;
    let archives = archives.iter().filter(|path| has_ending(path, "crate"));
    archives
        .map(|archive| unpack(archive, &place.join("crates")))
        .collect()
}

/// Packs the source distribution of the Python package.
fn sdist(place: &Path) -> Result<PathBuf> {
    let mut maturin = command(venv::interpreter()?);
    maturin.args([
        "-m",
        "maturin",
        "sdist",
        "--manifest-path",
        "bindings/python/Cargo.toml",
        "--out",
    ]);
    process::run(maturin.arg(place.join("dist")))?;
    let mut archives = entries(&place.join("dist"))?;
    archives.pop().context("maturin sdist wrote nothing")
}

/// Unpacks an archive into a folder, and gives the only folder in it.
fn unpack(archive: &Path, to: &Path) -> Result<PathBuf> {
    fs::create_dir_all(to)?;
    process::run(command("tar").arg("-xzf").arg(archive).arg("-C").arg(to))?;
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".crate").trim_end_matches(".tar.gz");
    Ok(to.join(name))
}

/// What an unpacked package lacks. A link is no file: an archive must hold the content.
fn faults(place: &Path, package: &Path) -> Result<Vec<String>> {
    let mut expected = LICENCES.map(|name| (name, name)).to_vec();
    if package.join("build.rs").exists() {
        expected.push(SPEC);
    }
    let mut faults = Vec::new();
    for (name, original) in expected {
        let path = package.join(name);
        let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
        if !is_file || fs::read(&path)? != fs::read(root().join(original))? {
            let shown = path.strip_prefix(place).unwrap_or(&path).display();
            faults.push(format!(
                "{shown}: expected a file with the content of {original}"
            ));
        }
    }
    Ok(faults)
}

/// Builds the unpacked crates in a workspace that has nothing else, since none of them is in a registry yet.
fn build_crates(place: &Path, crates: &[PathBuf]) -> Result<()> {
    let mut manifest =
        "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n\n[patch.crates-io]\n".to_owned();
    for unpacked in crates {
        let folder = unpacked.file_name().unwrap_or_default().to_string_lossy();
        let name = folder.trim_end_matches(concat!("-", env!("CARGO_PKG_VERSION")));
        manifest.push_str(&format!("{name} = {{ path = \"crates/{folder}\" }}\n"));
    }
    fs::write(place.join("Cargo.toml"), manifest)?;
    // The versions that everything else is tested with.
    fs::copy(root().join("Cargo.lock"), place.join("Cargo.lock"))?;
    let mut check = Command::new(cargo().get_program());
    check.args(["check", "--quiet", "--workspace"]);
    check
        .current_dir(place)
        .env("CARGO_TARGET_DIR", place.join("built"));
    process::run(&mut check)
}

/// Makes a wheel of the source distribution, as pip does where there is no wheel for a platform, but
/// unoptimised.
fn build_sdist(place: &Path, sdist: &Path) -> Result<()> {
    let (empty, wheels) = (place.join("empty"), place.join("wheels"));
    fs::create_dir(&empty)?;
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
    pip.arg(&wheels).arg(sdist).current_dir(empty);
    pip.env("MATURIN_PEP517_ARGS", "--profile dev");
    pip.env("CARGO_TARGET_DIR", place.join("built"));
    process::run(&mut pip)?;
    match &entries(&wheels)?[..] {
        [wheel] if has_ending(wheel, "whl") => Ok(()),
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
