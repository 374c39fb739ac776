//! A plant with its service in the process of the test, and the network in front of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use obeya_ingester::deliver::Waits;
use obeya_ingester::line::Line;
use obeya_ingester::spool::Spool;
use obeya_ingester::topics::Topics;
use obeya_ingester::{Settings, Summary, ingest};
use obeya_server::import::{ImportOptions, import_dir};
use obeya_server::{Config, Running, Server};
use obeya_testkit::{Fault, Proxy};
use tokio::sync::{mpsc, watch};

/// Datasource 13 of `spec/plant` has no values.
pub const TOPICS: &str = r#"
[topics."hall/temperature"]
datasource = 13
area = 2
dimension = "hall 1"
[topics."press/oee"]
datasource = 12
dimension = "early"
[topics."nobody/knows"]
datasource = 99
"#;
pub const DATASOURCE: i32 = 13;

/// A plant with its service and the network in front of it.
pub struct Plant {
    pub folder: tempfile::TempDir,
    service: Option<Running>,
    network: Proxy,
    pub client: obeya::Client,
    /// Id and secret of the client.
    pub credentials: (String, String),
}

impl Plant {
    /// `choose` breaks requests that add values.
    pub async fn start(choose: impl Fn() -> Option<Fault> + Send + Sync + 'static) -> Self {
        let network = Proxy::faulty(move |head| {
            head.lines()
                .next()?
                .contains("/values/batch")
                .then(&choose)?
        });
        let folder = tempfile::tempdir().expect("a folder");
        let plant = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/plant");
        let options = ImportOptions::default();
        import_dir(&plant, &database(folder.path()), options, Arc::new(()))
            .await
            .expect("imported");
        let service = serve(folder.path(), &network).await;
        let credentials = service
            .add_client("ingester", &["Data.Read", "Data.ReadWrite"])
            .await;
        let credentials = credentials.expect("a client");
        let client = obeya::Client::builder()
            .base_url(network.url())
            .client_id(credentials.client_id.clone())
            .client_secret(credentials.client_secret.clone())
            // The ingester repeats; what it does must not be hidden by the client.
            .max_retries(0)
            .build()
            .expect("a client");
        Self {
            folder,
            service: Some(service),
            network,
            client,
            credentials: (credentials.client_id, credentials.client_secret),
        }
    }

    /// The address that clients know.
    pub fn url(&self) -> String {
        self.network.url()
    }

    /// The service ends, and its address with it.
    pub async fn stop(&mut self) {
        self.network.set(0, None);
        self.service.take().expect("it runs").shutdown().await;
    }

    /// The service runs again, at another address.
    pub async fn start_again(&mut self) {
        self.service = Some(serve(self.folder.path(), &self.network).await);
    }

    /// The folder of batches.
    pub fn spool(&self) -> PathBuf {
        self.folder.path().join("spool")
    }

    /// Sends these lines and waits until all is sent.
    pub async fn ingest(&self, texts: &[String]) -> Summary {
        let spool = Spool::open(&self.spool()).expect("opened");
        let (_, stop) = watch::channel(false);
        ingest(
            &self.client,
            &settings(10, 3600),
            &spool,
            lines(texts),
            stop,
        )
        .await
        .expect("ingested")
    }

    /// The values of a datasource, oldest first, with their times.
    pub async fn values(&self, datasource: i32) -> Vec<(String, f64)> {
        let values = self
            .client
            .datasources()
            .values(datasource)
            .orderby("valueDate")
            .stream();
        let values = values.map_ok(|value| (value.value_date.to_string(), value.value));
        values.try_collect().await.expect("values")
    }
}

fn database(folder: &Path) -> String {
    format!("sqlite:{}", folder.join("plant.db").display())
}

/// Starts the service behind the network, which is all that clients know.
async fn serve(folder: &Path, network: &Proxy) -> Running {
    let mut config = Config::new(database(folder));
    config.base_url = Some(network.url());
    config.auth_url = Some(network.url());
    let service = Server::start(config).await.expect("started");
    network.set(0, Some(service.address()));
    service
}

pub fn settings(most_values: usize, most_age_seconds: u64) -> Settings {
    Settings {
        topics: Topics::parse(TOPICS).expect("topics"),
        most_values,
        most_age: Duration::from_secs(most_age_seconds),
        waits: Waits {
            first: Duration::from_millis(1),
            longest: Duration::from_millis(20),
        },
    }
}

pub fn line(number: u64, text: &str) -> Line {
    Line {
        source: "test".to_owned(),
        number,
        text: text.to_owned(),
    }
}

/// These lines, and then no more.
pub fn lines(texts: &[String]) -> mpsc::Receiver<Line> {
    let (sender, receiver) = mpsc::channel(texts.len().max(1));
    for (number, text) in (1..).zip(texts) {
        sender.try_send(line(number, text)).expect("room");
    }
    receiver
}

/// A reading for each second of an hour, and what the service must have of them.
pub fn readings(seconds: std::ops::Range<u32>) -> (Vec<String>, Vec<(String, f64)>) {
    let times = seconds
        .clone()
        .map(|at| format!("2026-11-26T07:{:02}:{:02}Z", at / 60, at % 60));
    let values = seconds.map(|at| f64::from(at) / 4.0);
    let expected: Vec<_> = times.zip(values).collect();
    let texts = expected
        .iter()
        .map(|(time, value)| format!("hall/temperature {time} {value}"));
    (texts.collect(), expected)
}
