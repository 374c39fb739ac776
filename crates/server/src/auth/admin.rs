//! Administration of clients and keys: over a database for the command line, over a running service for
//! tests.
//!
//! A running service sees changes of its database within [`Limits::auth_poll`](crate::Limits::auth_poll).

mod keys;
mod settings;

use std::fmt;
use std::time::Duration;

use super::scopes::{NAMES, Scopes};
use super::secrets;
use super::settings::{grants, networks, rate};
use crate::config::Clock;
use crate::network::Network;
use crate::rate_limit::RateLimit;
pub use keys::{KeyInfo, list_keys, retire_key, rotate_keys};
pub(crate) use keys::{retire_in, rotate_in};
use obeya_store::audit::{self, Change, Diff, Origin};
use obeya_store::clients::{self, Client};
use obeya_store::engine::StoreError;
use obeya_store::grants::{GrantedRecord, MOST_GRANTS};
use obeya_store::inspection::Inspection;
use obeya_store::users::Counts;
use obeya_store::{Session, Store, StoreOptions, erasure};
pub use settings::{ClientChanges, rotate_secret, set_client};
pub(crate) use settings::{rotate_secret_in, set};

/// How long a statement of an erasure may run: it may look at every value.
const ERASURE_STATEMENT: Duration = Duration::from_secs(3_600);

/// Every scope a client can be granted.
pub const SCOPES: &[&str] = &NAMES;

/// A client with its new secret. The secret is shown only here; `Debug` omits it, so that it never reaches a
/// log.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewClient {
    /// The id with which the client requests tokens.
    pub client_id: String,
    /// The secret. Only its hash is stored.
    pub client_secret: String,
    /// The name.
    pub name: String,
    /// The granted scopes.
    pub scopes: Vec<String>,
}

impl NewClient {
    fn of(client: Client, secret: String) -> Self {
        Self {
            scopes: Scopes::parse_known(&client.scopes)
                .names()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            client_id: client.id,
            client_secret: secret,
            name: client.name,
        }
    }
}

impl fmt::Debug for NewClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewClient")
            .field("client_id", &self.client_id)
            .field("name", &self.name)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// A client in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientInfo {
    /// The id.
    pub client_id: String,
    /// The name.
    pub name: String,
    /// The granted scopes.
    pub scopes: Vec<String>,
    /// When it was created.
    pub created_at: jiff::Timestamp,
    /// When it was revoked, if it is revoked.
    pub revoked_at: Option<jiff::Timestamp>,
    /// When it expires, if it does.
    pub expires_at: Option<jiff::Timestamp>,
    /// The networks from which it may call; empty: all.
    pub networks: Vec<Network>,
    /// Its own request rate.
    pub rate: Option<RateLimit>,
    /// The records to which it is restricted; empty: not restricted.
    pub grants: Vec<GrantedRecord>,
    /// Until when its previous secret is valid, if there is one.
    pub previous_secret_expires_at: Option<jiff::Timestamp>,
}

/// Why an administrative function failed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdminError {
    /// The name is empty, too long or contains control characters.
    #[error("found the client name `{0}`, expected 1 to 200 characters without control characters")]
    Name(String),
    /// No scope was given.
    #[error("a client needs at least one scope; expected some of {scopes}", scopes = NAMES.join(", "))]
    NoScope,
    /// A scope that does not exist.
    #[error("found the scope `{0}`, expected one of {scopes}", scopes = NAMES.join(", "))]
    UnknownScope(String),
    /// A restricted client was to be created without any grant.
    #[error("a restricted client needs at least one grant")]
    NoGrant,
    /// More grants than a client can have.
    #[error("found {0} grants, expected at most {MOST_GRANTS}")]
    Grants(usize),
    /// No user has this id.
    #[error("there is no user `{0}`")]
    UnknownUser(String),
    /// No client has this id.
    #[error("there is no client `{0}`")]
    UnknownClient(String),
    /// The client is revoked.
    #[error("the client `{0}` is revoked")]
    Revoked(String),
    /// No key has this id, or it has expired and was removed.
    #[error("there is no signing key `{0}`")]
    UnknownKey(String),
    /// The settings of a client cannot be read.
    #[error("the client `{client}` has settings that cannot be read: {error}")]
    Settings {
        /// Its id.
        client: String,
        /// What is wrong.
        error: String,
    },
    /// The secret could not be hashed.
    #[error("the secret could not be hashed: {0}")]
    Hash(String),
    /// An error of the database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates a client in the database at `db` (`sqlite:FILE`), which is created if missing.
