//! `obeya pull`: downloads records from a service to a file.
//!
//! Pages are prefetched, encoded and written by a separate thread, so that the three overlap; only a few
//! pages are in memory. [`resumable`] stores what the next pull needs to continue an interrupted one.

mod encode;
mod fetch;
mod format;
mod part;
mod progress;
mod query;
mod record_key;
mod resumable;
mod resume_state;
mod segments;
mod stream;
mod workbook;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use clap::builder::RangedI64ValueParser;
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Subcommand};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use obeya::model::bounds::operations::list_datasource_values_v1::page_size;
use tokio::sync::mpsc;

use self::fetch::{Piece, Source, Start};
use self::format::Format;
use self::progress::PullProgress;
pub(crate) use self::query::InstantArg;
use self::query::{Aggregate, BoundArg, PeriodSize, PullQuery};
use self::resumable::ResumableFile;
use self::resume_state::ResumeAfter;
use self::stream::Stream;
use crate::connect::ConnectArgs;
use crate::stop::StopSignal;
use crate::table::{format_duration, group_digits};
use crate::terminal::Output;

/// How many encoded pieces may wait for the writer: enough to bridge a slow moment of the disk, few enough
/// for memory.
const QUEUED_PIECES: usize = 2;

/// Downloads records from a service to a file.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: PullCommand,
}

#[derive(Subcommand)]
enum PullCommand {
    /// The values of a datasource
    Values {
        /// Id of the datasource
        #[arg(value_name = "DATASOURCE")]
        datasource: i32,

        /// Only values at or after this day or instant, such as 2026-01-01 or 2026-01-01T06:00:00Z. A day
        /// begins at midnight in UTC, or in --zone
        #[arg(long, value_name = "WHEN")]
        from: Option<BoundArg>,

        /// Only values before this day or instant
        #[arg(long, value_name = "WHEN")]
        to: Option<BoundArg>,

        /// Values per request
        #[arg(long, value_name = "VALUES", default_value_t = *page_size::RANGE.end(), value_parser = page_sizes())]
        page_size: i32,

        /// A row for each period of this length that has values, aggregated by the service
        #[arg(long, value_name = "PERIOD", value_enum, conflicts_with_all = ["order_by", "page_size"])]
        by: Option<PeriodSize>,

        /// What to compute of the values of a period
        #[arg(
            long,
            value_name = "METHOD",
            value_enum,
            default_value = "mean",
            requires = "by"
        )]
        agg: Aggregate,

        /// The time zone whose clock divides the time into periods, such as Europe/Oslo; UTC by default
        #[arg(long, value_name = "ZONE", requires = "by", value_parser = zone)]
        zone: Option<TimeZone>,

        #[command(flatten)]
        common: Box<Common>,
    },
    /// The incidents that are not in the trash
    Incidents(Box<Common>),
    /// The improvements
    Improvements(Box<Common>),
    /// The comments on incidents
    Comments(Box<Common>),
    /// The boards
    Boards(Box<Common>),
    /// The groups
    Groups(Box<Common>),
    /// The areas
    Areas(Box<Common>),
    /// The data lists, without their items
    DataLists(Box<Common>),
    /// The projects
    Projects(Box<Common>),
    /// The tasks
    Tasks(Box<Common>),
    /// The comments on tasks
    TaskComments(Box<Common>),
    /// The users
    Users(Box<Common>),
}

#[derive(clap::Args)]
struct Common {
    /// Only records that match this OData $filter, such as "dimension eq 'Night'"
    #[arg(long, value_name = "CONDITION")]
    r#where: Option<String>,

    /// An OData $orderby, such as "value desc". A pull with this option cannot be resumed
    #[arg(long, value_name = "KEYS")]
    order_by: Option<String>,

    /// Only the first so many records
    #[arg(long, value_name = "RECORDS", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    top: Option<u32>,

    /// The file format; inferred from the file's extension by default
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// The same as --format xlsx
    #[arg(long, conflicts_with = "format")]
    xlsx: bool,

    /// In CSV, puts a ' before texts that begin like a formula (= + - @, a tab or a line break), so that a
    /// spreadsheet that opens the file does not run them
    #[arg(long)]
    guard_formulas: bool,

    /// The output file, or - for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Discards the state of an interrupted pull and starts over
    #[arg(long)]
    restart: bool,

    /// Rows per row group of a Parquet file; also the most rows that a killed pull loses
    #[arg(long, value_name = "ROWS", default_value_t = 500_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    row_group: u32,

