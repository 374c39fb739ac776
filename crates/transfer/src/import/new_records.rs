//! Import of records that have no ids yet, such as the rows of a table: they get ids, and those that the
//! database has already are left out. Everything else is the import's.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use obeya_store::engine::{Session, StoreError};
use obeya_store::random::uuid;
use obeya_store::{Store, sequences, values};
use serde_json::{Map, Value};

use super::error::ImportError;
use super::folder::Source;
use super::progress::Progress;
use super::{ImportOptions, OnConflict, import, store_options};

/// The resources that records without ids may be of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the resources of the import format")]
pub enum NewResource {
    Incidents,
    Improvements,
    DatasourceValues,
    Users,
    Groups,
}

/// A record of the import format, without its id.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRecord {
    /// Its line in the file that it comes from, from 1. Each record has a later one than the record before.
    pub line: u64,
    /// Its fields.
    pub fields: Map<String, Value>,
}

/// Records without ids.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRecords {
    /// What they are.
    pub resource: NewResource,
    /// The name of the file that they come from, for errors and the audit log.
    pub file: String,
    /// The records, in the order of their lines.
    pub records: Vec<NewRecord>,
}

/// The result of an import of new records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReport {
    /// Records that were stored; in a trial, that would be.
    pub stored: u64,
    /// The lines of the records that the database had already.
    pub present: Vec<u64>,
    /// Time until everything was on disk.
    pub elapsed: Duration,
}

impl NewResource {
    /// The name in the import format, which is that of the table too.
    fn table(self) -> &'static str {
        match self {
            Self::Incidents => "incidents",
            Self::Improvements => "improvements",
            Self::DatasourceValues => "datasource_values",
            Self::Users => "users",
            Self::Groups => "groups",
        }
    }

    /// The field that says whether the database has a record already.
    pub fn key(self) -> &'static str {
        match self {
            Self::Incidents | Self::Improvements | Self::DatasourceValues => "externalId",
            Self::Users => "userName",
            Self::Groups => "name",
        }
    }

    /// The key of a record, as it is compared: names of users are the same in every case. A value is known
    /// by its datasource too.
    pub fn key_of(self, fields: &Map<String, Value>) -> Option<(i64, String)> {
        let key = fields.get(self.key())?.as_str()?;
        Some(match self {
            Self::Users => (0, key.to_lowercase()),
            Self::DatasourceValues => (fields.get("dataSourceId")?.as_i64()?, key.to_owned()),
            _ => (0, key.to_owned()),
        })
    }
}

/// Imports records into the database at `db_url` in one transaction, all or none. A trial changes nothing.
///
/// # Errors
/// As [`import_dir`](super::import_dir): [`ImportError::Line`] has the line of the record.
pub async fn import_new(
    db_url: &str,
    new: NewRecords,
    is_trial: bool,
    options: ImportOptions,
    progress: Arc<dyn Progress>,
) -> Result<NewReport, ImportError> {
    let started = Instant::now();
    let store = Store::open(db_url, &store_options(options.lock_wait)).await?;
    let imported = store
        .write_isolated(move |session| {
            let report = store_new(session, &new, options, progress.as_ref())?;
            // An error undoes everything.
            match is_trial {
                true => Err(Ended::Trial(report)),
                false => Ok(report),
            }
        })
        .await;
    store.close().await;
    let report = match imported {
        Ok(report) | Err(Ended::Trial(report)) => report,
        Err(Ended::Failed(error)) => return Err(error),
    };
    Ok(NewReport {
        elapsed: started.elapsed(),
        ..report
    })
}

/// How a transaction ended that is not committed.
enum Ended {
    Trial(NewReport),
    Failed(ImportError),
}

impl From<ImportError> for Ended {
    fn from(error: ImportError) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

fn store_new(
    session: &mut dyn Session,
    new: &NewRecords,
    options: ImportOptions,
    progress: &dyn Progress,
) -> Result<NewReport, ImportError> {
    let keys = keys(session, new)?;
    let mut next = last_id(session, new.resource)?;
    let mut lines = Vec::new();
    let mut line = 1;
    let mut report = NewReport {
        stored: 0,
        present: Vec::new(),
        elapsed: Duration::ZERO,
    };
    for record in &new.records {
        let key = new.resource.key_of(&record.fields);
        if key.is_some_and(|key| keys.contains(&key)) {
            report.present.push(record.line);
            continue;
        }
        // Blank lines are skipped and counted, so an error has the line of the caller's file.
        while line < record.line {
            lines.push(b'\n');
            line += 1;
        }
        next += 1;
        let id = match new.resource {
            NewResource::Users => Value::from(uuid()),
            _ => Value::from(next),
        };
        let mut fields = record.fields.clone();
        fields.insert("id".to_owned(), id);
        serde_json::to_writer(&mut lines, &fields).map_err(|error| {
            StoreError::Engine(format!("a record cannot be written as JSON: {error}").into())
        })?;
        lines.push(b'\n');
        line += 1;
        report.stored += 1;
    }
    if report.stored == 0 {
        return Ok(report);
    }
    let source = Source::in_memory(new.resource.table(), &new.file, lines);
    let options = ImportOptions {
        on_conflict: OnConflict::Fail,
        ..options
    };
    import(session, &[source], options, progress)?;
    Ok(report)
}

/// The highest id in use or issued.
fn last_id(session: &mut dyn Session, resource: NewResource) -> Result<i64, StoreError> {
    match resource {
        NewResource::DatasourceValues => values::last_id(session),
        NewResource::Incidents | NewResource::Improvements => {
            sequences::last(session, resource.table())
        }
        NewResource::Groups => sequences::highest(session, resource.table()),
        NewResource::Users => Ok(0),
    }
}

/// The keys of the records in the database.
fn keys(session: &mut dyn Session, new: &NewRecords) -> Result<HashSet<(i64, String)>, StoreError> {
    let mut keys = HashSet::new();
    let mut read = |session: &mut dyn Session, sql: &str, owner: i64| {
        let binds = [owner.into()];
        let binds = if owner == 0 { &[][..] } else { &binds };
        let rows = session.all(sql, binds, |row| row.string(0))?;
        let present = rows.into_iter().flatten();
        keys.extend(present.map(|key| (owner, key)));
        Ok::<_, StoreError>(())
    };
    match new.resource {
        NewResource::DatasourceValues => {
            let sql = "SELECT external_id FROM datasource_values \
                       WHERE datasource_id = ?1 AND external_id IS NOT NULL";
            let owners = new.records.iter().filter_map(|record| {
                let (owner, _) = new.resource.key_of(&record.fields)?;
                Some(owner)
            });
            for owner in owners.collect::<HashSet<i64>>() {
                read(session, sql, owner)?;
            }
        }
        NewResource::Users => {
            read(session, "SELECT user_name FROM users", 0)?;
            // Not `lower` of the engine: it knows ASCII only.
            keys = keys
                .into_iter()
                .map(|(owner, name)| (owner, name.to_lowercase()))
                .collect();
        }
        NewResource::Groups => read(session, "SELECT name FROM groups", 0)?,
        NewResource::Incidents | NewResource::Improvements => {
            let table = new.resource.table();
            let sql = format!("SELECT external_id FROM {table} WHERE external_id IS NOT NULL");
            read(session, &sql, 0)?;
        }
    }
    Ok(keys)
}
