//! Looking over a configuration before it serves: what works, what does not, and what to do.

use std::net::SocketAddr;

use tokio::net::TcpListener;
use toolmesh_json::Value;

#[cfg(feature = "mesh")]
use crate::assemble::{MeshError, trusts_nobody};
use crate::{
    assemble::{AssembleError, Assembler, FaultKind, state_protector, task_store},
    config::{
        Config, Environment, KEYSTORE_PASSWORD_FILE_VARIABLE, KEYSTORE_VARIABLE, MNEMONIC_FILE_VARIABLE,
        SIGNING_KEY_FILE_VARIABLE, STATE_KEY_FILE_VARIABLE, STATE_KEY_VARIABLE, SandboxConfig, SourceConfig,
        of_source,
    },
    observe::{Audit, AuditTarget},
    read::is_open_to_others,
};

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, such as `source token`.
    pub what: String,
    /// What was found.
    pub finding: Finding,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// It works; how.
    Works(String),
    /// It works, and something about it is worth a look; what to do.
    Questionable(String),
    /// It does not work; why, and what to do.
    Fails {
        /// What an operator does about it.
        kind: FaultKind,
        /// Why, and what to do.
        reason: String,
    },
}

impl Check {
    fn works(what: impl Into<String>, how: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            finding: Finding::Works(how.into()),
        }
    }

    fn questionable(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            finding: Finding::Questionable(why.into()),
        }
    }

    fn fails(what: impl Into<String>, error: &AssembleError) -> Self {
        Self {
            what: what.into(),
            finding: Finding::Fails {
                kind: error.kind(),
                reason: error.to_string(),
            },
        }
    }

    /// `{"what","state","text"}`, where the state is `works`, `questionable` or `fails`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let (state, text) = match &self.finding {
            Finding::Works(text) => ("works", text),
            Finding::Questionable(text) => ("questionable", text),
            Finding::Fails { reason, .. } => ("fails", reason),
        };
        Value::object()
            .put("what", self.what.as_str())
            .put("state", state)
            .put("text", text.as_str())
            .build()
    }
}

/// Looks at sources, the sandbox's file, keys, the mesh, the store of tasks, the audit file, and ports, in this order. Sources are started, as a server
/// would start them; nothing is served.
pub async fn examine(config: &Config, environment: &Environment) -> Vec<Check> {
    let mut checks = Vec::new();
    // State keys are looked at apart; wrong ones are no fault of a source.
    let for_sources = environment.without(&[STATE_KEY_VARIABLE, STATE_KEY_FILE_VARIABLE]);
    for source in &config.sources {
        checks.push(source_alone(config, source, &for_sources).await);
    }
    if config.sources.len() > 1 {
        checks.push(together(config, &for_sources).await);
    }
    #[cfg(feature = "mesh")]
    checks.extend(rules_of_tools(config, &for_sources).await);
    #[cfg(feature = "mesh")]
    checks.extend(config.mesh.unproven_names().into_iter().map(unproven));
    #[cfg(feature = "evm")]
    if !config.sources.iter().all(is_application) {
        checks.extend(config.sandbox.state.as_deref().map(sandbox));
    }
    checks.push(state_keys(config, environment));
    checks.extend(key_files(config, environment));
    #[cfg(feature = "mesh")]
    checks.extend(mesh(config).await);
    checks.push(store(config).await);
    checks.extend(audit(config));
    for (what, address) in [
        ("HTTP endpoint", config.server.http),
        ("metrics and health", config.observe.http),
    ] {
        if let Some(address) = address {
            checks.push(port(what, address).await);
        }
    }
    checks
}

/// A source as if it were the only one.
async fn source_alone(config: &Config, source: &SourceConfig, environment: &Environment) -> Check {
    let alone = Config {
        sources: vec![looked_at(source, config)],
        ..without_side_effects(config)
    };
    let what = format!("source {}", source.name);
    match Assembler::new(alone)
        .environment(environment.clone())
        .start()
        .await
    {
        Err(error) => Check::fails(what, &error),
        Ok(assembly) => {
            let catalogue = assembly.dispatcher().toolbox().snapshot();
            let (tools, resources) = (catalogue.listed_tools().len(), catalogue.resources().len());
            let templates = catalogue.templates().len();
            let prompts = catalogue.prompts().len();
            Check::works(
                what,
                format!(
                    "{tools} tools, {} resources, {prompts} prompts",
                    resources + templates
                ),
            )
        }
    }
}

