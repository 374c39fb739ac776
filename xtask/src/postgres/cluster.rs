//! One throwaway server: made by `initdb`, started on a free port of this machine alone, stopped without saving anything.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::account::Account;
use super::binaries::program;
use super::{Profile, password, system};

/// How long it may take to come up, and to end when it was told to.
const START: Duration = Duration::from_secs(60);
const STOP: Duration = Duration::from_secs(10);
/// How often it is looked after meanwhile.
const LOOK: Duration = Duration::from_millis(20);
/// How often a port is tried: another program may take it before the server does.
const PORTS: usize = 5;

/// For as many tests as run side by side, whatever for. Compiling queries costs more than it gains with tables as small as these.
const SETTINGS: [&str; 5] = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=300",
    "shared_buffers=256MB",
    "jit=off",
];
/// What is lost with the machine is not missed.
const CARELESS: [&str; 3] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
];

/// A server that is made and does not run yet.
pub(super) struct Cluster {
    folder: PathBuf,
    bin: PathBuf,
    account: Option<Account>,
    profile: Profile,
    password: String,
}

impl Cluster {
    /// Makes it in a folder that is the account's.
    pub(super) fn create(
        folder: &Path,
        bin: &Path,
        account: Option<&Account>,
        profile: Profile,
    ) -> Result<Self> {
        let cluster = Self {
            folder: folder.to_owned(),
            bin: bin.to_owned(),
            account: account.cloned(),
            profile,
            password: password::random()?,
        };
        let secret = folder.join("secret");
        fs::write(&secret, password::secret(&cluster.password)?)?;
        if let Some(account) = account {
            account.give(&secret)?;
        }
        let mut initdb = cluster.command("initdb");
        initdb.args(["--username=postgres", "--auth=scram-sha-256", "--no-sync"]);
        // Strings compare by code point, as they do in the service.
        initdb.args(["--encoding=UTF8", "--locale=C"]);
        initdb.arg("--pwfile").arg(secret);
        let said = initdb.stdin(Stdio::null()).output().context("initdb")?;
        if !said.status.success() {
            bail!(
                "initdb failed ({}):\n{}{}",
                said.status,
                String::from_utf8_lossy(&said.stdout),
                String::from_utf8_lossy(&said.stderr)
            );
        }
        Ok(cluster)
    }

    /// Starts it, and waits until it takes connections; not longer than somebody waits for it.
    pub(super) fn start(self, parent: &Receiver<()>) -> Result<Running> {
        let deadline = Instant::now() + START;
        for _ in 0..PORTS {
            wait(parent, Duration::ZERO)?;
            let port = free_port()?;
            let mut running = Running {
                address: address(&self.password, port),
                log: self.folder.join("log"),
                server: self.spawn(port)?,
            };
            while running.server.try_wait()?.is_none() {
                if self.ready(&running.server) && connects(port) {
                    return Ok(running);
                }
                if Instant::now() > deadline {
                    bail!(
                        "PostgreSQL did not come up in time; its log:\n{}",
                        running.log()
                    );
                }
                wait(parent, LOOK)?;
            }
            // Only a port that somebody else has now is worth another try.
            if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
                bail!("PostgreSQL ended at once; its log:\n{}", running.log());
            }
        }
        bail!("{PORTS} ports that were free were taken a moment later");
    }

    fn spawn(&self, port: u16) -> Result<Child> {
        let mut command = self.command("postgres");
        let careless = match self.profile {
            Profile::Test => &CARELESS[..],
            Profile::Durable => &[],
        };
        for setting in SETTINGS.iter().chain(careless) {
            command.args(["-c", setting]);
        }
        command.arg("-c").arg(format!("port={port}"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(self.folder.join("log"))?);
        command.spawn().context("cannot start postgres")
    }

    /// A program of its own, over its data.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(program(&self.bin, name));
        command.arg("-D").arg(self.folder.join("data"));
        // Where we are may be closed to the account.
        command.current_dir(&self.folder);
        if let Some(account) = &self.account {
            account.run(&mut command);
        }
        command
    }

    /// Whether it says that it is ready: the file that `pg_ctl` reads too. A connection alone might reach another server on that port.
    fn ready(&self, server: &Child) -> bool {
        let file = fs::read_to_string(self.folder.join("data/postmaster.pid"));
        file.is_ok_and(|text| says_ready(&text, server.id()))
    }
}

/// A server that runs as long as this value.
pub(super) struct Running {
    server: Child,
    address: String,
    log: PathBuf,
}

impl Running {
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Ends it. Whoever used it may wonder about its answers if it had ended before.
    pub(super) fn stop(mut self) {
        if let Ok(Some(status)) = self.server.try_wait() {
            eprintln!(
                "PostgreSQL ended by itself ({status}); its log:\n{}",
                self.log()
            );
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_else(|error| error.to_string())
    }

    /// Tells it again and again: before it has set itself up it ignores the signal, if whoever started us does.
    fn quits_within(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        while Instant::now() < deadline {
            if !matches!(self.server.try_wait(), Ok(None)) {
                return true;
            }
            let _ = system::quit(&mut self.server);
            thread::sleep(LOOK);
        }
        false
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.quits_within(STOP) {
            // Its other processes end when they find it gone.
            let _ = self.server.kill();
            let _ = self.server.wait();
        }
    }
}

/// Waits for a while, but only as long as somebody waits for the server.
fn wait(parent: &Receiver<()>, time: Duration) -> Result<()> {
    match parent.recv_timeout(time) {
        Err(RecvTimeoutError::Timeout) => Ok(()),
        _ => bail!("nobody waits for PostgreSQL any more"),
    }
}

fn address(password: &str, port: u16) -> String {
    format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres")
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
    Ok(listener.local_addr()?.port())
}

fn connects(port: u16) -> bool {
    TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port).into(), Duration::from_secs(1)).is_ok()
}

/// Its first line is the process, its eighth the state.
fn says_ready(text: &str, process: u32) -> bool {
    let mut lines = text.lines().map(str::trim);
    lines.next() == Some(process.to_string().as_str()) && lines.nth(6) == Some("ready")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of a PostgreSQL 15, as it was.
    const READY: &str =
        "7422\n/tmp/pg/data\n1795299673\n5499\n\n127.0.0.1\n 10010813         4\nready   \n";

    #[test]
    fn the_file_of_the_process_says_when_it_is_ready() {
        assert!(says_ready(READY, 7422));
        assert!(!says_ready(READY, 742), "another process");
        assert!(!says_ready(&READY.replace("ready", "starting"), 7422));
        assert!(!says_ready("7422\n/tmp/pg/data\n", 7422), "half written");
    }

    #[test]
    fn the_address_is_a_url() {
        assert_eq!(
            address("5ecret", 5433),
            "postgres://postgres:5ecret@127.0.0.1:5433/postgres"
        );
    }
}
