//! `obeya sync`: a copy of what a client may read, kept up to date.
//!
//! What is asked of the service is in `records`, `lists` and `values`; where it goes is in `target`. Why a
//! copy is exact when it says so is written down in `docs/sync.md`.

mod context;
mod fields;
mod lists;
mod month;
mod records;
mod report;
mod row;
mod run;
mod schema;
mod state;
mod target;
mod values;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum as _;
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;

use self::context::SyncContext;
use self::report::Report;
use self::state::{Source, State};
use self::target::{Folder, Place, Postgres, Sql, Sqlite, Target};
use crate::connect::Connect;
use crate::database;

/// Keeps a copy of what a client may read.
#[derive(clap::Args)]
#[command(mut_arg("url", |argument| argument.required(false).required_unless_present("status")), mut_arg("client_id", |argument| argument.required(false).required_unless_present("status")))]
pub(crate) struct Args {
    /// Where the copy is: a folder of Parquet files, sqlite:FILE, or postgres://USER:PASSWORD@HOST/NAME. Made
    /// if it is missing
    #[arg(long, value_name = "TARGET", value_parser = TargetParser)]
    to: Place,

    /// Takes only these along; may be given several times or with commas
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    only: Vec<What>,

    /// Takes only the values of this datasource along; may be given several times
    #[arg(long, value_name = "ID")]
    datasource: Vec<i32>,

    /// Reads everything anew, whatever the copy has
    #[arg(long)]
    full: bool,

    /// Rows to a request; by itself 2000 records or 10000 values
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(i32).range(1..=10_000))]
    page_size: Option<i32>,

    /// Says how far the copy is, and asks no service
    #[arg(long, conflicts_with_all = ["only", "datasource", "full", "page_size"])]
    status: bool,

    #[command(flatten)]
    connect: Option<Connect>,
}

/// What can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum What {
    /// Incidents with their consequences, categories, causes and custom fields
    Incidents,
    /// Comments on incidents
    Comments,
    /// Improvements
    Improvements,
    /// Boards
    Boards,
    /// Groups
    Groups,
    /// Areas
    Areas,
    /// Incident types
    Types,
    /// Datasources
    Datasources,
    /// Values of datasources
    Values,
}

impl Args {
    fn wants(&self, what: What) -> bool {
        match (&self.only[..], what) {
            ([], What::Values) => true,
            ([], _) => self.datasource.is_empty(),
            (only, _) => only.contains(&what),
        }
    }
}

/// Brings a copy up to date, and prints what that came to.
pub(crate) async fn run(args: Args) -> Result<()> {
    if args.status {
        return status(&args.to).await;
    }
    let Some(connect) = &args.connect else {
        bail!("found no service, expected --url and --client-id");
    };
    let client = connect.client()?;
    let (url, client_id) = connect.identity();
    let source = Source {
        url: url.to_owned(),
        client_id: client_id.to_owned(),
    };
    let report = bring(&args, &client, source)
        .await
        .with_context(|| format!("{} is not up to date", args.to))?;
    report.print(&mut io::stdout(), &args.to)
}

/// Brings a copy in a folder up to date and prints what that came to; of the values, those of one datasource.
pub(crate) async fn copy(
    out: &mut impl Write,
    client: &obeya::Client,
    (url, client_id): (&str, &str),
    folder: &Path,
    datasource: i32,
) -> Result<()> {
    let args = Args {
        to: Place::Folder(folder.to_owned()),
        only: What::value_variants().to_vec(),
        datasource: vec![datasource],
        full: false,
        page_size: None,
        status: false,
        connect: None,
    };
    let source = Source {
        url: url.to_owned(),
        client_id: client_id.to_owned(),
    };
    bring(&args, client, source).await?.print(out, &args.to)
}

async fn bring(args: &Args, client: &obeya::Client, source: Source) -> Result<Report> {
    let mut target = open(&args.to).await?;
    let state = match target.state()? {
        Some(state) if state.source != source => {
            let Source { url, client_id } = state.source;
            bail!(
                "it is a copy of what client {client_id} may read at {url}, and not of what client {} may read at {}, expected a target of its own for each",
                source.client_id,
                source.url
            );
        }
        Some(state) => state,
        None => State::new(source),
    };
    target.save(&state)?;
    SyncContext::new(client, target, state, args).all().await
}

async fn status(place: &Place) -> Result<()> {
    let state = match place {
        Place::Folder(path) => Folder::peek(path),
        Place::Sqlite(path) => Sqlite::peek(path),
        Place::Postgres(url) => Postgres::peek(url).await,
    };
    match state.with_context(|| format!("{place} cannot be read"))? {
        Some(state) => report::status(&state, place),
        None => bail!("there is no copy in {place}"),
    }
}

async fn open(place: &Place) -> Result<Box<dyn Target>> {
    let ours = schema::tables();
    Ok(match place {
        Place::Folder(path) => Box::new(Folder::open(path)?),
        Place::Sqlite(path) => Box::new(Sql::open(Sqlite::open(path)?, &ours)?),
        Place::Postgres(url) => Box::new(Sql::open(Postgres::open(url).await?, &ours)?),
    })
}

/// Reads where a copy is. What looks like an address of a database and is none must not become a folder of
/// that name.
#[derive(Clone)]
struct TargetParser;

impl TypedValueParser for TargetParser {
    type Value = Place;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Place, clap::Error> {
        let text = value.to_string_lossy();
        if database::is_address(&text) {
            return Ok(match database::file(&text) {
                Some(path) => Place::Sqlite(path.to_owned()),
                None => Place::Postgres(text.into_owned()),
            });
        }
        let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
        // One letter is a drive.
        if !text.is_empty() && scheme.len() < 2 {
            return Ok(Place::Folder(PathBuf::from(value)));
        }
        let found = match text.contains('@') || text.is_empty() {
            true => "what is no target".to_owned(),
            false => format!("`{text}`"),
        };
        let option = argument.map(ToString::to_string).unwrap_or_default();
        let message = format!(
            "invalid value for '{option}': found {found}, expected a folder, sqlite: and a file name, or postgres://USER:PASSWORD@HOST/NAME"
        );
        Err(command.clone().error(ErrorKind::ValueValidation, message))
    }
}
