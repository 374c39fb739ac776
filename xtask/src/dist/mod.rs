//! The release of the command line: the stripped binary with its licences as an archive and as a package for
//! Debian, its debug file in an archive of its own, and checksums of all.
//!
//! Nothing here is published or signed.

mod check;
mod deb;
mod first_screen;
mod licences;
mod release;
mod sbom;
mod shared;
mod split;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::guide;
use crate::process::{self, cargo, root, target};
use release::Release;

/// A release build with line tables: the debug file is made of them.
const PROFILE: &str = "profiling";

/// The package and the binary in it.
const PACKAGE: &str = "obeya-cli";
const BINARY: &str = "obeya";

/// Files of the repository that the archive contains in addition to the binary, at the same paths.
const DOCUMENTS: [&str; 16] = [
    "LICENSE",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs/backup.md",
    "docs/configuration.md",
    "docs/limits.md",
    "docs/network.md",
    "docs/operations.md",
    "docs/postgresql.md",
    "packaging/systemd/obeya.env",
    "packaging/systemd/obeya.service",
    "packaging/systemd/obeya.socket",
    "packaging/systemd/obeya.sysusers",
];

/// The licences of the crates that are linked into the binary.
const THIRD_PARTY: &str = "LICENSES-THIRD-PARTY.txt";

/// Checksums of the archives, as `sha256sum --check` reads them.
const CHECKSUMS: &str = "SHA256SUMS";

/// Builds the binary and writes the files of the release into `out`, or else into `target/dist`. Tries
/// them in an empty place if asked to.
pub(crate) fn run(out: Option<PathBuf>, is_checked: bool) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("`dist` splits ELF binaries on Linux; elsewhere use `cargo build --release`");
    }
    let out = out.unwrap_or_else(|| target().join("dist"));
    let name = format!("{BINARY}-{}-{}", env!("CARGO_PKG_VERSION"), host()?);
    // Searched before the build, which takes minutes, so that a machine without it fails early.
    let objcopy = split::objcopy()?;
    process::run(
        cargo()
            .args(["build", "--locked", "--profile", PROFILE])
            .args(["--package", PACKAGE])
            .env("OBEYA_GUIDE", guide::build()?),
    )?;
    let release = Release {
        binary: target().join(PROFILE).join(BINARY),
        name,
        third_party: licences::third_party(PACKAGE)?,
        shared: shared::files(&target().join(PROFILE).join(BINARY))?,
        components: sbom::components(PACKAGE)?,
    };
    let files = release.write(&objcopy, &out)?;
    for path in files.all() {
        println!("{} ({} bytes)", path.display(), fs::metadata(path)?.len());
    }
    if is_checked {
        check::check(&check::Artefacts {
            folder: &out,
            archive: &files.archive,
            package: files
                .package
                .as_deref()
                .context("there is no package to check")?,
        })?;
    }
    Ok(())
}

/// The platform that the compiler builds for by default, such as `x86_64-unknown-linux-gnu`.
fn host() -> Result<String> {
    let version = rustc(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}

/// The standard output of the compiler.
fn rustc(arguments: &[&str]) -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(arguments)
        .current_dir(root())
        .output()
        .context("cannot start rustc")?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
