//! The verified tokens, and the present settings of every client, by which a verified token is judged.
//!
//! All of it is one state: a token whose client or key is withdrawn meanwhile is not added after the change
//! was applied. No I/O happens here.
//!
//! Tokens are found by their text. A digest as the key would cost each request more than the rest of the
//! look-up, and would hide nothing: the keys that sign tokens are in the same memory.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::Refusal;
use super::keys::KeyRing;
use super::scopes::Scopes;
use super::settings::ClientSettings;
use obeya_store::clients::Client;

/// The present settings of every client; `None` for those that are revoked or have unreadable settings.
pub(super) type Clients = HashMap<String, Option<Arc<ClientSettings>>>;

/// The settings in the rows of all clients.
pub(super) fn settings_of(rows: &[Client]) -> Clients {
    rows.iter().map(settings).collect()
}

/// A token whose signature and claims were verified.
#[derive(Debug, Clone)]
pub(super) struct VerifiedToken {
    pub(super) client_id: Arc<str>,
    pub(super) scopes: Scopes,
    /// In seconds since 1970.
    pub(super) expires: i64,
    /// The key that signed it.
    pub(super) kid: String,
}

/// What a verified token allows at present.
#[derive(Debug)]
pub(crate) struct Grant {
    /// The id of the client.
    pub(crate) client_id: Arc<str>,
    /// The scopes that both the token and the client have.
    pub(crate) scopes: Scopes,
    /// The present settings of the client.
    pub(crate) client: Arc<ClientSettings>,
    /// When the token or the client expires, whichever is first; in seconds since 1970.
    pub(super) expires: i64,
    token: VerifiedToken,
}

impl Grant {
    fn new(token: VerifiedToken, client: &Arc<ClientSettings>) -> Arc<Self> {
        Arc::new(Self {
            client_id: Arc::clone(&token.client_id),
            scopes: token.scopes.intersection(client.scopes),
            expires: client
                .expires
                .map_or(token.expires, |end| end.min(token.expires)),
            client: Arc::clone(client),
            token,
        })
    }
}

/// The tokens, the clients and the keys.
pub(super) struct TokenCache {
    capacity: usize,
    /// By the text of the token.
    verified: HashMap<String, Arc<Grant>>,
    clients: Clients,
    ring: Arc<KeyRing>,
    /// The number of the read that was applied last.
    applied: u64,
}

impl TokenCache {
    pub(super) fn new(capacity: usize, ring: KeyRing, clients: Clients) -> Self {
        Self {
            capacity,
            verified: HashMap::new(),
            clients,
            ring: Arc::new(ring),
            applied: 0,
        }
    }

    pub(super) fn ring(&self) -> Arc<KeyRing> {
        Arc::clone(&self.ring)
    }

    pub(super) fn get(&self, text: &str) -> Option<Arc<Grant>> {
        self.verified.get(text).cloned()
    }

    pub(super) fn len(&self) -> usize {
        self.verified.len()
    }

    /// Whether the client was in a list that was read, or added by [`Self::add_client`].
    pub(super) fn knows(&self, client_id: &str) -> bool {
        self.clients.contains_key(client_id)
    }

    /// Adds a client that is not in the list that was read last. A client in that list is left alone: the row
    /// may be older.
    pub(super) fn add_client(&mut self, row: &Client) {
        if !self.knows(&row.id) {
            let (id, settings) = settings(row);
            self.clients.insert(id, settings);
        }
    }

    /// Adds a verified token.
    pub(super) fn add(
        &mut self,
        text: &str,
        token: VerifiedToken,
        now: i64,
    ) -> Result<Arc<Grant>, Refusal> {
        if !self.ring.has(&token.kid) {
            return Err(Refusal::UNKNOWN_KEY);
        }
        let client = self.clients.get(&*token.client_id).and_then(Option::as_ref);
        let grant = Grant::new(token, client.ok_or(Refusal::Revoked)?);
        if self.verified.len() >= self.capacity {
            self.verified.retain(|_, grant| now < grant.expires);
        }
        if self.verified.len() >= self.capacity {
            // Any entry will do: its token is only verified again.
            let victim = self.verified.keys().next().cloned();
            victim.and_then(|text| self.verified.remove(&text));
        }
        self.verified.insert(text.to_owned(), Arc::clone(&grant));
        Ok(grant)
    }

