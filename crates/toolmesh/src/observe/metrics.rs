//! Metrics for Prometheus.

use std::{
    collections::HashSet,
    fmt,
    sync::{Mutex, PoisonError, atomic::AtomicU64},
    time::Duration,
};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};
use toolmesh_tool::{Budget, CallEnd, CallInfo, Observer, ToolEvent};

use super::Health;

/// Most targets that are counted by name; the calls of others are counted together, as `other`.
pub const MAX_METRIC_TOOLS: usize = 1_024;

/// What the calls beyond [`MAX_METRIC_TOOLS`] are counted as.
const OTHER: &str = "other";

/// Upper ends of the ranges of durations, in seconds: from a call in memory to the longest deadline.
const SECONDS: [f64; 14] = [
    0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 60.0,
];

/// What a call is counted by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    operation: &'static str,
    target: String,
}

/// What the end of a call is counted by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    operation: &'static str,
    target: String,
    outcome: &'static str,
}

/// What a used-up budget is counted by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Exhausted {
    budget: &'static str,
    target: String,
}

/// Counts calls, their ends, their durations, and what is under way.
pub struct Metrics {
    registry: Registry,
    calls: Family<Ended, Counter>,
    seconds: Family<Call, Histogram, fn() -> Histogram>,
    events: Family<Call, Counter>,
    exhausted: Family<Exhausted, Counter>,
    gauges: Gauges,
    targets: Mutex<HashSet<String>>,
}

/// What is read when it is asked for.
#[derive(Default)]
struct Gauges {
    running: Gauge,
    queued: Gauge,
    tools: Gauge,
    catalogue_changes: Gauge<u64, AtomicU64>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// Everything at zero.
    #[must_use]
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("toolmesh");
        let histogram: fn() -> Histogram = || Histogram::new(SECONDS);
        let metrics = Self {
            calls: Family::default(),
            seconds: Family::new_with_constructor(histogram),
            events: Family::default(),
            exhausted: Family::default(),
            gauges: Gauges::default(),
            targets: Mutex::default(),
            registry: Registry::default(),
        };
        registry.register(
            "calls",
            "Questions that ended, by operation, target and outcome",
            metrics.calls.clone(),
        );
        registry.register(
            "call_duration_seconds",
            "From the question to its end",
            metrics.seconds.clone(),
        );
        registry.register("events", "Events that handlers sent", metrics.events.clone());
        registry.register(
            "budget_exhausted",
            "Arguments and results that took more than their budget to check",
            metrics.exhausted.clone(),
        );
        let gauges = &metrics.gauges;
        registry.register("calls_running", "Calls that run", gauges.running.clone());
        registry.register(
            "calls_queued",
            "Calls that wait for a slot",
            gauges.queued.clone(),
        );
        registry.register("tools", "Tools in the catalogue", gauges.tools.clone());
        registry.register(
            "catalogue_generation",
            "Changes of the catalogue so far",
            gauges.catalogue_changes.clone(),
        );
        Self { registry, ..metrics }
    }

    /// The text that Prometheus reads (OpenMetrics 1.0).
    #[must_use]
    pub fn to_text(&self, health: Option<&Health>) -> String {
        if let Some(state) = health.map(Health::state) {
            let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
            self.gauges.running.set(number(state.load.running));
            self.gauges.queued.set(number(state.load.queued));
            self.gauges.tools.set(number(state.tools));
            self.gauges.catalogue_changes.set(state.generation);
        }
        let mut text = String::new();
        match encode(&mut text, &self.registry) {
            Ok(()) => text,
            // Only a writer that fails makes this, and a text in memory does not.
            Err(_) => String::new(),
        }
    }

    /// The media type of [`Metrics::to_text`].
    pub const MEDIA_TYPE: &'static str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    fn target(&self, call: &CallInfo) -> String {
        // A task's id is one of many, and nobody's name.
        if call.operation.starts_with("tasks/") && call.operation != "tasks/run" {
            return String::new();
        }
        let mut targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
        if targets.contains(&call.target) {
            return call.target.clone();
        }
        if targets.len() >= MAX_METRIC_TOOLS {
            return OTHER.to_owned();
        }
        targets.insert(call.target.clone());
        call.target.clone()
    }

    fn observe(&self, call: &CallInfo, outcome: &'static str, duration: Duration) {
        let target = self.target(call);
        let ended = Ended {
            operation: call.operation,
            target: target.clone(),
            outcome,
        };
        self.calls.get_or_create(&ended).inc();
        let call = Call {
            operation: call.operation,
            target,
        };
        self.seconds.get_or_create(&call).observe(duration.as_secs_f64());
    }
}

impl Observer for Metrics {
    fn event(&self, call: &CallInfo, _: &ToolEvent) {
        let call = Call {
            operation: call.operation,
            target: self.target(call),
        };
        self.events.get_or_create(&call).inc();
    }

    fn exhausted(&self, call: &CallInfo, budget: Budget) {
        let exhausted = Exhausted {
            budget: budget.name(),
            target: self.target(call),
        };
        self.exhausted.get_or_create(&exhausted).inc();
    }

    fn ended(&self, call: &CallInfo, end: &CallEnd) {
        self.observe(call, end.kind.code(), end.duration);
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}
