//! Where a node or router itself listens: whether it can, and which of the places to connect to are itself.

use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};

use super::knock::addresses;
use crate::engine::EngineError;

/// Whether somebody may listen there now.
pub(super) fn is_free(listen: SocketAddr) -> Result<(), EngineError> {
    // It is given back at once, and nobody has connected, so it is free a moment later.
    let tried = TcpListener::bind(listen).map(drop);
    tried.map_err(|error| EngineError::Listen {
        at: listen,
        reason: error.to_string(),
    })
}

/// The places, as `HOST:PORT`, that are others. One configuration may serve all nodes of a mesh, and one that connects to itself
/// would be told that it is not let in. It waits on the thread for the names of places with the same port.
pub(super) fn others(listen: Option<SocketAddr>, places: &[String]) -> Vec<String> {
    let is_other = |place: &&String| !listen.is_some_and(|listen| is_own(listen, place));
    places.iter().filter(is_other).cloned().collect()
}

fn is_own(listen: SocketAddr, place: &str) -> bool {
    let port = place.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
    // Of a port that the system chooses nobody can know beforehand.
    if listen.port() == 0 || port != Some(listen.port()) {
        return false;
    }
    let is_here = |address: &SocketAddr| {
        address.ip() == listen.ip() || (listen.ip().is_unspecified() && is_of_this_machine(address.ip()))
    };
    addresses(place).is_ok_and(|at| at.iter().any(is_here))
}

/// Only an address of this machine can be taken here.
fn is_of_this_machine(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(listen: &str, places: &[&str]) -> Vec<String> {
        let places: Vec<_> = places.iter().map(|place| (*place).to_owned()).collect();
        others(Some(listen.parse().unwrap()), &places)
    }

    #[test]
    fn a_place_that_is_this_node_is_left_out_however_it_is_written() {
        let places = [
            "127.0.0.1:7447",
            "localhost:7447",
            "127.0.0.1:7448",
            "127.0.0.2:7447",
            "192.0.2.1:7447",
        ];
        assert_eq!(left("127.0.0.1:7447", &places), places[2..]);
        // Whoever listens everywhere is at every address of this machine.
        assert_eq!(left("0.0.0.0:7447", &places), [places[2], places[4]]);
        assert_eq!(left("127.0.0.1:0", &places), places);
        assert_eq!(left("127.0.0.1:0", &["127.0.0.1:0"]), ["127.0.0.1:0"]);
        assert_eq!(others(None, &[places[0].to_owned()]), [places[0]]);
    }

    #[test]
    fn an_address_that_is_taken_is_said_with_its_reason() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = taken.local_addr().unwrap();
        let error = is_free(at).unwrap_err();
        assert!(matches!(error, EngineError::Listen { at: said, .. } if said == at));
        assert!(error.to_string().contains("in use"), "{error}");
        drop(taken);
        assert_eq!(is_free(at), Ok(()));
    }
}
