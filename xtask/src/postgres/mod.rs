//! A PostgreSQL server for a command: the one that `OBEYA_TEST_POSTGRES` names, or a temporary one.
//!
//! Without a server the command fails, and the error lists what was tried.

mod account;
mod binaries;
mod password;
pub(crate) mod watchdog;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, Result};

use account::Account;
use binaries::{Binaries, Source};

/// The URL of the server, with the password; its role may do everything.
const ADDRESS: &str = "OBEYA_TEST_POSTGRES";
/// The folder of the binaries, for a test that starts its own server. If set, it is searched first.
const BINARIES: &str = "OBEYA_TEST_POSTGRES_BIN";
/// The account to run them under when we are root, which PostgreSQL refuses.
const USER: &str = "OBEYA_TEST_POSTGRES_USER";

/// The purpose of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Nothing has to survive a crash, so nothing waits for the disk.
    Test,
    /// A commit is on the disk, as in production: for measuring.
    Durable,
}

/// Runs a command with a server, and exits with its exit code.
pub(crate) fn run(profile: Profile, command: &[OsString]) -> Result<()> {
    let (program, arguments) = command.split_first().context("no command to run")?;
    let server = Server::get(profile)?;
    let status = Command::new(program)
        .args(arguments)
        .envs(server.environment())
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    // `exit` drops nothing, and the server must stop first.
    drop(server);
    std::process::exit(exit_code(status));
}

/// A server that stops when this value is dropped.
pub(crate) struct Server {
    environment: BTreeMap<String, OsString>,
    watchdog: Option<Child>,
}

impl Server {
    /// The one that the environment names, or else a temporary one.
    pub(crate) fn get(profile: Profile) -> Result<Self> {
        match variable(ADDRESS) {
            Some(address) => Ok(Self::named(address)),
            None => Self::start(profile),
        }
    }

    /// The variables by which a program finds it.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (&String, &OsString)> {
        self.environment.iter()
    }

    fn named(address: OsString) -> Self {
        eprintln!("PostgreSQL is the server that {ADDRESS} names");
        let mut environment = BTreeMap::from([(ADDRESS.to_owned(), address)]);
        // Installed binaries only: a user who names a server does not expect a download.
        if variable(BINARIES).is_none()
            && let Ok(account) = Account::unprivileged()
            && let Ok(found) = binaries::find(Source::Installed, account.as_ref())
        {
            environment.insert(BINARIES.to_owned(), found.folder.into());
            environment.extend(account.map(|account| (USER.to_owned(), account.name.into())));
        }
        Self {
            environment,
            watchdog: None,
        }
    }

    fn start(profile: Profile) -> Result<Self> {
        let account = Account::unprivileged()?;
        let Binaries {
            folder,
            version,
            package,
        } = binaries::find(Source::requested()?, account.as_ref())?;
        eprintln!("PostgreSQL {version} from {}", folder.display());
        let mut command = Command::new(env::current_exe().context("our own program")?);
        command.arg("watchdog").arg("--bin").arg(folder);
        if let (Some(package), Some(_)) = (package, &account) {
            command.arg("--copy").arg(package);
        }
        if profile == Profile::Durable {
            command.arg("--durable");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C is for us; the watchdog notices when we are gone.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        // From here on the watchdog ends when this value is dropped, on an error too.
        let mut server = Self {
            environment: BTreeMap::new(),
            watchdog: Some(command.spawn().context("cannot start the watchdog")?),
        };
        let stdout = server.watchdog.as_mut().and_then(|it| it.stdout.take());
        let mut line = String::new();
        BufReader::new(stdout.context("stdout is piped")?).read_line(&mut line)?;
        let started: BTreeMap<String, String> =
            serde_json::from_str(&line).context("PostgreSQL did not start; the reason is above")?;
        server.environment = started.into_iter().map(|(k, v)| (k, v.into())).collect();
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut watchdog) = self.watchdog.take() {
            // It stops the server when this pipe closes, and ends when the folder is gone.
            drop(watchdog.stdin.take());
            let _ = watchdog.wait();
        }
    }
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// The exit code in the convention of shells: 137 for a process that signal 9 ended.
fn exit_code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}
