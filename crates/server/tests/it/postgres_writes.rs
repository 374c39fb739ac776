//! A server that answers reads and refuses writes: writes and `/readyz` say so, reads go on, and the service
//! recovers without help.

use std::sync::Arc;
use std::time::{Duration, Instant};

use obeya_server::{Config, Server};
use obeya_testkit::postgres::{Cluster, Shutdown, connect};

use crate::incidents_plant::{self, accepted, least};
use crate::support::{Answer, Database, Service};

const PASSWORD: &str = "on1y-for-a-test";

/// For what the upkeep notices by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// The service on the plant, with an upkeep that checks often.
async fn plant_on(database: Database) -> Service {
    let change = |config: &mut Config| config.limits.file_check = Duration::from_millis(10);
    let service = Service::start_on(Arc::new(database), change).await;
    let filled = service.store().write(incidents_plant::fill).await;
    filled.expect("the rows fit the schema");
    service
}

/// Asserts that the service takes reads and refuses writes, and names this class at `/readyz` and in the
/// metrics.
async fn refuses_writes(service: &Service, class: &str) {
    let refused: Answer = service.post("/v1/Incidents", &least()).await;
    refused.is_problem(503, "unavailable");
    assert_eq!(refused.header("retry-after"), "1");
    let ready = service.get("/readyz").await;
    let body = ready.is_problem(503, "unavailable");
    assert_eq!(
        body["detail"],
        format!("The database takes no writes: {class}. Reads still work.")
    );
    assert_eq!(ready.header("retry-after"), "1");
    assert_eq!(service.get("/v1/Incidents/100").await.status, 200);
    assert_eq!(service.figure("obeya_store_takes_writes").await, 0);
    let failed = format!("obeya_store_failed_commits_total{{cause=\"{class}\"}}");
    assert!(service.figure(&failed).await > 0, "{failed}");
}

/// Waits until the upkeep has found that writes work again, and writes.
async fn recovers(service: &Service) {
    let deadline = Instant::now() + PATIENCE;
    while service.get("/readyz").await.status != 200 {
        assert!(Instant::now() < deadline, "writes work again");
    }
    assert_eq!(service.figure("obeya_store_takes_writes").await, 1);
    accepted(service, "POST", "/v1/Incidents", &least()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_disk_of_the_server_keeps_the_service_unready_until_a_write_works() {
    let service = plant_on(Database::new()).await;
    let server = connect(service.db()).await;
    for (code, class) in [("53100", "disk_full"), ("58030", "disk_failure")] {
        assert_eq!(service.get("/readyz").await.status, 200);
        let fails = format!(
            "CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'as asked' USING ERRCODE = '{code}'; END $$;
             CREATE TRIGGER fails BEFORE UPDATE ON stamps FOR EACH ROW EXECUTE FUNCTION fails()"
        );
        server.batch_execute(&fails).await.expect("a trigger");
        refuses_writes(&service, class).await;
        // A write that is refused for its content commits nothing, and shows nothing.
        let refused = service
            .post("/v1/Incidents", &serde_json::json!({"title": ""}))
            .await;
        assert_eq!(refused.status, 400, "{}", refused.text());
        refuses_writes(&service, class).await;
        let works = "DROP TRIGGER fails ON stamps; DROP FUNCTION fails()";
        server.batch_execute(works).await.expect("dropped");
        recovers(&service).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_becomes_a_standby_is_read_and_written_once_it_is_promoted() {
    let mut cluster = Cluster::new(PASSWORD);
    cluster.start(&["jit=off"]);
    let url = cluster.url(&format!("postgres:{PASSWORD}"), "postgres");
    let service = plant_on(Database::at(url.clone())).await;

    cluster.stop(Shutdown::Fast);
    cluster.write("data/standby.signal", "");
    cluster.start(&["jit=off"]);
    // Connections of before are lost first.
    let deadline = Instant::now() + PATIENCE;
    while service.store().write_fault().is_none() {
        service
            .post("/v1/Incidents", &least())
            .await
            .is_problem(503, "unavailable");
        assert!(Instant::now() < deadline, "the standby is noticed");
    }
    refuses_writes(&service, "standby").await;
    // A service can start on it, and notices it by itself.
    let second = Server::start(Config::new(&url)).await.expect("started");
    while second.store().write_fault().is_none() {
        assert!(Instant::now() < deadline, "the standby is noticed");
        tokio::task::yield_now().await;
    }
    assert_eq!(second.store().write_fault(), service.store().write_fault());

    let promote = connect(&url).await;
    promote
        .batch_execute("SELECT pg_promote()")
        .await
        .expect("promoted");
    recovers(&service).await;
}
