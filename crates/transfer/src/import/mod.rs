//! Import of a folder of JSON Lines (and CSV) into the database: all files or nothing, in one transaction.
//!
//! Each line is a record in the shape of the wire, with its id and its timestamps, which the import
//! preserves. Lines are checked strictly: an unknown field, a dangling reference or a duplicate id is a
//! [`LineError`] with its file, line and field. The rules of the service's operations (allowed transitions,
//! members of groups) do not apply: imported records are history. The code depends neither on HTTP nor on an
//! engine; `crates/cli/docs/import-format.md` describes the files.

mod attachments;
mod boards;
mod comments;
mod csv;
mod data_lists;
mod datasources;
mod decode;
mod error;
mod folder;
mod ids;
mod improvements;
mod incidents;
mod lookup;
mod names;
mod new_records;
mod organisation;
mod progress;
mod projects;
mod renamed;
mod replies;
mod run;
mod stamps;
mod store;
mod task_comments;
mod tasks;
mod types;
mod values;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use error::{ImportError, LineError};
pub use lookup::{Name, Named, names as names_of};
pub use new_records::{NewRecord, NewRecords, NewReport, NewResource, import_new};
pub use progress::Progress;

use folder::Source;
use ids::KnownIds;
use obeya_model::Timestamp;
use obeya_store::audit::{self, Change, Origin};
use obeya_store::engine::{Session, StoreError};
use obeya_store::{Store, StoreOptions, bulk};
use renamed::Names;
use run::{Collected, Run};
use stamps::Stamps;

/// What to do with a line whose id is in the database already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// Refuse the whole import.
    #[default]
    Fail,
    /// Leave the record as it is.
    Skip,
    /// Replace the record's fields by the line's; a field that the line leaves out is empty afterwards.
    Replace,
}

/// Options of an import.
#[derive(Debug, Clone, Copy)]
pub struct ImportOptions {
    /// What to do with a line whose id is in the database already. Default: fail.
    pub on_conflict: OnConflict,
    /// How long to wait while another process writes to the database. Default: 30 s.
    pub lock_wait: Duration,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            on_conflict: OnConflict::default(),
            lock_wait: Duration::from_secs(30),
        }
    }
}

/// The result of an import.
#[derive(Debug, Clone)]
pub struct ImportReport {
    /// Each file, in the order they were read.
    pub files: Vec<FileReport>,
    /// Time until everything was on disk.
    pub elapsed: Duration,
}

/// The result for one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileReport {
    /// Name of the file in the folder.
    pub file: String,
    /// Records in the file.
    pub read: u64,
    /// Records that were new.
    pub inserted: u64,
    /// Records that replaced one in the database.
    pub replaced: u64,
    /// Records left out because the database had them.
    pub skipped: u64,
}

/// Imports a folder into the database at `db_url` (`sqlite:FILE`, created if it is missing), in one
/// transaction.
///
/// A service may run on the same database meanwhile: its reads go on, its writes wait for the import to end
/// and are answered 503 if that takes longer than they may wait.
///
/// # Errors
/// [`ImportError::Line`] for the first line that is not valid; the other kinds when the folder cannot be read
/// or the database cannot be written. Nothing is stored then.
pub async fn import_dir(
    folder: &Path,
    db_url: &str,
    options: ImportOptions,
    progress: Arc<dyn Progress>,
) -> Result<ImportReport, ImportError> {
    let started = Instant::now();
    let sources = folder::sources(folder)?;
    let store = Store::open(db_url, &store_options(options.lock_wait)).await?;
    let imported = store
        .write_isolated(move |session| import(session, &sources, options, progress.as_ref()))
        .await;
    store.close().await;
    Ok(ImportReport {
        files: imported?,
        elapsed: started.elapsed(),
    })
}

/// Options for one long write by one process: a large cache and long timeouts.
fn store_options(lock_wait: Duration) -> StoreOptions {
    StoreOptions {
        writer_cache_kib: 128 << 10,
        statement_budget: Duration::from_secs(600),
        busy_timeout: lock_wait,
        ..StoreOptions::default()
    }
}

/// Records the import in the audit log: how many records of each file.
fn record(session: &mut dyn Session, reports: &[FileReport]) -> Result<(), StoreError> {
    let counts = |report: &FileReport| {
        let counts = [("inserted", report.inserted), ("replaced", report.replaced)];
        (report.file.clone(), BTreeMap::from(counts))
    };
    let files: BTreeMap<_, _> = reports.iter().map(counts).collect();
    let change = Change::summary(&BTreeMap::from([("files", files)]));
    let now = Timestamp::now().ticks();
    audit::append(session, now, &Origin::default(), "import", &change)
}

fn import(
    session: &mut dyn Session,
    sources: &[Source],
    options: ImportOptions,
    progress: &dyn Progress,
) -> Result<Vec<FileReport>, ImportError> {
    progress.begin(sources.iter().map(|source| source.bytes).sum());
    let known = KnownIds::load(session)?;
    let names = Names::begin(session, &known)?;
    let stamps = Stamps::begin(session, Timestamp::now().ticks())?;
    bulk::begin(session)?;
    let mut run = Run {
        session,
        on_conflict: options.on_conflict,
        known,
        stamps,
        progress,
        report: FileReport::default(),
        collected: Collected::default(),
    };
    let mut reports = Vec::new();
    for source in sources {
        progress.file(&source.name);
        run.report = FileReport {
            file: source.name.clone(),
            ..FileReport::default()
        };
        let read = match source.resource {
            "store" => store::read,
            "projects" => projects::read,
            "areas" => organisation::areas,
            "groups" => organisation::groups,
            "users" => organisation::users,
            "boards" => boards::read,
            "data_lists" => data_lists::read,
            "incident_types" => types::read,
            "incidents" => incidents::read,
            "incident_comments" => comments::read,
            "improvement_categories" => names::improvement_categories,
            "improvements" => improvements::read,
            "tasks" => tasks::read,
            "task_comments" => task_comments::read,
            "attachments" => attachments::read,
            "datasources" => datasources::read,
            _ => values::read,
        };
        read(&mut run, source)?;
        reports.push(run.report.clone());
    }
    names.stamp_changed(&mut run)?;
    run.stamps.end(run.session)?;
    store::advance_sequences(&mut run)?;
    let written = |report: &FileReport| report.inserted + report.replaced;
    let total: u64 = reports.iter().map(written).sum();
    if total > 0 {
        record(run.session, &reports)?;
    }
    bulk::end(run.session, total)?;
    Ok(reports)
}
