//! The process beside us that owns the throwaway server. It holds one end of a pipe, we the other: when that closes, for whatever reason,
//! it stops the server and removes the folder. So nothing is left even of a command that was killed.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::{env, fs, io, thread};

use anyhow::{Context, Result};

use super::account::Account;
use super::cluster::Cluster;
use super::{Profile, system};

/// What it shall start.
#[derive(clap::Args)]
pub(crate) struct Order {
    /// Where the binaries are.
    #[arg(long)]
    pub(super) bin: PathBuf,
    /// Whether they are copied first, to where the account can start them.
    #[arg(long)]
    pub(super) copy: bool,
    /// The account to run them under, when we are root.
    #[arg(long)]
    pub(super) user: Option<String>,
    /// Whether what is committed must be on the disk.
    #[arg(long)]
    pub(super) durable: bool,
}

impl Order {
    /// As words of a command line.
    pub(super) fn arguments(self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["guardian".into(), "--bin".into(), self.bin.into()];
        if let Some(user) = self.user {
            words.extend(["--user".into(), user.into()]);
        }
        words.extend(self.copy.then(|| "--copy".into()));
        words.extend(self.durable.then(|| "--durable".into()));
        words
    }
}

/// Starts the server, says where it is on a line of JSON, and waits for the end of standard input.
pub(crate) fn run(order: &Order) -> Result<()> {
    let parent = watch();
    let account = order.user.as_deref().map(Account::named).transpose()?;
    let account = account.as_ref();
    let folder = folder(account)?;
    let bin = if order.copy {
        copy(&order.bin, &folder.path().join("install"), account)?
    } else {
        order.bin.clone()
    };
    let profile = Profile::new(order.durable);
    // After the folder, and so dropped before it.
    let server = Cluster::create(folder.path(), &bin, account, profile)?.start(&parent)?;
    let started = serde_json::json!({ "address": server.address(), "bin": bin.to_str() });
    // If nobody listens any more the wait is over at once.
    let _ = writeln!(io::stdout(), "{started}");
    let _ = parent.recv();
    server.stop();
    folder.close().context("cannot remove the server's folder")
}

/// A channel that ends when standard input does.
fn watch() -> Receiver<()> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        drop(sender);
    });
    receiver
}

/// A new folder that the account owns and can get to.
fn folder(account: Option<&Account>) -> Result<tempfile::TempDir> {
    // Root's own place for such files may be closed to others.
    let places = [env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
    let place = places
        .into_iter()
        .find(|place| account.is_none() || system::open(place))
        .context("no folder for temporary files is open to other accounts")?;
    let folder = tempfile::Builder::new()
        .prefix("obeya-postgres-")
        .tempdir_in(&place)
        .with_context(|| place.display().to_string())?;
    system::close(folder.path())?;
    give(folder.path(), account)?;
    Ok(folder)
}

/// Copies what the Python package installed, and returns where the binaries are then. They look for their libraries beside the package:
/// `<package>/<install>/bin` and `<package>.libs` on Linux, `<package>/.dylibs` on macOS.
fn copy(bin: &Path, to: &Path, account: Option<&Account>) -> Result<PathBuf> {
    let install = bin.parent().context("binaries lie in an installation")?;
    let package = install.parent().context("it lies in a package")?;
    let packages = package.parent().context("which lies among others")?;
    let mut libraries = package.as_os_str().to_owned();
    libraries.push(".libs");
    for part in [install, Path::new(&libraries), &package.join(".dylibs")] {
        if part.exists() {
            let below = part.strip_prefix(packages)?;
            tree(part, &to.join(below), account)?;
        }
    }
    for folder in [to, &to.join(package.strip_prefix(packages)?)] {
        give(folder, account)?;
    }
    Ok(to.join(bin.strip_prefix(packages)?))
}

fn tree(from: &Path, to: &Path, account: Option<&Account>) -> Result<()> {
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    give(to, account)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            tree(&from, &to, account)?;
        } else {
            fs::copy(&from, &to).with_context(|| from.display().to_string())?;
            give(&to, account)?;
        }
    }
    Ok(())
}

fn give(path: &Path, account: Option<&Account>) -> Result<()> {
    account.map_or(Ok(()), |account| account.give(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_copied_with_its_libraries_and_nothing_else() {
        let packages = tempfile::tempdir().unwrap();
        for file in [
            "pg/one/bin/postgres",
            "pg/one/share/x/y",
            "pg.libs/z",
            "pg/two/bin/postgres",
            "other/x",
        ] {
            let path = packages.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        let to = tempfile::tempdir().unwrap();
        let copied = to.path().join("install");
        let bin = copy(&packages.path().join("pg/one/bin"), &copied, None).unwrap();
        assert_eq!(bin, copied.join("pg/one/bin"));
        for file in ["pg/one/bin/postgres", "pg/one/share/x/y", "pg.libs/z"] {
            assert_eq!(fs::read_to_string(copied.join(file)).unwrap(), file);
        }
        assert!(!copied.join("pg/two").exists());
        assert!(!copied.join("other").exists());
    }
}
