//! `[observe]`: what is told of calls, and to whom.

use std::{net::SocketAddr, path::Path};

use super::{
    key::{Key, Section},
    listen::parse_listen,
    setting::{Expected, Setting},
};
use crate::observe::{AuditTarget, DEFAULT_AUDIT_FILES, MAX_AUDIT_FILES, MIN_AUDIT_BYTES, Rotation};

/// What is told of calls, and to whom.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ObserveConfig {
    /// Where a record of each call goes.
    pub audit: Option<AuditTarget>,
    /// The size at which a file of records is put aside; without it that never happens.
    pub audit_bytes: Option<u64>,
    /// How many files are kept that were put aside.
    pub audit_files: Option<u32>,
    /// Where metrics and health are offered.
    pub http: Option<SocketAddr>,
    /// The OpenTelemetry collector that spans go to; its URL may hold a key.
    pub otlp: Option<String>,
}

impl ObserveConfig {
    /// When the file of records is put aside, if at all.
    #[must_use]
    pub fn rotation(&self) -> Option<Rotation> {
        let files = self.audit_files.unwrap_or(DEFAULT_AUDIT_FILES);
        self.audit_bytes.map(|bytes| Rotation::new(bytes, files))
    }

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
            .field("audit_bytes", &self.audit_bytes)
            .field("audit_files", &self.audit_files)
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
            name: "audit_bytes",
            about: "put the audit file aside before it has more bytes than this (default: never)",
            set: |observe, value| {
                let bytes = value.count().ok().filter(|bytes| *bytes >= MIN_AUDIT_BYTES);
                let expected = || format!("a number of bytes, at least {MIN_AUDIT_BYTES}");
                observe.audit_bytes = Some(bytes.ok_or_else(expected)?);
                Ok(())
            },
        },
        Key {
            name: "audit_files",
            about: "how many audit files are kept that were put aside, FILE.1 the newest (default: 5)",
            set: |observe, value| {
                let files = value.count().ok().and_then(|files| u32::try_from(files).ok());
                let files = files.filter(|files| (1..=MAX_AUDIT_FILES).contains(files));
                let expected = || format!("a number of files, from 1 to {MAX_AUDIT_FILES}");
                observe.audit_files = Some(files.ok_or_else(expected)?);
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
