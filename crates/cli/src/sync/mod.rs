//! `obeya sync`: creates or updates a local copy of all records a client may read.
//!
//! `records`, `lists`, `comments` and `values` read from the service; `target` writes.
//! `crates/cli/docs/sync.md` explains why a copy is exact when it says so.

mod comments;
mod context;
mod custom_fields;
mod listed;
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
use reqwest::Url;

use self::context::SyncContext;
use self::report::SyncReport;
use self::state::{Source, State};
use self::target::{
    BucketOptions, DeltaTarget, FolderTarget, Location, Postgres, SqlTarget, Sqlite, Target,
};
use crate::connect::ConnectArgs;
use crate::database;
use crate::optional::Optional;

/// Creates or updates a local copy of all records a client may read.
#[derive(clap::Args)]
#[command(mut_arg("url", |argument| argument.required(false).required_unless_present("status")), mut_arg("client_id", |argument| argument.required(false).required_unless_present("status")))]
pub(crate) struct Args {
    /// The copy: a folder (of Parquet files), s3://BUCKET/PREFIX (tables of Delta Lake), sqlite:FILE or
    /// postgres://USER:PASSWORD@HOST/NAME. A folder or file is created if it does not exist
    #[arg(long, value_name = "TARGET", value_parser = TargetParser)]
    to: Location,

    /// Copies only these tables; may be repeated, or separated by commas
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    only: Vec<Dataset>,

    /// Copies only the values of this datasource; may be repeated
    #[arg(long, value_name = "ID")]
    datasource: Vec<i32>,

    /// Reads everything again, even what is up to date
    #[arg(long)]
    full: bool,

    /// Rows per request [default: 2000 for records, 10000 for values, 1000 for other lists]
    #[arg(long, value_name = "ROWS", value_parser = crate::pull::page_sizes())]
    page_size: Option<i32>,

    /// For how long replaced files stay in a bucket, for readers of earlier versions
    #[arg(long, value_name = "HOURS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(..=8760))]
    retention_hours: u32,

    /// Prints the state of the copy without connecting to the service
    #[arg(long, conflicts_with_all = ["only", "datasource", "full", "page_size"])]
    status: bool,

    #[command(flatten)]
    connect: Optional<ConnectArgs>,
}

/// The tables of a copy that `--only` selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Dataset {
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
    /// Projects
    Projects,
    /// Data lists with their items
    DataLists,
    /// Users with their groups
    Users,
    /// Tasks with their tags and attachments
    Tasks,
    /// Comments on tasks
    TaskComments,
    /// Incident types
    Types,
    /// Datasources
    Datasources,
    /// Values of datasources
    Values,
}

impl Args {
    fn wants(&self, what: Dataset) -> bool {
        match (&self.only[..], what) {
            ([], Dataset::Values) => true,
            ([], _) => self.datasource.is_empty(),
            (only, _) => only.contains(&what),
        }
    }
}

/// Updates a copy and prints a report.
pub(crate) async fn run(args: Args) -> Result<()> {
    if args.status {
        return status(&args.to).await;
    }
    let Some(connect) = &args.connect.0 else {
        bail!("found no service, expected --url and --client-id");
    };
    let client = connect.client()?;
    let (url, client_id) = connect.identity();
    let source = Source {
        url: url.to_owned(),
        client_id: client_id.to_owned(),
    };
    let report = update_copy(&args, &client, source)
        .await
        .with_context(|| format!("{} is not up to date", args.to))?;
    report.print(&mut io::stdout(), &args.to)
}