///
/// # Errors
/// An invalid name or scope, or an error of the database.
pub async fn add_client<S: AsRef<str>>(
    db: &str,
    name: &str,
    scopes: &[S],
) -> Result<NewClient, AdminError> {
    open_and_add(db, name, scopes, &[]).await
}

/// The same for a client that is restricted to some records, at least one.
///
/// # Errors
/// [`AdminError::NoGrant`], [`AdminError::Grants`], and those of [`add_client`].
pub async fn add_restricted_client<S: AsRef<str>>(
    db: &str,
    name: &str,
    scopes: &[S],
    grants: &[GrantedRecord],
) -> Result<NewClient, AdminError> {
    if grants.is_empty() {
        // Without grants the client would see everything.
        return Err(AdminError::NoGrant);
    }
    open_and_add(db, name, scopes, grants).await
}

async fn open_and_add<S: AsRef<str>>(
    db: &str,
    name: &str,
    scopes: &[S],
    grants: &[GrantedRecord],
) -> Result<NewClient, AdminError> {
    let store = open(db).await?;
    let added = add(&store, &Clock::system(), name, scopes, grants).await;
    store.close().await;
    added
}

/// The clients in the database at `db`, oldest first, including revoked ones.
///
/// # Errors
/// An error of the database.
pub async fn list_clients(db: &str) -> Result<Vec<ClientInfo>, AdminError> {
    let store = open(db).await?;
    let listed = list(&store).await;
    store.close().await;
    listed
}

/// Revokes a client in the database at `db`: it gets no more tokens, and its tokens are refused. Revoking
/// again is no error.
///
/// # Errors
/// [`AdminError::UnknownClient`], or an error of the database.
pub async fn revoke_client(db: &str, client_id: &str) -> Result<(), AdminError> {
    let store = open(db).await?;
    let revoked = revoke(&store, &Clock::system(), client_id).await;
    store.close().await;
    revoked
}

/// How to erase a user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erasure {
    /// Whether to remove its user name and display name also where they are stored without an id.
    pub with_names: bool,
    /// Whether to count only, and change nothing.
    pub dry_run: bool,
}

/// Removes a user from the database at `db`: the user, and its id and names from every record. Returns how
/// many records of each kind showed it.
///
/// # Errors
/// [`AdminError::UnknownUser`], or an error of the database. A dry run refuses a database that opening would
/// upgrade.
pub async fn erase_user(db: &str, user_id: &str, how: Erasure) -> Result<Counts, AdminError> {
    if how.dry_run {
        let db = db.to_owned();
        let checked = tokio::task::spawn_blocking(move || Inspection::open_current(&db).map(drop));
        checked
            .await
            .map_err(|failure| StoreError::Engine(Box::new(failure)))??;
    }
    let options = StoreOptions {
        make_tables: false,
        statement_budget: ERASURE_STATEMENT,
        ..StoreOptions::default()
    };
    let store = Store::open(db, &options).await?;
    let erased = erase(&store, &Clock::system(), user_id, how).await;
    store.close().await;
    erased
}

/// How an erasure ends that must not be committed.
enum Undone {
    DryRun(Option<Counts>),
    Failed(StoreError),
}

impl From<StoreError> for Undone {
    fn from(error: StoreError) -> Self {
        Undone::Failed(error)
    }
}

async fn erase(
    store: &Store,
    clock: &Clock,
    user_id: &str,
    how: Erasure,
) -> Result<Counts, AdminError> {
    let (id, now) = (user_id.to_owned(), clock.ticks());
    let erased = store
        .write_isolated(move |session| {
            let counts = erasure::erase(session, &id, how.with_names, now)?;
            // A dry run is the same work, rolled back.
            match how.dry_run {
                true => Err(Undone::DryRun(counts)),
                false => Ok(counts),
            }
        })
        .await;
    let counts = match erased {
        Ok(counts) | Err(Undone::DryRun(counts)) => counts,
        Err(Undone::Failed(error)) => return Err(error.into()),
    };
    counts.ok_or_else(|| AdminError::UnknownUser(user_id.to_owned()))
}

async fn open(db: &str) -> Result<Store, AdminError> {
    Ok(Store::open(db, &StoreOptions::default()).await?)
}

