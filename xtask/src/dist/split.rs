//! A binary split into one without symbols and a file with them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::platform::{Platform, host};
use crate::process::{self, command, exists, rustc};

/// The program that copies parts of binaries: the one that rustup installs with the compiler, or one on the
/// path. A compiler of a distribution may come without it. The one of LLVM knows all architectures, that of
/// binutils only this machine's.
pub(super) fn objcopy(platform: &Platform) -> Result<PathBuf> {
    let bundled = Path::new(&rustc(&["--print", "sysroot"])?)
        .join("lib/rustlib")
        .join(host()?)
        .join("bin/rust-objcopy");
    let (other, package) = match platform.is_foreign {
        true => ("llvm-objcopy", "llvm"),
        false => ("objcopy", "binutils"),
    };
    let mut candidates = [bundled.clone(), other.into()].into_iter();
    match candidates.find(|program| exists(program, "--version")) {
        Some(program) => Ok(program),
        None => bail!(
            "found neither {} (rustup installs it with the compiler) nor `{other}` on the path; install {package}",
            bundled.display()
        ),
    }
}

/// Writes the binary without symbols to `stripped`, and its symbols and debug information to `debug`. The
/// stripped binary names the debug file, and debuggers look for that name in its folder.
pub(super) fn split(objcopy: &Path, binary: &Path, stripped: &Path, debug: &Path) -> Result<()> {
    let objcopy = || command(objcopy);
    process::run(objcopy().arg("--only-keep-debug").arg(binary).arg(debug))?;
    process::run(objcopy().arg("--strip-all").arg(binary).arg(stripped))?;
    // Added after stripping, which would remove the link. The link is the name of the file and a checksum of
    // its bytes.
    let mut link = std::ffi::OsString::from("--add-gnu-debuglink=");
    link.push(debug);
    process::run(objcopy().arg(link).arg(stripped))?;
    fs::set_permissions(stripped, fs::metadata(binary)?.permissions())
        .context("permissions of the binary")?;
    // A debug file is read, not executed.
    #[cfg(unix)]
    fs::set_permissions(debug, std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    Ok(())
}
