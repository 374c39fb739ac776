//! The account that PostgreSQL runs under when we are root: it refuses to run as root itself.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::system;

const ACCOUNTS: &str = "/etc/passwd";

/// Those that are there for this, or for nothing else; the best first.
const NAMES: [&str; 3] = ["postgres", "_postgres", "nobody"];

/// An account without rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) name: String,
    uid: u32,
    gid: u32,
}

impl Account {
    /// The one to use; none when we are not root and run as ourselves.
    pub(super) fn unprivileged() -> Result<Option<Self>> {
        if !system::root() {
            return Ok(None);
        }
        let accounts = accounts()?;
        let found = NAMES.iter().find_map(|name| find(&accounts, name));
        let what = || {
            format!(
                "PostgreSQL does not run as root, and {ACCOUNTS} has none of the accounts {}",
                NAMES.join(", ")
            )
        };
        found.with_context(what).map(Some)
    }

    /// The one of this name.
    pub(super) fn named(name: &str) -> Result<Self> {
        find(&accounts()?, name).with_context(|| format!("{ACCOUNTS} has no account {name}"))
    }

    /// Has a command run under it.
    pub(super) fn run(&self, command: &mut Command) {
        system::run_as(command, self.uid, self.gid);
    }

    /// Makes it the owner of a file or folder.
    pub(super) fn give(&self, path: &Path) -> Result<()> {
        system::give(path, self.uid, self.gid).with_context(|| path.display().to_string())
    }
}

fn accounts() -> Result<String> {
    fs::read_to_string(ACCOUNTS).context(ACCOUNTS)
}

fn find(accounts: &str, name: &str) -> Option<Account> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next() != Some(name) {
            return None;
        }
        // After the password, which is kept elsewhere.
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        // A second name of root would not help.
        (uid != 0).then(|| Account {
            name: name.to_owned(),
            uid,
            gid,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/bash\n\
        # a comment\n\
        nobody2:x:7:7::/:/bin/false\n\
        nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin\n\
        _postgres:*:-2:-2:no number of ours:/:/bin/false\n\
        postgres:x:0:0:a second root:/root:/bin/sh\n";

    #[test]
    fn an_account_is_read_from_its_line() {
        let nobody = find(PASSWD, "nobody").unwrap();
        assert_eq!((nobody.uid, nobody.gid), (65_534, 65_533));
    }

    #[test]
    fn what_cannot_be_used_is_not_found() {
        for name in ["root", "_postgres", "postgres", "nobod", "somebody"] {
            assert_eq!(find(PASSWD, name), None, "{name}");
        }
    }
}
