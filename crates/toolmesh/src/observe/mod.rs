//! Watching a server: audit records, metrics, traces, health.
//!
//! * [`Audit`] writes one line of JSON for each call, to a file or to standard error.
//! * `Metrics` counts calls, for Prometheus.
//! * [`Health`] says whether the server serves, and how much.
//! * `Pages` offers metrics and health over HTTP, apart from the tools.
//! * `start_log` writes the log to standard error.
//! * With the feature `otlp`, `Traces` sends a span for each call to an OpenTelemetry collector.
//!
//! Each of them hangs on the dispatcher as a `toolmesh_tool::Observer`: it sees ids, sizes and durations, never values.

mod audit;
mod audit_file;
mod health;
#[cfg(all(feature = "observe", feature = "mesh"))]
mod log;
#[cfg(feature = "observe")]
mod metrics;
#[cfg(feature = "otlp")]
mod otlp;
#[cfg(feature = "observe")]
mod pages;

pub use audit::{AUDIT_QUEUE, Audit, AuditError, AuditTarget};
pub use audit_file::{DEFAULT_AUDIT_FILES, MAX_AUDIT_FILES, MIN_AUDIT_BYTES, Rotation};
pub use health::{Health, HealthState};
#[cfg(all(feature = "observe", feature = "mesh"))]
pub use log::start_log;
#[cfg(feature = "observe")]
pub use metrics::{MAX_METRIC_TOOLS, Metrics};
#[cfg(feature = "otlp")]
pub use otlp::{Traces, TracesError};
#[cfg(feature = "observe")]
pub use pages::{Pages, PagesError};
