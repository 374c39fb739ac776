//! The files of a release, from a binary and what belongs to it: equal input gives equal bytes, whoever
//! packs it and when.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::archive::pack;
use super::{BINARY, DOCUMENTS, THIRD_PARTY, deb, split};
use crate::process::{exists, root};

/// The parts of one release.
pub(super) struct Release {
    /// The binary, with its symbols and its debug information.
    pub(super) binary: PathBuf,
    /// The name of the folder inside the archives, and the beginning of the archives' names.
    pub(super) name: String,
    /// Debian's name of the architecture.
    pub(super) architecture: &'static str,
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
}

/// The contents of the archives, as folders.
pub(super) struct Content {
    /// The stripped binary and what belongs to it.
    pub(super) program: PathBuf,
    debug: PathBuf,
}

impl Files {
    pub(super) fn all(&self) -> impl Iterator<Item = &PathBuf> {
        let others = [&self.archive, &self.debug, &self.components];
        self.package.iter().chain(others)
    }
}

impl Release {
    /// Lays the contents out in `build`. Both archives unpack into the same folder, where debuggers and the
    /// traces of panics find the debug file.
    pub(super) fn lay_out(&self, objcopy: &Path, build: &Path) -> Result<Content> {
        let (program, debug) = (self.folder(build, "program")?, self.folder(build, "debug")?);
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
        Ok(Content { program, debug })
    }

    /// Writes the archives and the package into `out`.
    pub(super) fn pack(&self, content: &Content, build: &Path, out: &Path) -> Result<Files> {
        let archive = out.join(format!("{}.tar.gz", self.name));
        pack(&content.program, &archive)?;
        let debug = out.join(format!("{}-debug.tar.gz", self.name));
        pack(&content.debug, &debug)?;
        let components = out.join(format!("{}.cdx.json", self.name));
        fs::write(&components, &self.components)?;
        let package = deb::Program {
            binary: &content.program.join(BINARY),
            third_party: &self.third_party,
            architecture: self.architecture,
            shared: &self.shared,
        };
        let package = if exists("dpkg-deb", "--version") {
            Some(package.write(&self.folder(build, "package")?, out)?)
        } else {
            eprintln!("found no `dpkg-deb` on the path: there will be no package for Debian");
            None
        };

        Ok(Files {
            archive,
            package,
            debug,
            components,
        })
    }

    fn folder(&self, build: &Path, kind: &str) -> Result<PathBuf> {
        let folder = build.join(kind).join(&self.name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::dist::platform::Platform;
    use crate::packages::unpack;

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
        let [build, out, unpacked] =
            ["build", "out", "unpacked"].map(|name| folder.path().join(name));
        for folder in [&build, &out, &unpacked] {
            fs::create_dir(folder).expect("created");
        }
        let binary = std::env::current_exe().expect("this binary");
        let release = Release {
            binary: binary.clone(),
            name: "obeya-1.2.3-some-host".to_owned(),
            architecture: "amd64",
            third_party: "texts\n".to_owned(),
            shared: vec![("man/man1/obeya.1".into(), b".TH obeya 1\n".to_vec())],
            components: b"{}\n".to_vec(),
        };
        let objcopy = split::objcopy(&Platform::new(None).expect("this one")).expect("found");
        let content = release.lay_out(&objcopy, &build).expect("laid out");
        let files = release.pack(&content, &build, &out).expect("packed");
        let (program, debug) = (&files.archive, &files.debug);
        let package = files.package.iter().map(|path| {
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        });
        let mut expected: Vec<String> = package.collect();
        let others = [
            "obeya-1.2.3-some-host-debug.tar.gz",
            "obeya-1.2.3-some-host.cdx.json",
            "obeya-1.2.3-some-host.tar.gz",
        ];
        expected.extend(others.map(str::to_owned));
        expected.sort();
        assert_eq!(names(&out), expected);
        unpack(program, &unpacked).expect("unpacked");
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

        unpack(debug, &unpacked).expect("unpacked");
        assert!(names(&folder).contains(&"obeya.debug".to_owned()));
        let beside = trace(&stripped);
        assert!(beside.contains(&function), "{beside}");
    }
}
