//! The tools of one application as a source.

use std::sync::Arc;

use toolmesh_tool::{BoxFuture, Mount, Source, SourceError, Tool};

use crate::execute::Executor;
use crate::model::Application;
use crate::tool::{Mapping, tools};

/// A source that offers the methods of one application as tools.
#[derive(Debug)]
pub struct ApplicationSource {
    name: String,
    application: Application,
    mapping: Mapping,
    executor: Option<Arc<dyn Executor>>,
}

impl ApplicationSource {
    /// A source called `name`. Without an executor its tools can be listed and described, not called.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        application: Application,
        mapping: Mapping,
        executor: Option<Arc<dyn Executor>>,
    ) -> Self {
        Self {
            name: name.into(),
            application,
            mapping,
            executor,
        }
    }

    fn tools(&self) -> Vec<Tool> {
        let applications = std::slice::from_ref(&self.application);
        offered(&self.name, applications, &self.mapping, self.executor.as_ref())
    }
}

fn offered(
    source: &str,
    applications: &[Application],
    mapping: &Mapping,
    executor: Option<&Arc<dyn Executor>>,
) -> Vec<Tool> {
    let mut made = Vec::new();
    for mapped in tools(applications, &[], mapping, executor) {
        match mapped.tool {
            Ok(tool) => made.push(tool),
            Err(reason) => tracing::info!(source, method = mapped.name, reason, "a method has no tool"),
        }
    }
    made
}

impl Source for ApplicationSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(async move { Ok(mount.replace(self.tools())?) })
    }
}
