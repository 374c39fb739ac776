//! A failover: another server has the address of the database, while the one before still answers on the
//! connections that are open.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use obeya_server::store::{Session, Store, StoreError, StoreOptions};
use obeya_testkit::Proxy;
use obeya_testkit::postgres::{Cluster, Shutdown, connect};

use crate::store::{add_area, areas};

const PASSWORD: &str = "on1y-for-a-test";

/// A server whose database has this many areas, and its address.
async fn server(count: i64) -> (Cluster, String) {
    let mut cluster = Cluster::new(PASSWORD);
    cluster.start(&["jit=off"]);
    let url = url(cluster.port);
    let store = Store::open(&url, &StoreOptions::default()).await;
    let store = store.expect("a schema");
    for id in 1..=count {
        let added = store.write(move |session| add_area(session, id, "a"));
        added.await.expect("an area");
    }
    store.close().await;
    (cluster, url)
}

fn url(port: u16) -> String {
    format!("postgres://postgres:{PASSWORD}@127.0.0.1:{port}/postgres")
}

fn address(cluster: &Cluster) -> Option<SocketAddr> {
    Some((Ipv4Addr::LOCALHOST, cluster.port).into())
}

/// The number of areas, by every kind of read.
async fn counts(store: &Store) -> [i64; 5] {
    let count = |session: &mut dyn Session| -> Result<i64, StoreError> {
        let count = session.first("SELECT count(*) FROM areas", &[], |row| row.int(0))?;
        Ok(count.flatten().expect("a number"))
    };
    [
        look_up(store).await,
        store.read_inline(count).await.expect("a number"),
        store.look_up(count).await.expect("a number"),
        store.read(count).await.expect("a number"),
        store.control(count).await.expect("a number"),
    ]
}

/// The same by the connections for look-ups, which are opened in the background.
async fn look_up(store: &Store) -> i64 {
    const COUNT: &str =
        "SELECT count(*), current_setting('statement_timeout') FROM areas WHERE id >= ?1";
    let counted = async {
        loop {
            let counted = store
                .point(COUNT, 0.into(), |row| Ok((row.int(0)?, row.string(1)?)))
                .await;
            let (count, statement_timeout) = counted.expect("a row").expect("a row");
            // That of no other connection.
            if statement_timeout.as_deref() == Some("500ms") {
                return count.expect("a number");
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let counted = tokio::time::timeout(Duration::from_secs(30), counted).await;
    counted.expect("a connection for look-ups")
}

async fn poll(store: &Store) {
    let polled: Result<_, StoreError> = store
        .poll(|session| session.first("SELECT 1", &[], |row| row.int(0)))
        .await;
    polled.expect("polled");
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_to_a_server_that_was_replaced_are_used_no_more() {
    let (old, old_url) = server(1).await;
    let (mut new, new_url) = server(2).await;
    let proxy = Proxy::balancing();
    proxy.set(0, address(&old));
    let options = StoreOptions {
        server_check: Duration::ZERO,
        look_up_wait: Duration::from_secs(10),
        ..StoreOptions::default()
    };
    let store = Store::open(&url(proxy.address().port()), &options).await;
    let store = store.expect("a store");
    poll(&store).await;
    assert_eq!(counts(&store).await, [1; 5]);

    // A standby has the address for a while: the primary is used on.
    new.stop(Shutdown::Fast);
    new.write("data/standby.signal", "");
    new.start(&["jit=off"]);
    proxy.set(0, address(&new));
    poll(&store).await;
    assert_eq!(counts(&store).await, [1; 5]);
    let promote = connect(&new_url).await;
    let promoted = promote.batch_execute("SELECT pg_promote()").await;
    promoted.expect("promoted");

    poll(&store).await;
    assert_eq!(counts(&store).await, [2; 5]);
    // The connection that writes to the old one is open too, and would still work.
    let added = store.write(|session| add_area(session, 7, "b")).await;
    added.expect("an area");
    assert_eq!(areas(&store).await, 3);
    for (url, expected) in [(&old_url, 1_i64), (&new_url, 3)] {
        let client = connect(url).await;
        let row = client.query_one("SELECT count(*) FROM areas", &[]).await;
        assert_eq!(row.expect("a row").get::<_, i64>(0), expected);
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_new_connection_the_open_ones_are_used_on() {
    let (server, _) = server(1).await;
    let proxy = Proxy::balancing();
    proxy.set(0, address(&server));
    let options = StoreOptions {
        server_check: Duration::ZERO,
        look_up_wait: Duration::from_secs(10),
        ..StoreOptions::default()
    };
    let store = Store::open(&url(proxy.address().port()), &options).await;
    let store = store.expect("a store");
    poll(&store).await;
    assert_eq!(counts(&store).await, [1; 5]);
    proxy.set(0, None);
    poll(&store).await;
    assert_eq!(counts(&store).await, [1; 5]);
    store.close().await;
}
