//! How a node is on the network.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use zenoh::Config;

use super::network;
use crate::{
    engine::{EngineError, Way, network::certificate::Pem},
    wire::MAX_BODY_BYTES,
};

/// How long the network may take to say which nodes are there.
pub(super) const CENSUS: Duration = Duration::from_secs(1);

/// How soon the network is asked again who is there.
pub(super) const ASK_AGAIN: Duration = Duration::from_millis(40);

/// How long a node that joins and finds itself alone waits until it is told why: a little longer than a place may take to
/// answer.
pub(super) const EXPLAINING: Duration = Duration::from_secs(5);

/// After how long without a sign a node is gone. A process that ends is noticed at once, by its connection; this is for
/// machines and cables. Signs are sent four times as often.
const LEASE: Duration = Duration::from_secs(5);

/// How long sending may wait for a node that takes nothing before the connection to it is closed.
const BLOCKED: Duration = Duration::from_secs(5);

/// How long a node that joins waits for its router.
const ROUTER: Duration = Duration::from_secs(5);

/// How long a connection may take to say that it is of a node, and how many may be about it at once. Strangers can open
/// connections and say nothing: so many a second as the one allows within the other keep nobody out.
const OPENING: (Duration, usize) = (Duration::from_secs(3), 512);

/// How soon a connection is tried again, and how seldom at last.
const RETRY: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(4));

/// Most bytes of one message on the network: the largest frame, with room for its headers and for other messages beside it.
const MAX_MESSAGE_BYTES: usize = MAX_BODY_BYTES + 1024 * 1024;

/// What zenoh is told. `near` is where nodes of this process listen.
pub(super) fn config(way: &Way, near: Vec<String>) -> Result<Config, EngineError> {
    let is_client = !way.routers.is_empty();
    let (listen, connect) = if is_client {
        (Vec::new(), endpoints(way, &way.routers))
    } else {
        let listen: Vec<_> = way.listen.iter().map(ToString::to_string).collect();
        let connect = endpoints(way, &way.connect).into_iter().chain(near).collect();
        (endpoints(way, &listen), connect)
    };
    let mut config = common(way)?;
    set(
        &mut config,
        "mode",
        &text(if is_client { "client" } else { "peer" }),
    )?;
    set(&mut config, "listen/endpoints", &list(&listen))?;
    set(&mut config, "connect/endpoints", &list(&connect))?;
    Ok(config)
}

/// What nodes and routers have in common.
pub(super) fn common(way: &Way) -> Result<Config, EngineError> {
    let pairs = [
        ("connect/timeout_ms", patience()),
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
            "transport/unicast/accept_timeout",
            OPENING.0.as_millis().to_string(),
        ),
        ("transport/unicast/accept_pending", OPENING.1.to_string()),
        (
            "transport/link/rx/max_message_size",
            MAX_MESSAGE_BYTES.to_string(),
        ),
        ("adminspace/enabled", "false".to_owned()),
    ];
    let mut config = Config::default();
    for (key, value) in pairs {
        set(&mut config, key, &value)?;
    }
    if let Some(credentials) = &way.credentials {
        for (key, value) in tls(&credentials.pem) {
            set(&mut config, &format!("transport/link/tls/{key}"), &value)?;
        }
    }
    Ok(config)
}

pub(super) fn set(config: &mut Config, key: &str, value: &str) -> Result<(), EngineError> {
    let set = config.insert_json5(key, value);
    set.map_err(|error| network(format!("{key}: {error}")))
}

/// Whoever goes by routers alone waits for one; all others go on trying beside what they do.
fn patience() -> String {
    let client = ROUTER.as_millis();
    format!(r#"{{"router":-1,"peer":-1,"client":{client}}}"#)
}

fn retry() -> String {
    let (first, last) = RETRY;
    let (first, last) = (first.as_millis(), last.as_millis());
    format!(r#"{{"period_init_ms":{first},"period_max_ms":{last},"period_increase_factor":2.0}}"#)
}

/// Places as zenoh writes them.
pub(super) fn endpoints(way: &Way, places: &[String]) -> Vec<String> {
    let protocol = if way.credentials.is_some() { "tls" } else { "tcp" };
    let places = places.iter();
    places.map(|place| format!("{protocol}/{place}")).collect()
}

/// Both ends of a link show a certificate of the authority. Whose it is, is checked from end to end when nodes meet, so it
/// need not be that of the host which was asked for: nodes move.
fn tls(pem: &Pem) -> [(&'static str, String); 8] {
    let encoded = |pem: &[u8]| text(&STANDARD.encode(pem));
    let (certificate, key) = (encoded(&pem.certificate), encoded(&pem.key));
    [
        ("root_ca_certificate_base64", encoded(&pem.authority)),
        ("listen_certificate_base64", certificate.clone()),
        ("listen_private_key_base64", key.clone()),
        ("connect_certificate_base64", certificate),
        ("connect_private_key_base64", key),
        ("enable_mtls", "true".to_owned()),
        ("verify_name_on_connect", "false".to_owned()),
        ("close_link_on_expiration", "true".to_owned()),
    ]
}

pub(super) fn text(text: &str) -> String {
    toolmesh_json::Value::from(text).to_text()
}

pub(super) fn list(places: &[String]) -> String {
    let places: Vec<_> = places.iter().map(|place| text(place)).collect();
    format!("[{}]", places.join(","))
}
