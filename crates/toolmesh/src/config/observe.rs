//! `[observe]`: what is told of calls, and to whom.

use std::{net::SocketAddr, path::Path};

use super::{
    key::{Key, Section},
    listen::parse_listen,
    setting::{Expected, Setting},
};
use crate::observe::AuditTarget;

/// What is told of calls, and to whom.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ObserveConfig {
    /// Where a record of each call goes.
    pub audit: Option<AuditTarget>,
    /// Where metrics and health are offered.
    pub http: Option<SocketAddr>,
    /// The OpenTelemetry collector that spans go to; its URL may hold a key.
    pub otlp: Option<String>,
}

impl ObserveConfig {
    /// The same, with a path that is seen from `folder`.
    pub(super) fn relative_to(&mut self, folder: &Path) {
        if let Some(AuditTarget::File(file)) = &mut self.audit {
            *file = folder.join(&file);
        }
    }
}

impl std::fmt::Debug for ObserveConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObserveConfig")
            .field("audit", &self.audit)
            .field("http", &self.http)
            .field("otlp", &self.otlp.as_ref().map(|_| ".."))
            .finish()
    }
}

impl Section for ObserveConfig {
    const PLACE: &'static str = "in [observe]";
    const VARIABLE: &'static str = "TOOLMESH_OBSERVE_";
    const KEYS: &'static [Key<Self>] = &[
        Key {
            name: "audit",
            about: "where a line of JSON for each call goes: stderr, or a file",
            set: |observe, value| {
                observe.audit = Some(audit(value)?);
                Ok(())
            },
        },
        Key {
            name: "http",
            about: "offer /metrics (Prometheus) and /healthz at this address, apart from the tools",
            set: |observe, value| {
                let text = value.text().unwrap_or_default();
                let address = parse_listen(&text).map_err(|error| error.expected().to_owned())?;
                observe.http = Some(address);
                Ok(())
            },
        },
        Key {
            name: "otlp",
            about: "send a span for each call to the OpenTelemetry collector at this URL",
            set: |observe, value| {
                observe.otlp = Some(value.text()?);
                Ok(())
            },
        },
    ];
}

fn audit(value: &Setting<'_>) -> Result<AuditTarget, Expected> {
    match value.text().as_deref() {
        Ok("stderr") => Ok(AuditTarget::Stderr),
        Ok(file) if !file.is_empty() => Ok(AuditTarget::File(file.into())),
        _ => Err("`stderr` or the path of a file".to_owned()),
    }
}
