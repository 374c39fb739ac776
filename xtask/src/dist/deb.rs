//! The package for Debian and what is made of it: the binary with its unit of systemd, its user and its
//! folder.
//!
//! It is built by dpkg-deb, and starts nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{BINARY, DOCUMENTS, THIRD_PARTY};
use crate::process::{self, command, root};

/// Where each file of `packaging/systemd` goes.
const SYSTEMD: [(&str, &str); 4] = [
    ("obeya.service", "usr/lib/systemd/system/obeya.service"),
    ("obeya.socket", "usr/lib/systemd/system/obeya.socket"),
    ("obeya.sysusers", "usr/lib/sysusers.d/obeya.conf"),
    ("obeya.env", "etc/obeya/obeya.env"),
];

/// The files that an upgrade asks about if they were changed.
const CONFFILES: &str = "/etc/obeya/obeya.env\n";

/// What dpkg runs.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// The program, as it is in the archive.
pub(super) struct Program<'p> {
    /// The stripped binary.
    pub(super) binary: &'p Path,
    /// The text of [`THIRD_PARTY`].
    pub(super) third_party: &'p str,
    /// Debian's name of the architecture.
    pub(super) architecture: &'p str,
    /// Shell completions and pages of the manual by their place below `usr/share`.
    pub(super) shared: &'p [(PathBuf, Vec<u8>)],
}

impl Program<'_> {
    /// Writes `obeya_VERSION_ARCHITECTURE.deb` into `out`. `build` is an empty folder for its content.
    pub(super) fn write(&self, build: &Path, out: &Path) -> Result<PathBuf> {
        self.fill(build)?;
        let version = env!("CARGO_PKG_VERSION");
        let file = out.join(format!("{BINARY}_{version}_{}.deb", self.architecture));
        process::run(
            command("dpkg-deb")
                .args(["--root-owner-group", "--build", "-Zxz"])
                .arg(build)
                .arg(&file)
                .env(
                    "SOURCE_DATE_EPOCH",
                    super::archive::time_of_source()?.to_string(),
                ),
        )?;
        Ok(file)
    }

    /// Lays out the files of the package and its control files.
    fn fill(&self, build: &Path) -> Result<()> {
        let place = |path: &str, mode: u32, content: &[u8]| place(&build.join(path), mode, content);
        place(&format!("usr/bin/{BINARY}"), 0o755, &fs::read(self.binary)?)?;
        for (file, path) in SYSTEMD {
            let text = fs::read_to_string(root().join("packaging/systemd").join(file))?;
            // By hand, a program is installed below /usr/local.
            place(
                path,
                0o644,
                text.replace("/usr/local/bin/", "/usr/bin/").as_bytes(),
            )?;
        }
        for document in DOCUMENTS
            .iter()
            .filter(|path| !path.starts_with("packaging/"))
        {
            let path = format!("usr/share/doc/{BINARY}/{document}");
            place(
                &path,
                0o644,
                &fs::read(root().join(document)).context(*document)?,
            )?;
        }
        place(
            &format!("usr/share/doc/{BINARY}/{THIRD_PARTY}"),
            0o644,
            self.third_party.as_bytes(),
        )?;
        let licences = fs::read(root().join("LICENSE"))?;
        place(
            &format!("usr/share/doc/{BINARY}/copyright"),
            0o644,
            &licences,
        )?;
        for (path, content) in self.shared {
            let path = Path::new("usr/share").join(path);
            place(&path.to_string_lossy(), 0o644, content)?;
        }
        for script in SCRIPTS {
            let text = fs::read(root().join("packaging/deb").join(script)).context(script)?;
            place(&format!("DEBIAN/{script}"), 0o755, &text)?;
        }
        place("DEBIAN/conffiles", 0o644, CONFFILES.as_bytes())?;
        place("DEBIAN/control", 0o644, self.control(build)?.as_bytes())
    }

    /// The description of the package (deb-control(5)).
    fn control(&self, build: &Path) -> Result<String> {
        let bytes = super::archive::size_below(build)?;
        Ok(format!(
            "Package: {BINARY}\nVersion: {}\nArchitecture: {}\nMaintainer: {}\nSection: net\nPriority: optional\n\
             Installed-Size: {}\nDepends: libc6 (>= {}), passwd\nRecommends: ca-certificates\n\
             Description: lean management over HTTP\n \
             The service Obeya and its command line: incidents, improvements, boards, groups,\n \
             areas, and datasources with their values, as an HTTP/JSON interface over SQLite\n or PostgreSQL.\n",
            env!("CARGO_PKG_VERSION"),
            self.architecture,
            env!("CARGO_PKG_AUTHORS"),
            bytes.div_ceil(1024),
            newest_glibc(&fs::read(self.binary)?)
                .context("the binary needs no version of glibc")?,
        ))
    }
}

/// Writes a file with a mode, and the folders above it.
fn place(file: &Path, mode: u32, content: &[u8]) -> Result<()> {
    let folder = file.parent().context("a file has a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    fs::write(file, content).with_context(|| format!("writing {}", file.display()))?;
    fs::set_permissions(file, fs::Permissions::from_mode(mode))?;
    Ok(())
}

/// The newest version of glibc that a symbol of the binary requires, such as `2.34`: the names of versions
/// stand in its table of strings.
fn newest_glibc(binary: &[u8]) -> Option<String> {
    const PREFIX: &[u8] = b"\0GLIBC_";
    let versions = binary
        .windows(PREFIX.len())
        .enumerate()
        .filter(|(_, bytes)| *bytes == PREFIX);
    versions
        .filter_map(|(start, _)| {
            let rest = &binary[start + PREFIX.len()..];
            let end = rest.iter().position(|&byte| byte == 0)?;
            let text = std::str::from_utf8(&rest[..end]).ok()?;
            let numbers: Option<Vec<u32>> =
                text.split('.').map(|number| number.parse().ok()).collect();
            Some((numbers?, text.to_owned()))
        })
        .max()
        .map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_glibc_are_compared_as_numbers() {
        let binary = b"\0GLIBC_2.9\0GLIBC_2.17\0GLIBC_PRIVATE\0GLIBC_2.4\0other\0";
        assert_eq!(newest_glibc(binary).as_deref(), Some("2.17"));
        assert_eq!(newest_glibc(b"\0static\0"), None);
    }

    #[test]
    fn the_package_has_program_unit_user_and_settings() {
        let folder = tempfile::tempdir().expect("a folder");
        let binary = std::env::current_exe().expect("this binary");
        let program = Program {
            binary: &binary,
            third_party: "texts\n",
            architecture: "amd64",
            shared: &[("man/man1/obeya.1".into(), b".TH obeya 1\n".to_vec())],
        };
        program.fill(folder.path()).expect("filled");
        let text = |path: &str| fs::read_to_string(folder.path().join(path)).expect(path);
        assert!(
            text("usr/lib/systemd/system/obeya.service")
                .contains("\nExecStart=/usr/bin/obeya serve ")
        );
        assert!(text("usr/lib/sysusers.d/obeya.conf").contains("u obeya - "));
        assert_eq!(text("usr/share/man/man1/obeya.1"), ".TH obeya 1\n");
        let control = text("DEBIAN/control");
        assert!(
            control.starts_with("Package: obeya\nVersion: 0.1.0\nArchitecture: amd64\n"),
            "{control}"
        );
        assert!(control.contains("\nDepends: libc6 (>= 2."), "{control}");
        for file in ["usr/bin/obeya", "DEBIAN/postinst"] {
            let mode = fs::metadata(folder.path().join(file))
                .expect(file)
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o755, "{file}");
        }
    }
}
