//! The platform of a release: that of this machine, or another architecture of Linux, whose binaries zig
//! links and qemu starts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::needed;
use crate::process::{self, command, rustc};

/// A platform, by the name that Rust gives it.
pub(super) struct Platform {
    /// Such as `x86_64-unknown-linux-gnu`.
    pub(super) triple: String,
    /// Debian's and OCI's name of the architecture.
    pub(super) architecture: &'static str,
    /// Whether it is not the one of this machine.
    pub(super) is_foreign: bool,
}

impl Platform {
    /// The platform that is asked for, or the one of this machine. Fails if the compiler has no standard
    /// library for it.
    pub(super) fn new(target: Option<&str>) -> Result<Self> {
        let host = host()?;
        let triple = target.unwrap_or(&host).to_owned();
        let platform = Self {
            architecture: architecture(&triple)?,
            is_foreign: triple != host,
            triple,
        };
        if platform.is_foreign {
            platform.has_standard_library()?;
        }
        Ok(platform)
    }

    /// Fails unless programs of the platform can be started here.
    pub(super) fn starts_here(&self) -> Result<()> {
        if machine(&self.triple) == machine(&host()?) {
            return Ok(());
        }
        needed("mmdebstrap", "--version", "mmdebstrap")?;
        self.can_be_emulated(Path::new("/proc/sys/fs/binfmt_misc"))
    }

    /// Starts programs of the platform. `work` is a folder for the C library that they need.
    pub(super) fn starter(&self, work: &Path) -> Result<Starter> {
        let libraries = self.is_foreign.then(|| work.join("libraries"));
        if let Some(folder) = &libraries {
            process::run(
                debian(self.architecture, "extract")
                    .arg("--include=base-files,libc6,libgcc-s1")
                    .arg("stable")
                    .arg(folder),
            )
            .context("extracting the C library of Debian")?;
        }
        Ok(Starter { libraries })
    }

    fn has_standard_library(&self) -> Result<()> {
        let triple = &self.triple;
        let folder = rustc(&["--print", "target-libdir", "--target", triple])?;
        if !Path::new(&folder).exists() {
            bail!(
                "the compiler has no standard library for {triple} in {folder}; `rustup target add {triple}` \
                 installs it, and distributions have packages of it"
            );
        }
        Ok(())
    }

    /// Whether the kernel starts programs of the architecture by qemu. `formats` is the folder in which it
    /// lists the formats that it knows.
    fn can_be_emulated(&self, formats: &Path) -> Result<()> {
        let machine = machine(&self.triple);
        let format = formats.join(format!("qemu-{machine}"));
        let state = fs::read_to_string(&format).unwrap_or_default();
        // With `F` the kernel opened qemu when the format was registered: another root needs no copy.
        let flags = state.lines().find_map(|line| line.strip_prefix("flags: "));
        if !state.starts_with("enabled") || !flags.is_some_and(|flags| flags.contains('F')) {
            bail!(
                "the kernel does not start programs of {machine}: expected {} to be enabled with the flag F, \
                 in a file system of the type binfmt_misc; the package `qemu-user-static` of Debian registers it",
                format.display()
            );
        }
        Ok(())
    }
}

/// Starts programs of a platform, from this system.
pub(super) struct Starter {
    /// The root with the C library, if it is not the one of this system.
    libraries: Option<PathBuf>,
}

impl Starter {
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut program = command(program);
        if let Some(folder) = &self.libraries {
            program.env("QEMU_LD_PREFIX", folder);
        }
        program
    }
}

/// A Debian of an architecture, to be made in a variant of mmdebstrap. The caller adds packages, the suite
/// and the place.
pub(super) fn debian(architecture: &str, variant: &str) -> Command {
    let mut mmdebstrap = command("mmdebstrap");
    mmdebstrap
        .args(["--quiet", &format!("--variant={variant}")])
        .arg(format!("--architectures={architecture}"))
        // A mirror may be some weeks old.
        .arg("--aptopt=Acquire::Check-Valid-Until \"false\"");
    mmdebstrap
}

/// The platform that the compiler builds for by default.
pub(super) fn host() -> Result<String> {
    let version = rustc(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}

/// The name that Debian and OCI give to the architecture of a platform of Rust.
fn architecture(triple: &str) -> Result<&'static str> {
    match machine(triple) {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        _ => bail!(
            "found the platform {triple}; packages and images are built for x86_64 and aarch64"
        ),
    }
}

/// The machine in the name of a platform, which is also qemu's name of it.
fn machine(triple: &str) -> &str {
    triple.split('-').next().unwrap_or(triple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_without_a_package_is_refused_by_name() {
        let refused = Platform::new(Some("riscv64gc-unknown-linux-gnu"));
        assert_eq!(
            refused.err().expect("refused").to_string(),
            "found the platform riscv64gc-unknown-linux-gnu; packages and images are built for \
             x86_64 and aarch64"
        );
    }

    /// The texts are those of Linux 6.1.
    #[test]
    fn a_format_must_be_enabled_for_every_root() {
        let formats = tempfile::tempdir().expect("a folder");
        let platform = Platform {
            triple: "aarch64-unknown-linux-gnu".to_owned(),
            architecture: "arm64",
            is_foreign: true,
        };
        let with = |text: &str| {
            fs::write(formats.path().join("qemu-aarch64"), text).expect("written");
            platform.can_be_emulated(formats.path())
        };
        let rest = "offset 0\nmagic 7f454c460201010000000000000000000200b700\n";
        let interpreter = "interpreter /usr/libexec/qemu-binfmt/aarch64-binfmt-P";
        with(&format!("enabled\n{interpreter}\nflags: POF\n{rest}")).expect("enabled");
        for text in [
            format!("disabled\n{interpreter}\nflags: POF\n{rest}"),
            format!("enabled\n{interpreter}\nflags: PO\n{rest}"),
        ] {
            let error = with(&text).unwrap_err().to_string();
            assert!(
                error.starts_with("the kernel does not start programs of aarch64"),
                "{error}"
            );
        }
        fs::remove_file(formats.path().join("qemu-aarch64")).expect("removed");
        assert!(platform.can_be_emulated(formats.path()).is_err());
    }
}