    #[command(flatten)]
    connect: ConnectArgs,
}

impl Args {
    /// Whether the records go to stdout and nowhere else.
    pub(crate) fn only_prints(&self) -> bool {
        self.command.common().is_stdout()
    }
}

impl PullCommand {
    fn common(&self) -> &Common {
        match self {
            Self::Values { common, .. }
            | Self::Incidents(common)
            | Self::Improvements(common)
            | Self::Comments(common)
            | Self::Boards(common)
            | Self::Groups(common)
            | Self::Areas(common)
            | Self::DataLists(common)
            | Self::Projects(common)
            | Self::Tasks(common)
            | Self::TaskComments(common)
            | Self::Users(common) => common,
        }
    }

    /// Values per request.
    fn page_size(&self) -> Option<i32> {
        match self {
            Self::Values { page_size, .. } => Some(*page_size),
            _ => None,
        }
    }

    /// The query to run, with the given output format.
    fn query(&self, format: Format) -> PullQuery {
        let common = self.common();
        let records = match self {
            Self::Values {
                datasource,
                from,
                to,
                by,
                agg,
                zone,
                ..
            } => {
                let datasource = *datasource;
                let from = from.map(|bound| bound.instant(zone.as_ref()));
                let to = to.map(|bound| bound.instant(zone.as_ref()));
                match *by {
                    None => query::Selection::Values {
                        datasource,
                        from,
                        to,
                    },
                    Some(by) => query::Selection::Periods {
                        datasource,
                        from,
                        to,
                        by,
                        aggregate: *agg,
                        zone: zone
                            .as_ref()
                            .and_then(TimeZone::iana_name)
                            .map(str::to_owned),
                    },
                }
            }
            Self::Incidents(_) => query::Selection::Incidents,
            Self::Improvements(_) => query::Selection::Improvements,
            Self::Comments(_) => query::Selection::Comments,
            Self::Boards(_) => query::Selection::Boards,
            Self::Groups(_) => query::Selection::Groups,
            Self::Areas(_) => query::Selection::Areas,
            Self::DataLists(_) => query::Selection::DataLists,
            Self::Projects(_) => query::Selection::Projects,
            Self::Tasks(_) => query::Selection::Tasks,
            Self::TaskComments(_) => query::Selection::TaskComments,
            Self::Users(_) => query::Selection::Users,
        };
        PullQuery {
            service: common.connect.identity().0.to_owned(),
            records,
            condition: common.r#where.clone(),
            order: common.order_by.clone(),
            format,
            guard_formulas: common.guard_formulas,
            top: common.top,
        }
    }
}

impl Common {
    fn is_stdout(&self) -> bool {
        self.output.as_os_str() == "-"
    }

    /// The format from `--format`, or inferred from the file's extension.
    fn format(&self) -> Format {
        let format = match (self.format, self.is_stdout()) {
            _ if self.xlsx => Format::Xlsx,
            (Some(format), _) => format,
            (None, true) => Format::Csv,
            (None, false) => Format::from_path(&self.output).unwrap_or_else(|| {
                let name = self.output.display();
                exit_with_usage(&format!(
                    "found a file named {name}, expected one that ends in {}, or --format",
                    Format::EXTENSIONS
                ))
            }),
        };
        if self.guard_formulas && format != Format::Csv {
            exit_with_usage(
                "found --guard-formulas for a format that spreadsheets do not run, expected it with CSV",
            );
        }
        let unstreamed = match format {
            Format::Parquet => Some(("--format parquet", "Parquet")),
            Format::Xlsx => Some(("an Excel workbook", "a workbook")),
            _ => None,
        };
        if let Some((found, name)) = unstreamed.filter(|_| self.is_stdout()) {
            exit_with_usage(&format!(
                "found {found} for stdout, expected -o FILE: {name} cannot be streamed"
            ));
        }
        format
    }
}

/// The time zone of this name, from the data that the service has too.
fn zone(name: &str) -> Result<TimeZone, String> {
    let zone = TimeZoneDatabase::bundled().get(name);
    zone.map_err(|_| "expected the name of a time zone, such as Europe/Oslo".to_owned())
}

/// The page sizes that the interface allows.
pub(crate) fn page_sizes() -> RangedI64ValueParser<i32> {
    let (least, most) = page_size::RANGE.into_inner();
    clap::value_parser!(i32).range(i64::from(least)..=i64::from(most))
}

/// Exits with a usage error.
fn exit_with_usage(message: &str) -> ! {
    crate::Cli::command()
        .error(ErrorKind::ArgumentConflict, message)
        .exit()
}

