//! The plant of the specification's examples, the replicas that serve it, and what their callers ask.

use std::path::PathBuf;
use std::time::Duration;

use obeya::model::{
    Board, CategoryInput, CustomFieldInput, DatasourceValue, IncidentCreate, IncidentSeverity,
};
use obeya::{Client, ClientBuilder};
use serde_json::Value as Json;

use super::proxy::Proxy;
use crate::binary::run;
use crate::serving::Serving;

/// The database with the plant in it, and a client's credentials.
pub struct Plant {
    credentials: Json,
}

impl Plant {
    pub fn import(db: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/plant");
        let folder = folder.to_str().expect("UTF-8");
        run(["import", folder, "--db", db]).success();
        let scopes = ["--scope", "public.api.read", "--scope", "public.api.write"];
        let add = ["client", "add", "test", "--db", db, "--json"];
        let made = run(add.iter().chain(&scopes)).success();
        let credentials = serde_json::from_str(&made).expect("JSON");
        Self { credentials }
    }

    /// The SDK. It repeats what may be repeated.
    pub fn client(&self, proxy: &Proxy) -> Client {
        self.client_with(proxy, |builder| builder)
    }

    /// The same with other settings.
    pub fn client_with(
        &self,
        proxy: &Proxy,
        change: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Client {
        let text = |name: &str| self.credentials[name].as_str().expect("a text").to_owned();
        let builder = Client::builder()
            .base_url(&proxy.url)
            .client_id(text("client_id"))
            .client_secret(text("client_secret"))
            .timeout(Duration::from_secs(20));
        change(builder).build().expect("a client")
    }
}

/// The replicas.
pub struct Fleet {
    db: String,
    more: [String; 6],
    replicas: Vec<Option<Serving>>,
}

impl Fleet {
    /// Starts so many, each of which is the one that callers see.
    pub fn start(db: &str, proxy: &Proxy, count: usize) -> Self {
        let url = &proxy.url;
        // Nobody reads the log, and a pipe that is full would hold the service up.
        let more = ["--base-url", url, "--auth-url", url, "--log", "off"].map(str::to_owned);
        let mut fleet = Self {
            db: db.to_owned(),
            more,
            replicas: Vec::new(),
        };
        fleet.replicas.resize_with(count, || None);
        for place in 0..count {
            fleet.start_one(proxy, place);
        }
        fleet
    }

    /// Kills one without a warning, and starts another in its place.
    pub fn replace_one(&mut self, proxy: &Proxy) {
        let place = fastrand::usize(..self.replicas.len());
        self.replicas[place] = None;
        proxy.set(place, None);
        self.start_one(proxy, place);
    }

    fn start_one(&mut self, proxy: &Proxy, place: usize) {
        let more: Vec<&str> = self.more.iter().map(String::as_str).collect();
        let serving = Serving::start(&self.db, &more);
        let address = serving.url.strip_prefix("http://").expect("an address");
        proxy.set(place, Some(address.parse().expect("an address")));
        self.replicas[place] = Some(serving);
    }
}

/// An incident of the plant's one type.
pub fn incident(title: &str) -> IncidentCreate {
    let date = "2026-03-20".parse().expect("a date");
    let categories = vec![CategoryInput::new(31)];
    IncidentCreate {
        custom_fields: Some(vec![CustomFieldInput {
            value: Some("Press 2".into()),
            ..CustomFieldInput::new(62)
        }]),
        ..IncidentCreate::new(3, IncidentSeverity::Low, title, date, categories)
    }
}

/// What nobody changes: the boards and the values.
pub async fn fixed(client: &Client) -> obeya::Result<(Vec<Board>, Vec<DatasourceValue>)> {
    let boards = client.boards().list().count(true).await?;
    let values = client.datasources().values(12).page(1).await?;
    Ok((boards.items, values.values))
}
