//! Putting a dispatcher together.

use std::{
    collections::HashMap,
    sync::{Arc, Weak, atomic::AtomicU64},
};

use super::{
    Admission, CallLimits, Confirmation, Dispatcher, Interceptor, Limiter, OutputLimits, Sanitizer, Shared,
    Visibility, gate::Gate,
};
use crate::{MemoryTaskStore, Observer, StateProtector, TaskSettings, TaskStore, Toolbox, task::TaskRunner};

/// The name of an endpoint that was given none.
const DEFAULT_ENDPOINT: &str = "toolmesh";

/// Puts a dispatcher together; every policy that is not set passes everything.
pub struct DispatcherBuilder {
    toolbox: Toolbox,
    admission: Option<Arc<dyn Admission>>,
    visibility: Option<Arc<dyn Visibility>>,
    request_limiter: Option<Arc<dyn Limiter>>,
    tool_limiter: Option<Arc<dyn Limiter>>,
    named_limiters: HashMap<String, Arc<dyn Limiter>>,
    limits: CallLimits,
    interceptor: Option<Arc<dyn Interceptor>>,
    confirmation: Confirmation,
    sanitizer: Option<Arc<dyn Sanitizer>>,
    output_limits: OutputLimits,
    observers: Vec<Arc<dyn Observer>>,
    endpoint: String,
    state_protector: Option<Arc<StateProtector>>,
    task_store: Option<Arc<dyn TaskStore>>,
    task_settings: TaskSettings,
}

impl DispatcherBuilder {
    pub(super) fn new(toolbox: Toolbox) -> Self {
        Self {
            toolbox,
            admission: None,
            visibility: None,
            request_limiter: None,
            tool_limiter: None,
            named_limiters: HashMap::new(),
            limits: CallLimits::default(),
            interceptor: None,
            confirmation: Confirmation::default(),
            sanitizer: None,
            output_limits: OutputLimits::default(),
            observers: Vec::new(),
            endpoint: DEFAULT_ENDPOINT.to_owned(),
            state_protector: None,
            task_store: None,
            task_settings: TaskSettings::default(),
        }
    }

    /// Sets who may ask.
    #[must_use]
    pub fn admission(mut self, admission: Arc<dyn Admission>) -> Self {
        self.admission = Some(admission);
        self
    }

    /// Sets who may see what.
    #[must_use]
    pub fn visibility(mut self, visibility: Arc<dyn Visibility>) -> Self {
        self.visibility = Some(visibility);
        self
    }

    /// Sets how often a caller may ask.
    #[must_use]
    pub fn request_limiter(mut self, limiter: Arc<dyn Limiter>) -> Self {
        self.request_limiter = Some(limiter);
        self
    }

    /// Sets how often a caller may call a tool that names no limiter of its own.
    #[must_use]
    pub fn tool_limiter(mut self, limiter: Arc<dyn Limiter>) -> Self {
        self.tool_limiter = Some(limiter);
        self
    }

    /// Adds a limiter for the tools that name it ([`crate::ToolBuilder::limiter`]), instead of the one for all tools.
    /// Calls of a tool whose limiter is not there fail.
    #[must_use]
    pub fn named_limiter(mut self, name: impl Into<String>, limiter: Arc<dyn Limiter>) -> Self {
        self.named_limiters.insert(name.into(), limiter);
        self
    }

    /// Sets how many calls run and wait, and for how long.
    #[must_use]
    pub fn limits(mut self, limits: CallLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the program's own step around calls.
    #[must_use]
    pub fn interceptor(mut self, interceptor: Arc<dyn Interceptor>) -> Self {
        self.interceptor = Some(interceptor);
        self
    }

    /// Sets which calls a person confirms.
    #[must_use]
    pub fn confirmation(mut self, confirmation: Confirmation) -> Self {
        self.confirmation = confirmation;
        self
    }

    /// Sets what sees results before they leave.
    #[must_use]
    pub fn sanitizer(mut self, sanitizer: Arc<dyn Sanitizer>) -> Self {
        self.sanitizer = Some(sanitizer);
        self
    }

    /// Sets how large results may be.
    #[must_use]
    pub fn output_limits(mut self, limits: OutputLimits) -> Self {
        self.output_limits = limits;
        self
    }

    /// Adds an observer.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// Names the endpoint, `toolmesh` by default: state and tasks belong to it. Servers that share keys and a task
    /// store under one name must offer the same tools.
    #[must_use]
    pub fn endpoint(mut self, name: impl Into<String>) -> Self {
        self.endpoint = name.into();
        self
    }

    /// Sets what seals the state of calls; by default a key that lives as long as the process.
    #[must_use]
    pub fn state_protector(mut self, protector: Arc<StateProtector>) -> Self {
        self.state_protector = Some(protector);
        self
    }

    /// Sets where tasks are kept; by default in memory.
    #[must_use]
    pub fn task_store(mut self, store: Arc<dyn TaskStore>) -> Self {
        self.task_store = Some(store);
        self
    }

    /// Sets how tasks are run.
    #[must_use]
    pub fn task_settings(mut self, settings: TaskSettings) -> Self {
        self.task_settings = settings;
        self
    }

    /// The dispatcher.
    #[must_use]
    pub fn build(self) -> Dispatcher {
        let store = self
            .task_store
            .unwrap_or_else(|| Arc::new(MemoryTaskStore::new()));
        let (endpoint, settings) = (self.endpoint.clone(), self.task_settings);
        Dispatcher {
            shared: Arc::new_cyclic(|me: &Weak<Shared>| Shared {
                tasks: TaskRunner::new(store, endpoint, settings, me.clone()),
                me: me.clone(),
                endpoint: self.endpoint,
                // Without random bytes there is none, and calls that need it say so.
                state_protector: self
                    .state_protector
                    .or_else(|| StateProtector::ephemeral().ok().map(Arc::new)),
                toolbox: self.toolbox,
                admission: self.admission,
                visibility: self.visibility,
                request_limiter: self.request_limiter,
                tool_limiter: self.tool_limiter,
                named_limiters: self.named_limiters,
                gate: Gate::new(self.limits),
                interceptor: self.interceptor,
                confirmation: self.confirmation,
                sanitizer: self.sanitizer,
                output_limits: self.output_limits,
                observers: self.observers,
                calls: AtomicU64::new(0),
            }),
        }
    }
}

impl std::fmt::Debug for DispatcherBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DispatcherBuilder")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
