//! How many connections each address has open, and the most that one may have.
//!
//! There is an entry only for an address with an open connection, so the limit on all connections bounds the
//! memory as well.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::network::counted_as;

/// The open connections of each address.
#[derive(Debug)]
pub(crate) struct AddressShares {
    most: usize,
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// One connection of an address; dropped with it.
#[derive(Debug)]
pub(crate) struct SharePermit {
    shares: Arc<AddressShares>,
    address: IpAddr,
}

impl AddressShares {
    /// At most this many connections for each address.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            open: Mutex::default(),
        })
    }

    /// Counts a connection; `None` if the address has as many as it may.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<SharePermit> {
        let address = counted_as(address);
        let mut open = self.open();
        let count = open.get(&address).copied().unwrap_or(0);
        if count >= self.most {
            return None;
        }
        open.insert(address, count + 1);
        Some(SharePermit {
            shares: Arc::clone(self),
            address,
        })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        // Each change is complete in itself, so a panic of another thread leaves the state valid.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SharePermit {
    fn drop(&mut self) {
        let mut open = self.shares.open();
        match open.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_share_and_nothing_is_kept_of_closed_connections() {
        let shares = AddressShares::new(2);
        let admit = |address: &str| shares.admit(address.parse().expect("an address"));
        let first = admit("192.0.2.1").expect("the first");
        let second = admit("::ffff:192.0.2.1").expect("the second");
        assert!(admit("192.0.2.1").is_none());
        let other = admit("192.0.2.2").expect("of another");
        drop(first);
        let third = admit("192.0.2.1").expect("in place of the first");
        assert!(admit("192.0.2.1").is_none());
        let hosts = [admit("2001:db8::1"), admit("2001:db8::2")];
        assert!(hosts.iter().all(Option::is_some) && admit("2001:db8::3").is_none());
        drop((second, other, third, hosts));
        assert!(shares.open().is_empty());
    }
}
