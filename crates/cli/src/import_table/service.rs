//! A service as the place of the records: reads names and keys, and creates records, as an API client.
//!
//! Each write has an `Idempotency-Key` made of the file and the record, so a run that was killed can be
//! repeated while its last request is still on its way.

use std::collections::HashSet;

use anyhow::{Context as _, Result};
use indicatif::ProgressBar;
use obeya::model::{
    DatasourceValueInput, GroupCreate, ImprovementCreate, IncidentCreate, UserCreateV2,
};
use obeya::{Client, Error, Reply, call};
use obeya_server::import::{Name, Named, NewResource};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::faults::Fault;
use super::fields::Resource;
use super::names::Record;
use super::outcome::Outcome;

/// Values in one request, at most.
const BATCH: usize = 10_000;
/// Keys in one condition.
const KEYS: usize = 50;

/// A key of a record, as [`NewResource::key_of`] gives it.
type Key = (i64, String);

/// Records for a service.
pub(crate) struct Upload<'a> {
    pub(crate) client: &'a Client,
    pub(crate) resource: Resource,
    /// Names the file in idempotency keys and in external ids.
    pub(crate) file_key: &'a str,
    pub(crate) bar: &'a ProgressBar,
}

/// The names of the records of these kinds.
pub(crate) async fn names(client: &Client, kinds: &[Named]) -> Result<Vec<Name>> {
    let mut names = Vec::new();
    let mut add = |named, id: String, owner, texts: Vec<Option<String>>| {
        let texts: Vec<String> = texts
            .into_iter()
            .flatten()
            .filter(|text| !text.is_empty())
            .collect();
        // A record without a name is known by its id.
        let texts = if texts.is_empty() {
            vec![id.clone()]
        } else {
            texts
        };
        names.extend(texts.into_iter().map(|name| Name {
            named,
            id: id.clone(),
            name,
            owner,
        }));
    };
    for &kind in kinds {
        match kind {
            Named::Area => {
                let mut areas = client.areas().list().stream();
                while let Some(area) = areas.next().await.transpose()? {
                    add(kind, number(area.id), None, vec![area.name]);
                }
            }
            Named::Group => {
                let mut groups = client.groups().list().stream();
                while let Some(group) = groups.next().await.transpose()? {
                    add(kind, number(group.id), None, vec![group.name]);
                }
            }
            Named::User => {
                let mut users = client.users().list().stream();
                while let Some(user) = users.next().await.transpose()? {
                    let full = user.first_name.zip(user.last_name);
                    let full = full.map(|(first, last)| format!("{first} {last}"));
                    let texts = vec![user.display_name, user.user_name, user.email, full];
                    add(kind, user.id.unwrap_or_default(), None, texts);
                }
            }
            Named::Project => {
                for project in client.projects().list().send().await? {
                    let texts = vec![Some(project.name), Some(project.project_number)];
                    add(kind, project.id.to_string(), None, texts);
                }
            }
            Named::Datasource => {
                for datasource in client.datasources().list().send().await? {
                    add(
                        kind,
                        datasource.id.to_string(),
                        None,
                        vec![datasource.title],
                    );
                }
            }
            Named::IncidentType => {
                for listed in client.incidents().types().send().await? {
                    add(kind, listed.id.to_string(), None, vec![Some(listed.title)]);
                }
            }
            Named::Category | Named::Cause | Named::Consequence | Named::CustomField => {
                for listed in client.incidents().types().send().await? {
                    let detail = client.incidents().type_detail(listed.id).send().await?;
                    for (id, title) in parts(kind, &serde_json::to_value(detail)?) {
                        add(kind, id, Some(listed.id), vec![title]);
                    }
                }
            }
            Named::ImprovementCategory => {
                // No operation lists the categories; improvements have their names.
                let mut improvements = client.improvements().list().stream();
                let mut seen = HashSet::new();
                while let Some(improvement) = improvements.next().await.transpose()? {
                    if let Some(id) = improvement.category_id.filter(|id| seen.insert(*id)) {
                        add(kind, id.to_string(), None, vec![improvement.category]);
                    }
                }
            }
        }
    }
    Ok(names)
}

fn number(id: Option<i32>) -> String {
    id.unwrap_or_default().to_string()
}

