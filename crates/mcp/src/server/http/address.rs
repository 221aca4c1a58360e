//! From which address an anonymous caller asks: that of the connection, or what a trusted proxy says.

use std::{fmt, net::IpAddr, str::FromStr, sync::Arc};

use http::{HeaderMap, HeaderName};

/// The header in which proxies say for whom they ask, the last one at the end.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Most proxies between a caller and this server: 16; what is said of more of them is not looked at.
const MAX_PROXIES: usize = 16;

/// Bits of an IPv6 address that a network gives to one place: the rest is chosen freely there.
const PLACE_BITS: u8 = 64;

/// The address at the other end of a connection. A service that is mounted in a router of one's own
/// ([`super::HttpService`]) learns it from the request's extensions; without it anonymous callers share their rate limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);

/// The other end of a connection, and the place that it belongs to.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    address: IpAddr,
    place: Arc<str>,
}

impl Peer {
    pub(super) fn at(address: IpAddr) -> Self {
        Self {
            address,
            place: place(address),
        }
    }

    /// The place of whoever asks by a request with this head.
    pub(super) fn asks_from(&self, head: &HeaderMap, trusted: &[Network]) -> Arc<str> {
        if trusted.is_empty() {
            return Arc::clone(&self.place);
        }
        place(asker(self.address, head, trusted))
    }
}

/// Addresses that begin with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

/// A text that names no network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write an address or a network, as 10.0.0.0/8 or ::1")]
pub struct NetworkError(());

impl Network {
    /// Whether it has this address.
    #[must_use]
    pub fn has(&self, address: IpAddr) -> bool {
        masked(address.to_canonical(), self.bits) == Some(masked_own(self))
    }
}

fn masked_own(network: &Network) -> IpAddr {
    masked(network.address, network.bits).unwrap_or(network.address)
}

impl FromStr for Network {
    type Err = NetworkError;

    /// Reads `ADDRESS` or `ADDRESS/BITS`.
    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NetworkError(()))?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => most,
            Some(bits) => bits.parse().map_err(|_| NetworkError(()))?,
        };
        (bits <= most)
            .then_some(Self { address, bits })
            .ok_or(NetworkError(()))
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// The first bits of an address; `None` when it has not so many.
fn masked(address: IpAddr, bits: u8) -> Option<IpAddr> {
    Some(match address {
        IpAddr::V4(address) => {
            let rest = 32_u32.checked_sub(bits.into())?;
            let mask = u32::MAX.checked_shl(rest).unwrap_or(0);
            IpAddr::V4((address.to_bits() & mask).into())
        }
        IpAddr::V6(address) => {
            let rest = 128_u32.checked_sub(bits.into())?;
            let mask = u128::MAX.checked_shl(rest).unwrap_or(0);
            IpAddr::V6((address.to_bits() & mask).into())
        }
    })
}

/// The name of the place that an address belongs to, by which callers are told apart.
fn place(address: IpAddr) -> Arc<str> {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string().into(),
        address => {
            let network = masked(address, PLACE_BITS).unwrap_or(address);
            format!("{network}/{PLACE_BITS}").into()
        }
    }
}

/// The address of whoever asks: of the connection, unless a trusted proxy is at its other end. Of what proxies say, what the
/// last trusted one says is believed, and nothing before it.
fn asker(peer: IpAddr, head: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let said = head.get_all(FORWARDED_FOR).iter();
    let said: Vec<&str> = said.filter_map(|value| value.to_str().ok()).collect();
    let mut said = said.iter().rev().flat_map(|list| list.rsplit(','));
    let mut asker = peer;
    for _ in 0..MAX_PROXIES {
        if !trusted.iter().any(|network| network.has(asker)) {
            break;
        }
        match said.next().and_then(|text| read(text.trim())) {
            Some(before) => asker = before,
            None => break,
        }
    }
    asker
}

