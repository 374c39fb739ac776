//! Which records of a table a service has already, by their keys.

use std::collections::HashSet;

use anyhow::Result;
use obeya_server::import::NewResource;

use super::Upload;
use crate::import_table::fields::Resource;
use crate::import_table::names::Record;

/// Keys in one condition.
const KEYS: usize = 50;

/// A key of a record, as [`NewResource::key_of`] gives it.
pub(super) type Key = (i64, String);

impl Upload<'_> {
    /// The keys of these records that the service has, also in the trash.
    pub(super) async fn present(&self, records: &[Record]) -> Result<HashSet<Key>> {
        let kind = self.resource.stored();
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
}

/// A text in a condition.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_in_a_key_does_not_end_the_literal() {
        assert_eq!(literal("O'Brien"), "'O''Brien'");
    }
}
