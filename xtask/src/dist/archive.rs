//! Packs folders and sums files up: equal content gives equal bytes, whoever packs it and when.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::CHECKSUMS;
use crate::process::{self, command};

/// Packs one folder, under its own name. Equal content gives equal bytes, whoever packs it and when.
pub(super) fn pack(folder: &Path, archive: &Path) -> Result<()> {
    let (parent, name) = (folder.parent(), folder.file_name());
    let mut tar = tar()?;
    tar.args(["--use-compress-program=gzip --no-name -9", "-cf"])
        .arg(archive);
    tar.arg("-C")
        .arg(parent.context("a folder")?)
        .arg(name.context("a folder")?);
    process::run(&mut tar)
}

/// Packs what is in a folder, uncompressed.
pub(super) fn pack_content(folder: &Path, archive: &Path) -> Result<()> {
    let mut names = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<Result<Vec<_>>>()?;
    names.sort();
    let mut tar = tar()?;
    tar.arg("-cf")
        .arg(archive)
        .arg("-C")
        .arg(folder)
        .args(names);
    process::run(&mut tar)
}

/// A tar that writes no trace of who runs it and when.
fn tar() -> Result<Command> {
    let mut tar = command("tar");
    tar.args([
        "--format=gnu",
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=u=rwX,go=rX",
    ]);
    tar.arg(format!("--mtime=@{}", time_of_source()?));
    Ok(tar)
}

/// Writes the checksums of files into a folder, as `sha256sum --check` reads them.
pub(super) fn write_checksums<'f>(
    files: impl IntoIterator<Item = &'f PathBuf>,
    out: &Path,
) -> Result<PathBuf> {
    let mut checksums = String::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        checksums.push_str(&format!("{}  {name}\n", sha256(&fs::read(file)?)));
    }
    let list = out.join(CHECKSUMS);
    fs::write(&list, checksums)?;
    Ok(list)
}

/// The time that files of a release have, in seconds since 1970: that of the commit, or `SOURCE_DATE_EPOCH`
/// (reproducible-builds.org).
pub(super) fn time_of_source() -> Result<u64> {
    if let Some(time) = std::env::var_os("SOURCE_DATE_EPOCH") {
        let time = time.to_string_lossy();
        return time
            .parse()
            .with_context(|| format!("SOURCE_DATE_EPOCH: found {time:?}, expected seconds"));
    }
    let output = command("git")
        .args(["log", "-1", "--format=%ct"])
        .output()
        .context("cannot start git")?;
    let time = String::from_utf8(output.stdout)?;
    time.trim()
        .parse()
        .context("the source is not a checkout of git: set SOURCE_DATE_EPOCH")
}

/// The bytes of all files below a folder.
pub(super) fn size_below(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        bytes += if path.is_dir() {
            size_below(&path)?
        } else {
            fs::metadata(&path)?.len()
        };
    }
    Ok(bytes)
}

/// The digest in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn equal_content_gives_equal_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let archives = [("one", 1_000), ("two", 2_000)].map(|(name, seconds)| {
            let content = folder.path().join(name).join("obeya-1");
            fs::create_dir_all(&content).expect("created");
            let mut file = fs::File::create(content.join("README.md")).expect("created");
            file.write_all(b"text").expect("written");
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.set_modified(time).expect("set");
            let archive = folder.path().join(format!("{name}.tar.gz"));
            pack(&content, &archive).expect("packed");
            fs::read(archive).expect("bytes")
        });
        assert_eq!(archives[0], archives[1]);
    }

    #[test]
    fn the_digest_is_that_of_the_standard() {
        // FIPS 180-4, the example of one block.
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), digest);
    }

    #[test]
    fn checksums_are_those_that_sha256sum_reads() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("obeya.deb");
        fs::write(&file, "abc").expect("written");
        let list = write_checksums([&file], folder.path()).expect("written");
        let check = || {
            let mut check = Command::new("sha256sum");
            check.args(["--check", "--strict", "--quiet"]).arg(&list);
            let status = check.current_dir(folder.path()).status();
            status.expect("sha256sum starts").success()
        };
        assert!(check());
        fs::write(&file, "abd").expect("written");
        assert!(!check(), "another content has another checksum");
    }
}
