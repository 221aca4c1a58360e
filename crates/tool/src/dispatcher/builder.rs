//! Putting a dispatcher together.

use std::sync::{Arc, atomic::AtomicU64};

use super::{
    Admission, CallLimits, Confirmation, Dispatcher, Interceptor, Limiter, OutputLimits, Sanitizer, Shared,
    Visibility, gate::Gate,
};
use crate::{Observer, Toolbox};

/// Puts a dispatcher together; every policy that is not set passes everything.
pub struct DispatcherBuilder {
    toolbox: Toolbox,
    admission: Option<Arc<dyn Admission>>,
    visibility: Option<Arc<dyn Visibility>>,
    request_limiter: Option<Arc<dyn Limiter>>,
    tool_limiter: Option<Arc<dyn Limiter>>,
    limits: CallLimits,
    interceptor: Option<Arc<dyn Interceptor>>,
    confirmation: Confirmation,
    sanitizer: Option<Arc<dyn Sanitizer>>,
    output_limits: OutputLimits,
    observers: Vec<Arc<dyn Observer>>,
}

impl DispatcherBuilder {
    pub(super) fn new(toolbox: Toolbox) -> Self {
        Self {
            toolbox,
            admission: None,
            visibility: None,
            request_limiter: None,
            tool_limiter: None,
            limits: CallLimits::default(),
            interceptor: None,
            confirmation: Confirmation::default(),
            sanitizer: None,
            output_limits: OutputLimits::default(),
            observers: Vec::new(),
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

    /// Sets how often a caller may call a tool.
    #[must_use]
    pub fn tool_limiter(mut self, limiter: Arc<dyn Limiter>) -> Self {
        self.tool_limiter = Some(limiter);
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

    /// The dispatcher.
    #[must_use]
    pub fn build(self) -> Dispatcher {
        Dispatcher {
            shared: Arc::new(Shared {
                toolbox: self.toolbox,
                admission: self.admission,
                visibility: self.visibility,
                request_limiter: self.request_limiter,
                tool_limiter: self.tool_limiter,
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
