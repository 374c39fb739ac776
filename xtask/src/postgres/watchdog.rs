//! A separate process that owns the temporary server. It reads one end of a pipe whose other end the command
//! holds. When the pipe closes, for whatever reason, the watchdog stops the server and removes the folder. So
//! a killed command leaves nothing behind.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use anyhow::{Context, Result, bail};

use super::account::Account;
use super::binaries::program;
use super::{ADDRESS, BINARIES, USER, password};

/// How often another port is tried: another program may take a free one before the server does.
const PORTS: usize = 5;

/// For many tests side by side. Compiling queries costs more than it gains on tables as small as these.
const SETTINGS: &str = "-c listen_addresses=127.0.0.1 -c unix_socket_directories= \
    -c max_connections=300 -c shared_buffers=256MB -c jit=off";
/// Nothing needs to survive a crash of the machine.
const NOT_DURABLE: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off";

/// The arguments of the watchdog.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder of the binaries.
    #[arg(long)]
    bin: PathBuf,
    /// The folder around the binaries, which is copied first to a place where the account can start them.
    #[arg(long)]
    copy: Option<PathBuf>,
    /// Whether a commit waits for the disk.
    #[arg(long)]
    durable: bool,
}

/// Starts the server, prints the variables that name it as a line of JSON, and waits until its input ends.
pub(crate) fn run(options: &Options) -> Result<()> {
    let account = Account::unprivileged()?;
    let folder = folder(account.as_ref())?;
    let bin = match &options.copy {
        Some(package) => copy(package, &options.bin, &folder.path().join("install"))?,
        None => options.bin.clone(),
    };
    let password = password::random()?;
    fs::write(folder.path().join("secret"), password::secret(&password)?)?;
    if let Some(account) = &account {
        account.own(folder.path())?;
    }
    let cluster = Cluster {
        folder: folder.path(),
        bin: &bin,
        account: account.as_ref(),
    };
    let port = cluster.start(options.durable)?;
    let address = format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres");
    let bin = bin.display().to_string();
    let mut environment = BTreeMap::from([(ADDRESS, address), (BINARIES, bin)]);
    environment.extend(account.as_ref().map(|account| (USER, account.name.clone())));
    let line = serde_json::to_string(&environment)?;
    // If the reader is gone, standard input has ended too, and the server must still be stopped.
    let _ = writeln!(io::stdout(), "{line}");
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
    if !cluster.stop()? {
        // The command may wonder about its answers.
        eprintln!(
            "PostgreSQL had ended or did not stop; its log:\n{}",
            cluster.log()
        );
    }
    folder.close().context("cannot remove the server's folder")
}

/// A new folder that only the account can read.
fn folder(account: Option<&Account>) -> Result<tempfile::TempDir> {
    let parent = [env::temp_dir(), "/tmp".into(), "/var/tmp".into()]
        .into_iter()
        .find(|parent| account.is_none_or(|account| account.may_enter(parent)))
        .context("no folder for temporary files is open to other accounts")?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.prefix("obeya-postgres-").tempdir_in(&parent);
    folder.with_context(|| parent.display().to_string())
}

/// Copies a package, and returns the path of its folder of binaries in the copy.
fn copy(package: &Path, bin: &Path, to: &Path) -> Result<PathBuf> {
    let status = Command::new("cp").arg("-R").args([package, to]).status();
    if !status.context("cp")?.success() {
        bail!("cannot copy {}", package.display());
    }
    Ok(to.join(bin.strip_prefix(package)?))
}

/// A server in a folder, by PostgreSQL's own commands.
struct Cluster<'a> {
    folder: &'a Path,
    bin: &'a Path,
    account: Option<&'a Account>,
}

impl Cluster<'_> {
    /// Creates it, starts it and returns the port on which it is ready.
    fn start(&self, durable: bool) -> Result<u16> {
        let mut initdb = self.command("initdb");
        initdb.args(["--username=postgres", "--auth=scram-sha-256", "--no-sync"]);
        // Strings compare by code point, as they do in the service.
        initdb.args(["--encoding=UTF8", "--locale=C", "--pwfile=secret"]);
        let status = initdb.status().context("initdb")?;
        if !status.success() {
            bail!("initdb failed ({status}); the reason is above");
        }
        for _ in 0..PORTS {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
            let port = listener.local_addr()?.port();
            drop(listener);
            let durable = if durable { "" } else { NOT_DURABLE };
            let mut start = self.command("pg_ctl");
            start.args(["start", "--wait", "--timeout=60", "--log=log", "--options"]);
            start.arg(format!("{SETTINGS} {durable} -c port={port}"));
            if start.status().context("pg_ctl")?.success() {
                return Ok(port);
            }
            // If it is only slow, it must not stay.
            self.stop()?;
            // Only a port that another program has taken is worth another try.
            if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
                break;
            }
        }
        bail!("PostgreSQL did not start; its log:\n{}", self.log());
    }

    /// Ends it at once without saving anything; whether there was something to end.
    fn stop(&self) -> Result<bool> {
        let mut stop = self.command("pg_ctl");
        stop.args(["stop", "--wait", "--timeout=10", "--mode=immediate"]);
        Ok(stop.status().context("pg_ctl")?.success())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_else(|error| error.to_string())
    }

    /// A program of PostgreSQL, over the server's data, whose messages alone are shown.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(program(self.bin, name));
        command.current_dir(self.folder).arg("--pgdata=data");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        if let Some(account) = self.account {
            account.run(&mut command);
        }
        command
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_copied_with_its_libraries() {
        let package = tempfile::tempdir().unwrap();
        let files = ["pg/one/bin/postgres", "pg/one/share/x/y", "pg.libs/z"];
        for file in files {
            let path = package.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        let to = tempfile::tempdir().unwrap();
        let copied = to.path().join("install");
        let bin = copy(package.path(), &package.path().join("pg/one/bin"), &copied).unwrap();
        assert_eq!(bin, copied.join("pg/one/bin"));
        for file in files {
            assert_eq!(fs::read_to_string(copied.join(file)).unwrap(), file);
        }
    }
}
