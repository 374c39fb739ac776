//! What a client may do at present: its scopes and what an operator set for it.
//!
//! A token states the scopes at the time of its issue. A request may do what both its token and the present
//! settings allow, so a change applies to tokens that were issued before it.

use std::net::IpAddr;
use std::sync::Arc;

use super::scopes::Scopes;
use crate::config::TICKS_PER_SECOND;
use crate::network::{InvalidNetwork, Network};
use crate::rate_limit::{InvalidRateLimit, RateLimit};
use obeya_store::clients::Client;
use obeya_store::grants::{Grants, InvalidGrant};

/// The present settings of a client that is not revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientSettings {
    pub(crate) scopes: Scopes,
    /// In seconds since 1970; from here on it is refused.
    pub(crate) expires: Option<i64>,
    /// The networks from which it may call; empty: all.
    networks: Vec<Network>,
    /// The request rate that the operator set for it; `None`: the one for all clients applies.
    pub(crate) rate: Option<RateLimit>,
    /// The records to which it is restricted.
    pub(crate) grants: Arc<Grants>,
}

/// Settings in the database that no version of the program wrote.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InvalidSettings {
    #[error(transparent)]
    Network(#[from] InvalidNetwork),
    #[error(transparent)]
    Rate(#[from] InvalidRateLimit),
    #[error(transparent)]
    Grant(#[from] InvalidGrant),
}

impl ClientSettings {
    /// The settings in a row; `None` if the client is revoked.
    pub(crate) fn read(row: &Client) -> Result<Option<Self>, InvalidSettings> {
        if row.revoked_at.is_some() {
            return Ok(None);
        }
        Ok(Some(Self {
            scopes: Scopes::parse_known(&row.scopes),
            expires: row.expires_at.map(|at| at.div_euclid(TICKS_PER_SECOND)),
            networks: networks(row)?,
            rate: rate(row)?,
            grants: Arc::new(grants(row)?),
        }))
    }

    /// Whether it may call from an address. An unknown address is in no network.
    pub(crate) fn allow(&self, address: Option<IpAddr>) -> bool {
        self.networks.is_empty()
            || address.is_some_and(|address| {
                let mut networks = self.networks.iter();
                networks.any(|network| network.contains(address))
            })
    }
}

/// The networks of a row; empty: all.
pub(super) fn networks(row: &Client) -> Result<Vec<Network>, InvalidNetwork> {
    let list = row.networks.as_deref().unwrap_or_default();
    list.split_ascii_whitespace().map(str::parse).collect()
}

/// The records to which a row restricts its client.
pub(super) fn grants(row: &Client) -> Result<Grants, InvalidGrant> {
    row.grants.as_deref().unwrap_or_default().parse()
}

/// The rate of a row.
pub(super) fn rate(row: &Client) -> Result<Option<RateLimit>, InvalidRateLimit> {
    match (row.rate_requests, row.rate_seconds) {
        (None, None) => Ok(None),
        (requests, seconds) => {
            let parts = [requests, seconds].map(|part| part.unwrap_or(0).to_string());
            parts.join("/").parse().map(Some)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_refused_where_its_settings_cannot_be_read() {
        for change in [
            (|row| row.networks = Some("10.0.0.0/8 office".to_owned())) as fn(&mut Client),
            |row| row.rate_requests = Some(5),
            |row| row.grants = Some("area=3 office=4".to_owned()),
            |row| (row.rate_requests, row.rate_seconds) = (Some(-5), Some(60)),
        ] {
            let mut row = Client::default();
            assert!(ClientSettings::read(&row).is_ok());
            change(&mut row);
            assert!(ClientSettings::read(&row).is_err(), "{row:?}");
        }
    }

    #[test]
    fn a_client_with_networks_calls_from_them_only() {
        let row = Client {
            networks: Some("10.0.0.0/8 2001:db8::/32".to_owned()),
            ..Client::default()
        };
        let settings = ClientSettings::read(&row)
            .expect("read")
            .expect("not revoked");
        let allow = |text: &str| settings.allow(text.parse().ok());
        assert!(allow("10.1.2.3") && allow("::ffff:10.1.2.3") && allow("2001:db8::7"));
        assert!(!allow("11.1.2.3") && !allow("2001:db9::7") && !settings.allow(None));
        let anywhere = ClientSettings::read(&Client::default()).expect("read");
        assert!(anywhere.expect("not revoked").allow(None));
    }
}
