//! A server of a test's own, to be broken and set up at will.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::scratch::{connect, options, until};
use crate::postgres::server::Role;

/// The password of its user `postgres`.
pub(super) const PASSWORD: &str = "s3cret-&-@long";

/// A server; it ends with this, or with the test's process.
pub(super) struct Cluster {
    folder: TempDir,
    account: Option<(u32, u32)>,
    /// Where it is reached.
    pub(super) port: u16,
    guardian: Option<Child>,
}

impl Cluster {
    /// Made and not started.
    pub(super) fn new() -> Self {
        let cluster = Cluster {
            folder: TempDir::new().unwrap(),
            account: account(),
            port: free_port(),
            guardian: None,
        };
        if let Some((user, group)) = cluster.account {
            std::os::unix::fs::chown(cluster.folder.path(), Some(user), Some(group)).unwrap();
        }
        let secret = cluster.write("secret", PASSWORD);
        let made = cluster
            .command("initdb")
            .args(["--username=postgres", "--auth=scram-sha-256", "--no-sync"])
            .args(["--encoding=UTF8", "--locale=C"])
            .arg(format!("--pwfile={}", secret.display()))
            .output()
            .unwrap();
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        cluster
    }

    /// A file of the server's account that nobody else reads.
    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.set_permissions(std::fs::Permissions::from_mode(0o600))
            .unwrap();
        if let Some((user, group)) = self.account {
            std::os::unix::fs::chown(&path, Some(user), Some(group)).unwrap();
        }
        path
    }

    /// Whether it was built with TLS.
    pub(super) fn has_tls(&self) -> bool {
        let asked = self
            .command("postgres")
            .args(["-C", "ssl_library"])
            .output();
        let asked = asked.unwrap();
        assert!(
            asked.status.success(),
            "{}",
            String::from_utf8_lossy(&asked.stderr)
        );
        !asked.stdout.trim_ascii().is_empty()
    }

    /// Who may come in how, instead of what `initdb` says.
    pub(super) fn let_in(&self, rules: &str) {
        self.write("data/pg_hba.conf", rules);
    }

    /// Starts it and waits until it answers.
    pub(super) fn start(&mut self, settings: &[&str]) {
        let postgres = program("postgres");
        let mut arguments = format!(
            "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c port={} -c fsync=off",
            self.port
        );
        for setting in settings {
            arguments.push_str(" -c ");
            arguments.push_str(setting);
        }
        // The shell ends the server when its input ends: so nothing is left behind by a test that is killed.
        let script = format!(
            "{} -D data {arguments} > log 2>&1 & server=$!; cat > /dev/null; kill -INT $server; wait $server",
            postgres.display()
        );
        let mut guardian = self.as_account(Command::new("sh"));
        guardian.arg("-c").arg(script).stdin(Stdio::piped());
        self.guardian = Some(guardian.spawn().unwrap());
        until(|| {
            let there = connect(&self.url("sslmode=disable"), Role::Reader, &options());
            // Whoever is not let in was heard.
            there.map_or_else(
                |error| {
                    !error.to_string().contains("connect")
                        && !error.to_string().contains("starting")
                },
                |_| true,
            )
        });
    }

    /// Stops it at once, as a failing machine would.
    pub(super) fn stop(&mut self) {
        if let Some(mut guardian) = self.guardian.take() {
            drop(guardian.stdin.take());
            guardian.wait().unwrap();
        }
    }

    /// Its address for the user `postgres`.
    pub(super) fn url(&self, parameters: &str) -> String {
        let password =
            percent_encoding::utf8_percent_encode(PASSWORD, percent_encoding::NON_ALPHANUMERIC);
        self.url_of("127.0.0.1", &format!("postgres:{password}"), parameters)
    }

    /// Its address for another host name or user.
    pub(super) fn url_of(&self, host: &str, user: &str, parameters: &str) -> String {
        format!(
            "postgres://{user}@{host}:{}/postgres?hostaddr=127.0.0.1&{parameters}",
            self.port
        )
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
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
        self.stop();
    }
}

fn program(name: &str) -> PathBuf {
    let folder = std::env::var("OBEYA_TEST_POSTGRES_BIN").expect(
        "OBEYA_TEST_POSTGRES_BIN names no folder with PostgreSQL's programs: run `cargo xtask test`, or `cargo xtask postgres -- CMD` for a command of your own",
    );
    Path::new(&folder).join(name)
}

/// The user and group that the server runs as, where it must not be ours.
fn account() -> Option<(u32, u32)> {
    let name = std::env::var("OBEYA_TEST_POSTGRES_USER").ok()?;
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap();
    let fields = accounts
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields[0] == name)
        .expect("the account is one of this machine");
    Some((fields[2].parse().unwrap(), fields[3].parse().unwrap()))
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}
