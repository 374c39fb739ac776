//! The records of a database → a folder that an import reads: from one snapshot, the same bytes for the same
//! records, on whichever engine.
//!
//! Lines stand in the order of their ids, so that exports of equal stores are equal. The folder comes into
//! sight whole or not at all. What is of this service alone stays: clients, keys, secrets, answers kept for
//! repeated requests. `crates/cli/docs/import-format.md` describes the files.

mod boards;
mod comments;
mod datasources;
mod error;
mod folder;
mod improvements;
mod incidents;
mod names;
mod organisation;
mod progress;
mod read;
mod store;
mod types;
mod values;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use obeya_model::Timestamp;

pub use error::ExportError;
pub use progress::Progress;

use crate::jsonl::RESOURCES;
use crate::migrate::patient;
use folder::Building;
use obeya_store::engine::Session;
use obeya_store::{Store, StoreOptions};

/// How long one statement may run: the folder's disk is waited for meanwhile. PostgreSQL counts milliseconds
/// in 31 bits.
const STATEMENT: Duration = Duration::from_secs(7 * 86_400);

/// What an export holds.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExportOptions {
    /// Whether it tells who reported anonymous incidents, which no answer of the service does. Default: no;
    /// after an import of the folder nobody knows it then.
    pub with_reporters: bool,
}

/// What an export wrote.
#[derive(Debug, Clone)]
pub struct ExportReport {
    /// Each file, in the order they were written.
    pub files: Vec<FileReport>,
    /// The latest stamp (`lastModified`) that the store had given: later changes are not in the folder.
    /// `None` if it never gave one.
    pub last_stamp: Option<Timestamp>,
    /// From the beginning until everything was on disk.
    pub elapsed: Duration,
}

/// What one file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// Its name in the folder.
    pub file: String,
    /// Records in it.
    pub records: u64,
    /// Its size.
    pub bytes: u64,
}

/// Exports the database at `db_url` into `folder`, which must not be there yet, or be empty. The folder above
/// it must be there.
///
/// A service may run on the database meanwhile, and is not in the way. A database of an older version is
/// brought up to date first.
///
/// # Errors
/// [`ExportError`]. There is no folder then, or still the empty one.
pub async fn export_dir(
    folder: &Path,
    db_url: &str,
    options: ExportOptions,
    progress: Arc<dyn Progress>,
) -> Result<ExportReport, ExportError> {
    let started = Instant::now();
    let building = Building::begin(folder)?;
    let store_options = StoreOptions {
        make_tables: false,
        statement_budget: STATEMENT,
        ..StoreOptions::default()
    };
    let store = Store::open(db_url, &store_options).await?;
    let exported = store
        .read(move |session| {
            let report = export(session, &building, options, progress.as_ref())?;
            building.end()?;
            Ok::<_, ExportError>(report)
        })
        .await;
    store.close().await;
    let (files, last_stamp) = exported?;
    Ok(ExportReport {
        files,
        last_stamp,
        elapsed: started.elapsed(),
    })
}

fn export(
    session: &mut dyn Session,
    building: &Building,
    options: ExportOptions,
    progress: &dyn Progress,
) -> Result<(Vec<FileReport>, Option<Timestamp>), ExportError> {
    patient(session)?;
    progress.begin(read::count(session)?);
    let mut files = Vec::new();
    for resource in RESOURCES {
        let mut lines = building.file(resource, progress)?;
        let (session, lines_of) = (&mut *session, &mut lines);
        match resource {
            "store" => store::write(session, lines_of),
            "projects" => organisation::projects(session, lines_of),
            "areas" => organisation::areas(session, lines_of),
            "groups" => organisation::groups(session, lines_of),
            "users" => organisation::users(session, lines_of),
            "boards" => boards::write(session, lines_of),
            "data_lists" => names::data_lists(session, lines_of),
            "incident_types" => types::write(session, lines_of),
            "incidents" => incidents::write(session, lines_of, options),
            "incident_comments" => comments::write(session, lines_of),
            "improvement_categories" => names::improvement_categories(session, lines_of),
            "improvements" => improvements::write(session, lines_of),
            "datasources" => datasources::write(session, lines_of),
            _ => values::write(session, lines_of),
        }?;
        files.push(lines.end()?);
    }
    Ok((files, store::last_stamp(session)?))
}
