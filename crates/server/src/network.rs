//! Blocks of IP addresses: as an operator names them, and as limits count them.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use ipnet::IpNet;

/// A block of IP addresses: one address, or a prefix in CIDR notation such as `10.0.0.0/8`.
///
/// IPv4 addresses that are mapped into IPv6 (`::ffff:10.0.0.1`) count as IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network(IpNet);

/// A text that is no [`Network`].
#[derive(Debug, thiserror::Error)]
#[error("found `{0}`, expected an IP address, or a network such as 10.0.0.0/8")]
pub struct InvalidNetwork(String);

impl Network {
    /// Whether the block contains an address.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let address = text.parse::<IpAddr>();
        let network = address
            .map(|address| IpNet::from(address.to_canonical()))
            .or_else(|_| text.parse());
        network
            .map(Self)
            .map_err(|_| InvalidNetwork(text.to_owned()))
    }
}

impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What a limit for each address counts by: an IPv4 address, or the first 64 bits of an IPv6 address. A
/// single host usually has a whole /64, and could otherwise use a new address for every request.
pub(crate) fn counted_as(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn a_network_is_an_address_or_a_prefix() {
        for (network, inside, outside) in [
            ("10.0.0.1", "10.0.0.1", "10.0.0.2"),
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("10.0.0.0/8", "::ffff:10.0.0.1", "::10.0.0.1"),
            ("::ffff:10.0.0.1", "10.0.0.1", "10.0.0.2"),
            ("2001:db8::/32", "2001:db8:7::1", "2001:db9::1"),
            ("::1", "::1", "127.0.0.1"),
        ] {
            let network: Network = network.parse().expect(network);
            assert!(network.contains(ip(inside)), "{inside} in {network}");
            assert!(!network.contains(ip(outside)), "{outside} in {network}");
        }
        for wrong in [
            "",
            "plant.example",
            "10.0.0.0/33",
            "10.0.0.1:80",
            "10.0.0/8",
        ] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn hosts_of_ipv6_count_by_their_64_bits() {
        assert_eq!(counted_as(ip("2001:db8:1:2:3:4:5:6")), ip("2001:db8:1:2::"));
        assert_eq!(counted_as(ip("10.1.2.3")), ip("10.1.2.3"));
        assert_eq!(counted_as(ip("::ffff:10.1.2.3")), ip("10.1.2.3"));
    }
}
