//! `obeya init`: makes a folder that runs, with a database, a first client and `obeya.toml`.
//!
//! Everything is made aside and gets its name at the end, so nothing half-made is left. No file is replaced.

mod placed;
mod plan;
mod questions;
mod result;
mod template;

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use obeya_server::admin::{self, NewClient};
use obeya_server::backup::must_be_vacant;
use obeya_server::store::StoreError;
use obeya_server::store::inspection::Inspection;
use obeya_server::without_password;

use crate::backup::aside;
use crate::database::sqlite_file;
use crate::settings::DEFAULT_FILE;
use crate::stop::StopSignal;
use crate::{durable, serve};
use placed::Placed;
pub(crate) use plan::Args;
use plan::{DATABASE, Plan};

/// Asks, makes everything, and says what to do next. A signal stops it, and nothing is left then.
pub(crate) async fn run(args: Args) -> Result<()> {
    let config = args.folder.join(DEFAULT_FILE);
    // Before any question.
    vacant(&config)?;
    let plan = plan::plan(args)?;
    if std::env::var("OBEYA_DB").is_ok_and(|db| db != plan.db) {
        eprintln!("warning: OBEYA_DB names another database, and wins over {DEFAULT_FILE}");
    }
    let mut stop = StopSignal::catch().context("signals cannot be caught")?;
    let mut is_stopped = false;
    let making = make(&plan, &config);
    tokio::pin!(making);
    // Work that a thread does for this future would go on without it, so its end is awaited.
    let made = loop {
        tokio::select! {
            made = &mut making => break made,
            () = stop.received(), if !is_stopped => is_stopped = true,
        }
    };
    let (placed, made) = made?;
    let shown = match is_stopped {
        true => Err(anyhow::anyhow!("stopped; nothing was made")),
        false => result::show(&mut io::stdout(), &plan, &config, &made)
            .context("nothing was made, because the result could not be printed"),
    };
    match shown {
        Ok(()) => placed.keep(),
        Err(error) => return Err(withdrawn(&plan, &made, error).await),
    }
    Ok(())
}

fn vacant(file: &Path) -> Result<()> {
    match file.symlink_metadata() {
        Ok(_) => bail!(
            "{} exists already; obeya init never replaces a file",
            file.display()
        ),
        Err(_) => Ok(()),
    }
}

/// Makes everything and puts it in place. The folder gets `obeya.toml` last.
async fn make(plan: &Plan, config: &Path) -> Result<(Placed, NewClient)> {
    let mut placed = Placed::default();
    placed.folder(&plan.folder)?;
    let folder = aside(&plan.folder)?;
    let toml = folder.path().join(DEFAULT_FILE);
    let db = in_file(plan)?;
    let text = template::text(
        &serve::command(),
        &[("db", &db), ("listen", &plan.listen.to_string())],
    );
    write(&toml, &text, db != without_password(&db))
        .with_context(|| format!("{} cannot be written", config.display()))?;
    if let Some(file) = &plan.secret_file {
        vacant(file)?;
    }
    let made = match sqlite_file(&plan.db) {
        Some(target) => {
            must_be_vacant(target)?;
            let aside = aside(durable::folder_of(target))?;
            let file = aside.path().join(DATABASE);
            let made = add_client(&format!("sqlite:{}", file.display()), plan).await?;
            placed.file(&file, target)?;
            made
        }
        None => {
            must_be_empty(&plan.db).await?;
            add_client(&plan.db, plan).await?
        }
    };
    match finish(&mut placed, plan, &made, &toml, config) {
        Ok(()) => Ok((placed, made)),
        Err(error) => {
            // It is in the folder that may be removed.
            drop(folder);
            drop(placed);
            Err(withdrawn(plan, &made, error).await)
        }
    }
}

fn finish(
    placed: &mut Placed,
    plan: &Plan,
    made: &NewClient,
    toml: &Path,
    config: &Path,
) -> Result<()> {
    if let Some(file) = &plan.secret_file {
        let aside = aside(durable::folder_of(file))?;
        let secret = aside.path().join("secret");
        write(&secret, &format!("{}\n", made.client_secret), true)
            .with_context(|| format!("{} cannot be written", file.display()))?;
        placed.file(&secret, file)?;
    }
    placed.file(toml, config)
}

async fn add_client(db: &str, plan: &Plan) -> Result<NewClient> {
    let made = admin::add_client(db, &plan.client, &plan.scopes).await;
    made.context("the database with the first client was not made")
}

/// A plant on a server is not a new one.
async fn must_be_empty(url: &str) -> Result<()> {
    let inspected = url.to_owned();
    let found = tokio::task::spawn_blocking(move || Inspection::open(&inspected).map(drop)).await?;
    match found {
        Err(StoreError::NoDatabase(_)) => Ok(()),
        Ok(()) => bail!(
            "{} has a plant already, expected an empty database; write obeya.toml yourself, and add a client with obeya client add",
            without_password(url)
        ),
        Err(error) => Err(error).context("the database cannot be used"),
    }
}

/// The error of a run whose files are removed. On a server a client remains, which is revoked.
async fn withdrawn(plan: &Plan, made: &NewClient, error: anyhow::Error) -> anyhow::Error {
    if sqlite_file(&plan.db).is_some() {
        return error;
    }
    let revoked = admin::revoke_client(&plan.db, &made.client_id).await;
    let outcome = match revoked {
        Ok(()) => "was revoked".to_owned(),
        Err(cause) => format!("could not be revoked ({cause})"),
    };
    let place = without_password(&plan.db);
    error.context(format!(
        "the tables remain in {place}; its client {} {outcome}",
        made.client_id
    ))
}

/// The URL as the file has it: a database beside the file by its name, another one by its whole path.
fn in_file(plan: &Plan) -> Result<String> {
    let Some(target) = sqlite_file(&plan.db) else {
        return Ok(plan.db.clone());
    };
    let same = target.parent() == Some(&plan.folder)
        || (target.parent() == Some(Path::new("")) && plan.folder == Path::new("."));
    let path = match (same, target.file_name()) {
        (true, Some(name)) => PathBuf::from(name),
        _ => std::path::absolute(target)?,
    };
    Ok(format!("sqlite:{}", path.display()))
}

/// Writes a new file to disk.
fn write(file: &Path, text: &str, is_secret: bool) -> io::Result<()> {
    let mut out = match is_secret {
        true => durable::create(file)?,
        false => File::create(file)?,
    };
    out.write_all(text.as_bytes())?;
    durable::sync(&out, file)
}
