//! The requests of one caller, each repeated until it is answered, and the records that must therefore be in
//! the database.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use obeya::model::{DatasourceValueInput, IncidentStatus, Timestamp};
use obeya::{Client, Error, Tag};
use obeya_server::store::{Session, StoreError};

use crate::replicas::plant;

/// One without elements of its own.
pub const DATASOURCE: i32 = 13;

/// Values of a batch.
const BATCH: usize = 7;

/// What a caller asked for.
#[derive(Default)]
pub struct Asked {
    caller: usize,
    keys: u64,
    /// By its title: the id, and the status that was answered last.
    incidents: BTreeMap<String, (i32, IncidentStatus)>,
    /// Their external ids.
    values: Vec<String>,
    /// The state of the incident that is changed next.
    newest: Option<(String, Option<Tag>)>,
    /// Requests that had to be sent more than once.
    pub sent_again: usize,
    /// Those of them that had been carried out the first time already.
    had_been_done: usize,
}

impl Asked {
    pub fn new(caller: usize) -> Self {
        Self {
            caller,
            ..Self::default()
        }
    }

    /// What all of them asked for.
    pub fn together(all: Vec<Self>) -> Self {
        all.into_iter().fold(Self::default(), |mut sum, one| {
            sum.keys += one.keys;
            sum.incidents.extend(one.incidents);
            sum.values.extend(one.values);
            sum.sent_again += one.sent_again;
            sum.had_been_done += one.had_been_done;
            sum
        })
    }

    /// One more request of each kind.
    pub async fn go_on(&mut self, client: &Client) {
        self.create(client).await;
        self.change(client).await;
        self.measure(client, 1).await;
        self.measure(client, BATCH).await;
    }

    async fn create(&mut self, client: &Client) {
        let title = self.name();
        let incident = plant::incident(&title);
        let send = |client: Client| {
            let incident = incident.clone();
            let call = |client: Client| async move { client.incidents().create(&incident).await };
            async move { client.tagged(call).await }
        };
        let (made, begun) = self.until_answered(client, &title, send).await;
        assert_eq!(made.value.title, title);
        // Reported before it was asked for the last time.
        self.had_been_done += usize::from(made.value.reported_date < begun);
        let kept = (made.value.id, made.value.status);
        self.incidents.insert(title.clone(), kept);
        self.newest = Some((title, made.tag));
    }

    /// Takes the incident on and back again; each time only if it is as it was left. Sent again without its
    /// key, a change that had been made would be refused.
    async fn change(&mut self, client: &Client) {
        let Some((title, mut tag)) = self.newest.take() else {
            return;
        };
        for status in [IncidentStatus::InProgress, IncidentStatus::New] {
            let (id, key) = (self.incidents[&title].0, self.name());
            let send = |client: Client| {
                let client = client.if_match(tag.clone().expect("the service gives tags"));
                let status = status.clone();
                let call = move |client: Client| async move {
                    client.incidents().set_status(id, status).await
                };
                async move { client.tagged(call).await }
            };
            let (changed, _) = self.until_answered(client, &key, send).await;
            assert_eq!(changed.value.status, status, "incident {id}");
            tag = changed.tag;
            self.incidents.insert(title.clone(), (id, status));
        }
    }

    /// Puts in a value, or several at once.
    async fn measure(&mut self, client: &Client, count: usize) {
        let key = self.name();
        let ids: Vec<_> = (0..count).map(|at| format!("{key}/{at}")).collect();
        let inputs = ids.iter().enumerate().map(|(at, id)| {
            let at = i64::try_from(at).expect("a few");
            let moment = Timestamp::from_ticks(17_000_000_000_000_000 + at).expect("in range");
            DatasourceValueInput {
                external_id: Some(id.clone()),
                ..DatasourceValueInput::new(1.5, moment)
            }
        });
        let inputs: Vec<_> = inputs.collect();
        let send = |client: Client| {
            let (datasources, inputs) = (client.datasources(), inputs.clone());
            async move {
                match inputs.as_slice() {
                    [one] => datasources.create_value(DATASOURCE, one).await.map(|_| 1),
                    all => datasources.create_values(DATASOURCE, all).await,
                }
            }
        };
        let (total, _) = self.until_answered(client, &key, send).await;
        assert_eq!(usize::try_from(total), Ok(count));
        self.values.extend(ids);
    }

    /// Sends a request under its key until there is an answer; the answer, and when it was sent for the last
    /// time.
    async fn until_answered<T, F: Future<Output = obeya::Result<T>>>(
        &mut self,
        client: &Client,
        key: &str,
        send: impl Fn(Client) -> F,
    ) -> (T, Timestamp) {
        let client = client.idempotency_key(key);
        let mut tries = 0;
        loop {
            tries += 1;
            let begun = Timestamp::now();
            match send(client.clone()).await {
                Ok(answer) => {
                    self.sent_again += usize::from(tries > 1);
                    return (answer, begun);
                }
                // Killed, or not there yet.
                Err(Error::Connection { .. } | Error::Timeout { .. }) => {}
                Err(error) => panic!("{key}: {error}"),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// A name that no other has.
    fn name(&mut self) -> String {
        self.keys += 1;
        format!("caller-{}-{}", self.caller, self.keys)
    }

    /// Checks the database: every record once, as it was last returned, and no others.
    pub fn compare(&self, session: &mut dyn Session) -> Result<(), StoreError> {
        let sql = "SELECT title, id, status FROM incidents WHERE title LIKE 'caller-%'";
        let found = session.all(sql, &[], |row| {
            let text = |column| row.string(column).map(Option::unwrap_or_default);
            Ok((text(0)?, row.int(1)?, text(2)?))
        })?;
        assert_eq!(
            found.len(),
            self.incidents.len(),
            "as many as were asked for"
        );
        for (title, id, status) in found {
            let (known, last) = &self.incidents[&title];
            assert_eq!(
                (id, status.as_str()),
                (Some(i64::from(*known)), last.as_str()),
                "{title}"
            );
        }
        let sql = "SELECT external_id FROM datasource_values WHERE external_id LIKE 'caller-%' ORDER BY external_id";
        let found = session.all(sql, &[], |row| row.string(0).map(Option::unwrap_or_default))?;
        let mut values = self.values.clone();
        values.sort();
        assert_eq!(found, values);
        let sql = "SELECT count(*), count(DISTINCT last_modified) FROM incidents WHERE title LIKE 'caller-%'";
        let stamps = session.first(sql, &[], |row| Ok((row.int(0)?, row.int(1)?)))?;
        let (all, distinct) = stamps.unwrap_or_default();
        assert_eq!(all, distinct, "two changes share a stamp");
        let sql = "SELECT count(*) FROM answers";
        let kept = session.first(sql, &[], |row| row.int(0))?;
        assert_eq!(
            kept.flatten(),
            i64::try_from(self.keys).ok(),
            "an answer for each key"
        );
        Ok(())
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} requests: {} incidents, {} values; {} sent again, of which at least {} had been done",
            self.keys,
            self.incidents.len(),
            self.values.len(),
            self.sent_again,
            self.had_been_done
        )
    }
}
