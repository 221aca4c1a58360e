//! The dispatcher over the toolbox: policies, limits, stores, observers.

use std::sync::Arc;

use toolmesh_tool::{
    Dispatcher, Observer, TaskStore, Toolbox,
    dispatcher::{CallLimits, DispatcherBuilder},
};

use super::{AssembleError, state_keys::state_protector};
use crate::{
    config::{Config, Environment, TasksConfig},
    observe::Audit,
};

/// A dispatcher, and what watches it.
pub(super) struct Watched {
    pub(super) dispatcher: Dispatcher,
    #[cfg(feature = "observe")]
    pub(super) metrics: Option<Arc<crate::observe::Metrics>>,
}

impl Watched {
    /// Puts the policies of a configuration over a toolbox; `limits` stand over those of the configuration.
    pub(super) async fn calling(
        toolbox: Toolbox,
        config: &Config,
        environment: &Environment,
        limits: Option<CallLimits>,
    ) -> Result<Self, AssembleError> {
        let mut builder = limited(Dispatcher::builder(toolbox), config, limits);
        if let Some(protector) = state_protector(environment)? {
            builder = builder.state_protector(Arc::new(protector));
        }
        if let Some(store) = task_store(&config.tasks).await? {
            builder = builder.task_store(store);
        }
        for observer in observers(config)? {
            builder = builder.observer(observer);
        }
        #[cfg(feature = "observe")]
        let metrics = config
            .observe
            .http
            .map(|_| Arc::new(crate::observe::Metrics::new()));
        #[cfg(feature = "observe")]
        if let Some(metrics) = &metrics {
            let metrics: Arc<dyn Observer> = metrics.clone();
            builder = builder.observer(metrics);
        }
        Ok(Self {
            dispatcher: builder.build(),
            #[cfg(feature = "observe")]
            metrics,
        })
    }

    /// For lists alone: nothing is opened and nothing is written.
    pub(super) fn listing(toolbox: Toolbox, config: &Config, limits: Option<CallLimits>) -> Self {
        Self {
            dispatcher: limited(Dispatcher::builder(toolbox), config, limits).build(),
            #[cfg(feature = "observe")]
            metrics: None,
        }
    }
}

fn limited(builder: DispatcherBuilder, config: &Config, limits: Option<CallLimits>) -> DispatcherBuilder {
    let mut builder = builder
        .limits(limits.unwrap_or(config.limits.calls))
        .output_limits(config.limits.output)
        .confirmation(config.policy.confirmation)
        .task_settings(config.tasks.settings);
    if let Some(limiter) = config.limits.request_limiter() {
        builder = builder.request_limiter(limiter);
    }
    if let Some(limiter) = config.limits.tool_limiter() {
        builder = builder.tool_limiter(limiter);
    }
    match &config.tasks.endpoint {
        Some(endpoint) => builder.endpoint(endpoint),
        None => builder,
    }
}

/// Opens the store of tasks; `None` for the one in memory that a dispatcher has anyway.
#[cfg(feature = "store")]
pub(crate) async fn task_store(tasks: &TasksConfig) -> Result<Option<Arc<dyn TaskStore>>, AssembleError> {
    use toolmesh_store::{StoreLocation, open_with};

    if tasks.store == StoreLocation::Memory {
        return Ok(None);
    }
    let opened = open_with(&tasks.store, tasks.store_settings).await;
    opened.map(Some).map_err(|error| AssembleError::TaskStore {
        is_remote: matches!(tasks.store, StoreLocation::Postgres(_)),
        reason: error.to_string(),
    })
}

#[cfg(not(feature = "store"))]
pub(crate) async fn task_store(_: &TasksConfig) -> Result<Option<Arc<dyn TaskStore>>, AssembleError> {
    Ok(None)
}

fn observers(config: &Config) -> Result<Vec<Arc<dyn Observer>>, AssembleError> {
    let mut observers: Vec<Arc<dyn Observer>> = Vec::new();
    if let Some(target) = &config.observe.audit {
        observers.push(Arc::new(Audit::start(target, config.observe.rotation())?));
    }
    #[cfg(feature = "otlp")]
    if let Some(url) = &config.observe.otlp {
        observers.push(Arc::new(crate::observe::Traces::start(url)?));
    }
    #[cfg(not(feature = "otlp"))]
    if config.observe.otlp.is_some() {
        return Err(AssembleError::NotInThisBuild {
            what: "sending spans to a collector (`otlp` in [observe])".to_owned(),
            instead: "build with the feature `otlp`, or remove the key",
        });
    }
    Ok(observers)
}
