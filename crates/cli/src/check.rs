//! `obeya check`: checks a database, and lists what is wrong with it.

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use obeya_server::check::{CheckReport, check, drop_rollups};
use obeya_server::without_password;
use serde_json::json;

use crate::database::DatabaseArg;
use crate::progress::WorkProgress;
use crate::stop::StopSignal;
use crate::table::{format_duration, group_digits};

const BAR: &str = "{prefix:7} {bar:30} {done} of {all} steps  {wide_msg}";
const STOPPED: &str = "stopped at once; the check is not complete";

/// Checks a database for damage and for data that contradicts itself. It only reads, unless --drop-rollups is
/// given, and a service may run on the database meanwhile. Exits with 1 if anything is wrong.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    database: DatabaseArg,

    /// Drops the rollups of each datasource that has a wrong one. A service makes them again in the
    /// next minutes, and until then reads the values
    #[arg(long)]
    drop_rollups: bool,

    /// Prints the result as a JSON object
    #[arg(long)]
    json: bool,
}

/// Checks and prints every finding. The first signal stops it cleanly, the second at once.
pub(crate) async fn run(args: Args) -> Result<()> {
    let mut stop = StopSignal::catch().context("signals cannot be caught")?;
    let progress = Arc::new(WorkProgress::new(BAR));
    let url = args.database.existing()?;
    let report = progress
        .run(check(url, progress.clone()), &mut stop, STOPPED)
        .await?
        .context("the database cannot be checked")?;
    print(&mut io::stdout(), &report, args.json).context("the result could not be printed")?;
    if args.drop_rollups && !report.wrong_rollups.is_empty() {
        let dropped = drop_rollups(url, &report.wrong_rollups).await;
        dropped.context("the wrong rollups could not be dropped")?;
        let names: Vec<String> = report.wrong_rollups.iter().map(i32::to_string).collect();
        let names = names.join(", ");
        eprintln!("dropped the rollups of these datasources, which a service makes again: {names}");
    }
    match report.findings.len() {
        0 => Ok(()),
        1 => bail!("1 finding in {}", without_password(url)),
        count => bail!("{count} findings in {}", without_password(url)),
    }
}

fn print(out: &mut impl Write, report: &CheckReport, as_json: bool) -> io::Result<()> {
    if as_json {
        let findings = report.findings.iter().map(|finding| {
            json!({ "rule": finding.rule.name(), "table": finding.table, "key": finding.key, "text": finding.text })
        });
        let object = json!({
            "schema_version": report.schema_version,
            "rows": report.rows,
            "findings": findings.collect::<Vec<_>>(),
            "seconds": report.elapsed.as_secs_f64(),
        });
        return writeln!(out, "{object}");
    }
    for finding in &report.findings {
        // Keys are data, and may be any text.
        writeln!(out, "{}", obeya::printable(&finding.to_string()))?;
    }
    let rows = report.rows.map_or_else(|| "the".to_owned(), group_digits);
    let result = match report.findings.len() {
        0 => "nothing is wrong".to_owned(),
        count => format!("findings: {count}"),
    };
    let elapsed = format_duration(report.elapsed);
    writeln!(out, "checked {rows} rows in {elapsed}: {result}")
}
