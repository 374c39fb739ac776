//! Replicas that serve the specification's plant, and the requests of their callers.

use obeya::Client;
use obeya::model::{
    Board, CategoryInput, CustomFieldInput, DatasourceValue, IncidentCreate, IncidentSeverity,
};
use obeya_testkit::{Proxy, Serving};

use crate::binary::serve_new;

/// The replicas.
pub struct Fleet {
    db: String,
    more: [String; 6],
    replicas: Vec<Option<Serving>>,
}

impl Fleet {
    /// Starts so many, each of which is the one that callers see.
    pub fn start(db: &str, proxy: &Proxy, count: usize) -> Self {
        let url = &proxy.url();
        // The log is not read, and a full pipe would block the service.
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

    /// Kills the replica with this index, and starts another in its place.
    pub fn replace_one(&mut self, proxy: &Proxy, place: usize) {
        self.replicas[place] = None;
        proxy.set(place, None);
        self.start_one(proxy, place);
    }

    fn start_one(&mut self, proxy: &Proxy, place: usize) {
        let more: Vec<&str> = self.more.iter().map(String::as_str).collect();
        let serving = serve_new(&self.db, &more);
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

/// Records that no caller changes: the boards and the values.
pub async fn fixed(client: &Client) -> obeya::Result<(Vec<Board>, Vec<DatasourceValue>)> {
    let boards = client.boards().list().count(true).await?;
    let values = client.datasources().values(12).page(1).await?;
    Ok((boards.items, values.values))
}
