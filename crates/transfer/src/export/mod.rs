//! Export of a database into a folder that an import reads: from one snapshot, and with the same bytes for
//! the same records on every engine.
//!
//! Lines are ordered by id, so exports of equal stores are equal. The folder appears complete or not at all.
//! What belongs to this service alone is left out: clients, keys, secrets, idempotency records.
//! `crates/cli/docs/import-format.md` describes the files.

mod attachments;
mod boards;
mod comments;
mod data_lists;
mod datasources;
mod error;
mod folder;
mod improvements;
mod incidents;
mod names;
mod organisation;
mod progress;
mod projects;
mod read;
mod store;
mod task_comments;
mod tasks;
mod types;
mod values;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use obeya_model::Timestamp;

pub use error::ExportError;
pub use progress::Progress;

use crate::jsonl::RESOURCES;
use crate::migrate::lift_time_limits;
use folder::Building;
use obeya_store::engine::Session;
use obeya_store::{Store, StoreOptions};

/// How long one statement may run: writing to the disk of the folder counts. PostgreSQL counts milliseconds
/// in 31 bits.
const STATEMENT: Duration = Duration::from_secs(7 * 86_400);

/// What an export contains.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExportOptions {
    /// Whether it includes the reporters of anonymous incidents, which no response of the service does.
    /// Default: no; they are lost after an import of the folder.
    pub with_reporters: bool,
}

/// The result of an export.
#[derive(Debug, Clone)]
pub struct ExportReport {
    /// Each file, in the order they were written.
    pub files: Vec<FileReport>,
    /// The latest stamp (`lastModified`) that the store had issued: later changes are not in the folder.
    /// `None` if it never issued one.
    pub last_stamp: Option<Timestamp>,
    /// Time until everything was on disk.
    pub elapsed: Duration,
}

/// The result for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// Its name in the folder.
    pub file: String,
    /// Records in it.
    pub records: u64,
    /// Its size.
    pub bytes: u64,
}

/// Exports the database at `db_url` into `folder`, which must not exist, or be empty. Its parent must exist.
///
/// A service may run on the database meanwhile. A database of an older version is migrated first.
///
/// # Errors
/// [`ExportError`]. The folder does not exist then, or is still empty.
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
    lift_time_limits(session)?;
    progress.begin(read::count(session)?);
    let mut files = Vec::new();
    for resource in RESOURCES {
        let mut lines = building.file(resource, progress)?;
        let (session, lines_of) = (&mut *session, &mut lines);
        match resource {
            "store" => store::write(session, lines_of),
            "projects" => projects::write(session, lines_of),
            "areas" => organisation::areas(session, lines_of),
            "groups" => organisation::groups(session, lines_of),
            "users" => organisation::users(session, lines_of),
            "boards" => boards::write(session, lines_of),
            "data_lists" => data_lists::write(session, lines_of),
            "incident_types" => types::write(session, lines_of),
            "incidents" => incidents::write(session, lines_of, options),
            "incident_comments" => comments::write(session, lines_of),
            "improvement_categories" => names::improvement_categories(session, lines_of),
            "improvements" => improvements::write(session, lines_of),
            "tasks" => tasks::write(session, lines_of),
            "task_comments" => task_comments::write(session, lines_of),
            "attachments" => {
                let mut contents = building.contents();
                attachments::write(session, lines_of, &mut contents, options)
                    .and_then(|()| contents.end())
            }
            "datasources" => datasources::write(session, lines_of),
            _ => values::write(session, lines_of),
        }?;
        files.push(lines.end()?);
    }
    Ok((files, store::last_stamp(session)?))
}
