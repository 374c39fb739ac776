//! Rate limits over HTTP: which buckets a request draws from, 429, and the headers that show what is left.
//!
//! The headers are `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers. Both are lists
//! with an item for each policy; `t` is the time until the whole quota is available again.

use std::net::IpAddr;
use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::problem::Problem;
use crate::config::{Clock, Config, Limits};
use crate::network::counted_as;
use crate::rate_limit::{Buckets, Quota, RateLimit};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LEFT: HeaderName = HeaderName::from_static("ratelimit");

/// The policies by name.
const CLIENT: &str = "client";
const ADDRESS: &str = "address";
const TOKEN_FAILURES: &str = "token-failures";

/// The buckets of all callers.
pub(crate) struct RateLimits {
    clients: Buckets<String>,
    addresses: Buckets<IpAddr>,
    token_failures: Buckets<IpAddr>,
    client_rate: Option<RateLimit>,
    address_rate: Option<RateLimit>,
    token_failure_rate: Option<RateLimit>,
    clock: Clock,
}

impl RateLimits {
    /// Full buckets.
    pub(crate) fn new(config: &Config) -> Self {
        let Limits {
            client_rate,
            address_rate,
            token_failure_rate,
            ..
        } = config.limits;
        Self {
            clients: Buckets::default(),
            addresses: Buckets::default(),
            token_failures: Buckets::default(),
            client_rate,
            address_rate,
            token_failure_rate,
            clock: config.clock.clone(),
        }
    }

    /// A request of an address: 429 `rate.limited` if it has sent too many.
    pub(crate) fn check_address(&self, address: IpAddr) -> Result<(), Problem> {
        let Some(rate) = self.address_rate else {
            return Ok(());
        };
        let now = self.clock.monotonic();
        let taken = self.addresses.take(&counted_as(address), rate, now);
        taken.map_err(|wait| limited("This address", rate, wait))
    }

    /// A request of a client: 429 `rate.limited` if it has sent too many. `own` is the rate of this client,
    /// if it has one.
    pub(crate) fn check_client(
        &self,
        client_id: &str,
        own: Option<RateLimit>,
    ) -> Result<(), Problem> {
        let Some(rate) = own.or(self.client_rate) else {
            return Ok(());
        };
        let taken = self.clients.take(client_id, rate, self.clock.monotonic());
        taken.map_err(|wait| limited("This client", rate, wait))
    }

    /// A token request of an address with a wrong id or secret. Adds the headers of its answer; returns
    /// whether the address has had too many.
    pub(crate) fn count_token_failure(&self, address: IpAddr, headers: &mut HeaderMap) -> bool {
        let Some(rate) = self.token_failure_rate else {
            return false;
        };
        let (address, now) = (counted_as(address), self.clock.monotonic());
        let taken = self.token_failures.take(&address, rate, now);
        let quota = self.token_failures.quota(&address, rate, now);
        Shown::default()
            .with(TOKEN_FAILURES, rate, quota)
            .add_to(headers);
        if let Err(wait) = taken {
            headers.insert(RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
        }
        taken.is_err()
    }

    /// Adds what the address and the client of a request have left. With the client comes its own rate, if it
    /// has one.
    pub(crate) fn show(
        &self,
        address: Option<IpAddr>,
        client: Option<(&str, Option<RateLimit>)>,
        to: &mut HeaderMap,
    ) {
        let has_own = client.is_some_and(|(_, own)| own.is_some());
        if self.client_rate.is_none() && self.address_rate.is_none() && !has_own {
            return;
        }
        let now = self.clock.monotonic();
        let mut shown = Shown::default();
        if let Some((client, own)) = client
            && let Some(rate) = own.or(self.client_rate)
        {
            shown = shown.with(CLIENT, rate, self.clients.quota(client, rate, now));
        }
        if let (Some(rate), Some(address)) = (self.address_rate, address) {
            let quota = self.addresses.quota(&counted_as(address), rate, now);
            shown = shown.with(ADDRESS, rate, quota);
        }
        shown.add_to(to);
    }
}

/// The items of the two headers.
#[derive(Default)]
struct Shown {
    policies: Vec<String>,
    left: Vec<String>,
}

impl Shown {
    fn with(mut self, name: &str, rate: RateLimit, quota: Quota) -> Self {
        let (requests, seconds) = (rate.requests(), rate.seconds());
        self.policies
            .push(format!("\"{name}\";q={requests};w={seconds}"));
        let (left, reset) = (quota.remaining, whole_seconds(quota.full_in));
        self.left.push(format!("\"{name}\";r={left};t={reset}"));
        self
    }

    fn add_to(&self, headers: &mut HeaderMap) {
        for (name, items) in [(POLICY, &self.policies), (LEFT, &self.left)] {
            if !items.is_empty()
                && let Ok(value) = HeaderValue::try_from(items.join(", "))
            {
                headers.append(name, value);
            }
        }
    }
}

fn limited(who: &str, rate: RateLimit, wait: Duration) -> Problem {
    let (requests, seconds) = (rate.requests(), rate.seconds());
    let wait = whole_seconds(wait);
    Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        "rate.limited",
        "Too many requests",
        format!(
            "{who} may send {requests} requests in {seconds} seconds. Try again in {wait} seconds."
        ),
    )
    .header(RETRY_AFTER, HeaderValue::from(wait))
}

/// Rounded up: a client that comes back earlier would be refused again.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
