//! An application that runs in this process, as a source.

use std::sync::{Arc, Weak};

use toolmesh_calimero::{
    Application, Executor, Mapping, ServiceModule, events_contents, events_template, events_uri, tools,
};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, Entries, IndexMap, Mount, Resource, ResourceContents, ResourceInfo,
    ResourceReader, Source, SourceError,
};

use crate::local::{Local, LocalExecutor};
use crate::open::{LocalOptions, OpenError, open};

/// A source that runs one application in this process.
#[derive(Debug)]
pub struct LocalSource {
    name: String,
    application: Application,
    mapping: Mapping,
    local: Arc<Local>,
}

impl LocalSource {
    /// A source called `name`. The modules are compiled here, the state is found or made, and `init` runs if it is made;
    /// `modules` are those of the application's services, as [`toolmesh_calimero::modules`] finds them.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn open(
        name: impl Into<String>,
        application: Application,
        modules: Vec<ServiceModule>,
        options: LocalOptions,
    ) -> Result<Self, OpenError> {
        let mapping = options.mapping.clone();
        let local = open(application.clone(), modules, options).await?;
        Ok(Self {
            name: name.into(),
            application,
            mapping,
            local: Arc::new(local),
        })
    }

    /// What runs its methods, for as long as the source is there.
    #[must_use]
    pub fn executor(&self) -> Arc<dyn Executor> {
        Arc::new(LocalExecutor(Arc::downgrade(&self.local)))
    }

    fn entries(&self) -> Entries {
        let applications = std::slice::from_ref(&self.application);
        let mut made = Vec::new();
        for mapped in tools(applications, &[], &self.mapping, Some(&self.executor())) {
            match mapped.tool {
                Ok(tool) => made.push(tool),
                Err(reason) => {
                    tracing::info!(
                        source = self.name,
                        method = mapped.name,
                        reason,
                        "a method has no tool"
                    );
                }
            }
        }
        Entries {
            tools: made,
            resources: self.resources(),
            templates: events_template(self.reader(None)).into_iter().collect(),
            ..Entries::default()
        }
    }

    /// Reads the events of this context, or of the one that the URI names.
    fn reader(&self, context: Option<&str>) -> Arc<dyn ResourceReader> {
        Arc::new(Events {
            local: Arc::downgrade(&self.local),
            context: context.map(str::to_owned),
        })
    }

    /// What happened lately in each context, under the name that the context always has.
    fn resources(&self) -> Vec<Resource> {
        let resource = |alias: &str| Resource {
            uri: events_uri(alias),
            info: ResourceInfo {
                name: format!("events of {alias}"),
                description: Some(
                    "What the application emitted and logged lately. Subscribe to be told of more."
                        .to_owned(),
                ),
                mime_type: Some("application/json".to_owned()),
                ..ResourceInfo::default()
            },
            size: None,
            reader: self.reader(Some(alias)),
        };
        let services = self.local.services.values();
        services.map(|service| resource(service.alias())).collect()
    }
}

impl Source for LocalSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(async move {
            mount.replace(self.entries())?;
            // A source starts once; a second mount would be another source.
            let _ = self.local.mount.set(mount);
            Ok(())
        })
    }
}

/// Reads what happened in a context.
struct Events {
    local: Weak<Local>,
    context: Option<String>,
}

impl ResourceReader for Events {
    fn read<'a>(
        &'a self,
        _context: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        Box::pin(async move {
            let gone = || CallError::NotFound("resource");
            let local = self.local.upgrade().ok_or_else(gone)?;
            let wanted = self.context.as_ref().or_else(|| variables.get("contextId"));
            let service = wanted.and_then(|context| local.of_context(context));
            let service = service.ok_or_else(gone)?;
            let events = local.events(&service.context);
            Ok(vec![events_contents(uri, &service.context, events)])
        })
    }
}
