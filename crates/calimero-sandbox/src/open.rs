//! From a module to an application that runs: compiled, its state found or made, `init` run once.

use std::path::PathBuf;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use toolmesh_calimero::{Application, Manifest, Mapping, Service, ServiceModule, checked_arguments};
use toolmesh_json::{Value, View};

use crate::engine::{Guest, GuestCall, LoadError, executor};
use crate::keeper::{Context, Keeper, StateError};
use crate::limits::Limits;
use crate::local::{Local, LocalService};
use crate::random::random;
use crate::space::State;
use crate::verdict::Verdict;

/// How an application runs in this process.
#[derive(Clone, Debug, Default)]
pub struct LocalOptions {
    /// The file that keeps its state; without one it is gone with the process.
    pub state: Option<PathBuf>,
    /// The arguments of `init`; for an application of several services an object with those of each.
    pub init: Option<Value>,
    /// How its methods become tools.
    pub mapping: Mapping,
    /// What it may take.
    pub limits: Limits,
}

/// Why an application cannot run in this process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is only its interface.
    #[error(
        "there is no WebAssembly module{}, only an interface: give the application's .wasm or .mpk, or a node that has \
         it installed (`calimero:URL`)",
        of_service(.0)
    )]
    NoModule(String),
    /// A module does not run here.
    #[error("{reason}{}", of_service(.service))]
    Module {
        /// The service, empty for the only one.
        service: String,
        /// Why not.
        reason: LoadError,
    },
    /// `init` did not make a state.
    #[error("`init`{}: {reason}", of_service(.service))]
    Init {
        /// The service, empty for the only one.
        service: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// The state cannot be kept.
    #[error(transparent)]
    State(#[from] StateError),
    /// This process lacks something.
    #[error("{0}")]
    Process(String),
}

fn of_service(name: &str) -> String {
    match name {
        "" => String::new(),
        name => format!(" (service `{name}`)"),
    }
}

/// Opens an application. Compiling takes its time, so it happens where that hurts nobody.
pub(crate) async fn open(
    application: Application,
    modules: Vec<ServiceModule>,
    options: LocalOptions,
) -> Result<Local, OpenError> {
    let opening = tokio::task::spawn_blocking(move || open_here(&application, &modules, &options));
    opening
        .await
        .unwrap_or_else(|error| Err(OpenError::Process(error.to_string())))
}

fn open_here(
    application: &Application,
    modules: &[ServiceModule],
    options: &LocalOptions,
) -> Result<Local, OpenError> {
    let keeper = Keeper::open(application.key(), options.state.as_deref())?;
    let mut local = Local::new(keeper, options.limits);
    let several = application.services.len() > 1;
    for service in &application.services {
        let opened = open_service(&local.keeper, service, several, modules, options)?;
        local.services.insert(opened.name.clone(), Arc::new(opened));
    }
    Ok(local)
}

fn open_service(
    keeper: &Keeper,
    service: &Service,
    several: bool,
    modules: &[ServiceModule],
    options: &LocalOptions,
) -> Result<LocalService, OpenError> {
    let name = service.name.as_deref().unwrap_or_default();
    let wasm = modules
        .iter()
        .find(|module| module.service == service.name)
        .map(|module| module.wasm.as_ref())
        .ok_or_else(|| OpenError::NoModule(name.to_owned()))?;
    let guest = Guest::load(wasm, options.limits).map_err(|reason| OpenError::Module {
        service: name.to_owned(),
        reason,
    })?;
    let module: [u8; 32] = Sha256::digest(wasm).into();
    let context = match keeper.context(name) {
        Some(context) => found(context, module, name, options),
        None => made(&guest, service, several, module, options)?,
    };
    let opened = LocalService::new(name, Arc::clone(&service.manifest), guest, &context.id);
    if keeper.context(name).as_ref() != Some(&context) {
        keeper.keep(name, context)?;
    }
    Ok(opened)
}

/// The context as it was kept, for this module.
fn found(context: Context, module: [u8; 32], service: &str, options: &LocalOptions) -> Context {
    if context.module != module {
        tracing::warn!(
            service,
            "the state was made by another build of the application; nothing is migrated"
        );
    }
    if options.init.is_some() {
        tracing::warn!(
            service,
            "`init` ran when the state was made; its arguments are not used again"
        );
    }
    Context { module, ..context }
}

/// A new context: `init` runs in it, where the application has one.
fn made(
    guest: &Guest,
    service: &Service,
    several: bool,
    module: [u8; 32],
    options: &LocalOptions,
) -> Result<Context, OpenError> {
    let name = service.name.as_deref().unwrap_or_default();
    let failed = |reason: String| OpenError::Init {
        service: name.to_owned(),
        reason,
    };
    let fresh = || random().map_err(|error| OpenError::Process(format!("there is no randomness: {error}")));
    let mut context = Context {
        id: fresh()?,
        executor: executor(fresh()?),
        module,
        state: State::default(),
    };
    let given = arguments_of(options.init.as_ref(), several.then_some(name));
    let Some(arguments) = init_arguments(&service.manifest, given).map_err(failed)? else {
        return Ok(context);
    };
    let call = GuestCall {
        context: context.id,
        executor: context.executor,
        method: toolmesh_calimero::INIT.to_owned(),
        input: arguments.to_text().into_bytes(),
    };
    let ran = guest.run(&call, &context.state, &Verdict::default());
    ran.returned
        .map_err(|error| failed(format!("the application refused: {error}")))?;
    if let Some(state) = ran.committed {
        context.state = state;
    }
    Ok(context)
}

/// What was given for a service: everything, or its part where there are several.
fn arguments_of<'a>(init: Option<&'a Value>, part: Option<&str>) -> Option<View<'a>> {
    let given = init?.view();
    match part {
        Some(name) => given.get(name),
        None => Some(given),
    }
}

/// The arguments of `init` in the application's form; `None` where it has no `init`.
fn init_arguments(manifest: &Manifest, given: Option<View<'_>>) -> Result<Option<Value>, String> {
    let Some(init) = manifest.init() else {
        return match given {
            Some(_) => Err("the application has none, so it takes no arguments".to_owned()),
            None => Ok(None),
        };
    };
    let none = Value::object().build();
    let arguments = checked_arguments(manifest, init, given.unwrap_or(none.view()));
    arguments.map(Some).map_err(|error| match given {
        Some(_) => error.to_string(),
        None => format!("{error}\nGive its arguments with `--init JSON`, or as `init` of the source."),
    })
}
