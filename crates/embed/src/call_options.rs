//! How a call is made, as JSON says it.

use std::{collections::BTreeMap, time::Duration};

use serde::Deserialize;
use toolmesh::{
    json::Value,
    mesh::{self, Predicate, RoutingPolicy},
    tool::{CancellationToken, semver::VersionReq},
};

use crate::{Fault, FaultKind, text::read_options};

/// How a call is made. Everything is optional; a member that is not known is refused.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallOptions {
    /// How long the call may take, in milliseconds.
    pub deadline_ms: Option<u64>,
    /// Which versions of the tool, as a semantic version requirement: `^1.2`.
    pub version: Option<String>,
    /// Which hosts: a predicate `{"nodes": [...], "root_idx": n}` on their tags and metadata.
    #[serde(rename = "where")]
    pub predicate: Option<Value>,
    /// How one of several hosts is chosen.
    pub routing: Routing,
    /// The key of [`Routing::Sticky`].
    pub sticky_key: u64,
    /// Headers for the handler, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// How far the host of a stream may run ahead of its reader, in credits: an event takes one for each 16 KiB that
    /// it begins.
    pub stream_window: Option<u32>,
    /// The key by which the handler knows tries of one logical call.
    pub idempotency_key: Option<String>,
}

/// How one of several hosts is chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// One after the other.
    #[default]
    RoundRobin,
    /// Any.
    Random,
    /// Always the same for one `sticky_key`, as long as it is there.
    Sticky,
    /// The one that answered fastest of late.
    LowestLatency,
}

impl CallOptions {
    /// Reads the options from JSON.
    ///
    /// # Errors
    /// [`FaultKind::Json`] when the text is no JSON; [`FaultKind::Invalid`] when a member is not known or not of its kind.
    pub fn from_json(text: &str) -> Result<Self, Fault> {
        read_options(text, "the options of a call")
    }

    /// The options of the mesh, with a token that cancels the call.
    pub(crate) fn with_token(&self, token: CancellationToken) -> Result<mesh::CallOptions, Fault> {
        let mut options = mesh::CallOptions::new()
            .with_cancellation(token)
            .with_routing(self.routing_policy());
        if let Some(deadline) = self.deadline_ms {
            options = options.with_deadline(Duration::from_millis(deadline));
        }
        if let Some(version) = &self.version {
            options = options.with_version(requirement(version)?);
        }
        if let Some(predicate) = &self.predicate {
            options = options.with_where(&where_of(predicate)?);
        }
        if let Some(window) = self.stream_window {
            options = options.with_stream_window(window);
        }
        if let Some(key) = &self.idempotency_key {
            options = options.with_idempotency_key(key);
        }
        let headers = self.headers.iter();
        Ok(headers.fold(options, |options, (name, value)| options.with_header(name, value)))
    }

    fn routing_policy(&self) -> RoutingPolicy {
        match self.routing {
            Routing::RoundRobin => RoutingPolicy::RoundRobin,
            Routing::Random => RoutingPolicy::Random,
            Routing::Sticky => RoutingPolicy::Sticky { key: self.sticky_key },
            Routing::LowestLatency => RoutingPolicy::LowestLatency,
        }
    }
}

fn requirement(text: &str) -> Result<VersionReq, Fault> {
    VersionReq::parse(text).map_err(|reason| {
        Fault::new(
            FaultKind::Invalid,
            format!("`version` is a requirement such as ^1.2: {reason}"),
        )
    })
}

fn where_of(predicate: &Value) -> Result<Predicate, Fault> {
    Predicate::from_header(&predicate.to_text()).map_err(|reason| Fault::because(FaultKind::Invalid, &reason))
}