/// All sources with their prefixes and filters.
async fn together(config: &Config, environment: &Environment) -> Check {
    let what = "sources together";
    let assembler = Assembler::new(without_side_effects(config)).environment(environment.clone());
    match assembler.start().await {
        Err(error) => Check::fails(what, &error),
        Ok(assembly) => {
            let tools = assembly.dispatcher().toolbox().snapshot().listed_tools().len();
            Check::works(what, format!("{tools} tools, no two of one name"))
        }
    }
}

/// The configuration without what is looked at apart.
fn without_side_effects(config: &Config) -> Config {
    Config {
        sources: config
            .sources
            .iter()
            .map(|source| looked_at(source, config))
            .collect(),
        tasks: Default::default(),
        observe: Default::default(),
        sandbox: SandboxConfig {
            state: None,
            ..config.sandbox
        },
        ..config.clone()
    }
}

/// A source whose state is looked at where there is one, and not made where there is none.
fn looked_at(source: &SourceConfig, config: &Config) -> SourceConfig {
    let shared = config.sandbox.state.as_ref().filter(|_| is_application(source));
    let state = source.state.as_ref().or(shared);
    SourceConfig {
        state: state.filter(|path| path.exists()).cloned(),
        ..source.clone()
    }
}

/// Whether a source is a Calimero application in a file.
fn is_application(source: &SourceConfig) -> bool {
    #[cfg(feature = "calimero")]
    return crate::assemble::calimero::is_application(source);
    #[cfg(not(feature = "calimero"))]
    {
        let _ = source;
        false
    }
}

/// The file that keeps the sandbox; one that is not there yet is not made here.
#[cfg(feature = "evm")]
fn sandbox(state: &std::path::Path) -> Check {
    let what = "sandbox state";
    if !state.exists() {
        return Check::works(what, format!("{} is made at the start", state.display()));
    }
    match crate::assemble::kept_sandbox(state) {
        Err(error) => Check::fails(what, &error),
        Ok(chain) => Check::works(
            what,
            format!("{} is at block {}", state.display(), chain.latest().number),
        ),
    }
}

fn state_keys(config: &Config, environment: &Environment) -> Check {
    let what = "state keys";
    match state_protector(environment) {
        Err(error) => Check::fails(what, &error.into()),
        Ok(Some(protector)) => Check::works(what, format!("`{}` seals", protector.ring().active_id())),
        Ok(None) if is_shared(config) => Check::questionable(
            what,
            format!(
                "each server makes its own, so a call that asks for input must come back to the same one; give all of them \
                 {STATE_KEY_FILE_VARIABLE}"
            ),
        ),
        Ok(None) => Check::works(what, "made at the start, for as long as the server runs"),
    }
}

/// Whether several servers seem to serve one endpoint.
#[cfg(feature = "store")]
fn is_shared(config: &Config) -> bool {
    matches!(config.tasks.store, toolmesh_store::StoreLocation::Postgres(_))
}

#[cfg(not(feature = "store"))]
fn is_shared(_: &Config) -> bool {
    false
}

/// Whether files with secrets are for their owner alone.
fn key_files(config: &Config, environment: &Environment) -> Vec<Check> {
    let for_signing = [
        SIGNING_KEY_FILE_VARIABLE,
        KEYSTORE_VARIABLE,
        KEYSTORE_PASSWORD_FILE_VARIABLE,
        MNEMONIC_FILE_VARIABLE,
    ];
    let of_sources = config
        .sources
        .iter()
        .flat_map(|source| for_signing.map(|variable| of_source(variable, &source.name)));
    let variables = for_signing
        .into_iter()
        .chain([STATE_KEY_FILE_VARIABLE])
        .map(str::to_owned)
        .chain(of_sources);
    variables
        .filter(|variable| {
            environment
                .get(variable)
                .is_some_and(|file| is_open_to_others(file.as_ref()))
        })
        .map(|variable| open_file(format!("file of {variable}")))
        .collect()
}

