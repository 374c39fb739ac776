//! `obeya restore`: puts a backup to an empty place.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use obeya_server::backup::{BackupReport, examine, must_be_vacant, sha256, sqlite_file};
use obeya_server::migrate::migrate;
use obeya_server::without_password;

use crate::backup::{BAR, aside, describe, facts};
use crate::database::DatabaseArg;
use crate::durable;
use crate::progress::WorkProgress;
use crate::stop::StopSignal;

const STOPPED: &str = "stopped at once; nothing was restored";

/// Puts a backup to an empty place: a new SQLite file, or an empty database on a PostgreSQL server.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The backup, as `obeya backup` wrote it
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseArg,

    /// Prints the result as a JSON object
    #[arg(long)]
    json: bool,
}

/// Examines the backup, restores it, and says what that means. The first signal stops it cleanly, the second
/// at once.
pub(crate) async fn run(args: Args) -> Result<()> {
    let mut stop = StopSignal::catch().context("signals cannot be caught")?;
    let progress = Arc::new(WorkProgress::new(BAR));
    let url = &args.database.url;
    let target = sqlite_file(url)?;
    if let Some(target) = &target {
        must_be_vacant(target)?;
    }
    let examining = examine(&args.file, progress.clone());
    let report = progress
        .run(examining, &mut stop, STOPPED)
        .await?
        .with_context(|| format!("{} cannot be restored", args.file.display()))?;
    let expected = (report.bytes, report.sha256.clone());
    match &target {
        Some(target) => to_file(&args.file, target, &expected)?,
        None => {
            let restoring = to_server(&args.file, url, &expected, progress.clone());
            progress.run(restoring, &mut stop, STOPPED).await??;
        }
    }
    summary(
        &mut io::stdout(),
        &without_password(url),
        &report,
        args.json,
    )
    .context("the backup was restored, but the summary could not be printed")
}

/// Copies the backup, whose size and digest are known, to a new file.
fn to_file(backup: &Path, target: &Path, expected: &(u64, String)) -> Result<()> {
    let aside = aside(durable::folder_of(target))?;
    let file = copied(backup, aside.path(), expected)?;
    must_be_vacant(target)?;
    durable::publish_new(&file, target)
        .with_context(|| format!("{} cannot be written", target.display()))
}

/// Opening a database writes to it, and upgrades an older one: that is done to a copy.
async fn to_server(
    backup: &Path,
    url: &str,
    expected: &(u64, String),
    progress: Arc<WorkProgress>,
) -> Result<()> {
    let aside = aside(&std::env::temp_dir())?;
    let file = copied(backup, aside.path(), expected)?;
    migrate(&format!("sqlite:{}", file.display()), url, progress).await?;
    Ok(())
}

/// A copy of the backup in a folder, on disk, of the size and digest that were examined.
fn copied(backup: &Path, folder: &Path, expected: &(u64, String)) -> Result<PathBuf> {
    let copy = folder.join("plant.db");
    let copied = || {
        let mut out = durable::create(&copy)?;
        io::copy(&mut File::open(backup)?, &mut out)?;
        durable::sync(&out, &copy)
    };
    copied().with_context(|| {
        format!(
            "{} cannot be copied to {}",
            backup.display(),
            folder.display()
        )
    })?;
    let found = sha256(&copy).with_context(|| format!("{} cannot be read", copy.display()))?;
    if found != *expected {
        bail!("{} changed while it was restored", backup.display());
    }
    Ok(copy)
}

fn summary(
    out: &mut impl Write,
    place: &str,
    report: &BackupReport,
    as_json: bool,
) -> io::Result<()> {
    if as_json {
        let mut object = facts(report);
        object["database"] = place.into();
        return writeln!(out, "{object}");
    }
    writeln!(out, "restored to {place}")?;
    describe(out, report)?;
    writeln!(
        out,
        "What was changed after the last change is not in it:\n\
         - A copy that follows `LastModifiedFrom` must be started again from nothing.\n\
         - A client that was revoked later can get tokens again, with its earlier secret, scopes and settings: check \
         `obeya client list`, then use `obeya client revoke`, `rotate-secret` and `set`.\n\
         - A signing key that was retired later signs and is accepted again: check `obeya keys list`, then use \
         `obeya keys retire`.\n\
         - A person who was erased later is there again: run `obeya erase-user` again.\n\
         - The audit log ends with the backup, and continues from there: note its last entry, as `obeya audit --verify` \
         prints it."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durable::calls;

    #[tokio::test]
    async fn a_backup_that_changed_after_it_was_examined_does_not_reach_a_server() {
        let folder = tempfile::tempdir().unwrap();
        let backup = folder.path().join("backup.db");
        std::fs::write(&backup, "pages").unwrap();
        let progress = Arc::new(WorkProgress::new(BAR));
        let examined = (5, "another".to_owned());
        let url = "postgres://127.0.0.1:1/none";
        let error = to_server(&backup, url, &examined, progress)
            .await
            .unwrap_err();
        assert!(
            error.to_string().ends_with("changed while it was restored"),
            "{error:#}"
        );
    }

    #[test]
    fn a_restored_file_is_on_disk_before_it_gets_its_name_and_the_name_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let [backup, target] = ["backup.db", "restored.db"].map(|name| folder.path().join(name));
        std::fs::write(&backup, "pages").unwrap();
        let error = to_file(&backup, &target, &(5, "another".to_owned())).unwrap_err();
        assert!(error.to_string().ends_with("changed while it was restored"));
        assert!(!target.exists());
        calls::take();
        to_file(&backup, &target, &sha256(&backup).unwrap()).unwrap();
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        let folder_synced = format!("sync folder {name}");
        assert_eq!(
            calls::take(),
            ["sync plant.db", "link restored.db", folder_synced.as_str()]
        );
    }
}
