//! `obeya pull values` into a file: the service and the client in a process each, on as many processors as
//! there are.
//!
//! Over JSON a door in between takes the word Arrow out of what the client accepts, as if the service were
//! one that has nothing else. Its time counts.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use rusqlite::Connection;
use serde_json::Value;

const VALUES: u32 = 1_000_000;
const ROUNDS: usize = 5;
const ARROW: &[u8] = b"application/vnd.apache.arrow.stream, application/json;q=0.9";

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plant.db");
    let db = format!("sqlite:{}", file.display());
    let added = obeya(&[
        "client",
        "add",
        "bench",
        "--scope",
        "Data.Read",
        "--json",
        "--db",
        &db,
    ])
    .output();
    let client: Value = serde_json::from_slice(&added.expect("started").stdout).expect("a client");
    fill(&Connection::open(&file).expect("open"));
    let service = Service::start(&db);
    let door = door(service.address.clone());

    println!("{:<52} {:>12} {:>12}", "figure", "values/s", "goal");
    for (name, address, ending, goal) in [
        (
            "1,000,000 values to Parquet, served as Arrow",
            &service.address,
            "parquet",
            Some(1_000_000.0),
        ),
        (
            "1,000,000 values to Parquet, served as JSON",
            &door,
            "parquet",
            Some(400_000.0),
        ),
        (
            "1,000,000 values to an Arrow stream",
            &service.address,
            "arrow",
            None,
        ),
        ("1,000,000 values to CSV", &service.address, "csv", None),
        (
            "1,000,000 values to JSON Lines",
            &service.address,
            "ndjson",
            None,
        ),
    ] {
        let out = folder.path().join(format!("values.{ending}"));
        let pull = || {
            let begun = Instant::now();
            let mut command = obeya(&["pull", "values", "1", "-o"]);
            let text = |name: &str| client[name].as_str().expect("a text");
            command
                .arg(&out)
                .env("OBEYA_BASE_URL", format!("http://{address}"))
                .env("OBEYA_CLIENT_ID", text("client_id"))
                .env("OBEYA_CLIENT_SECRET", text("client_secret"));
            assert!(
                command.output().expect("started").status.success(),
                "{name}"
            );
            f64::from(VALUES) / begun.elapsed().as_secs_f64()
        };
        // What the service remembers of the pages is there then.
        pull();
        let mut rates: Vec<f64> = (0..ROUNDS).map(|_| pull()).collect();
        rates.sort_by(f64::total_cmp);
        let rate = rates[ROUNDS / 2];
        let verdict = goal.map_or(String::new(), |goal| {
            format!("{goal:>12.0}{}", if rate < goal { "  MISSED" } else { "" })
        });
        println!("{name:<52} {rate:>12.0} {verdict}");
    }
}

fn obeya(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_obeya"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// A value a minute, of three shifts on twelve machines.
fn fill(database: &Connection) {
    let rows = format!(
        "INSERT INTO datasources (id, title, value_count, change_counter) VALUES (1, 'OEE', {VALUES}, 1);
        INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, area_id, dimension, dimension2, dimension3)
            WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {VALUES})
            SELECT 1, 16000000000000000 + i * 600000000, 1 + i, round((i * 7919 % 100000) / 1000.0, 3),
                16000000000000000 + i * 600000000 + 20312345, i % 9 + 1,
                CASE i % 3 WHEN 0 THEN 'early' WHEN 1 THEN 'late' ELSE 'night' END, 'Press ' || (i % 12),
                CASE WHEN i % 40 < 30 THEN 'Line ' || (i % 40) END FROM n"
    );
    database.execute_batch(&rows).expect("values");
}

/// A running service; it ends with the measurement.
struct Service {
    child: Child,
    address: String,
}

impl Service {
    fn start(db: &str) -> Self {
        let mut command = obeya(&[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log",
            "error",
            "--db",
            db,
        ]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("started");
        let mut line = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let address = line.trim_end().strip_prefix("listening on http://");
        let address = address.expect("an address").to_owned();
        Self { child, address }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Ended already, if it could not go on.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A door to a service that hides its Arrow; gives its address.
fn door(service: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let behind = TcpStream::connect(&service).expect("the service");
            let (mut from, mut to) = (
                behind.try_clone().expect("cloned"),
                client.try_clone().expect("cloned"),
            );
            thread::spawn(move || {
                // Whoever ends first ends both.
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
            thread::spawn(move || requests(client, behind));
        }
    });
    address
}

/// Hands requests on. Each comes in one piece: they are short, and the client writes them at once.
fn requests(mut client: TcpStream, mut service: TcpStream) {
    let mut bytes = vec![0; 64 << 10];
    while let Ok(read @ 1..) = client.read(&mut bytes) {
        let mut request = bytes[..read].to_vec();
        if let Some(place) = request.windows(ARROW.len()).position(|part| part == ARROW) {
            request.splice(place..place + ARROW.len(), *b"application/json");
        }
        if service.write_all(&request).is_err() {
            break;
        }
    }
    // It may be gone already.
    let _ = service.shutdown(Shutdown::Both);
}
