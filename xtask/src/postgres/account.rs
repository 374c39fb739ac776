//! The account that PostgreSQL runs under when we are root: it refuses to run as root.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Accounts made for PostgreSQL or for no use at all; the best first.
const NAMES: [&str; 3] = ["postgres", "_postgres", "nobody"];

/// An account without rights.
pub(super) struct Account {
    pub(super) name: String,
    uid: u32,
    gid: u32,
}

impl Account {
    /// The one to use; none when we are not root and run as ourselves.
    pub(super) fn unprivileged() -> Result<Option<Self>> {
        if id(&["-u"]) != Some(0) {
            return Ok(None);
        }
        let found = NAMES.into_iter().find_map(Self::named);
        let names = NAMES.join(", ");
        let none = || format!("PostgreSQL does not run as root, and no account is one of {names}");
        found.with_context(none).map(Some)
    }

    fn named(name: &str) -> Option<Self> {
        let (uid, gid) = (id(&["-u", name])?, id(&["-g", name])?);
        // A second name of root would not help.
        (uid != 0).then(|| Self {
            name: name.to_owned(),
            uid,
            gid,
        })
    }

    /// Makes a command run under it. The standard library drops root's other groups with it.
    pub(super) fn run(&self, command: &mut Command) {
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            command.uid(self.uid).gid(self.gid);
        }
        #[cfg(not(unix))]
        let _ = (self.uid, self.gid, command);
    }

    /// Makes it the owner of a file, or of a folder and its content.
    pub(super) fn own(&self, path: &Path) -> Result<()> {
        let owner = format!("{}:{}", self.uid, self.gid);
        let status = Command::new("chown")
            .args(["-R", &owner])
            .arg(path)
            .status();
        if !status.context("chown")?.success() {
            bail!("cannot give {} to {}", path.display(), self.name);
        }
        Ok(())
    }

    /// Whether it gets into a folder: one that contains it may be closed to others.
    pub(super) fn may_enter(&self, folder: &Path) -> bool {
        let mut command = Command::new("true");
        self.run(command.current_dir(folder));
        command.status().is_ok_and(|status| status.success())
    }
}

/// A number that `id` prints; none for an unknown account, and on a system without such numbers.
fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.trim().parse().ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_found_by_its_name() {
        let nobody = Account::named("nobody").unwrap();
        assert_eq!(Some(nobody.uid), id(&["-u", "nobody"]));
        assert_eq!(Some(nobody.gid), id(&["-g", "nobody"]));
        assert!(nobody.may_enter(Path::new("/")));
        assert!(!nobody.may_enter(Path::new("/no such folder")));
    }

    #[test]
    fn root_and_unknown_accounts_are_not_used() {
        assert!(Account::named("root").is_none());
        assert!(Account::named("no-such-account").is_none());
    }
}
