//! `obeya backup`: writes a whole database to one file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use obeya_server::backup::{BackupReport, backup};
use serde_json::{Value, json};

use crate::database::{self, DatabaseArg};
use crate::durable;
use crate::progress::WorkProgress;
use crate::stop::StopSignal;
use crate::table::{format_duration, group_digits};

/// Bar of work on pages and rows.
pub(crate) const BAR: &str =
    "{prefix:7} {bar:30} {done} of {all}, {rate} a second, {eta} left  {wide_msg}";
/// The beginning of the name of the folder in which a backup or a database is made.
const ASIDE: &str = ".obeya-";
const STOPPED: &str = "stopped at once; what was written is in a folder next to the file, whose name begins with .obeya- and which may be deleted";

/// Writes a whole database to one file, with its clients and keys. A service may run on it meanwhile.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The SQLite file to write, or an existing folder for a new file in it: obeya-YYYY-MM-DDTHHMMSSZ.db
    #[arg(value_name = "FILE|DIR")]
    target: PathBuf,

    #[command(flatten)]
    database: DatabaseArg,

    /// Replaces the file if it exists
    #[arg(long)]
    overwrite: bool,

    /// Prints the result as a JSON object
    #[arg(long)]
    json: bool,
}

/// Writes the backup aside, reads it back, and gives it its name. The first signal stops it cleanly, the
/// second at once.
pub(crate) async fn run(args: Args) -> Result<()> {
    let started = Instant::now();
    let mut stop = StopSignal::catch().context("signals cannot be caught")?;
    let url = args.database.existing()?;
    let target = if args.target.is_dir() {
        args.target.join(dated_name())
    } else {
        args.target.clone()
    };
    check_target(&target, url, args.overwrite)?;
    let aside = aside(durable::folder_of(&target))?;
    let file = aside.path().join("backup.db");
    let progress = Arc::new(WorkProgress::new(BAR));
    let work = backup(url, &file, progress.clone());
    let report = progress.run(work, &mut stop, STOPPED).await??;
    publish(&file, &target, args.overwrite)?;
    summary(
        &mut io::stdout(),
        &target,
        &report,
        started.elapsed(),
        args.json,
    )
    .context("the backup was written, but the summary could not be printed")
}

/// A folder that only its owner can read, next to the file that is made in it; removed with this value.
pub(crate) fn aside(folder: &Path) -> Result<tempfile::TempDir> {
    let made = tempfile::Builder::new().prefix(ASIDE).tempdir_in(folder);
    made.with_context(|| format!("nothing can be written to {}", folder.display()))
}

/// Refuses a file that exists, unless it may be overwritten; a database in use in any case.
fn check_target(target: &Path, url: &str, may_overwrite: bool) -> Result<()> {
    if target.symlink_metadata().is_err() {
        return Ok(());
    }
    if !may_overwrite {
        bail!(
            "{} exists already; --overwrite replaces it",
            target.display()
        );
    }
    let source = database::sqlite_file(url).and_then(|file| fs::canonicalize(file).ok());
    let is_source = source.is_some() && source == fs::canonicalize(target).ok();
    if is_source || durable::with_suffix(target, "-wal").exists() {
        bail!(
            "{} is a database in use, and not a backup to replace",
            target.display()
        );
    }
    Ok(())
}

fn publish(file: &Path, target: &Path, may_overwrite: bool) -> Result<()> {
    let publish = if may_overwrite {
        durable::publish_private
    } else {
        durable::publish_new
    };
    File::open(file)
        .and_then(|open| durable::sync(&open, file))
        .and_then(|()| publish(file, target))
        .with_context(|| format!("{} cannot be written", target.display()))
}

/// `obeya-2026-11-23T170301Z.db`.
fn dated_name() -> String {
    let now = jiff::Timestamp::now();
    now.strftime("obeya-%Y-%m-%dT%H%M%SZ.db").to_string()
}

fn summary(
    out: &mut impl Write,
    target: &Path,
    report: &BackupReport,
    elapsed: Duration,
    as_json: bool,
) -> io::Result<()> {
    if as_json {
        let mut object = facts(report);
        object["file"] = target.display().to_string().into();
        object["seconds"] = elapsed.as_secs_f64().into();
        return writeln!(out, "{object}");
    }
    writeln!(
        out,
        "{}: {} bytes, written and verified in {}",
        target.display(),
        group_digits(report.bytes),
        format_duration(elapsed)
    )?;
    describe(out, report)
}

/// What is in a backup, for people.
pub(crate) fn describe(out: &mut impl Write, report: &BackupReport) -> io::Result<()> {
    writeln!(out, "sha256       {}", report.sha256)?;
    match report.contents {
        Some(contents) => {
            writeln!(out, "rows         {}", group_digits(contents.rows))?;
            writeln!(out, "digest       {}", contents.digest)?;
        }
        None => writeln!(
            out,
            "rows         not compared: schema version {} is older than this program's",
            report.schema_version
        )?,
    }
    match report.last_stamp {
        Some(stamp) => writeln!(out, "last change  {stamp}"),
        None => writeln!(out, "last change  none"),
    }
}

/// The same for programs.
pub(crate) fn facts(report: &BackupReport) -> Value {
    json!({
        "bytes": report.bytes,
        "sha256": report.sha256,
        "schema_version": report.schema_version,
        "rows": report.contents.map(|contents| contents.rows),
        "digest": report.contents.map(|contents| contents.digest.to_string()),
        "last_change": report.last_stamp.map(|stamp| stamp.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durable::calls;

    #[test]
    fn a_backup_is_on_disk_before_it_gets_its_name_and_the_name_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let [file, target] = ["backup.db", "monday.db"].map(|name| folder.path().join(name));
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        for (may_overwrite, named) in [(false, "link monday.db"), (true, "rename to monday.db")] {
            fs::write(&file, "pages").unwrap();
            publish(&file, &target, may_overwrite).unwrap();
            let folder_synced = format!("sync folder {name}");
            assert_eq!(
                calls::take(),
                ["sync backup.db", named, folder_synced.as_str()]
            );
        }
        fs::write(&file, "pages").unwrap();
        publish(&file, &target, false).unwrap_err();
    }
}
