//! Methods to tools.

mod accept;
mod handler;

use std::sync::Arc;

use toolmesh_json::Value;
use toolmesh_schema::Profile;
use toolmesh_tool::{ArgumentErrors, Icon, IndexMap, Tool, ToolAnnotations, semver::Version};

use crate::context::{HANDLE_ARGUMENT, Targeting};
use crate::describe;
use crate::execute::Executor;
use crate::model::{Application, INIT, Intent, Manifest, Method, MethodEntry, Service, TypeRef};
use crate::name::{NameRules, tool_names};
use crate::schema::{arguments_schema, output_schema};
use crate::shape::{Form, Shapes};
use accept::AcceptSpellings;
use handler::MethodHandler;

pub(crate) use handler::failed;

/// How applications become tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// How tools are named.
    pub names: NameRules,
    /// Whether named types are written out in schemas or referred to.
    pub form: Form,
    /// How a call says which context it is for.
    pub targeting: Targeting,
}

impl Mapping {
    /// The mapping of the later reference servers: short names, named types in `$defs`, calls targeted by handles.
    #[must_use]
    pub fn handles() -> Self {
        Self {
            names: NameRules::short(),
            form: Form::Definitions,
            targeting: Targeting::Handle,
        }
    }
}

/// What became of one entry of a manifest's methods.
#[derive(Clone, Debug)]
pub struct MappedMethod {
    /// The place of the application in what was given.
    pub application: usize,
    /// The name of its service, if it has one.
    pub service: Option<String>,
    /// The method, unless the entry is none.
    pub method: Option<Arc<Method>>,
    /// Its name, or the place of an entry without one.
    pub name: String,
    /// Its tool, or why there is none.
    pub tool: Result<Tool, String>,
}

/// Why `init` has no tool.
pub const INIT_REASON: &str = "runs once, when a context is created";

/// Makes a tool of every method of these applications, in their order; `reserved` are names that other tools have.
///
/// Without an executor the tools can be listed and described; a call answers that there is nothing to call.
#[must_use]
pub fn tools(
    applications: &[Application],
    reserved: &[&str],
    mapping: &Mapping,
    executor: Option<&Arc<dyn Executor>>,
) -> Vec<MappedMethod> {
    let names: IndexMap<(usize, usize, String), String> = tool_names(applications, reserved, mapping.names)
        .into_iter()
        .map(|named| ((named.application, named.service, named.method), named.name))
        .collect();
    let mut mapped = Vec::new();
    for (place, application) in applications.iter().enumerate() {
        for (index, service) in application.services.iter().enumerate() {
            let maker = Maker {
                application,
                service,
                mapping,
                executor,
            };
            mapped.extend(service.manifest.methods.iter().map(|entry| {
                let name_of = |method: &Method| {
                    let key = (place, index, method.name.clone());
                    names.get(&key).map(String::as_str).unwrap_or_default()
                };
                let (method, name, tool) = match entry {
                    MethodEntry::Unusable { name, reason } => (None, name.clone(), Err(reason.clone())),
                    MethodEntry::Method(method) => {
                        let tool = maker.tool(method, name_of(method));
                        (Some(Arc::clone(method)), method.name.clone(), tool)
                    }
                };
                MappedMethod {
                    application: place,
                    service: service.name.clone(),
                    method,
                    name,
                    tool,
                }
            }));
        }
    }
    mapped
}

struct Maker<'a> {
    application: &'a Application,
    service: &'a Service,
    mapping: &'a Mapping,
    executor: Option<&'a Arc<dyn Executor>>,
}

impl Maker<'_> {
    fn tool(&self, method: &Arc<Method>, name: &str) -> Result<Tool, String> {
        if method.name == INIT {
            return Err(INIT_REASON.to_owned());
        }
        let targeting = self.mapping.targeting;
        if targeting.is_required() && targeting.argument_of(method).is_none() {
            return Err(format!(
                "declares a parameter called {HANDLE_ARGUMENT}, which its tool needs itself: `call` reaches it"
            ));
        }
        let manifest = &self.service.manifest;
        let shapes = Arc::new(argument_shapes(manifest, method, self.mapping.form));
        let output = output_schema(manifest, method, self.mapping.form);
        let mut shaped = Tool::with_name(name).input_schema(
            arguments_schema(method, &shapes, targeting),
            Profile::Draft2020_12,
        );
        if let Some(document) = &output {
            shaped = shaped.output_schema(document.clone(), Profile::Draft2020_12);
        }
        let application = self.application;
        let handler = MethodHandler::new(
            application,
            self.service,
            method,
            targeting,
            self.executor,
            output,
        );
        let is_read = method.intent == Intent::ReadOnly;
        let mut builder = shaped
            .dyn_handler(Arc::new(handler))
            .title(describe::title(method, application.label()))
            .description(describe::description(method))
            .annotations(annotations(method))
            .tag("calimero")
            .stateless(is_read)
            .accept(Arc::new(AcceptSpellings {
                method: Arc::clone(method),
                shapes,
                targeting,
            }))
            .argument_errors(ArgumentErrors::Explained)
            .meta(meta(application, method));
        if let Some(version) = application
            .version
            .as_deref()
            .and_then(|text| Version::parse(text).ok())
        {
            builder = builder.version(version);
        }
        if let Some(icon) = icon(application) {
            builder = builder.icon(icon);
        }
        builder.build().map_err(|error| error.to_string())
    }
}

/// The types of a method's parameters, resolved.
pub(crate) fn argument_shapes(manifest: &Manifest, method: &Method, form: Form) -> Shapes {
    let types: Vec<&TypeRef> = method.params.iter().map(|param| &param.ty).collect();
    Shapes::of(manifest, &types, form)
}

/// What the manifest says of a method's effects. A manifest without intents is of an old toolchain, which never says
/// that something is destructive; there the protocol's cautious defaults hold.
fn annotations(method: &Method) -> ToolAnnotations {
    let knows = method.intent != Intent::Unspecified;
    ToolAnnotations {
        read_only: Some(method.intent == Intent::ReadOnly),
        destructive: (knows || method.destructive).then_some(method.destructive),
        idempotent: (knows || method.idempotent)
            .then_some(method.idempotent || method.intent == Intent::ReadOnly),
        open_world: Some(false),
        ..ToolAnnotations::default()
    }
}

fn meta(application: &Application, method: &Method) -> Value {
    let or_null = |text: &Option<String>| text.as_deref().map_or_else(Value::null, Value::from);
    let intent = match method.intent {
        Intent::ReadOnly => "read_only",
        Intent::Mutating => "mutating",
        Intent::Unspecified => "unspecified",
    };
    Value::object()
        .put("package", application.key())
        .put("appVersion", or_null(&application.version))
        .put("signerId", or_null(&application.signer))
        .put("intent", intent)
        .build()
}

/// An icon, when the application gives a URL of one.
fn icon(application: &Application) -> Option<Icon> {
    let source = application.icon.as_deref()?;
    let allowed = ["https://", "http://", "data:"]
        .iter()
        .any(|scheme| source.starts_with(scheme));
    allowed.then(|| Icon {
        source: source.to_owned(),
        mime_type: None,
        sizes: Vec::new(),
        theme: None,
    })
}
