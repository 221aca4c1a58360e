//! A span for each call, to an OpenTelemetry collector.

use std::{fmt, time::SystemTime};

use opentelemetry::{
    Context, KeyValue,
    trace::{
        Span as _, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId,
        TraceState, Tracer as _, TracerProvider as _,
    },
};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider},
};
use toolmesh_tool::{CallEnd, CallInfo, EndKind, Observer};

/// What this program is called in a trace.
const SERVICE: &str = "toolmesh";

/// Sends a span for each call that ended to an OpenTelemetry collector (OTLP over HTTP), under the span of whoever called
/// when it told its trace. A thread of the exporter's own sends them in batches; a full queue drops spans, which it logs.
/// Dropping it sends what is left.
pub struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

/// Why spans cannot be sent.
#[derive(Debug, thiserror::Error)]
#[error(
    "spans cannot be sent to the collector of `otlp` in [observe]: {0}; write a URL such as http://localhost:4318/v1/traces"
)]
pub struct TracesError(#[from] ExporterBuildError);

impl Traces {
    /// Begins to send to the collector at `url`; nothing is sent before the first call.
    ///
    /// # Errors
    /// [`TracesError`] when it is no URL of HTTP.
    pub fn start(url: &str) -> Result<Self, TracesError> {
        let exporter = SpanExporter::builder().with_http().with_endpoint(url).build()?;
        let resource = Resource::builder().with_service_name(SERVICE).build();
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .build();
        let tracer = provider.tracer(SERVICE);
        Ok(Self { provider, tracer })
    }
}

impl Observer for Traces {
    fn ended(&self, call: &CallInfo, end: &CallEnd) {
        let name = if call.target.is_empty() {
            call.operation.to_owned()
        } else {
            format!("{} {}", call.operation, call.target)
        };
        let builder = self
            .tracer
            .span_builder(name)
            .with_kind(SpanKind::Server)
            .with_start_time(call.began)
            .with_attributes(attributes(call, end));
        let mut span = builder.start_with_context(&self.tracer, &parent(call));
        if let EndKind::Failed(code) = end.kind {
            span.set_status(Status::error(code));
        }
        let ended = call.began.checked_add(end.duration);
        span.end_with_timestamp(ended.unwrap_or_else(SystemTime::now));
    }
}

fn parent(call: &CallInfo) -> Context {
    let Some(trace) = call.trace else {
        return Context::new();
    };
    let flags = if trace.sampled {
        TraceFlags::SAMPLED
    } else {
        TraceFlags::default()
    };
    let parent = SpanContext::new(
        TraceId::from_bytes(trace.trace_id.to_be_bytes()),
        SpanId::from_bytes(trace.span_id.to_be_bytes()),
        flags,
        true,
        TraceState::NONE,
    );
    Context::new().with_remote_span_context(parent)
}

fn attributes(call: &CallInfo, end: &CallEnd) -> Vec<KeyValue> {
    let number = i64::try_from(call.call).unwrap_or(i64::MAX);
    vec![
        KeyValue::new("toolmesh.operation", call.operation),
        KeyValue::new("toolmesh.target", call.target.clone()),
        KeyValue::new("toolmesh.call", number),
        KeyValue::new(
            "toolmesh.transport",
            format!("{:?}", call.caller.transport).to_lowercase(),
        ),
        KeyValue::new("toolmesh.outcome", end.kind.code()),
    ]
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown() {
            tracing::warn!(%error, "the last spans were not sent");
        }
    }
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Traces")
    }
}
