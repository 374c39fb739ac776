//! `obeya pull`: records of a service into a file for people and their tools.
//!
//! Pages are fetched ahead, made into the file's form, and written by a thread of its own, so that fetching,
//! forming and writing overlap and no more than some pages are in memory. What is kept when a pull breaks
//! off, and how the next one goes on, is in [`kept`].

mod by_date;
mod encode;
mod fetch;
mod format;
mod kept;
mod place;
mod query;
mod segments;
mod state;
mod stream;
mod watch;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Subcommand};
use tokio::sync::mpsc;

use self::fetch::{Piece, Source};
use self::format::Format;
use self::kept::Kept;
use self::query::{Query, When};
use self::state::After;
use self::stream::Stream;
use self::watch::Watch;
use crate::connect::Connect;
use crate::stop::Stop;
use crate::table::{grouped, took};
use crate::terminal::Output;

/// Pieces that wait to be written: enough to bridge a slow moment of the disk, few enough to forget about.
const WAITING: usize = 2;

/// Pulls records of a service into a file.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The values of a datasource
    Values {
        /// Id of the datasource
        #[arg(value_name = "DATASOURCE")]
        datasource: i32,

        /// Only values dated from this day or instant on, such as 2026-01-01 or 2026-01-01T06:00:00Z
        #[arg(long, value_name = "WHEN")]
        from: Option<When>,

        /// Only values dated before this day or instant
        #[arg(long, value_name = "WHEN")]
        to: Option<When>,

        /// Values to a request
        #[arg(long, value_name = "VALUES", default_value_t = 10_000, value_parser = clap::value_parser!(i32).range(1..=10_000))]
        page_size: i32,

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
}

#[derive(clap::Args)]
struct Common {
    /// Only records that fulfil this OData condition, such as "dimension eq 'Night'"
    #[arg(long, value_name = "CONDITION")]
    r#where: Option<String>,

    /// The order, such as "value desc"; a pull in an order of its own begins anew when it was broken off
    #[arg(long, value_name = "KEYS")]
    order_by: Option<String>,

    /// The form of the file, where its name does not tell
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// The file, or - for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Forgets what an earlier pull into the file left behind
    #[arg(long)]
    restart: bool,

    /// Rows of a Parquet file that are read together, and what a pull that is killed loses at most
    #[arg(long, value_name = "ROWS", default_value_t = 500_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    row_group: u32,

    #[command(flatten)]
    connect: Connect,
}

impl Args {
    /// Whether the records go to stdout and nowhere else.
    pub(crate) fn only_prints(&self) -> bool {
        self.what.common().prints()
    }
}

impl What {
    fn common(&self) -> &Common {
        match self {
            Self::Values { common, .. }
            | Self::Incidents(common)
            | Self::Improvements(common)
            | Self::Comments(common)
            | Self::Boards(common)
            | Self::Groups(common)
            | Self::Areas(common) => common,
        }
    }

    /// Values to a request.
    fn page_size(&self) -> Option<i32> {
        match self {
            Self::Values { page_size, .. } => Some(*page_size),
            _ => None,
        }
    }

    /// What it asks of the service, in the given form.
    fn query(&self, format: Format) -> Query {
        let common = self.common();
        let records = match self {
            Self::Values {
                datasource,
                from,
                to,
                ..
            } => query::Records::Values {
                datasource: *datasource,
                from: from.map(|When(instant)| instant),
                to: to.map(|When(instant)| instant),
            },
            Self::Incidents(_) => query::Records::Incidents,
            Self::Improvements(_) => query::Records::Improvements,
            Self::Comments(_) => query::Records::Comments,
            Self::Boards(_) => query::Records::Boards,
            Self::Groups(_) => query::Records::Groups,
            Self::Areas(_) => query::Records::Areas,
        };
        Query {
            service: common.connect.identity().0.to_owned(),
            records,
            condition: common.r#where.clone(),
            order: common.order_by.clone(),
            format,
        }
    }
}

impl Common {
    fn prints(&self) -> bool {
        self.output.as_os_str() == "-"
    }

    /// The form that was asked for, or that the file's name tells.
    fn format(&self) -> Format {
        let format = match (self.format, self.prints()) {
            (Some(format), _) => format,
            (None, true) => Format::Csv,
            (None, false) => Format::of(&self.output).unwrap_or_else(|| {
                let name = self.output.display();
                usage(&format!(
                    "found a file named {name}, expected one that ends in {}, or --format",
                    Format::ENDINGS
                ))
            }),
        };
        if format == Format::Parquet && self.prints() {
            usage(
                "found --format parquet for stdout, expected -o FILE: the beginning of a Parquet file is known at its end",
            );
        }
        format
    }
}