/// The parts of a type: ids and titles.
fn parts(kind: Named, detail: &Value) -> Vec<(String, Option<String>)> {
    let (list, title) = match kind {
        Named::Category => ("categories", "title"),
        Named::Cause => ("causes", "title"),
        Named::Consequence => ("consequences", "title"),
        _ => ("customFields", "label"),
    };
    let mut found = Vec::new();
    let mut waiting: Vec<&Value> = detail[list].as_array().into_iter().flatten().collect();
    while let Some(part) = waiting.pop() {
        let title = part[title].as_str().map(str::to_owned);
        found.push((part["id"].to_string(), title));
        waiting.extend(part["children"].as_array().into_iter().flatten());
    }
    found
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
        let kind = self.kind();
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

    fn kind(&self) -> NewResource {
        self.resource.stored()
    }

    /// The keys of these records that the service has, also in the trash.
    async fn present(&self, records: &[Record]) -> Result<HashSet<Key>> {
        let kind = self.kind();
        let mut found = HashSet::new();
        let keys: HashSet<Key> = records
            .iter()
            .filter_map(|record| kind.key_of(&record.object))
            .collect();
        let mut keys: Vec<Key> = keys.into_iter().collect();
        keys.sort();
        // Keys of one file share a beginning: one condition finds all of them.
        let prefix = format!("{}:", self.file_key);
        for of_owner in keys.chunk_by(|a, b| a.0 == b.0) {
            let owner = of_owner[0].0;
            let (own, given): (Vec<&Key>, Vec<&Key>) = of_owner
                .iter()
                .partition(|(_, key)| key.starts_with(&prefix));
            let property = kind.key();
            let mut conditions = Vec::new();
            if !own.is_empty() {
                conditions.push(format!("startswith({property},{})", literal(&prefix)));
            }
            for some in given.chunks(KEYS) {
                let listed: Vec<String> = some.iter().map(|(_, key)| literal(key)).collect();
                let property = match kind {
                    NewResource::Users => format!("tolower({property})"),
                    _ => property.to_owned(),
                };
                conditions.push(format!("{property} in ({})", listed.join(",")));
            }
            for condition in conditions {
                self.matching(owner, &condition, &mut found).await?;
            }
        }
        Ok(found)
    }

    /// Adds the keys of the records that match a condition.
    async fn matching(&self, owner: i64, condition: &str, found: &mut HashSet<Key>) -> Result<()> {
        let mut add = |key: Option<String>| {
            found.extend(key.map(|key| (owner, key)));
        };
        let client = self.client;
        match self.resource {
            Resource::Incidents => {
                let mut listed = client
                    .incidents()
                    .list_v2()
                    .filter(condition)
                    .select("id,externalId")
                    .stream();
                while let Some(incident) = listed.next().await.transpose()? {
                    add(incident.external_id);
                }
                for deleted in client
                    .incidents()
                    .trash()
                    .filter(condition)
                    .send()
                    .await?
                    .values
                {
                    add(deleted.external_id);
                }
            }
            Resource::Improvements => {
                let mut listed = client.improvements().list().filter(condition).stream();
                while let Some(improvement) = listed.next().await.transpose()? {
                    add(improvement.external_id);
                }
            }
            Resource::Values => {
                let datasource = i32::try_from(owner).unwrap_or_default();
                let mut listed = client
                    .datasources()
                    .values(datasource)
                    .filter(condition)
                    .stream();
                while let Some(value) = listed.next().await.transpose()? {
                    add(value.external_id);
                }
            }
            Resource::Users => {
                let mut listed = client.users().list().filter(condition).stream();
                while let Some(user) = listed.next().await.transpose()? {
                    add(user.user_name.map(|name| name.to_lowercase()));
                }
            }
            Resource::Groups => {
                let mut listed = client.groups().list().filter(condition).stream();
                while let Some(group) = listed.next().await.transpose()? {
                    add(group.name);
                }
            }
        }
        Ok(())
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
        let body = || Value::Object(record.object.clone());
        let client = self.client.idempotency_key(self.key(&[record]));
        Ok(match self.resource {
            Resource::Incidents => {
                let body: IncidentCreate = typed(body())?;
                is_replayed(
                    &client
                        .call_with_reply(&call::CreateIncident::new(&body))
                        .await?,
                )
            }
            Resource::Improvements => {
                let body: ImprovementCreate = typed(body())?;
                is_replayed(
                    &client
                        .call_with_reply(&call::CreateImprovement::new(&body))
                        .await?,
                )
            }
            Resource::Users => {
                let body: UserCreateV2 = typed(body())?;
                is_replayed(
                    &client
                        .call_with_reply(&call::CreateUserV2::new(&body))
                        .await?,
                )
            }
            Resource::Groups => {
                let body: GroupCreate = typed(body())?;
                is_replayed(
                    &client
                        .call_with_reply(&call::CreateGroup::new(&body))
                        .await?,
                )
            }
            Resource::Values => unreachable!("values are created in batches"),
        })
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
        Ok(is_replayed(&client.call_with_reply(&call).await?))
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

fn is_replayed<T>(reply: &Reply<T>) -> bool {
    reply.headers().contains_key("idempotency-replayed")
}

/// A text in a condition.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_type_are_found_at_every_level() {
        let detail = serde_json::json!({
            "categories": [{"id": 30, "title": "Origin", "children": [{"id": 31, "title": "Own", "children": []}]}],
            "customFields": [{"id": 61, "label": "Order"}],
        });
        let mut found = parts(Named::Category, &detail);
        found.sort();
        let part = |id: &str, title: &str| (id.to_owned(), Some(title.to_owned()));
        assert_eq!(found, [part("30", "Origin"), part("31", "Own")]);
        assert_eq!(parts(Named::CustomField, &detail), [part("61", "Order")]);
    }

    #[test]
    fn a_quote_in_a_key_does_not_end_the_literal() {
        assert_eq!(literal("O'Brien"), "'O''Brien'");
    }
}