/// Updates a copy in a folder and prints a report; of the values, only those of one datasource.
pub(crate) async fn sync_to_folder(
    out: &mut impl Write,
    client: &obeya::Client,
    (url, client_id): (&str, &str),
    folder: &Path,
    datasource: i32,
) -> Result<()> {
    let args = Args {
        to: Location::FolderTarget(folder.to_owned()),
        only: Dataset::value_variants().to_vec(),
        datasource: vec![datasource],
        full: false,
        page_size: None,
        retention_hours: 1,
        status: false,
        connect: Optional(None),
    };
    let source = Source {
        url: url.to_owned(),
        client_id: client_id.to_owned(),
    };
    update_copy(&args, client, source)
        .await?
        .print(out, &args.to)
}

async fn update_copy(args: &Args, client: &obeya::Client, source: Source) -> Result<SyncReport> {
    let mut target = open(args).await?;
    let state = match target.state()? {
        Some(state) if state.source != source => {
            let Source { url, client_id } = state.source;
            bail!(
                "it is a copy for client {client_id} at {url}, not for client {} at {}, expected a separate target for each",
                source.client_id,
                source.url
            );
        }
        Some(state) => state,
        None => State::new(source),
    };
    target.save(&state)?;
    // The lists of v2 have no parameter for the size of a page.
    let size = args
        .page_size
        .map(|rows| format!("odata.maxpagesize={rows}"));
    let preferring = size
        .map(|size| client.header("Prefer", &size))
        .transpose()?;
    let client = preferring.as_ref().unwrap_or(client);
    SyncContext::new(client, target, state, args).run().await
}

async fn status(location: &Location) -> Result<()> {
    let state = match location {
        Location::FolderTarget(path) => FolderTarget::read_state(path),
        Location::Bucket(url) => DeltaTarget::read_state(url),
        Location::Sqlite(path) => Sqlite::read_state(path),
        Location::Postgres(url) => Postgres::read_state(url).await,
    };
    match state.with_context(|| format!("{location} cannot be read"))? {
        Some(state) => report::status(&state, location),
        None => bail!("there is no copy at {location}"),
    }
}

async fn open(args: &Args) -> Result<Box<dyn Target>> {
    let ours = schema::tables();
    Ok(match &args.to {
        Location::FolderTarget(path) => Box::new(FolderTarget::open(path)?),
        Location::Bucket(url) => {
            let options = BucketOptions {
                retention_hours: args.retention_hours,
                is_full: args.full,
            };
            Box::new(DeltaTarget::open(url, options)?)
        }
        Location::Sqlite(path) => Box::new(SqlTarget::open(Sqlite::open(path)?, &ours)?),
        Location::Postgres(url) => Box::new(SqlTarget::open(Postgres::open(url).await?, &ours)?),
    })
}

/// Parses the location of a copy. A misspelt database URL must not become a folder of that name.
#[derive(Clone)]
struct TargetParser;

impl TypedValueParser for TargetParser {
    type Value = Location;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Location, clap::Error> {
        let text = value.to_string_lossy();
        if database::is_database_url(&text) {
            return Ok(match database::sqlite_file(&text) {
                Some(path) => Location::Sqlite(path.to_owned()),
                None => Location::Postgres(text.into_owned()),
            });
        }
        if is_bucket(&text) {
            return Ok(Location::Bucket(text.into_owned()));
        }
        let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
        // A single letter is a drive on Windows.
        if !text.is_empty() && scheme.len() < 2 {
            return Ok(Location::FolderTarget(PathBuf::from(value)));
        }
        let found = match text.contains('@') || text.is_empty() {
            true => "an invalid target".to_owned(),
            false => format!("`{text}`"),
        };
        let option = argument.map(ToString::to_string).unwrap_or_default();
        let message = format!(
            "invalid value for '{option}': found {found}, expected a folder, s3://BUCKET/PREFIX, sqlite: and a file name, or postgres://USER:PASSWORD@HOST/NAME"
        );
        Err(command.clone().error(ErrorKind::ValueValidation, message))
    }
}

/// Whether a text is the URL of a prefix of a bucket. The credentials come from the environment.
fn is_bucket(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else {
        return false;
    };
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.port().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    url.scheme() == "s3" && url.has_host() && is_plain
}
