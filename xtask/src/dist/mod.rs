//! The release: the stripped binary with its licences as an archive, as a package for Debian and as an image
//! for containers, its debug file in an archive of its own, the Python package, and checksums of all.
//!
//! Nothing here is published or signed.

mod archive;
mod build;
mod check;
mod deb;
mod first_screen;
mod image;
mod licences;
mod platform;
mod python_tools;
mod release;
mod sbom;
mod shared;
mod split;
mod twice;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::guide;
use crate::process::{exists, root, target};
use platform::Platform;
use release::{Files, Release};

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

/// Checksums of the files, as `sha256sum --check` reads them.
const CHECKSUMS: &str = "SHA256SUMS";

/// A part of the release.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// The archives of the command line, its package for Debian and the list of its crates
    Binary,
    /// The image for containers, which contains the binary
    Image,
    /// The wheel and the source distribution of the Python package
    Python,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder to write to; target/dist by default.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Builds this part only; may be given twice.
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,
    /// Installs, starts and removes each in an empty place. It needs root, mmdebstrap, umoci and runc.
    #[arg(long)]
    check: bool,
    /// The platform to build for, by the name that Rust gives it; that of this machine by default. For
    /// another one, zig links, and qemu starts the programs, which the package qemu-user-static of Debian
    /// arranges.
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// Builds the binary again, in another folder, and fails unless it has the same bytes. It takes as long
    /// as the first build.
    #[arg(long)]
    twice: bool,
}

impl Options {
    fn has(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    fn needs_binary(&self) -> bool {
        self.has(Part::Binary) || self.has(Part::Image)
    }
}

/// Builds the parts and writes their files into a folder. Tries them if asked to.
pub(crate) fn run(options: &Options) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("`dist` splits ELF binaries on Linux; elsewhere use `cargo build --release`");
    }
    // Before the builds, which take minutes: a machine that lacks something fails early.
    let platform = Platform::new(options.target.as_deref())?;
    requirements(&platform, options)?;
    let out = match &options.out {
        Some(out) => root().join(out),
        None => target().join("dist"),
    };
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    let build = tempfile::tempdir_in(&out)?;
    let (mut binary, mut image) = (None, None);
    if options.needs_binary() {
        let release = release(&platform, options, build.path())?;
        let content = release.lay_out(&split::objcopy(&platform)?, build.path())?;
        if options.has(Part::Binary) {
            binary = Some(release.pack(&content, build.path(), &out)?);
        }
        if options.has(Part::Image) {
            let new = image::Image {
                release: &release,
                program: &content.program,
            };
            image = Some(new.write(build.path(), &out)?);
        }
    }
    let python = match options.has(Part::Python) {
        true => Some(wheel::write(&platform, build.path(), &out)?),
        false => None,
    };

    let mut written: Vec<&PathBuf> = binary.iter().flat_map(Files::all).collect();
    written.extend(&image);
    written.extend(python.iter().flat_map(wheel::Python::all));
    let checksums = archive::write_checksums(written.iter().copied(), &out)?;
    written.push(&checksums);
    for path in written {
        println!("{} ({} bytes)", path.display(), fs::metadata(path)?.len());
    }
    if options.check {
        check::check(&check::Artefacts {
            platform: &platform,
            folder: &out,
            binary: binary.as_ref(),
            python: python.as_ref(),
            image: image.as_deref(),
        })?;
    }
    Ok(())
}

/// Fails where a program is missing that is needed later.
fn requirements(platform: &Platform, options: &Options) -> Result<()> {
    if options.needs_binary() {
        split::objcopy(platform)?;
    }
    // The binary writes its completions and the pages of its manual.
    if options.needs_binary() || options.check {
        platform.starts_here()?;
    }
    if options.has(Part::Image) {
        needed("mmdebstrap", "--version", "mmdebstrap")?;
        needed("dpkg-deb", "--version", "dpkg")?;
    }
    if options.check {
        check::requirements(
            platform,
            options.has(Part::Binary),
            options.has(Part::Image),
        )?;
    }
    Ok(())
}

/// Fails unless a program can be started, and names the package of Debian that has it.
fn needed(program: &str, argument: &str, package: &str) -> Result<()> {
    if exists(program, argument) {
        return Ok(());
    }
    bail!(
        "found no `{program}` on the path; Debian has it in the package `{package}`, and `--only` \
         leaves out what needs it"
    )
}

/// Builds the binary and what belongs to it.
fn release(platform: &Platform, options: &Options, work: &Path) -> Result<Release> {
    let guide = guide::build()?;
    let binary = build::binary(platform, &guide, &target())?;
    if options.twice {
        twice::compare(platform, &guide, &binary)?;
    }
    let triple = &platform.triple;
    let starter = platform.starter(work)?;
    Ok(Release {
        name: format!("{BINARY}-{}-{triple}", env!("CARGO_PKG_VERSION")),
        architecture: platform.architecture,
        third_party: licences::third_party(PACKAGE, triple)?,
        shared: shared::files(|| starter.command(&binary))?,
        components: sbom::components(PACKAGE)?,
        binary,
    })
}