/// An address, perhaps with a port.
fn read(text: &str) -> Option<IpAddr> {
    let whole = text.trim_start_matches('[').trim_end_matches(']');
    let with_port = || text.parse().ok().map(|socket: std::net::SocketAddr| socket.ip());
    whole.parse().ok().or_else(with_port)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn network(text: &str) -> Network {
        text.parse().expect("a network")
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn a_network_has_the_addresses_that_begin_as_it_does() {
        for (text, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
            ("10.1.2.3/8", "10.9.9.9", "::1"),
            ("2001:db8::/32", "2001:db8:1::1", "2001:db9::1"),
            ("::1", "::1", "::2"),
            ("0.0.0.0/0", "255.255.255.255", "::1"),
            // An IPv4 address stays one in the clothes of the other family.
            ("127.0.0.1", "::ffff:127.0.0.1", "::ffff:127.0.0.2"),
        ] {
            assert!(network(text).has(address(inside)), "{text} {inside}");
            assert!(!network(text).has(address(outside)), "{text} {outside}");
        }
        for wrong in ["", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "host", "10.0.0/8"] {
            assert_eq!(wrong.parse::<Network>(), Err(NetworkError(())), "{wrong}");
        }
    }

    #[test]
    fn a_place_is_an_address_or_the_half_of_one() {
        for (text, expected) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
            ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ] {
            assert_eq!(&*place(address(text)), expected);
        }
    }

    fn asked(peer: &str, said: &[&'static str], trusted: &[&str]) -> String {
        let mut head = HeaderMap::new();
        for value in said {
            head.append(FORWARDED_FOR, HeaderValue::from_static(value));
        }
        let trusted: Vec<Network> = trusted.iter().map(|text| network(text)).collect();
        asker(address(peer), &head, &trusted).to_string()
    }

    #[test]
    fn a_proxy_is_believed_only_when_it_is_trusted() {
        assert_eq!(asked("192.0.2.1", &["198.51.100.9"], &[]), "192.0.2.1");
        assert_eq!(
            asked("192.0.2.1", &["198.51.100.9"], &["10.0.0.0/8"]),
            "192.0.2.1"
        );
        assert_eq!(
            asked("10.0.0.1", &["198.51.100.9"], &["10.0.0.0/8"]),
            "198.51.100.9"
        );
    }

    #[test]
    fn what_stands_before_the_last_stranger_is_his_own_word() {
        let proxies = &["10.0.0.0/8"];
        assert_eq!(
            asked("10.0.0.1", &["203.0.113.1, 198.51.100.9"], proxies),
            "198.51.100.9"
        );
        assert_eq!(
            asked("10.0.0.1", &["203.0.113.1, 198.51.100.9, 10.0.0.2"], proxies),
            "198.51.100.9"
        );
        assert_eq!(
            asked("10.0.0.1", &["203.0.113.1", "198.51.100.9,10.0.0.2"], proxies),
            "198.51.100.9"
        );
        for nothing in ["", "unknown", "198.51.100.9, nonsense"] {
            let said: &'static str = nothing;
            assert_eq!(asked("10.0.0.1", &[said], proxies), "10.0.0.1", "{nothing}");
        }
        assert_eq!(asked("10.0.0.1", &[], proxies), "10.0.0.1");
        assert_eq!(asked("10.0.0.1", &["[2001:db8::1]:80"], proxies), "2001:db8::1");
        assert_eq!(asked("10.0.0.1", &["198.51.100.9:80"], proxies), "198.51.100.9");
    }

    #[test]
    fn so_many_proxies_are_looked_at_and_no_more() {
        let chain = |proxies: usize| {
            let said = format!("198.51.100.9{}", ",10.0.0.2".repeat(proxies - 1));
            let mut head = HeaderMap::new();
            head.insert(FORWARDED_FOR, said.parse().expect("a header"));
            asker(address("10.0.0.1"), &head, &[network("10.0.0.0/8")]).to_string()
        };
        assert_eq!(chain(MAX_PROXIES), "198.51.100.9");
        assert_eq!(chain(MAX_PROXIES + 1), "10.0.0.2");
    }
}
