//! The state every request shares. It holds the parts of the service and decides nothing.

use std::borrow::Cow;
use std::sync::Arc;

use http::HeaderMap;
use http::header::HOST;
use http::uri::Authority;

use crate::auth::Tokens;
use crate::auth::secrets::Secrets;
use crate::config::{Clock, Config, lifetime_seconds};
use crate::http::batches::Batches;
use crate::http::memory_budget::MemoryBudget;
use crate::telemetry::Metrics;
use obeya_read::{ReadCaches, Signer};
use obeya_store::engine::StoreError;
use obeya_store::{Store, StoreOptions};

/// The parts of a running service.
pub(crate) struct App {
    /// What it was started with.
    pub(crate) config: Config,
    /// The URL of the address that was bound, or the one configured; without a trailing slash.
    pub(crate) base_url: String,
    /// The time.
    pub(crate) clock: Clock,
    /// Where everything is kept.
    pub(crate) store: Store,
    /// What reads leave behind for later ones.
    pub(crate) caches: ReadCaches,
    /// What answers on their way to clients may hold of the memory.
    pub(crate) memory: MemoryBudget,
    /// The room for lists of values on their way into the store.
    pub(crate) batches: Batches,
    /// Signs the next links of lists.
    pub(crate) links: Signer,
    /// Issues and verifies access tokens.
    pub(crate) tokens: Arc<Tokens>,
    /// Checks client secrets.
    pub(crate) secrets: Secrets,
    /// The figures.
    pub(crate) metrics: Metrics,
}

impl App {
    /// Opens the store and puts the parts together. `bound` is the URL of the address that was bound,
    /// `labels` are the names under which requests are counted.
    pub(crate) async fn open(
        config: Config,
        bound: &str,
        labels: &[&'static str],
    ) -> Result<Self, StoreError> {
        let without_slash = |url: &str| url.trim_end_matches('/').to_owned();
        let base_url = without_slash(config.base_url.as_deref().unwrap_or(bound));
        let issuer = config
            .auth_url
            .as_deref()
            .map_or_else(|| base_url.clone(), without_slash);
        let store = Store::open(&config.db, &store_options(&config)).await?;
        let tokens = Tokens::open(
            &store,
            &issuer,
            lifetime_seconds(config.token_lifetime),
            config.limits.remembered_tokens,
            config.clock.clone(),
        )
        .await?;
        Ok(Self {
            base_url,
            links: Signer::open(&store).await?,
            clock: config.clock.clone(),
            store,
            caches: ReadCaches::default(),
            memory: MemoryBudget::new(&config.limits),
            batches: Batches::new(&config.limits),
            tokens: Arc::new(tokens),
            secrets: Secrets::new(config.limits.concurrent_hashes),
            metrics: Metrics::new(labels),
            config,
        })
    }

    /// The URL the caller of a request reached the service under: the one configured, else what its `Host`
    /// says. The bound address would be no use to a caller on another machine when that is `0.0.0.0`, and
    /// another origin to one who said `localhost`.
    pub(crate) fn base_for(&self, headers: &HeaderMap) -> Cow<'_, str> {
        if self.config.base_url.is_some() {
            return Cow::Borrowed(&self.base_url);
        }
        let authority = headers
            .get(HOST)
            .and_then(|host| Authority::try_from(host.as_bytes()).ok());
        match authority {
            Some(authority) if !authority.as_str().contains('@') => {
                Cow::Owned(format!("http://{authority}"))
            }
            _ => Cow::Borrowed(&self.base_url),
        }
    }

    /// Where the caller of a request finds the token issuer: the one configured, else as [`Self::base_for`].
    pub(crate) fn issuer_for(&self, headers: &HeaderMap) -> Cow<'_, str> {
        match self.config.auth_url {
            Some(_) => Cow::Borrowed(self.tokens.issuer()),
            None => self.base_for(headers),
        }
    }
}

fn store_options(config: &Config) -> StoreOptions {
    let limits = &config.limits;
    StoreOptions {
        make_tables: config.create,
        leftover_wal: config.leftover_wal,
        readers: limits.database_connections.max(1),
        reader_wait: limits.database_wait,
        statement_budget: limits.statement,
        // A list of v1 waits for its client between statements.
        reader_pause: limits.request,
        ..StoreOptions::default()
    }
}