/// Pulls, and prints a summary if the output is a file. A signal stops it cleanly; the rows are saved.
pub(crate) async fn run(args: Args) -> Result<()> {
    let common = args.command.common();
    let query = args.command.query(common.format());
    if let Err(unknown) = query.check_words() {
        exit_with_usage(&format!("--where: {unknown}"));
    }
    let source = Source {
        client: common.connect.client()?,
        query,
        page_size: args.command.page_size(),
    };
    let stop = StopSignal::catch().context("signals cannot be caught")?;
    let progress = Arc::new(PullProgress::new());
    let pull = Pull {
        source,
        progress: Arc::clone(&progress),
        stop,
    };
    let done = match common.is_stdout() {
        true => pull.write_stdout().await,
        false => pull.write_file(common).await,
    };
    progress.end();
    if let Some(summary) = done? {
        writeln!(io::stdout(), "{summary}")
            .context("the file was written, but the summary could not be printed")?;
    }
    Ok(())
}

/// A consumer of pieces.
trait PieceSink: Send + 'static {
    fn take(&mut self, piece: Piece) -> Result<()>;
}

impl PieceSink for Stream<Output> {
    fn take(&mut self, piece: Piece) -> Result<()> {
        self.write(&piece.content)?;
        // A reader of a pipe sees each piece as it arrives.
        self.flush().map(drop)
    }
}

/// A running pull.
struct Pull {
    source: Source,
    progress: Arc<PullProgress>,
    stop: StopSignal,
}

impl Pull {
    async fn write_stdout(mut self) -> Result<Option<String>> {
        let query = &self.source.query;
        let format = query.format;
        let out = Output::for_data(!format.is_columnar());
        let out = Stream::new(out, format, &query.schema(), 0)?;
        let (mut out, result) = self.transfer(None, 0, out).await;
        result?;
        out.finish()?;
        Ok(None)
    }

    async fn write_file(mut self, common: &Common) -> Result<Option<String>> {
        let begun = Instant::now();
        let path = &common.output;
        let file = ResumableFile::open(path, &self.source.query, common.restart, common.row_group)?;
        let earlier_rows = file.rows();
        let file = if file.is_complete() {
            file
        } else {
            let after = file.after().cloned();
            let (file, result) = self.transfer(after, earlier_rows, file).await;
            if let Err(error) = result {
                return Err(match file.suspend() {
                    Ok(0) => error,
                    Ok(rows) => error.context(format!(
                        "the pull broke off; {} rows are saved, and the same command continues after them",
                        group_digits(rows)
                    )),
                    Err(other) => error.context(format!("the pull broke off, and {other}")),
                });
            }
            file
        };
        let rows = file.finish()?;
        let mut summary = format!("{} rows in {}", group_digits(rows), path.display());
        let elapsed = format_duration(begun.elapsed());
        if earlier_rows > 0 {
            let new = group_digits(rows - earlier_rows);
            summary.push_str(&format!(", {new} of them now, in {elapsed}"));
        } else {
            summary.push_str(&format!(", in {elapsed}"));
        }
        Ok(Some(summary))
    }

    /// Writes all records after `after` to the target, and returns the target with the result.
    async fn transfer<T: PieceSink>(
        &mut self,
        after: Option<ResumeAfter>,
        earlier_rows: u64,
        mut target: T,
    ) -> (T, Result<()>) {
        let start = Start {
            after,
            top: self.source.query.top_after(earlier_rows),
        };
        if start.top == Some(0) {
            return (target, Ok(()));
        }
        if self.progress.is_visible() {
            // The count is only for the progress bar; the query itself will report its errors.
            if let Ok(more) = self.source.count(&start).await {
                self.progress.begin(earlier_rows, earlier_rows + more);
            }
        }
        let (sender, mut receiver) = mpsc::channel::<Piece>(QUEUED_PIECES);
        let progress = Arc::clone(&self.progress);
        let writing = tokio::task::spawn_blocking(move || {
            while let Some(piece) = receiver.blocking_recv() {
                let rows = piece.rows;
                if let Err(error) = target.take(piece) {
                    return (target, Err(error));
                }
                progress.advance(rows);
            }
            (target, Ok(()))
        });
        let fetched = tokio::select! {
            fetched = self.source.send(&start, sender) => fetched,
            () = self.stop.received() => Err(anyhow!("stopped")),
        };
        match writing.await {
            Ok((target, written)) => (target, written.and(fetched)),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}