pub(crate) async fn add<S: AsRef<str>>(
    store: &Store,
    clock: &Clock,
    name: &str,
    scopes: &[S],
    grants: &[GrantedRecord],
) -> Result<NewClient, AdminError> {
    if name.is_empty() || name.chars().count() > 200 || name.chars().any(char::is_control) {
        return Err(AdminError::Name(name.to_owned()));
    }
    let granted = grantable(scopes)?;
    let secret = secrets::fresh();
    let hash = secrets::hash(&secret).map_err(|error| AdminError::Hash(error.to_string()))?;
    let client = Client {
        id: secrets::fresh_client_id(),
        name: name.to_owned(),
        secret_hash: hash,
        scopes: granted.list(),
        created_at: clock.ticks(),
        grants: settings::stored(grants)?,
        ..Client::default()
    };
    let new = NewClient::of(client.clone(), secret);
    store
        .write(move |session| {
            clients::insert(session, &client)?;
            let diff = Diff::default()
                .property("name", None, Some(&client.name))
                .property("scopes", None, Some(&client.scopes))
                .property("grants", None, client.grants.as_deref());
            record(session, client.created_at, "addClient", &client.id, diff)
        })
        .await?;
    Ok(new)
}

pub(crate) async fn list(store: &Store) -> Result<Vec<ClientInfo>, AdminError> {
    let clients = store.read(clients::list).await?;
    clients.into_iter().map(info).collect()
}

pub(crate) async fn revoke(
    store: &Store,
    clock: &Clock,
    client_id: &str,
) -> Result<(), AdminError> {
    let (id, now) = (client_id.to_owned(), clock.ticks());
    let known = store
        .write(move |session| {
            let revoked = clients::revoke(session, &id, now)?;
            if revoked {
                let diff = Diff::default().property("revoked", Some(&false), Some(&true));
                record(session, now, "revokeClient", &id, diff)?;
            }
            Ok::<_, StoreError>(revoked || clients::find(session, &id)?.is_some())
        })
        .await?;
    if known {
        Ok(())
    } else {
        Err(AdminError::UnknownClient(client_id.to_owned()))
    }
}

/// The set of these scopes.
fn grantable<S: AsRef<str>>(scopes: &[S]) -> Result<Scopes, AdminError> {
    let granted = Scopes::from_names(scopes.iter().map(AsRef::as_ref))
        .map_err(|unknown| AdminError::UnknownScope(unknown.to_owned()))?;
    if granted == Scopes::default() {
        return Err(AdminError::NoScope);
    }
    Ok(granted)
}

/// Records the change of a client in the audit log.
fn record(
    session: &mut dyn Session,
    now: i64,
    operation: &str,
    id: &str,
    diff: Diff,
) -> Result<(), StoreError> {
    let change = Change::of(format!("clients/{id}"), diff);
    audit::append(session, now, &Origin::default(), operation, &change)
}

fn info(client: Client) -> Result<ClientInfo, AdminError> {
    let unreadable = |error: String| AdminError::Settings {
        client: client.id.clone(),
        error,
    };
    Ok(ClientInfo {
        networks: networks(&client).map_err(|error| unreadable(error.to_string()))?,
        rate: rate(&client).map_err(|error| unreadable(error.to_string()))?,
        grants: grants(&client)
            .map_err(|error| unreadable(error.to_string()))?
            .records()
            .collect(),
        client_id: client.id,
        name: client.name,
        scopes: client.scopes.split(' ').map(str::to_owned).collect(),
        created_at: instant(client.created_at),
        revoked_at: client.revoked_at.map(instant),
        expires_at: client.expires_at.map(instant),
        previous_secret_expires_at: client.previous_secret_expires_at.map(instant),
    })
}

/// An instant from the store's ticks. One that is out of range, which the service never writes, becomes the
/// epoch.
fn instant(ticks: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_nanosecond(i128::from(ticks) * 100).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_restricted_client_has_a_grant() {
        let added = add_restricted_client("sqlite:", "erp", &["Data.Read"], &[]).await;
        assert!(matches!(added, Err(AdminError::NoGrant)), "{added:?}");
    }

    #[test]
    fn a_secret_is_not_debugged() {
        let client = NewClient {
            client_id: "c-1".to_owned(),
            client_secret: "correct horse".to_owned(),
            name: "erp".to_owned(),
            scopes: vec!["Data.Read".to_owned()],
        };
        let shown = format!("{client:?}");
        assert!(shown.contains("c-1") && !shown.contains("horse"), "{shown}");
    }
}
