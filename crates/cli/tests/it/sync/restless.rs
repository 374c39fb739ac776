//! A service that changes at every moment of a run: a copy shows no one moment of it, and a run says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use obeya::model::{DatasourceValueInput, ImprovementCreate};
use obeya_testkit::Proxy;
use serde_json::json;
use tokio::runtime::Handle;

use super::copy::{Copy, assert_same};
use super::plant::Plant;
use super::wire::{FIELDS, tables};
use crate::binary::{done, obeya};

/// A service behind a proxy. While it is restless, something comes before each request for the newest
/// improvement or value, and a comment changes before each request for those of its incident.
fn restless(plant: &Arc<Plant>, is_restless: &Arc<AtomicBool>) -> Proxy {
    let (client, runtime) = (plant.client(), Handle::current());
    // The proxy's thread may end after the test: an owner there would keep the service from ending.
    let (writer, restless) = (Arc::downgrade(plant), Arc::clone(is_restless));
    let mut edits = 0;
    Proxy::http(&plant.serving.url, &[], move |line| {
        if !restless.load(Ordering::Relaxed) {
            return None;
        }
        let line = line.replace('+', " ").replace("%20", " ");
        if line.contains("/v1/Improvements?") && line.contains("lastModified desc") {
            let new = ImprovementCreate::new("Another", "u-1");
            let created = runtime.block_on(client.improvements().create(&new));
            created.expect("created");
        }
        if line.contains("/12/values?") && line.contains("registrationDate desc") {
            let date = "2026-06-01T00:00:00Z".parse().expect("an instant");
            let new = DatasourceValueInput::new(1.0, date);
            let created = runtime.block_on(client.datasources().create_value(12, &new));
            created.expect("created");
        }
        if line.contains("incidentId in") {
            edits += 1;
            writer
                .upgrade()
                .expect("the test is running")
                .edit_comment(edits);
        }
        None
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_a_service_that_never_rests_is_nearly_up_to_date_and_then_it_is() {
    let plant = Arc::new(Plant::new(12, 60));
    let client = plant.client();
    let is_restless = Arc::<AtomicBool>::default();
    let proxy = restless(&plant, &is_restless);
    for (copy, number) in Copy::all(plant.folder.path()).into_iter().zip(1001..) {
        let to = copy.to();
        let sync = |restless| {
            is_restless.store(restless, Ordering::Relaxed);
            done(&mut plant.command_at(&proxy.url(), &to, &[])).success()
        };
        let status = || done(obeya().args(["sync", "--status", "--to", &to])).success();
        sync(false);
        let datasources = client.datasources();
        let gone = datasources.values(12).page(1).await.expect("read");
        let gone = gone.values.first().expect("a value").id;
        datasources.delete_value(12, gone).await.expect("deleted");
        plant.edit_comment(number);
        let out = sync(true);
        assert!(out.contains(" is nearly up to date, in "), "{out}");
        let inexact = ": comments, improvements, values changed during the whole run; ";
        assert!(out.contains(inexact), "{out}");
        let line = status();
        assert!(line.contains("nearly up to date at "), "{line}");
        // Nothing but the number of values shows it, and that differs anyway.
        let values = copy.rows("datasource_values").await;
        assert!(values.iter().all(|row| row["id"] != json!(gone)), "{to}");

        let out = sync(false);
        assert!(out.contains("is up to date"), "{out}");
        let line = status();
        assert!(!line.contains("nearly"), "{line}");
        let service = tables(&client, FIELDS).await;
        assert_same(&copy.tables().await, &service, &to);
    }
}
