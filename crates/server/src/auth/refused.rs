//! Counts of refused token requests and refused access tokens, by address and minute, until upkeep stores
//! them.
//!
//! Anybody can cause them, so the memory is bounded: beyond that, addresses are counted together.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::Extensions;
use obeya_store::refused_tokens::{self, Counts};
use obeya_store::{Store, StoreError};

use crate::config::Clock;
use crate::http::client_address::ClientAddress;

/// Most addresses and minutes in memory.
const MOST_COUNTED: usize = 1_000;
/// Stands for all further addresses.
const OTHERS: &str = "others";

/// What was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusedKind {
    /// A request for a token.
    Request,
    /// A token.
    Token,
}

/// The counts that are not stored yet.
#[derive(Default)]
pub(crate) struct RefusedTokens {
    counts: Mutex<CountsByAddress>,
}

/// Counts by minute and address; without an address, those of all further addresses.
type CountsByAddress = HashMap<(i64, Option<IpAddr>), Counts>;

impl RefusedTokens {
    /// Counts one. The address is that of the client, behind trusted proxies too.
    pub(crate) fn count(&self, clock: &Clock, request: &Extensions, kind: RefusedKind) {
        let minute = minute(clock);
        let client = request.get::<ClientAddress>();
        let address = client.map(|client| client.address);
        let (requests, tokens) = match kind {
            RefusedKind::Request => (1, 0),
            RefusedKind::Token => (0, 1),
        };
        let one = Counts { requests, tokens };
        add(&mut self.counts(), (minute, address), one);
    }

    /// Stores the counts. If that fails, they are kept for the next time.
    pub(crate) async fn store(&self, store: &Store, clock: &Clock) -> Result<(), StoreError> {
        let taken = std::mem::take(&mut *self.counts());
        if taken.is_empty() {
            return Ok(());
        }
        let named = taken.iter().map(|((minute, address), counts)| {
            let address = address.map_or_else(|| OTHERS.to_owned(), |address| address.to_string());
            ((*minute, address), *counts)
        });
        let named: HashMap<_, _> = named.collect();
        let now = minute(clock);
        let stored = store
            .write(move |session| refused_tokens::add(session, &named, now))
            .await;
        if stored.is_err() {
            self.put_back(taken);
        }
        stored
    }

    fn put_back(&self, taken: CountsByAddress) {
        let mut counts = self.counts();
        for (key, earlier) in taken {
            add(&mut counts, key, earlier);
        }
    }

    fn counts(&self) -> MutexGuard<'_, CountsByAddress> {
        // Each change is complete in itself, so a panic of another thread leaves the state valid.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds to the counts of an address in a minute. Beyond [`MOST_COUNTED`], it adds to those of all further
/// addresses.
fn add(all: &mut CountsByAddress, (minute, address): (i64, Option<IpAddr>), more: Counts) {
    let is_counted = all.len() < MOST_COUNTED || all.contains_key(&(minute, address));
    let counts = all.entry((minute, address.filter(|_| is_counted)));
    let counts = counts.or_default();
    counts.requests += more.requests;
    counts.tokens += more.tokens;
}

/// Minutes since 1970-01-01T00:00Z.
fn minute(clock: &Clock) -> i64 {
    clock.seconds().div_euclid(60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_addresses_are_counted_together() {
        let (refused, clock) = (
            RefusedTokens::default(),
            Clock::new(|| jiff::Timestamp::UNIX_EPOCH),
        );
        let count = |address: u32, kind| {
            let mut request = Extensions::new();
            request.insert(ClientAddress {
                address: IpAddr::from(address.to_be_bytes()),
                is_hidden: false,
            });
            refused.count(&clock, &request, kind);
        };
        for address in 0..2_000 {
            count(address, RefusedKind::Token);
        }
        count(7, RefusedKind::Request);
        let counts = refused.counts();
        assert_eq!(counts.len(), MOST_COUNTED + 1);
        let one = Counts {
            requests: 1,
            tokens: 1,
        };
        assert_eq!(counts[&(0, Some(IpAddr::from([0, 0, 0, 7])))], one);
        let others = Counts {
            requests: 0,
            tokens: 1_000,
        };
        assert_eq!(counts[&(0, None)], others);
    }

    /// While they could not be stored, as many other addresses were counted.
    #[test]
    fn what_could_not_be_stored_keeps_to_the_same_bound() {
        let one = Counts {
            requests: 1,
            tokens: 0,
        };
        let of = |network: u8| {
            let numbers = 0..1_000_u16;
            let addresses = numbers.map(move |number| {
                let [high, low] = number.to_be_bytes();
                IpAddr::from([10, network, high, low])
            });
            addresses.map(move |address| ((0, Some(address)), one))
        };
        let refused = RefusedTokens::default();
        *refused.counts() = of(1).collect();
        refused.put_back(of(2).collect());
        let counts = refused.counts();
        assert_eq!(counts.len(), MOST_COUNTED + 1);
        let sum: i64 = counts.values().map(|counts| counts.requests).sum();
        assert_eq!(sum, 2 * 1_000);
    }
}
