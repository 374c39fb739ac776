//! The files of a release, from a binary and what belongs to it: equal input gives equal bytes, whoever
//! packs it and when.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::{BINARY, CHECKSUMS, DOCUMENTS, THIRD_PARTY, deb, split};
use crate::process::{self, command, exists, root};

/// The parts of one release.
pub(super) struct Release {
    /// The binary, with its symbols and its debug information.
    pub(super) binary: PathBuf,
    /// The name of the folder inside the archives, and the beginning of the archives' names.
    pub(super) name: String,
    /// The text of [`THIRD_PARTY`].
    pub(super) third_party: String,
    /// Shell completions and pages of the manual by their place below `usr/share`.
    pub(super) shared: Vec<(PathBuf, Vec<u8>)>,
    /// The software bill of materials.
    pub(super) components: Vec<u8>,
}

/// The files of a release.
pub(super) struct Files {
    pub(super) archive: PathBuf,
    /// The package for Debian, where there is a dpkg-deb to build it.
    pub(super) package: Option<PathBuf>,
    debug: PathBuf,
    components: PathBuf,
    checksums: PathBuf,
}

impl Files {
    /// Those that the checksums cover.
    fn content(&self) -> impl Iterator<Item = &PathBuf> {
        let others = [&self.archive, &self.debug, &self.components];
        self.package.iter().chain(others)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.content().chain([&self.checksums])
    }
}

impl Release {
    /// Writes the archives, the package and their checksums into `out`. Both archives unpack into the same
    /// folder, where debuggers and the traces of panics find the debug file.
    pub(super) fn write(&self, objcopy: &Path, out: &Path) -> Result<Files> {
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
        for (path, content) in &self.shared {
            let file = program.join("share").join(path);
            fs::create_dir_all(file.parent().context("a folder")?)?;
            fs::write(file, content)?;
        }

        let archive = out.join(format!("{}.tar.gz", self.name));
        pack(&program, &archive)?;
        let debug_archive = out.join(format!("{}-debug.tar.gz", self.name));
        pack(&debug, &debug_archive)?;
        let components = out.join(format!("{}.cdx.json", self.name));
        fs::write(&components, &self.components)?;
        let content = deb::Program {
            binary: &program.join(BINARY),
            third_party: &self.third_party,
            shared: &self.shared,
        };
        let package = if exists("dpkg-deb", "--version") {
            Some(content.write(&folder("package")?, out)?)
        } else {
            eprintln!("found no `dpkg-deb` on the path: there will be no package for Debian");
            None
        };

        let files = Files {
            archive,
            package,
            debug: debug_archive,
            components,
            checksums: out.join(CHECKSUMS),
        };
        let mut checksums = String::new();
        for file in files.content() {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            checksums.push_str(&format!("{}  {name}\n", sha256(&fs::read(file)?)));
        }
        fs::write(&files.checksums, checksums)?;
        Ok(files)
    }
}

/// Packs one folder, under its own name. Equal content gives equal bytes, whoever packs it and when.
fn pack(folder: &Path, archive: &Path) -> Result<()> {
    let (parent, name) = (folder.parent(), folder.file_name());
    let mut tar = command("tar");
    tar.args([
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=go-w",
    ]);
    tar.arg(format!("--mtime=@{}", time_of_source()?));
    tar.args(["--use-compress-program=gzip --no-name -9", "-cf"])
        .arg(archive);
    tar.arg("-C")
        .arg(parent.context("a folder")?)
        .arg(name.context("a folder")?);
    process::run(&mut tar)
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
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;
    use std::process::Command;

    use super::*;

    /// The test below, as the test binary takes its name.
    const TEST: &str =
        "dist::release::tests::the_binary_is_stripped_and_its_debug_file_gives_traces_their_names";
    /// With this variable the test panics at once, for its own trace.
    const PANICS: &str = "OBEYA_TEST_PANICS";

    /// The trace of a panic in a copy of this test binary.
    fn trace(binary: &Path) -> String {
        let output = Command::new(binary)
            .args(["--exact", TEST, "--nocapture"])
            .env(PANICS, "1")
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
        assert!(std::env::var_os(PANICS).is_none(), "on purpose");
        let folder = tempfile::tempdir().expect("a folder");
        let (out, unpacked) = (folder.path().join("out"), folder.path().join("unpacked"));
        fs::create_dir(&unpacked).expect("created");
        let binary = std::env::current_exe().expect("this binary");
        let release = Release {
            binary: binary.clone(),
            name: "obeya-1.2.3-some-host".to_owned(),
            third_party: "texts\n".to_owned(),
            shared: vec![("man/man1/obeya.1".into(), b".TH obeya 1\n".to_vec())],
            components: b"{}\n".to_vec(),
        };
        let objcopy = split::objcopy().expect("found");
        let files = release.write(&objcopy, &out).expect("written");
        let (program, debug) = (&files.archive, &files.debug);
        let package = files.package.iter().map(|path| {
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        });
        let mut expected: Vec<String> = package.collect();
        let others = [
            "SHA256SUMS",
            "obeya-1.2.3-some-host-debug.tar.gz",
            "obeya-1.2.3-some-host.cdx.json",
            "obeya-1.2.3-some-host.tar.gz",
        ];
        expected.extend(others.map(str::to_owned));
        expected.sort();
        assert_eq!(names(&out), expected);
        let sums = fs::read_to_string(&files.checksums).expect("text");
        let sum = |path: &PathBuf| {
            let name = path.file_name().expect("a name").to_string_lossy();
            format!("{}  {name}\n", sha256(&fs::read(path).expect("bytes")))
        };
        let expected: Vec<String> = files.content().map(sum).collect();
        assert_eq!(sums, expected.concat());

        unpack(program, &unpacked);
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
                "packaging",
                "share"
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
        let function = format!("xtask::{TEST}");
        let alone = trace(&stripped);
        assert!(!alone.contains(&function), "{alone}");

        unpack(debug, &unpacked);
        assert!(names(&folder).contains(&"obeya.debug".to_owned()));
        let beside = trace(&stripped);
        assert!(beside.contains(&function), "{beside}");
    }

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
}
