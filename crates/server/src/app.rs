//! The state that every request shares. It holds the parts of the service and has no logic of its own.

use std::borrow::Cow;
use std::sync::Arc;

use http::HeaderMap;
use http::header::HOST;
use http::uri::Authority;

use crate::auth::Tokens;
use crate::auth::refused::RefusedTokens;
use crate::auth::secrets::Secrets;
use crate::config::{Clock, Config, lifetime_seconds};
use crate::http::answer_buffer::{self, SlowClients};
use crate::http::memory_budget::MemoryBudget;
use crate::http::rate_limits::RateLimits;
use crate::http::shared_look_up::SharedLookUp;
use crate::telemetry::{Metrics, RefusalLog};
use obeya_read::{ReadCaches, TokenSigner};
use obeya_store::engine::StoreError;
use obeya_store::{Store, StoreOptions};

/// The parts of a running service.
pub(crate) struct App {
    /// The configuration.
    pub(crate) config: Config,
    /// The configured base URL, or that of the bound address; without a trailing slash.
    pub(crate) base_url: String,
    /// The time.
    pub(crate) clock: Clock,
    /// The database.
    pub(crate) store: Store,
    /// The caches of reads.
    pub(crate) caches: ReadCaches,
    /// The memory that bodies and unsent answers may use.
    pub(crate) memory: MemoryBudget,
    /// How readers wait for slow clients.
    pub(crate) slow_clients: SlowClients,
    /// Signs the next links of lists.
    pub(crate) links: TokenSigner,
    /// Issues and verifies access tokens.
    pub(crate) tokens: Arc<Tokens>,
    /// Checks client secrets.
    pub(crate) secrets: Secrets,
    /// How many requests clients and addresses may still send.
    pub(crate) rates: RateLimits,
    /// The lines of the log about refused requests (4xx).
    pub(crate) refusals: RefusalLog,
    /// The same, about failed requests (5xx): refusals, which anybody can cause, must not hide their causes.
    pub(crate) failures: RefusalLog,
    /// The same, about refused token requests, which have a line of their own.
    pub(crate) token_refusals: RefusalLog,
    /// The last look-up of `/readyz`.
    pub(crate) readiness: SharedLookUp,
    /// Counts refused token requests and refused tokens, for the audit log.
    pub(crate) refused: RefusedTokens,
    /// The metrics.
    pub(crate) metrics: Metrics,
}

impl App {
    /// Opens the store and creates the parts. `bound` is the URL of the bound address, `labels` are the names
    /// under which requests are counted.
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
            config.key_encryption.clone(),
        )
        .await?;
        Ok(Self {
            base_url,
            links: TokenSigner::open(&store).await?,
            clock: config.clock.clone(),
            store,
            caches: ReadCaches::default(),
            memory: MemoryBudget::new(&config.limits),
            slow_clients: SlowClients::new(&config.limits),
            tokens: Arc::new(tokens),
            secrets: Secrets::new(config.limits.concurrent_hashes),
            rates: RateLimits::new(&config),
            refusals: RefusalLog::new("requests", config.limits.logged_refusals),
            failures: RefusalLog::new("failed requests", config.limits.logged_refusals),
            token_refusals: RefusalLog::new("token requests", config.limits.logged_refusals),
            readiness: SharedLookUp::default(),
            refused: RefusedTokens::default(),
            metrics: Metrics::new(labels),
            config,
        })
    }

    /// The base URL of the service as the client of a request sees it: the configured one, else that of its
    /// `Host` header. The bound address is useless to a client on another machine if it is `0.0.0.0`, and a
    /// different origin for a client that used `localhost`.
    pub(crate) fn base_for(&self, headers: &HeaderMap) -> Cow<'_, str> {
        if self.config.base_url.is_some() {
            return Cow::Borrowed(&self.base_url);
        }
        let authority = headers
            .get(HOST)
            .and_then(|host| Authority::try_from(host.as_bytes()).ok());
        match authority {
            Some(authority) if !authority.as_str().contains('@') => {
                Cow::Owned(format!("{}://{authority}", self.config.scheme()))
            }
            _ => Cow::Borrowed(&self.base_url),
        }
    }

    /// The URL of the token issuer for the client of a request: the configured one, else as
    /// [`Self::base_for`].
    pub(crate) fn issuer_for(&self, headers: &HeaderMap) -> Cow<'_, str> {
        match self.config.auth_url {
            Some(_) => Cow::Borrowed(self.tokens.issuer()),
            None => self.base_for(headers),
        }
    }

    /// The URL of the token endpoint of that issuer.
    pub(crate) fn token_url_for(&self, headers: &HeaderMap) -> String {
        format!("{}/connect/token", self.issuer_for(headers))
    }
}

fn store_options(config: &Config) -> StoreOptions {
    let limits = &config.limits;
    StoreOptions {
        make_tables: config.create,
        leftover_wal: config.leftover_wal,
        readers: limits.database_connections.max(1),
        reader_wait: limits.database_wait,
        client_reads: limits.client_reads,
        client_share: limits.client_share,
        statement_budget: limits.statement,
        // A list of v1 waits for its client between statements.
        reader_pause: answer_buffer::longest_pause(limits),
        ..StoreOptions::default()
    }
}
