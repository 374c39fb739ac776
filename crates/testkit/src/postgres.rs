//! PostgreSQL for tests: databases on the server that all tests share, and servers of a test's own.

mod cluster;
mod scratch;

pub use cluster::{Cluster, Shutdown};
pub use scratch::Scratch;
use tokio_postgres::{Client, NoTls};

/// The address of the server that tests share. Its role may create databases.
///
/// # Panics
/// If `OBEYA_TEST_POSTGRES` does not name it.
#[must_use]
pub fn server() -> String {
    variable("OBEYA_TEST_POSTGRES")
}

/// The same server with another database.
#[must_use]
pub fn on(server: &str, database: &str) -> String {
    let (address, options) = match server.split_once('?') {
        Some((address, options)) => (address, format!("?{options}")),
        None => (server, String::new()),
    };
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..]
        .find('/')
        .map_or(address.len(), |at| authority + at);
    format!("{}/{database}{options}", &address[..end])
}

/// Connects without the service.
///
/// # Panics
/// If the server does not answer.
pub async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls)
        .await
        .expect("the server for tests answers");
    // Ends with the client, or when a test ends the connection; the client then reports it.
    tokio::spawn(async { drop(connection.await) });
    client
}

/// The value of a variable that locates PostgreSQL.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| {
        panic!(
            "{name} is not set: run all tests by `cargo xtask test`, or some of them by `cargo xtask postgres -- cargo nextest run …`"
        )
    })
}

/// Runs this on a separate thread: a test may be inside a runtime, which must not be blocked by another.
fn block_on<T: Send>(work: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime")
                .block_on(work)
        });
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::on;

    #[test]
    fn another_database_stands_in_place_of_the_one_in_the_address() {
        for (server, expected) in [
            ("postgres://u:p@h:1/a?b=c/d", "postgres://u:p@h:1/x?b=c/d"),
            ("postgres://u@h:1", "postgres://u@h:1/x"),
        ] {
            assert_eq!(on(server, "x"), expected);
        }
    }
}
