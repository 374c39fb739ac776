//! A PostgreSQL for whoever needs one: the server that `OBEYA_TEST_POSTGRES` names, or one of our own that is thrown away afterwards.
//!
//! Nothing here passes by doing without: where no server can be had, the error says what was tried.

mod account;
mod binaries;
mod cluster;
pub(crate) mod guardian;
mod password;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "other.rs")]
mod system;

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use account::Account;
use binaries::{Binaries, From};

/// The address of the server, with the password; its role may do everything.
const ADDRESS: &str = "OBEYA_TEST_POSTGRES";
/// Where `initdb` and `postgres` are, for a test that needs a server of its own, to break. Whoever sets it chooses them.
const BINARIES: &str = "OBEYA_TEST_POSTGRES_BIN";
/// Whom those run as when we are root, which PostgreSQL refuses.
const USER: &str = "OBEYA_TEST_POSTGRES_USER";

/// What the server is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Nothing has to outlive the machine, so nothing waits for the disk.
    Test,
    /// What is committed is on the disk, as in production: for measuring.
    Durable,
}

impl Profile {
    /// As a command line says it.
    pub(crate) fn new(durable: bool) -> Self {
        if durable { Self::Durable } else { Self::Test }
    }
}

/// Runs a command with a server, and ends with its exit code.
pub(crate) fn run(profile: Profile, words: &[OsString]) -> Result<()> {
    let (program, arguments) = words.split_first().context("no command to run")?;
    let server = Server::get(profile)?;
    let status = Command::new(program)
        .args(arguments)
        .envs(server.environment())
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    // `exit` drops nothing, and the server goes first.
    drop(server);
    std::process::exit(system::code(status));
}

/// A server that is there as long as this value.
pub(crate) struct Server {
    environment: Vec<(&'static str, OsString)>,
    guardian: Option<Child>,
}

impl Server {
    /// The one that is named in the environment, as it is; or else one of our own.
    pub(crate) fn get(profile: Profile) -> Result<Self> {
        match set(ADDRESS) {
            Some(address) => Ok(Self::named(address)),
            None => Self::start(profile),
        }
    }

    /// What a program needs to find it.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (&'static str, &OsString)> {
        self.environment.iter().map(|(name, value)| (*name, value))
    }

    fn named(address: OsString) -> Self {
        eprintln!("PostgreSQL is the server that {ADDRESS} names");
        let mut environment = vec![(ADDRESS, address)];
        if set(BINARIES).is_none() {
            let account = Account::unprivileged();
            // Only those that are installed: whoever brings a server along wants nothing fetched.
            if let Ok(account) = account
                && let Ok(found) = binaries::find(From::Installed, account.as_ref())
            {
                environment.extend(beside(found.folder.into(), account));
            }
        }
        Self {
            environment,
            guardian: None,
        }
    }

    fn start(profile: Profile) -> Result<Self> {
        let account = Account::unprivileged()?;
        let Binaries {
            folder,
            version,
            reachable,
        } = binaries::find(From::asked()?, account.as_ref())?;
        eprintln!("PostgreSQL {version} from {}", folder.display());
        let order = guardian::Order {
            bin: folder,
            copy: !reachable,
            user: account.as_ref().map(|account| account.name.clone()),
            durable: profile == Profile::Durable,
        };
        let mut command = Command::new(env::current_exe().context("our own program")?);
        command.args(order.arguments());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C is for us; the guardian hears of it when we are gone.
        system::own_group(&mut command);
        // From here on the guardian ends when this value does, whichever way.
        let mut server = Self {
            environment: Vec::new(),
            guardian: Some(command.spawn().context("cannot start the guardian")?),
        };
        let guardian = server.guardian.as_mut();
        let stdout = guardian.and_then(|guardian| guardian.stdout.take());
        let mut line = String::new();
        BufReader::new(stdout.context("stdout is piped")?).read_line(&mut line)?;
        let Ok(started) = serde_json::from_str::<serde_json::Value>(&line) else {
            bail!("PostgreSQL did not start; the reason stands above");
        };
        let text = |name: &str| OsString::from(started[name].as_str().unwrap_or_default());
        server.environment = vec![(ADDRESS, text("address"))];
        server.environment.extend(beside(text("bin"), account));
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut guardian) = self.guardian.take() {
            // It stops the server when this pipe closes, and ends when the folder is gone.
            drop(guardian.stdin.take());
            let _ = guardian.wait();
        }
    }
}

/// What a test needs to start a server of its own.
fn beside(
    bin: OsString,
    account: Option<Account>,
) -> impl Iterator<Item = (&'static str, OsString)> {
    let user = account.map(|account| (USER, account.name.into()));
    [(BINARIES, bin)].into_iter().chain(user)
}

fn set(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}
