//! The plant that the examples of the specification describe, imported and served at the time they were
//! written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use obeya::Client;
use obeya_server::Clock;
use obeya_server::import::{ImportOptions, OnConflict, import_dir};
use obeya_server::store::StoreError;

use super::record::Recorder;
use crate::support::{ALL, Database, Service};

/// When the example of an updated improvement was written.
pub const NOW: &str = "2026-03-20T13:15:42.1234567Z";

/// The service on that plant.
pub async fn served() -> Service {
    served_at(NOW).await
}

/// The same, with the clock at another time.
pub async fn served_at(now: &str) -> Service {
    served_from(&folder(), now).await
}

/// The folder of the plant.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/plant")
}

/// The service on another folder, at a time.
pub async fn served_from(plant: &Path, now: &str) -> Service {
    let now: jiff::Timestamp = now.parse().expect("a timestamp");
    let database = Arc::new(Database::new());
    let options = ImportOptions {
        on_conflict: OnConflict::Fail,
        ..ImportOptions::default()
    };
    import_dir(plant, database.url(), options, Arc::new(()))
        .await
        .expect("the plant can be imported");
    let service = Service::start_on(database, |config| {
        config.clock = Clock::new(move || now);
        // So that a body that is too large for one operation is for each.
        config.limits.batch_bytes = config.limits.body_bytes;
        config.limits.attachment_bytes = config.limits.body_bytes;
    })
    .await;
    // The plant has later changes than some examples: the stamps are set to those at the time of the
    // examples.
    let before = i64::try_from(now.as_nanosecond() / 100).expect("ticks") - 1;
    let stand = service.store().write(move |session| {
        let sql = "UPDATE stamps SET last = ?1 WHERE last > ?1";
        session.execute(sql, &[before.into()])
    });
    let stand: Result<_, StoreError> = stand.await;
    stand.expect("set back");
    service
}

/// The client of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A client that may do everything.
    All,
    /// A client whose only scope is that of another family: of projects for tasks, of tasks for others.
    Elsewhere,
    ElsewhereFromTasks,
    /// No token.
    Nobody,
}

/// The SDK on the service, seen by the recorder.
pub async fn client(service: &Service, caller: Caller, recorder: &Recorder) -> Client {
    client_at(service.running.base_url(), service, caller, recorder).await
}

/// The same, where a proxy stands for the service at this URL.
pub async fn client_at(
    url: &str,
    service: &Service,
    caller: Caller,
    recorder: &Recorder,
) -> Client {
    let builder = Client::builder()
        .base_url(url)
        .max_retries(0)
        .observe(Arc::new(recorder.clone()));
    let scopes: &[&str] = match caller {
        Caller::All => &ALL,
        Caller::Elsewhere => &["Tasks.Read"],
        Caller::ElsewhereFromTasks => &["Projects.Read"],
        Caller::Nobody => return builder.anonymous().build().expect("a client"),
    };
    let client = service.running.add_client("contract", scopes).await;
    let client = client.expect("a client");
    builder
        .client_id(client.client_id)
        .client_secret(client.client_secret)
        .build()
        .expect("a client")
}
