//! A connection without the store, for a database with other tables, such as a copy.
//!
//! Addresses, TLS and messages are those of the service, so there is one way to name a database.

use tokio_postgres::Client;

use super::address::Address;
use super::errors::connect_error;
use super::tls;
use crate::StoreError;

/// Connects to the database at `url`, whatever its schema is.
///
/// # Errors
/// [`StoreError::Schema`] when the address is invalid; [`StoreError::Unavailable`] when no connection can be
/// made.
pub async fn connect(url: &str) -> Result<Client, StoreError> {
    let address = Address::parse(url, |name| std::env::var(name).ok())?;
    let tls = tls::connector(address.check, &address.files)?;
    let (client, connection) = address
        .config
        .connect(tls)
        .await
        .map_err(|error| connect_error(&error, &address.place()))?;
    // Ends with the client. The client's next call returns an error of the connection.
    tokio::spawn(async { drop(connection.await) });
    Ok(client)
}