/// Key and certificate of the mesh, where it is spoken of, and its places: the mesh is joined for a moment.
#[cfg(feature = "mesh")]
async fn mesh(config: &Config) -> Vec<Check> {
    let settings = &config.mesh;
    if *settings == crate::config::MeshConfig::default() {
        return Vec::new();
    }
    let what = "mesh";
    let open = settings
        .secrets_open_to_others()
        .map(|(key, _)| open_file(format!("{key} of [mesh]")));
    let (node, distrust) = match joined(settings).await {
        Err(error) => (Check::fails(what, &error.into()), None),
        Ok(joined) => (Check::works(what, joined.how), joined.distrust),
    };
    let distrust = distrust.map(|why| Check::questionable("trust of [mesh]", why));
    // A certificate that cannot be used is told above.
    let ends = settings.ends_soon().ok().flatten();
    let ends = ends.map(|word| Check::questionable("certificate of [mesh]", word));
    let is_open = settings.is_open_to_a_network().then(|| {
        Check::questionable(
            "plaintext of [mesh]",
            "everybody on that network who has the key may join, with any name; give the nodes certificates, or listen on loopback",
        )
    });
    let hints = open.chain(distrust).chain(ends).chain(is_open);
    std::iter::once(node).chain(hints).collect()
}

/// What there is to say of a mesh that was joined.
#[cfg(feature = "mesh")]
struct Joined {
    how: String,
    /// That others are there, and none of them is trusted.
    distrust: Option<String>,
}

/// Joins a mesh and leaves it.
#[cfg(feature = "mesh")]
async fn joined(settings: &crate::config::MeshConfig) -> Result<Joined, MeshError> {
    let mesh = settings.node()?.build().await?;
    MeshError::of_alone(&mesh)?;
    let others = mesh.nodes().len().saturating_sub(1);
    let untrusted = match mesh.untrusted() {
        0 => String::new(),
        more => format!(" and trusted, {more} are there and not trusted"),
    };
    let distrust = trusts_nobody(&mesh);
    mesh.shutdown();
    let proven = match settings.certificate {
        Some(_) => "",
        None => "; it has no certificate",
    };
    Ok(Joined {
        how: format!("it can be joined; {others} other nodes are seen{untrusted}{proven}"),
        distrust,
    })
}

#[cfg(feature = "mesh")]
fn unproven(key: &str) -> Check {
    Check::questionable(
        format!("{key} of [mesh]"),
        "it has nodes by their names, which protects nothing without certificates: whoever has the key of the mesh takes any name; \
         `toolmesh mesh keys` makes certificates",
    )
}

/// Rules of the mesh that fit none of the tools that would be offered there.
#[cfg(feature = "mesh")]
async fn rules_of_tools(config: &Config, environment: &Environment) -> Option<Check> {
    config.mesh.access.as_ref()?;
    let assembler = Assembler::new(without_side_effects(config)).environment(environment.clone());
    let assembly = assembler.start().await.ok()?;
    let catalogue = assembly.dispatcher().toolbox().snapshot();
    let rules = config.mesh.rules_without_a_tool(&catalogue);
    (!rules.is_empty()).then(|| {
        let why = "no tool has such a name, so these rules protect nothing; `toolmesh tools` shows the names";
        Check::questionable("access of [mesh]", format!("{}: {why}", rules.join(", ")))
    })
}

fn open_file(what: String) -> Check {
    Check::questionable(
        what,
        "others on this machine may read it; take their permissions away (chmod 600)",
    )
}

async fn store(config: &Config) -> Check {
    let what = "task store";
    match task_store(&config.tasks).await {
        Err(error) => Check::fails(what, &error),
        Ok(None) => Check::works(what, "in memory: tasks end with the server"),
        Ok(Some(_)) => Check::works(what, "opened, its schema is up to date"),
    }
}

fn audit(config: &Config) -> Option<Check> {
    let what = "audit";
    let target = config.observe.audit.as_ref()?;
    Some(match (Audit::start(target, config.observe.rotation()), target) {
        (Err(error), _) => Check::fails(what, &error.into()),
        (Ok(_), AuditTarget::Stderr) => Check::works(what, "to standard error"),
        (Ok(_), AuditTarget::File(file)) => Check::works(what, format!("to {}", file.display())),
    })
}

async fn port(what: &str, address: SocketAddr) -> Check {
    match TcpListener::bind(address).await {
        Ok(_) => Check::works(what, format!("{address} is free")),
        Err(error) => Check {
            what: what.to_owned(),
            finding: Finding::Fails {
                kind: FaultKind::LocalResource,
                reason: format!(
                    "{address} cannot be taken: {error}; end what uses it, or choose another port"
                ),
            },
        },
    }
}
