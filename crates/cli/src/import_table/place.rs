//! Where the records of a table go: a database, or a service as an API client.

use std::sync::Arc;

use anyhow::{Result, bail};
use indicatif::ProgressBar;
use obeya_server::import::{
    ImportOptions, Name, Named, NewRecord, NewRecords, Progress, import_new, names_of,
};

use super::Args;
use super::names::Record;
use super::outcome::Outcome;
use super::service::{self, Upload};
use crate::progress::progress_bar;

/// Where the records go.
pub(crate) enum Place {
    Database(String),
    Service(obeya::Client),
}

impl Place {
    /// The place that the arguments name.
    pub(crate) fn of(args: &Args) -> Result<Self> {
        match (args.as_client, &args.database.0, &args.connect.0) {
            (true, _, Some(connect)) => Ok(Self::Service(connect.client()?)),
            (true, _, None) => bail!(
                "--as-client needs the service and the client: --url, --client-id, and the secret"
            ),
            (false, Some(database), _) => Ok(Self::Database(database.existing()?.to_owned())),
            (false, None, _) => {
                bail!("expected a database (--db), or --as-client with a service (--url)")
            }
        }
    }

    /// The names of the records of these kinds.
    pub(crate) async fn names(&self, kinds: Vec<Named>) -> Result<Vec<Name>> {
        match self {
            Self::Database(db) => Ok(names_of(db, kinds).await?),
            Self::Service(client) => Ok(service::names(client, &kinds).await?),
        }
    }

    /// Stores the records that are not there yet; in a trial, only counts them.
    pub(crate) async fn store(
        &self,
        args: &Args,
        file: &str,
        key: &str,
        records: Vec<Record>,
        allowed: usize,
    ) -> Result<Outcome> {
        let bar = progress_bar("{bar:40} {done} of {all}  {eta}");
        let stored = match self {
            Self::Database(db) => {
                let record = |record: Record| NewRecord {
                    line: record.line,
                    fields: record.object,
                };
                let new = NewRecords {
                    resource: args.resource.stored(),
                    file: file.to_owned(),
                    records: records.into_iter().map(record).collect(),
                };
                let progress = Arc::new(Bytes(bar.clone()));
                let report =
                    import_new(db, new, args.dry_run, ImportOptions::default(), progress).await;
                report.map_err(anyhow::Error::from).map(|report| Outcome {
                    stored: report.stored,
                    present: report.present.len() as u64,
                    ..Outcome::default()
                })
            }
            Self::Service(client) => {
                let upload = Upload {
                    client,
                    resource: args.resource,
                    file_key: key,
                    bar: &bar,
                };
                upload.store(records, allowed, args.dry_run).await
            }
        };
        bar.finish_and_clear();
        stored
    }
}

/// The progress of an import into a database, in bytes.
struct Bytes(ProgressBar);

impl Progress for Bytes {
    fn begin(&self, bytes: u64) {
        self.0.set_length(bytes);
    }

    fn advance(&self, bytes: u64) {
        self.0.inc(bytes);
    }
}
