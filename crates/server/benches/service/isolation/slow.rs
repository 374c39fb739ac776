//! Clients that ask for long lists and take nothing of them: the memory of the service, and what others wait.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use tokio::net::TcpSocket;

use super::longest;
use crate::Bench;
use crate::load;
use crate::probe::{ask, closed_loop, get};
use crate::process::Child;
use crate::table::Table;

/// The receive buffer of clients that take nothing.
const BUFFER_BYTES: u32 = 4 << 10;
/// Some megabytes in a page.
const V2: &str = "/v2/incidents?$expand=comments";
const V1: &str = "/v1/Incidents?pageSize=10000";
/// How long others are measured.
const TIME: Duration = Duration::from_secs(10);
/// The memory budget.
const BUDGET_MIB: f64 = 256.0;

pub fn measure(table: &mut Table, bench: &Bench) {
    for readers in [24, 200] {
        let service = Child::service(&bench.plant.db);
        load::get(&service.address, "/v2/groups/1", &bench.token);
        let idle = service.resident_mib().round();
        let held = readers_of(&service, V2, &bench.token, readers);
        std::thread::sleep(TIME);
        let name = format!("{readers} clients that take nothing of v2 lists: memory");
        let peak = service.peak_mib();
        table.limited(&name, peak, idle, "MiB when idle", idle + BUDGET_MIB);
        drop(held);
    }
    let other = bench.client("other", &["public.api.read"]);
    let service = Child::service(&bench.plant.db);
    let other = service.token_of(&other);
    let list = |token: &str| {
        let request = get(V1, token);
        closed_loop(1, TIME, || ask(&service.address, &request))
    };
    let alone = list(&other);
    let held = readers_of(&service, V1, &bench.token, 100);
    let loaded = list(&other);
    let name = "100 clients that take nothing of v1 lists: a list of another, longest";
    longest(table, name, &alone, &loaded);
    drop(held);
}

/// Connections that ask and read nothing.
fn readers_of(service: &Child, path: &str, token: &str, readers: usize) -> Vec<TcpStream> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let address = service.address.parse().expect("an address");
    let request = load::request(path, token);
    let reader = |_| {
        let connection = runtime.block_on(async {
            let socket = TcpSocket::new_v4()?;
            socket.set_recv_buffer_size(BUFFER_BYTES)?;
            socket.connect(address).await?.into_std()
        });
        let mut connection = connection.expect("a connection");
        // A request fits into the buffers of the system.
        connection.write_all(&request).expect("sent");
        connection
    };
    (0..readers).map(reader).collect()
}
