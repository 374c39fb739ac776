//! A server of a test's own, to be stopped, filled and started again.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio_postgres::NoTls;

/// Of its user `postgres`.
pub const PASSWORD: &str = "on1y-for-a-test";

/// A server; it ends with this, or with the test's process.
pub struct Cluster {
    folder: TempDir,
    account: Option<(u32, u32)>,
    port: u16,
    guardian: Option<Child>,
}

impl Cluster {
    /// Made and running.
    pub async fn new() -> Self {
        Self::limited("unlimited").await
    }

    /// The same, whose files may have so many blocks of 512 bytes.
    pub async fn limited(blocks: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let mut cluster = Cluster {
            folder: tempfile::tempdir().expect("a folder"),
            account: account(),
            port,
            guardian: None,
        };
        cluster.give(cluster.folder.path());
        let secret = cluster.folder.path().join("secret");
        let mut file = std::fs::File::create(&secret).expect("a file");
        file.write_all(PASSWORD.as_bytes()).expect("written");
        let mode = std::fs::Permissions::from_mode(0o600);
        file.set_permissions(mode).expect("a mode");
        cluster.give(&secret);
        let made = cluster
            .as_account(Command::new(program("initdb")))
            .args(["-D", "data", "--username=postgres", "--auth=scram-sha-256"])
            .args(["--no-sync", "--encoding=UTF8", "--locale=C"])
            // Smaller than what a limit of the files leaves.
            .args(["--wal-segsize=1", "--pwfile=secret"])
            .output()
            .expect("initdb");
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{said}");
        drop(listener);
        cluster.start(blocks).await;
        cluster
    }

    /// Starts it again.
    pub async fn start_again(&mut self) {
        self.start("unlimited").await;
    }

    async fn start(&mut self, blocks: &str) {
        // The shell ends the server when its input ends, so a test that is killed leaves nothing behind.
        let script = format!(
            "ulimit -f {blocks}; {} -D data -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c port={} \
             -c fsync=off -c jit=off > log 2>&1 & server=$!; cat > /dev/null; kill -QUIT $server; wait $server",
            program("postgres").display(),
            self.port
        );
        let mut guardian = self.as_account(Command::new("sh"));
        guardian.arg("-c").arg(script).stdin(Stdio::piped());
        self.guardian = Some(guardian.spawn().expect("a shell"));
        let deadline = Instant::now() + Duration::from_secs(60);
        while tokio_postgres::connect(&self.url("postgres"), NoTls)
            .await
            .is_err()
        {
            assert!(Instant::now() < deadline, "{}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Stops it without a word to those it serves, as a failing machine would.
    pub fn stop(&mut self) {
        if let Some(mut guardian) = self.guardian.take() {
            drop(guardian.stdin.take());
            guardian.wait().expect("ended");
        }
    }

    /// The address of one of its databases.
    pub fn url(&self, database: &str) -> String {
        self.url_with(PASSWORD, database)
    }

    /// The same, with a password that may be wrong.
    pub fn url_with(&self, password: &str, database: &str) -> String {
        format!(
            "postgres://postgres:{password}@127.0.0.1:{}/{database}",
            self.port
        )
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn give(&self, path: &Path) {
        if let Some((user, group)) = self.account {
            chown(path, Some(user), Some(group)).expect("given");
        }
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
        self.stop();
    }
}

fn program(name: &str) -> PathBuf {
    let folder = std::env::var("OBEYA_TEST_POSTGRES_BIN").expect(
        "OBEYA_TEST_POSTGRES_BIN names no folder with PostgreSQL's programs: run such tests by `cargo xtask test`, or some of them by \
         `cargo xtask postgres -- cargo nextest run …`",
    );
    Path::new(&folder).join(name)
}

/// The user and group that the server runs as, where it must not be ours.
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
