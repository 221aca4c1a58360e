//! How a node is on the network.

use std::time::Duration;

use zenoh::Config;

use super::network;
use crate::{
    engine::{EngineError, Way},
    wire::MAX_BODY_BYTES,
};

/// How long the network may take to say which nodes are there.
pub(super) const CENSUS: Duration = Duration::from_secs(1);

/// After how long without a sign a node is gone. A process that ends is noticed at once, by its connection; this is for
/// machines and cables. Signs are sent four times as often.
const LEASE: Duration = Duration::from_secs(5);

/// How long sending may wait for a node that takes nothing before the connection to it is closed.
const BLOCKED: Duration = Duration::from_secs(5);

/// How soon a connection is tried again, and how seldom at last.
const RETRY: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(4));

/// Most bytes of one message on the network: the largest frame, with room for its headers and for other messages beside it.
const MAX_MESSAGE_BYTES: usize = MAX_BODY_BYTES + 1024 * 1024;

/// What zenoh is told. `near` is where nodes of this process listen.
pub(super) fn config(way: &Way, near: Vec<String>) -> Result<Config, EngineError> {
    let endpoints = |places: &[String]| {
        places
            .iter()
            .map(|place| format!("tcp/{place}"))
            .collect::<Vec<_>>()
    };
    let is_client = !way.routers.is_empty();
    let (listen, connect) = if is_client {
        (Vec::new(), endpoints(&way.routers))
    } else {
        let listen: Vec<_> = way.listen.iter().map(ToString::to_string).collect();
        let connect = endpoints(&way.connect).into_iter().chain(near).collect();
        (endpoints(&listen), connect)
    };
    let pairs = [
        ("mode", text(if is_client { "client" } else { "peer" })),
        ("listen/endpoints", list(&listen)),
        ("connect/endpoints", list(&connect)),
        ("connect/timeout_ms", "-1".to_owned()),
        ("connect/exit_on_failure", "false".to_owned()),
        ("connect/retry", retry()),
        ("scouting/multicast/enabled", way.multicast.to_string()),
        ("scouting/gossip/enabled", "true".to_owned()),
        ("transport/link/tx/lease", LEASE.as_millis().to_string()),
        (
            "transport/link/tx/queue/congestion_control/block/wait_before_close",
            BLOCKED.as_micros().to_string(),
        ),
        (
            "transport/link/rx/max_message_size",
            MAX_MESSAGE_BYTES.to_string(),
        ),
        ("adminspace/enabled", "false".to_owned()),
    ];
    let mut config = Config::default();
    for (key, value) in pairs {
        let set = config.insert_json5(key, &value);
        set.map_err(|error| network(format!("{key}: {error}")))?;
    }
    Ok(config)
}

fn retry() -> String {
    let (first, last) = RETRY;
    let (first, last) = (first.as_millis(), last.as_millis());
    format!(r#"{{"period_init_ms":{first},"period_max_ms":{last},"period_increase_factor":2.0}}"#)
}

fn text(text: &str) -> String {
    toolmesh_json::Value::from(text).to_text()
}

fn list(places: &[String]) -> String {
    let places: Vec<_> = places.iter().map(|place| text(place)).collect();
    format!("[{}]", places.join(","))
}
