//! The address that HTTP is served at, as people write it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Where HTTP is served when only "HTTP" is said: this machine alone, port 8080.
pub const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// A text that is no address to listen at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the address to listen at must be {}", self.expected())]
pub struct ListenError(());

impl ListenError {
    /// What would be right; completes "must be ...".
    #[must_use]
    pub fn expected(&self) -> &'static str {
        "HOST:PORT with an IP address or `localhost` as host, or a PORT alone for this machine"
    }
}

/// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, `:8080` or `8080`. Names are not resolved: which machine
/// may connect must be plain to see.
///
/// # Errors
/// [`ListenError`] for anything else.
pub fn parse_listen(text: &str) -> Result<SocketAddr, ListenError> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let port = text
        .strip_prefix("localhost:")
        .or_else(|| text.strip_prefix(':'))
        .unwrap_or(text);
    let port = port.parse().map_err(|_| ListenError(()))?;
    Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_this_machine_only() {
        for text in ["127.0.0.1:80", "localhost:80", ":80", "80"] {
            assert_eq!(parse_listen(text).unwrap().to_string(), "127.0.0.1:80", "{text}");
        }
        assert_eq!(parse_listen("[::1]:80").unwrap().to_string(), "[::1]:80");
        assert_eq!(parse_listen("0.0.0.0:0").unwrap().to_string(), "0.0.0.0:0");
    }

    #[test]
    fn a_name_or_a_port_out_of_range_is_refused() {
        for text in ["", "example.com:80", "65536", "127.0.0.1", "localhost:", "-1"] {
            assert!(parse_listen(text).is_err(), "{text}");
        }
    }
}
