//! A server of a test's own, to be broken and set up at will.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Config, NoTls};

use super::{block_on, variable};

/// A server with the user `postgres`. It ends with this value, or with the test's process.
pub struct Cluster {
    folder: TempDir,
    password: String,
    account: Option<(u32, u32)>,
    /// The port that clients use: the server's, or that of a proxy.
    pub port: u16,
    own_port: u16,
    file_blocks: Option<u32>,
    watchdog: Option<Child>,
}

/// How a server stops, as a mode of `pg_ctl`.
#[derive(Clone, Copy)]
pub enum Shutdown {
    /// Ends transactions and notifies clients.
    Fast,
    /// Ends at once, as a failing machine would; recovers at the next start.
    Immediate,
}

impl Cluster {
    /// Creates one with this password, and does not start it. Blocks, as every method does.
    ///
    /// # Panics
    /// If something is missing or fails, as every method does.
    #[must_use]
    pub fn new(password: &str) -> Self {
        let port = free_port();
        let cluster = Cluster {
            folder: tempfile::tempdir().expect("a folder"),
            password: password.to_owned(),
            account: account(),
            port,
            own_port: port,
            file_blocks: None,
            watchdog: None,
        };
        cluster.give(cluster.folder.path());
        let secret = cluster.write("secret", password);
        let made = cluster
            .command("initdb")
            .args(["--username=postgres", "--auth=scram-sha-256", "--no-sync"])
            // Segments that fit below a limit of the file size.
            .args(["--encoding=UTF8", "--locale=C", "--wal-segsize=1"])
            .arg(format!("--pwfile={}", secret.display()))
            .output()
            .expect("initdb");
        let message = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{message}");
        cluster
    }

    /// Limits its files to so many blocks of 512 bytes, from the next start on.
    pub fn limit_files(&mut self, blocks: Option<u32>) {
        self.file_blocks = blocks;
    }

    /// Writes a file that only the server's account can read.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        let mut file = std::fs::File::create(&path).expect("a file");
        file.write_all(text.as_bytes()).expect("written");
        let mode = std::fs::Permissions::from_mode(0o600);
        file.set_permissions(mode).expect("a mode");
        self.give(&path);
        path
    }

    /// Whether it was built with TLS.
    #[must_use]
    pub fn has_tls(&self) -> bool {
        let mut command = self.command("postgres");
        let output = command.args(["-C", "ssl_library"]).output();
        let output = output.expect("started");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{message}");
        !output.stdout.trim_ascii().is_empty()
    }

    /// Starts it with settings, and waits until it answers.
    pub fn start(&mut self, settings: &[&str]) {
        let limit = match self.file_blocks {
            Some(blocks) => format!("ulimit -f {blocks}; "),
            None => String::new(),
        };
        let mut arguments = format!(
            "-D data -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c port={} -c fsync=off",
            self.own_port
        );
        for setting in settings {
            arguments.push_str(" -c ");
            arguments.push_str(setting);
        }
        // The shell ends the server when its input ends, so a test that is killed leaves nothing behind.
        let script = format!(
            "{limit}{} {arguments} > log 2>&1 & server=$!; read signal; kill -${{signal:-QUIT}} $server; wait $server",
            program("postgres").display()
        );
        let mut watchdog = self.as_account(Command::new("sh"));
        watchdog.arg("-c").arg(script).stdin(Stdio::piped());
        self.watchdog = Some(watchdog.spawn().expect("a shell"));
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.answers() {
            assert!(Instant::now() < deadline, "{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops it.
    pub fn stop(&mut self, how: Shutdown) {
        if let Some(mut watchdog) = self.watchdog.take() {
            let signal = match how {
                Shutdown::Fast => "INT\n",
                Shutdown::Immediate => "QUIT\n",
            };
            // A shell that is gone has no server left.
            let input = watchdog.stdin.take();
            let _ = input.expect("piped").write_all(signal.as_bytes());
            watchdog.wait().expect("ended");
        }
    }

    /// Its address for a user, as `name:password`; `rest` is the database, with or without parameters.
    #[must_use]
    pub fn url(&self, user: &str, rest: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{rest}", self.port)
    }

    /// A file in its folder; `data` is the folder of the server.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether it takes connections. A server that refuses this one does too, unless it is starting.
    fn answers(&self) -> bool {
        let mut address = Config::new();
        address.host("127.0.0.1").port(self.own_port);
        address.user("postgres").password(&self.password);
        match block_on(async { address.connect(NoTls).await.map(drop) }) {
            Ok(()) => true,
            Err(error) => error
                .code()
                .is_some_and(|code| *code != SqlState::CANNOT_CONNECT_NOW),
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    fn give(&self, path: &Path) {
        if let Some((user, group)) = self.account {
            chown(path, Some(user), Some(group)).expect("given");
        }
    }

    fn command(&self, name: &str) -> Command {
        let mut command = self.as_account(Command::new(program(name)));
        command
            .arg("-D")
            .arg(self.path("data"))
            .stdin(Stdio::null());
        command
    }

    fn as_account(&self, mut command: Command) -> Command {
        command.current_dir(self.folder.path());
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop(Shutdown::Immediate);
    }
}

fn program(name: &str) -> PathBuf {
    Path::new(&variable("OBEYA_TEST_POSTGRES_BIN")).join(name)
}

/// The user and group that the server runs as, if not our own.
fn account() -> Option<(u32, u32)> {
    let name = std::env::var("OBEYA_TEST_POSTGRES_USER").ok()?;
    let accounts = std::fs::read_to_string("/etc/passwd").expect("the accounts");
    let fields = accounts
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields[0] == name)
        .expect("the account is one of this machine");
    let number = |at: usize| fields[at].parse().expect("a number");
    Some((number(2), number(3)))
}

/// A port below those that systems give to connections and to port 0, so that nobody takes it while the
/// server is stopped.
fn free_port() -> u16 {
    const PORTS: std::ops::Range<u16> = 20_000..32_000;
    let number = RandomState::new().build_hasher().finish() % u64::from(PORTS.end - PORTS.start);
    let first = PORTS.start + u16::try_from(number).expect("less than a number of ports");
    (first..PORTS.end)
        .chain(PORTS.start..first)
        .find(|&port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok())
        .expect("a free port")
}
