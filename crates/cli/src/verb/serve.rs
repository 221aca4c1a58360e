//! `toolmesh serve`: the tools of sources, for MCP clients.

use std::io::IsTerminal as _;

use clap::Args;

use toolmesh::{
    assemble::{Assembly, Location, http_options},
    config::{Config, Environment, parse_listen, source_variable_prefix},
    mcp::{BoundServer, McpServer, ServerInfo},
    tool::CancellationToken,
};

use super::{block_on, callable};
use crate::{
    client_block::{Client, Reach, client_block},
    exit_code::ExitCode,
    failure::Failure,
    interrupt, output,
    render::{counted, pretty},
    sources::{SourceFlags, absolute},
};

/// What `serve` takes.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Files, `-` for standard input, or other kinds of sources
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
    /// Serve Streamable HTTP at /mcp, on this machine alone unless the address says otherwise
    #[arg(long, value_name = "ADDR", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:8080")]
    http: Option<String>,
    /// Serve standard input and output; so it is anyway when nothing else is served
    #[arg(long)]
    stdio: bool,
    /// Offer the tools on the mesh of the configuration ([mesh]); those that came from there are not offered again
    #[arg(long)]
    mesh: bool,
    /// List search_tools, describe_tool and call_tool in place of the tools, for catalogues of hundreds
    #[arg(long)]
    compact: bool,
    /// Let everybody call who reaches the address, also from other machines
    #[arg(long)]
    anonymous: bool,
    /// Print the configuration block by which this client finds the server, and end
    #[arg(long, value_name = "CLIENT", value_enum)]
    print_client: Option<Client>,
    #[command(flatten)]
    flags: SourceFlags,
}

pub(crate) fn run(verb: &Serve) -> Result<ExitCode, Failure> {
    let environment = Environment::of_process();
    let mut config = verb.flags.configuration(&verb.sources, &environment)?;
    if let Some(text) = &verb.http {
        config.server.http = Some(parse_listen(text)?);
    }
    if verb.stdio {
        config.server.stdio = Some(true);
    }
    config.server.compact |= verb.compact;
    config.server.anonymous |= verb.anonymous;
    if let Some(client) = verb.print_client {
        return print_client(verb, client, &config);
    }
    if verb.mesh && !verb.stdio && config.server.stdio.is_none() {
        config.server.stdio = Some(false);
    }
    if !verb.mesh && !config.server.serves_stdio() && config.server.http.is_none() {
        return Err(Failure::usage(
            "nothing to serve on: `stdio` is off, and no HTTP address is given; add `--http`",
        ));
    }
    if config.server.serves_stdio() && reads_stdin(&config) {
        return Err(Failure::usage(
            "standard input belongs to the protocol here, so a source cannot be `-`; give a file, or serve with --http",
        ));
    }
    block_on(serve(config, environment, verb.mesh))?;
    Ok(ExitCode::Done)
}

fn reads_stdin(config: &Config) -> bool {
    config
        .sources
        .iter()
        .any(|source| source.location == Location::Stdin)
}

async fn serve(config: Config, environment: Environment, on_mesh: bool) -> Result<(), Failure> {
    let settings = config.server.clone();
    let secrets = environment.clone();
    let assembler = callable(config, environment);
    let assembler = if on_mesh {
        assembler.publish_on_mesh()
    } else {
        assembler
    };
    let assembly = assembler.start().await?;
    let beside = assembly.beside().await?;
    let tools = assembly.dispatcher().toolbox().snapshot().listed_tools().len();
    let server = McpServer::new(
        assembly.dispatcher().clone(),
        ServerInfo::new("toolmesh", env!("CARGO_PKG_VERSION")),
    );
    let server = if settings.compact {
        server.compact()
    } else {
        server
    };
    let http = match settings.http {
        Some(address) => Some(
            server
                .bind_http(address, http_options(&settings, &secrets)?)
                .await?,
        ),
        None => None,
    };
    // Before anybody is told that there is a server to stop.
    let stop = interrupt::listen()?;
    let tools = counted(tools, "tool", "tools");
    if let Some(bound) = &http {
        output::tell(&format!(
            "Serving {tools}; point an MCP client at {}",
            bound.url()
        ));
    } else if settings.serves_stdio() && std::io::stdin().is_terminal() {
        output::tell(&format!(
            "Serving {tools} on standard input and output, which an MCP client starts by itself (--print-client shows how); --http serves on a port"
        ));
    }
    if let Some(mesh) = assembly.mesh().filter(|_| on_mesh) {
        let at = match mesh.listens_at().as_slice() {
            [] => "by its routers".to_owned(),
            places => format!("at {}", places.join(", ")),
        };
        let tools = counted(of_others(&assembly), "tool", "tools");
        output::tell(&format!(
            "On the mesh as `{}` with {tools}, to be reached {at}",
            mesh.identity().name
        ));
    }
    if let Some(address) = beside.pages() {
        output::tell(&format!(
            "Metrics at http://{address}/metrics, health at http://{address}/healthz"
        ));
    }
    let served = serve_on(&server, http, settings.serves_stdio(), stop).await;
    beside.stop().await;
    served
}

