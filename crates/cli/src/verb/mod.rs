//! The verbs, one file each.

pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod describe;
pub(crate) mod doctor;
pub(crate) mod generate;
pub(crate) mod inspect;
pub(crate) mod mesh;
pub(crate) mod networks;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod tools;
pub(crate) mod validate;
pub(crate) mod watch;

use std::time::Duration;

use toolmesh::{
    assemble::{Assembler, Assembly, MeshError, Use, trusts_nobody},
    config::{Config, Environment},
    mcp::client::programs_ended,
    mesh::Mesh,
};

use crate::{command_line::Verb, exit_code::ExitCode, failure::Failure, output, sources::SourceFlags};

pub(crate) fn run(verb: Verb) -> Result<ExitCode, Failure> {
    match verb {
        Verb::Serve(verb) => serve::run(&verb),
        Verb::Inspect(verb) => inspect::run(&verb),
        Verb::Validate(verb) => validate::run(&verb),
        Verb::Tools(verb) => tools::run(&verb),
        Verb::Describe(verb) => describe::run(&verb),
        Verb::Doctor(verb) => doctor::run(&verb),
        Verb::Call(verb) => call::run(&verb),
        Verb::Schema(verb) => schema::run(&verb),
        Verb::Generate(verb) => generate::run(&verb),
        Verb::Networks(verb) => networks::run(&verb),
        Verb::Mesh(verb) => mesh::run(&verb),
        Verb::Watch(verb) => watch::run(&verb),
        Verb::Completions(verb) => Ok(completions::run(&verb)),
    }
}

/// How long programs that were started are waited for at the end; by then each has ended or was killed.
const PROGRAMS_END: Duration = Duration::from_secs(3);

/// Runs something that waits, and sees to the end of the programs that it started. Threads that still read from a terminal are not
/// waited for.
fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|reason| Failure::System {
            what: "the threads of the runtime could not be started",
            reason,
        })?;
    let result = runtime.block_on(work);
    // What still uses its program now has hung.
    let _ = runtime.block_on(async { tokio::time::timeout(PROGRAMS_END, programs_ended()).await });
    runtime.shutdown_background();
    result
}

/// Looks at the sources of a configuration, put together.
fn listed<T>(
    flags: &SourceFlags,
    sources: &[String],
    look: impl FnOnce(&Assembly) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let config = flags.configuration(sources, &Environment::of_process())?;
    let environment = Environment::of_process();
    let assembler = callable(config, environment).purpose(Use::Listing);
    block_on(async { look(&reached(assembler.start().await?)?) })
}

/// What was put together, when the mesh that tools come from is within reach: a command that ends does not wait for it.
fn reached(assembly: Assembly) -> Result<Assembly, Failure> {
    assembly.mesh().map(MeshError::of_alone).transpose()?;
    Ok(assembly)
}

/// Why tools come from no other node of the mesh, when none is there or none of them is trusted.
fn nobody(mesh: Option<&Mesh>) -> Option<String> {
    let mesh = mesh?;
    let alone = mesh.alone();
    alone
        .map(|alone| format!("no other node is in the mesh: {alone}"))
        .or_else(|| trusts_nobody(mesh))
}

/// Begins putting together the sources of a configuration for calls.
fn callable(config: Config, environment: Environment) -> Assembler {
    let assembler = Assembler::new(config).environment(environment);
    match output::progress() {
        Some(progress) => assembler.progress(progress),
        None => assembler,
    }
}
