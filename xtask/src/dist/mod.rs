//! The release of the command line: the stripped binary with its licences, its debug file in a second
//! archive, and checksums of both.
//!
//! Nothing here is published or signed.

mod licences;
mod split;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::guide;
use crate::process::{self, cargo, command, root, target};

/// A release build with line tables: the debug file is made of them.
const PROFILE: &str = "profiling";

/// The package and the binary in it.
const PACKAGE: &str = "obeya-cli";
const BINARY: &str = "obeya";

/// Files of the repository that the archive contains in addition to the binary, at the same paths.
const DOCUMENTS: [&str; 15] = [
    "LICENSE",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs/backup.md",
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

/// Builds the binary and writes the archives into `out`, or else into `target/dist`.
pub(crate) fn run(out: Option<PathBuf>) -> Result<()> {
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
    };
    for path in release.write(&objcopy, &out)? {
        println!("{} ({} bytes)", path.display(), fs::metadata(&path)?.len());
    }
    Ok(())
}

/// The parts of one release.
struct Release {
    /// The binary, with its symbols and its debug information.
    binary: PathBuf,
    /// The name of the folder inside the archives, and the beginning of the archives' names.
    name: String,
    /// The text of [`THIRD_PARTY`].
    third_party: String,
}

impl Release {
    /// Writes two archives and their checksums into `out`, and returns the paths of these files. Both
    /// archives unpack into the same folder, where debuggers and the traces of panics find the debug file.
    fn write(&self, objcopy: &Path, out: &Path) -> Result<[PathBuf; 3]> {
        fs::create_dir_all(out).with_context(|| out.display().to_string())?;
        let build = tempfile::tempdir_in(out)?;
        let folder = |kind: &str| -> Result<PathBuf> {
            let folder = build.path().join(kind).join(&self.name);
            fs::create_dir_all(&folder)?;
            Ok(folder)
        };
        let (program, debug) = (folder("program")?, folder("debug")?);
        split::split(
            objcopy,
            &self.binary,
            &program.join(BINARY),
            &debug.join(format!("{BINARY}.debug")),
        )?;
        for document in DOCUMENTS {
            let copy = program.join(document);
            fs::create_dir_all(copy.parent().context("a folder")?)?;
            fs::copy(root().join(document), copy).context(document)?;
        }
        fs::write(program.join(THIRD_PARTY), &self.third_party)?;

        let archives = [
            (&program, out.join(format!("{}.tar.gz", self.name))),
            (&debug, out.join(format!("{}-debug.tar.gz", self.name))),
        ];
        let mut checksums = String::new();
        for (folder, archive) in &archives {
            pack(folder, archive)?;
            let file = archive.file_name().unwrap_or_default().to_string_lossy();
            checksums.push_str(&format!("{}  {file}\n", sha256(&fs::read(archive)?)));
        }
        let sums = out.join(CHECKSUMS);
        fs::write(&sums, checksums)?;
        let [(_, program), (_, debug)] = archives;
        Ok([program, debug, sums])
    }
}

/// Packs one folder, under its own name.
fn pack(folder: &Path, archive: &Path) -> Result<()> {
    let (parent, name) = (folder.parent(), folder.file_name());
    let mut tar = command("tar");
    tar.arg("-czf").arg(archive);
    tar.arg("-C")
        .arg(parent.context("a folder")?)
        .arg(name.context("a folder")?);
    process::run(&mut tar)
}

/// The digest in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The name of the test that panics, as the test binary takes it.
    const PANICS: &str = "dist::tests::a_function_with_a_name_panics";

    #[test]
    #[ignore = "panics, for the test below"]
    fn a_function_with_a_name_panics() {
        panic!("on purpose");
    }

    /// The trace of a panic in a copy of this test binary.
    fn trace(binary: &Path) -> String {
        let output = Command::new(binary)
            .args(["--ignored", "--exact", PANICS, "--nocapture"])
            .env("RUST_BACKTRACE", "1")
            .output()
            .expect("the copy starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("on purpose"), "{text}");
        text
    }

    fn unpack(archive: &Path, to: &Path) {
        let mut tar = command("tar");
        process::run(tar.arg("-xzf").arg(archive).arg("-C").arg(to)).expect("unpacked");
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_binary_is_stripped_and_its_debug_file_gives_traces_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let (out, unpacked) = (folder.path().join("out"), folder.path().join("unpacked"));
        fs::create_dir(&unpacked).expect("created");
        let binary = std::env::current_exe().expect("this binary");
        let release = Release {
            binary: binary.clone(),
            name: "obeya-1.2.3-some-host".to_owned(),
            third_party: "texts\n".to_owned(),
        };
        let objcopy = split::objcopy().expect("found");
        let [program, debug, sums] = release.write(&objcopy, &out).expect("written");
        assert_eq!(
            names(&out),
            [
                "SHA256SUMS",
                "obeya-1.2.3-some-host-debug.tar.gz",
                "obeya-1.2.3-some-host.tar.gz"
            ]
        );
        let sums = fs::read_to_string(sums).expect("text");
        let expected = [&program, &debug].map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            format!("{}  {name}\n", sha256(&fs::read(path).expect("bytes")))
        });
        assert_eq!(sums, expected.concat());

        unpack(&program, &unpacked);
        let folder = unpacked.join("obeya-1.2.3-some-host");
        assert_eq!(
            names(&folder),
            [
                "CHANGELOG.md",
                "LICENSE",
                "LICENSE-APACHE",
                "LICENSE-MIT",
                "LICENSES-THIRD-PARTY.txt",
                "README.md",
                "SECURITY.md",
                "docs",
                "obeya",
                "packaging"
            ]
        );
        assert_eq!(
            names(&folder.join("packaging/systemd")),
            [
                "obeya.env",
                "obeya.service",
                "obeya.socket",
                "obeya.sysusers"
            ]
        );
        let stripped = folder.join("obeya");
        let size = |path: &Path| fs::metadata(path).expect("a file").len();
        assert!(size(&stripped) < size(&binary), "not smaller");
        // The thread's name is that of the test, without the crate.
        let function = format!("xtask::{PANICS}");
        let alone = trace(&stripped);
        assert!(!alone.contains(&function), "{alone}");

        unpack(&debug, &unpacked);
        assert!(names(&folder).contains(&"obeya.debug".to_owned()));
        let beside = trace(&stripped);
        assert!(beside.contains(&function), "{beside}");
    }

    #[test]
    fn the_digest_is_that_of_the_standard() {
        // FIPS 180-4, the example of one block.
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), digest);
    }
}