/// Ends the program: the arguments do not go together.
fn usage(message: &str) -> ! {
    crate::Cli::command()
        .error(ErrorKind::ArgumentConflict, message)
        .exit()
}

/// Pulls, and says how much when it went to a file. The first signal to stop ends it in order, and what has
/// come is kept.
pub(crate) async fn run(args: Args) -> Result<()> {
    let common = args.what.common();
    let query = args.what.query(common.format());
    let source = Source {
        client: common.connect.client()?,
        query,
        page_size: args.what.page_size(),
    };
    let stop = Stop::catch().context("signals cannot be caught")?;
    let watch = Arc::new(Watch::new());
    let pull = Pull {
        source,
        watch: Arc::clone(&watch),
        stop,
    };
    let done = match common.prints() {
        true => pull.print().await,
        false => pull.keep(common).await,
    };
    watch.end();
    if let Some(told) = done? {
        writeln!(io::stdout(), "{told}")
            .context("the file is there, but this could not be printed")?;
    }
    Ok(())
}

/// Where pieces go.
trait Target: Send + 'static {
    fn take(&mut self, piece: Piece) -> Result<()>;
}

impl Target for Stream<Output> {
    fn take(&mut self, piece: Piece) -> Result<()> {
        self.write(&piece.content)?;
        // Whoever reads along sees each piece as it comes.
        self.flush().map(drop)
    }
}

/// A pull under way.
struct Pull {
    source: Source,
    watch: Arc<Watch>,
    stop: Stop,
}

impl Pull {
    async fn print(mut self) -> Result<Option<String>> {
        let query = &self.source.query;
        let format = query.format;
        let out = Output::of_data(!format.is_columnar());
        let out = Stream::new(out, format, &query.schema(), 0)?;
        let (mut out, carried) = self.carry(None, 0, out).await;
        carried?;
        out.finish()?;
        Ok(None)
    }

    async fn keep(mut self, common: &Common) -> Result<Option<String>> {
        let begun = Instant::now();
        let file = &common.output;
        let kept = Kept::open(file, &self.source.query, common.restart, common.row_group)?;
        let there = kept.rows();
        let kept = if kept.is_complete() {
            kept
        } else {
            let after = kept.after().cloned();
            let (kept, carried) = self.carry(after, there, kept).await;
            if let Err(error) = carried {
                return Err(match kept.leave() {
                    Ok(0) => error,
                    Ok(rows) => error.context(format!(
                        "the pull broke off; {} rows are kept, and the same command goes on after them",
                        grouped(rows)
                    )),
                    Err(other) => error.context(format!("the pull broke off, and {other}")),
                });
            }
            kept
        };
        let rows = kept.finish()?;
        let mut told = format!("{} rows in {}", grouped(rows), file.display());
        let took = took(begun.elapsed());
        if there > 0 {
            let came = grouped(rows - there);
            told.push_str(&format!(", {came} of them now, in {took}"));
        } else {
            told.push_str(&format!(", in {took}"));
        }
        Ok(Some(told))
    }

    /// Carries all that comes after `after` to the target, and gives that back however it went.
    async fn carry<T: Target>(
        &mut self,
        after: Option<After>,
        there: u64,
        mut target: T,
    ) -> (T, Result<()>) {
        if self.watch.is_seen() {
            // How much there is, is nice to know; what is wrong with the query is told by the query itself.
            if let Ok(more) = self.source.count(after.as_ref()).await {
                self.watch.begin(there, there + more);
            }
        }
        let (sender, mut receiver) = mpsc::channel::<Piece>(WAITING);
        let watch = Arc::clone(&self.watch);
        let writing = tokio::task::spawn_blocking(move || {
            while let Some(piece) = receiver.blocking_recv() {
                let rows = piece.rows;
                if let Err(error) = target.take(piece) {
                    return (target, Err(error));
                }
                watch.advance(rows);
            }
            (target, Ok(()))
        });
        let fetched = tokio::select! {
            fetched = self.source.send(after, sender) => fetched,
            () = self.stop.asked() => Err(anyhow!("stopped")),
        };
        match writing.await {
            Ok((target, written)) => (target, written.and(fetched)),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}
