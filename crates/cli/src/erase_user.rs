//! `obeya erase-user`: removes a person from a database, as a law on personal data may require.

use std::io::{self, Write as _};

use anyhow::{Context as _, Result};
use obeya_server::admin::{self, Erasure};
use serde_json::json;

use crate::database::DatabaseArg;
use crate::table::{group_digits, table};

/// Removes a user, and its id and names from every record and from the audit log. The records stay.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of the user
    #[arg(value_name = "USER_ID")]
    user_id: String,

    #[command(flatten)]
    database: DatabaseArg,

    /// Also removes its user name and display name where they are stored without an id, as by an import
    #[arg(long)]
    names: bool,

    /// Counts what would change, and changes nothing
    #[arg(long)]
    dry_run: bool,

    /// Prints the result as a JSON object
    #[arg(long)]
    json: bool,
}

/// Erases and prints a summary.
pub(crate) async fn run(args: Args) -> Result<()> {
    let db = args.database.existing()?;
    let how = Erasure {
        with_names: args.names,
        dry_run: args.dry_run,
    };
    let erased = admin::erase_user(db, &args.user_id, how).await;
    let counts = erased.context("the user was not erased")?;
    let mut out = io::stdout();
    if args.json {
        let object = json!({"dryRun": args.dry_run, "counts": counts});
        return Ok(writeln!(out, "{object}")?);
    }
    let mut rows = table(&["Records with the user", "Number"], &[1]);
    for (kind, count) in counts {
        rows.add_row([kind.to_owned(), group_digits(count)]);
    }
    writeln!(out, "{rows}")?;
    Ok(writeln!(
        out,
        "{}",
        match args.dry_run {
            true => "Nothing was changed (--dry-run).",
            false => "The user was erased. Backups still contain it: see docs/erasure.md.",
        }
    )?)
}
