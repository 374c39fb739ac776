//! A service as the place of the records: creates those that are not there yet, as an API client.
//!
//! Each write has an `Idempotency-Key` made of the file and the record, so a run that was killed can be
//! repeated while its last request is still on its way.

mod names;
mod present;

use std::collections::HashSet;

use anyhow::{Context as _, Result};
use indicatif::ProgressBar;
use obeya::model::{
    DatasourceValueInput, GroupCreate, ImprovementCreate, IncidentCreate, UserCreateV2,
};
use obeya::{Call, Client, Error, call};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::import_table::faults::Fault;
use crate::import_table::fields::Resource;
use crate::import_table::names::Record;
use crate::import_table::outcome::Outcome;

pub(crate) use names::names;

/// Values in one request, at most.
const BATCH: usize = 10_000;
/// Records for a service.
pub(crate) struct Upload<'a> {
    pub(crate) client: &'a Client,
    pub(crate) resource: Resource,
    /// Names the file in idempotency keys and in external ids.
    pub(crate) file_key: &'a str,
    pub(crate) bar: &'a ProgressBar,
}

impl Upload<'_> {
    /// Creates the records that are not there yet. Ends at the first record that is refused beyond
    /// `allowed`. A trial changes nothing.
    pub(crate) async fn store(
        &self,
        records: Vec<Record>,
        allowed: usize,
        is_trial: bool,
    ) -> Result<Outcome> {
        let kind = self.resource.stored();
        let present = self.present(&records).await?;
        let (there, new): (Vec<Record>, Vec<Record>) = records.into_iter().partition(|record| {
            let key = kind.key_of(&record.object);
            key.is_some_and(|key| present.contains(&key))
        });
        let mut outcome = Outcome {
            present: there.len() as u64,
            ..Outcome::default()
        };
        self.bar.set_length(new.len() as u64);
        if is_trial {
            outcome.stored = new.len() as u64;
            return Ok(outcome);
        }
        let done = match self.resource {
            Resource::Values => self.values(new, allowed, &mut outcome).await,
            _ => self.each(new, allowed, &mut outcome).await,
        };
        if let Err(error) = done {
            // What was stored is shown also if the rest failed.
            outcome.ended = Some(format!("{error:#}"));
        }
        Ok(outcome)
    }

    /// Creates records one by one, in their order.
    async fn each(
        &self,
        records: Vec<Record>,
        allowed: usize,
        outcome: &mut Outcome,
    ) -> Result<()> {
        for record in records {
            match self.create(&record).await {
                Ok(true) => outcome.present += 1,
                Ok(false) => outcome.stored += 1,
                Err(error) => {
                    self.refused(&[record.line], error, outcome)?;
                    if outcome.refused.len() > allowed {
                        return Ok(());
                    }
                }
            }
            self.bar.inc(1);
        }
        Ok(())
    }

    /// Creates a record; returns whether an earlier run has done so.
    async fn create(&self, record: &Record) -> Result<bool> {
        let body = Value::Object(record.object.clone());
        let client = self.client.idempotency_key(self.key(&[record]));
        match self.resource {
            Resource::Incidents => {
                let body: IncidentCreate = typed(body)?;
                is_replayed(&client, &call::CreateIncident::new(&body)).await
            }
            Resource::Improvements => {
                let body: ImprovementCreate = typed(body)?;
                is_replayed(&client, &call::CreateImprovement::new(&body)).await
            }
            Resource::Users => {
                let body: UserCreateV2 = typed(body)?;
                is_replayed(&client, &call::CreateUserV2::new(&body)).await
            }
            Resource::Groups => {
                let body: GroupCreate = typed(body)?;
                is_replayed(&client, &call::CreateGroup::new(&body)).await
            }
            Resource::Values => unreachable!("values are created in batches"),
        }
    }

    /// Creates values in batches, each of one datasource. A batch in which some are refused is sent again
    /// without them.
    async fn values(
        &self,
        records: Vec<Record>,
        allowed: usize,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let mut records: Vec<(i32, Record)> = records
            .into_iter()
            .map(|mut record| {
                let id = record
                    .object
                    .remove("dataSourceId")
                    .and_then(|id| id.as_i64());
                (
                    id.and_then(|id| i32::try_from(id).ok()).unwrap_or_default(),
                    record,
                )
            })
            .collect();
        records.sort_by_key(|(datasource, _)| *datasource);
        for of_one in records.chunk_by(|a, b| a.0 == b.0) {
            for batch in of_one.chunks(BATCH) {
                let mut batch: Vec<&Record> = batch.iter().map(|(_, record)| record).collect();
                while !batch.is_empty() {
                    let sent = batch.len() as u64;
                    match self.create_values(of_one[0].0, &batch).await {
                        Ok(true) => outcome.present += sent,
                        Ok(false) => outcome.stored += sent,
                        Err(error) => {
                            let lines: Vec<u64> = batch.iter().map(|record| record.line).collect();
                            let before = outcome.refused.len();
                            self.refused(&lines, error, outcome)?;
                            if outcome.refused.len() > allowed {
                                return Ok(());
                            }
                            let refused: HashSet<u64> = outcome.refused[before..]
                                .iter()
                                .map(|fault| fault.line)
                                .collect();
                            batch.retain(|record| !refused.contains(&record.line));
                            continue;
                        }
                    }
                    self.bar.inc(sent);
                    break;
                }
            }
        }
        Ok(())
    }

    async fn create_values(&self, datasource: i32, batch: &[&Record]) -> Result<bool> {
        let body = batch
            .iter()
            .map(|record| typed(Value::Object(record.object.clone())));
        let body: Vec<DatasourceValueInput> = body.collect::<Result<_>>()?;
        let client = self.client.idempotency_key(self.key(batch));
        let call = call::CreateDatasourceValues {
            id: datasource,
            body: &body,
        };
        is_replayed(&client, &call).await
    }

    /// The key of a request: the same for the same records of the same file.
    fn key(&self, records: &[&Record]) -> String {
        let mut hash = Sha256::new();
        hash.update(self.file_key);
        for record in records {
            let line = format!("\n{} {}", record.line, Value::Object(record.object.clone()));
            hash.update(line);
        }
        let digest = hash.finalize();
        let digits: String = digest[..16]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("import-table-{digits}")
    }

    /// Notes a refusal as faults of the lines that it names; any other error ends the import.
    fn refused(&self, lines: &[u64], error: anyhow::Error, outcome: &mut Outcome) -> Result<()> {
        let refusal = error.downcast_ref::<Error>();
        let refusal =
            refusal.filter(|error| matches!(error.status(), Some(400 | 404 | 409 | 413 | 422)));
        let Some(problem) = refusal.and_then(Error::problem) else {
            return Err(error);
        };
        let detail = problem
            .detail
            .clone()
            .unwrap_or_else(|| problem.title.clone());
        let mut faults: Vec<Fault> = Vec::new();
        for (path, texts) in problem.errors.iter().flatten() {
            let at = path
                .strip_prefix('[')
                .and_then(|path| path.split(']').next());
            let line = match at.and_then(|at| at.parse::<usize>().ok()) {
                Some(at) => lines.get(at),
                None => lines.first().filter(|_| lines.len() == 1),
            };
            if let Some(&line) = line {
                faults.push(fault(
                    line,
                    &problem.code,
                    &format!("{path}: {}", texts.join(" ")),
                ));
            }
        }
        if faults.is_empty() {
            // A batch that is refused as a whole cannot be mended by leaving a line out.
            let &[line] = lines else {
                return Err(error.context("the service refused the values"));
            };
            faults.push(fault(line, &problem.code, &detail));
        }
        faults.sort_by_key(|fault| fault.line);
        faults.dedup_by_key(|fault| fault.line);
        outcome.refused.extend(faults);
        Ok(())
    }
}

fn fault(line: u64, code: &str, detail: &str) -> Fault {
    Fault::line(
        line,
        format!("what the service refuses ({code}): {detail}"),
        "a record that it accepts",
    )
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).context("a record is not of the interface")
}

/// Sends a write; whether the service had carried it out before, under the same key.
async fn is_replayed<C: Call>(client: &Client, call: &C) -> Result<bool> {
    let reply = client.call_with_reply(call).await?;
    Ok(reply.headers().contains_key("idempotency-replayed"))
}