    /// Applies the keys and clients of the `number`-th read. Reads may overtake one another: one that began
    /// before the last applied one is ignored.
    pub(super) fn apply(&mut self, number: u64, ring: KeyRing, clients: Clients) {
        if number < self.applied {
            return;
        }
        self.applied = number;
        self.ring = Arc::new(ring);
        self.clients = clients;
        let Self { clients, ring, .. } = self;
        self.verified.retain(|_, grant| {
            let client = clients.get(&*grant.client_id).and_then(Option::as_ref);
            let Some(client) = client.filter(|_| ring.has(&grant.token.kid)) else {
                return false;
            };
            if *client != grant.client {
                *grant = Grant::new(grant.token.clone(), client);
            }
            true
        });
    }
}

fn settings(row: &Client) -> (String, Option<Arc<ClientSettings>>) {
    let settings = ClientSettings::read(row).unwrap_or_else(|error| {
        tracing::error!(client = row.id, %error, "refused a client whose settings cannot be read");
        None
    });
    (row.id.clone(), settings.map(Arc::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(scopes: &str) -> Client {
        Client {
            id: "c-1".to_owned(),
            scopes: scopes.to_owned(),
            ..Client::default()
        }
    }

    fn token() -> VerifiedToken {
        VerifiedToken {
            client_id: "c-1".into(),
            scopes: Scopes::parse_known("Data.Read Boards.Read"),
            expires: 100,
            kid: "k".to_owned(),
        }
    }

    /// A poll that began before a change and ends after it must not undo it.
    #[test]
    fn a_read_that_was_overtaken_is_ignored() {
        let mut cache = TokenCache::new(
            2,
            KeyRing::of_ids(&["k"]),
            settings_of(&[client("Data.Read")]),
        );
        cache.add("a token", token(), 0).expect("granted");
        cache.apply(
            2,
            KeyRing::of_ids(&["k"]),
            settings_of(&[client("Boards.Read")]),
        );
        cache.apply(
            1,
            KeyRing::of_ids(&["k"]),
            settings_of(&[client("Data.Read")]),
        );
        let scopes = |cache: &TokenCache| cache.get("a token").map(|grant| grant.scopes.list());
        assert_eq!(scopes(&cache).as_deref(), Some("Boards.Read"));
        cache.apply(
            3,
            KeyRing::of_ids(&["k"]),
            settings_of(&[client("Data.Read")]),
        );
        assert_eq!(scopes(&cache).as_deref(), Some("Data.Read"));
    }

    /// A token may be verified while the read that withdraws its key or client is applied.
    #[test]
    fn a_token_is_not_added_after_its_key_or_client_was_withdrawn() {
        let mut cache = TokenCache::new(
            2,
            KeyRing::of_ids(&["k"]),
            settings_of(&[client("Data.Read")]),
        );
        cache.apply(
            1,
            KeyRing::of_ids(&["other"]),
            settings_of(&[client("Data.Read")]),
        );
        let refused = cache.add("a token", token(), 0);
        assert_eq!(refused.map(drop), Err(Refusal::UNKNOWN_KEY));
        let revoked = Client {
            revoked_at: Some(1),
            ..client("Data.Read")
        };
        cache.apply(2, KeyRing::of_ids(&["k"]), settings_of(&[revoked]));
        assert_eq!(
            cache.add("a token", token(), 0).map(drop),
            Err(Refusal::Revoked)
        );
        // The row that a token request read before that does not bring it back.
        cache.add_client(&client("Data.Read"));
        assert_eq!(
            cache.add("a token", token(), 0).map(drop),
            Err(Refusal::Revoked)
        );
    }
}
