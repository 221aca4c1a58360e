//! Which hosts and origins may reach the endpoint: the protection against DNS rebinding.

use std::net::SocketAddr;

/// The names by which a machine reaches itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The port of `http:` when none is written.
pub(super) const HTTP_PORT: u16 = 80;

/// The port of `https:` when none is written.
pub(super) const HTTPS_PORT: u16 = 443;

/// The hosts and origins that are allowed.
#[derive(Debug)]
pub(super) struct Hosts {
    any: bool,
    allowed: Vec<Authority<String>>,
    /// Those with a port, as usual clients write them.
    spelled: Vec<String>,
    origins: Vec<String>,
    loopback_origins: bool,
    /// The port of a host that names none.
    default_port: u16,
}

/// A host name with its port; none means any port in what is allowed, and the default in what is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Authority<N> {
    name: N,
    port: Option<u16>,
}

impl Hosts {
    /// What is allowed at `bound`: the loopback names with its port when it is a loopback address, and what the options
    /// name. Without a bound address the loopback names of any port stand in when nothing is named.
    pub(super) fn new(bound: Option<SocketAddr>, hosts: &[String], origins: &[String]) -> Self {
        let port = bound.map(|address| address.port());
        let loopback = bound.map_or(hosts.is_empty(), |address| address.ip().is_loopback());
        let own = |asked: Authority<&str>| Authority {
            name: asked.name.to_owned(),
            port: asked.port,
        };
        let mut allowed: Vec<_> = hosts
            .iter()
            .filter_map(|host| Authority::read(host))
            .map(own)
            .collect();
        if loopback {
            allowed.extend(LOOPBACK.map(|name| Authority {
                name: name.to_owned(),
                port,
            }));
            // A loopback address other than the usual ones is reached by itself.
            allowed.extend(bound.map(|address| Authority {
                name: host_of(address),
                port,
            }));
        }
        let spelled = allowed.iter().filter_map(Authority::spelled).collect();
        Self {
            spelled,
            any: hosts.iter().any(|host| host == "*"),
            allowed,
            origins: origins.iter().map(|origin| origin.to_ascii_lowercase()).collect(),
            loopback_origins: loopback,
            default_port: HTTP_PORT,
        }
    }

    /// Takes this port for that of hosts that name none; that of `http:` otherwise.
    pub(super) fn default_port(mut self, port: u16) -> Self {
        self.default_port = port;
        self
    }

    /// Whether a `Host` of this text is allowed.
    pub(super) fn allows(&self, host: &str) -> bool {
        // To compare a few texts costs less than to take one apart.
        if self.spelled.iter().any(|spelled| spelled == host) {
            return true;
        }
        let Some(asked) = Authority::read(host) else {
            return false;
        };
        let port = asked.port.unwrap_or(self.default_port);
        self.any
            || self.allowed.iter().any(|allowed| {
                allowed.name.eq_ignore_ascii_case(asked.name)
                    && allowed.port.is_none_or(|allowed| allowed == port)
            })
    }

    /// Whether an `Origin` of this text is allowed.
    pub(super) fn allows_origin(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        if self.origins.contains(&origin) {
            return true;
        }
        let host = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));
        let host = host.and_then(Authority::read);
        self.loopback_origins && host.is_some_and(|host| LOOPBACK.contains(&host.name))
    }
}

/// The address as a host is written.
fn host_of(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

impl Authority<String> {
    fn spelled(&self) -> Option<String> {
        Some(format!("{}:{}", self.name, self.port?))
    }
}

impl<'a> Authority<&'a str> {
    /// Reads `name`, `name:port`, `[v6]`, or `[v6]:port`, strictly.
    fn read(text: &'a str) -> Option<Self> {
        let split = match text.strip_prefix('[') {
            Some(rest) => rest.find(']')? + 2,
            None => text.find(':').unwrap_or(text.len()),
        };
        let (name, rest) = text.split_at_checked(split)?;
        let port = match rest.strip_prefix(':') {
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(port.parse().ok()?),
            None if rest.is_empty() => None,
            _ => return None,
        };
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b".-_[]:".contains(&byte);
        if name.is_empty() || !name.bytes().all(known) {
            return None;
        }
        Some(Self { name, port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(bound: &str, hosts: &[&str], origins: &[&str]) -> Hosts {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Hosts::new(bound.parse().ok(), &own(hosts), &own(origins))
    }

    #[test]
    fn a_loopback_server_is_reached_by_the_loopback_names_and_its_port_only() {
        let hosts = hosts("127.0.0.1:8080", &[], &[]);
        for good in ["localhost:8080", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080"] {
            assert!(hosts.allows(good), "{good}");
        }
        for bad in [
            "localhost",
            "localhost:80",
            "evil.example:8080",
            "localhost:8080:1",
            "",
            ":8080",
            "[::1:8080",
            "a b",
            "localhost:+80",
        ] {
            assert!(!hosts.allows(bad), "{bad}");
        }
    }

    #[test]
    fn another_server_is_reached_by_the_hosts_that_are_named() {
        let hosts = hosts("0.0.0.0:8080", &["tools.example", "other.example:9"], &[]);
        assert!(hosts.allows("tools.example:1234") && hosts.allows("Tools.Example"));
        assert!(hosts.allows("other.example:9") && !hosts.allows("other.example:8"));
        assert!(!hosts.allows("localhost:8080"));
    }

    #[test]
    fn a_host_without_a_port_means_the_usual_port_of_the_scheme() {
        let plain = || hosts("0.0.0.0:1", &["tools.example:80", "safe.example:443"], &[]);
        assert!(plain().allows("tools.example") && !plain().allows("safe.example"));
        let protected = plain().default_port(HTTPS_PORT);
        assert!(!protected.allows("tools.example") && protected.allows("safe.example"));
    }

    #[test]
    fn a_page_must_come_from_a_named_origin_or_from_the_machine_itself() {
        let own = hosts("127.0.0.1:8080", &[], &["https://app.example"]);
        for good in [
            "http://localhost",
            "http://localhost:3000",
            "https://127.0.0.1:1",
            "https://APP.example",
        ] {
            assert!(own.allows_origin(good), "{good}");
        }
        for bad in [
            "null",
            "https://evil.example",
            "http://localhost.evil.example",
            "https://app.example:8443",
            "",
        ] {
            assert!(!own.allows_origin(bad), "{bad}");
        }
        assert!(!hosts("0.0.0.0:80", &["*"], &[]).allows_origin("http://localhost"));
        assert!(hosts("0.0.0.0:80", &["*"], &[]).allows("anything.example"));
    }
}