/// Serves on what there is, until told to stop.
async fn serve_on(
    server: &McpServer,
    http: Option<BoundServer>,
    over_stdio: bool,
    stop: CancellationToken,
) -> Result<(), Failure> {
    match (http, over_stdio) {
        (Some(bound), true) => {
            // A client on stdio that goes away leaves those on HTTP alone.
            let (over_stdio, over_http) =
                tokio::join!(stdio(server, stop.clone()), bound.serve(stop.cancelled_owned()));
            over_stdio?;
            over_http?;
        }
        (Some(bound), false) => bound.serve(stop.cancelled_owned()).await?,
        (None, true) => stdio(server, stop).await?,
        // The mesh alone.
        (None, false) => stop.cancelled().await,
    }
    Ok(())
}

/// Serves until the input ends or the process is told to stop; calls under way are finished then.
async fn stdio(server: &McpServer, stop: CancellationToken) -> Result<(), Failure> {
    Ok(server.serve_stdio_until(stop.cancelled_owned()).await?)
}

/// How many tools do not come from the mesh, and so are offered there.
fn of_others(assembly: &Assembly) -> usize {
    let sources = &assembly.config().sources;
    let is_of_mesh = |name: &str| {
        let mut named = sources.iter().filter(|source| source.name == name);
        named.any(|source| source.location == Location::Mesh)
    };
    let catalogue = assembly.dispatcher().toolbox().snapshot();
    let offered = catalogue.listed_tools().filter(|tool| !is_of_mesh(tool.source()));
    offered.count()
}

fn print_client(verb: &Serve, client: Client, config: &Config) -> Result<ExitCode, Failure> {
    let name = match config.sources.as_slice() {
        [only] => only.name.as_str(),
        _ => "toolmesh",
    };
    let reach = match config.server.http {
        Some(address) => Reach::Http(address),
        None => command(verb, config)?,
    };
    output::print(&pretty(client_block(client, name, &reach).view()));
    if let Reach::Command { environment, .. } = &reach {
        for (variable, _) in environment {
            output::tell(&format!(
                "The URL of the node may hold a secret and is not printed: put it into {variable} yourself."
            ));
        }
    }
    let is_in_mesh = verb.mesh
        || config
            .sources
            .iter()
            .any(|source| source.location == Location::Mesh);
    if is_in_mesh && let Reach::Command { .. } = reach {
        output::tell(
            "The client starts it without the variables of this shell: how to join the mesh has to stand in [mesh] of a file that is \
             given with --config, or put TOOLMESH_MESH_... into the block yourself.",
        );
    }
    Ok(ExitCode::Done)
}

/// This command with every path from the root, because the client starts it from a folder of its own.
fn command(verb: &Serve, config: &Config) -> Result<Reach, Failure> {
    if reads_stdin(config) {
        return Err(Failure::usage(
            "a client cannot start a server whose source is standard input; give a file",
        ));
    }
    let program = std::env::current_exe().map_err(|reason| Failure::System {
        what: "the path of this program is not known",
        reason,
    })?;
    let mut arguments = vec!["serve".to_owned()];
    for text in &verb.sources {
        arguments.push(match Location::parse(text).path() {
            Some(path) => absolute(path)?,
            None => text.clone(),
        });
    }
    if verb.compact {
        arguments.push("--compact".to_owned());
    }
    if verb.mesh {
        // The client speaks on stdio, which the mesh alone would leave out.
        arguments.extend(["--mesh", "--stdio"].map(str::to_owned));
    }
    arguments.extend(verb.flags.as_arguments()?);
    Ok(Reach::Command {
        program: program.display().to_string(),
        arguments,
        environment: hidden_rpc(verb, config),
    })
}

/// The variable for a URL that is not printed, with a text in its place.
fn hidden_rpc(verb: &Serve, config: &Config) -> Vec<(String, String)> {
    match config.sources.last() {
        Some(source) if verb.flags.hides_rpc() => {
            let variable = format!("{}RPC", source_variable_prefix(&source.name));
            vec![(variable, "<the URL of the node>".to_owned())]
        }
        _ => Vec::new(),
    }
}
