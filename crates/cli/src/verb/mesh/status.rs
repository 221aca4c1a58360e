//! `toolmesh mesh status` and `nodes`: who is in the mesh.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};
use toolmesh::{
    assemble::MeshError,
    json::Value,
    mesh::{
        CallOptions, CallOptionsTyped, Mesh, NodeId, SeenNode, TOOL_METADATA_FETCH_SERVICE,
        ToolMetadataRequest, ToolMetadataResponse,
    },
};

use super::settings;
use crate::{
    exit_code::ExitCode,
    failure::Failure,
    output,
    render::{Layout, pretty, table},
    verb::{block_on, nobody},
};

/// How long a node may take to answer before it counts as silent.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many nodes are asked at once: few, so that they do not wait for each other.
const AT_ONCE: usize = 8;

/// What `mesh status` takes.
#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    flags: Flags,
}

/// What `mesh nodes` takes.
#[derive(Debug, Args)]
pub(crate) struct Nodes {
    #[command(flatten)]
    flags: Flags,
}

#[derive(Debug, Args)]
struct Flags {
    /// Read this configuration: how to join is said in [mesh]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For a terminal
    Table,
    /// An array of objects
    Json,
}

/// A node, and how long it took to answer; `None` when it was not asked or did not.
struct Row {
    node: SeenNode,
    answered: Option<Duration>,
}

impl Status {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        self.flags.show(true)
    }
}

impl Nodes {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        self.flags.show(false)
    }
}

impl Flags {
    fn show(&self, asks: bool) -> Result<ExitCode, Failure> {
        let builder = settings(self.config.as_ref())?.node()?;
        let rows = block_on(async {
            let mesh = builder.build().await.map_err(MeshError::from)?;
            let rows = rows(&mesh, asks).await;
            if rows.is_empty() {
                MeshError::of_alone(&mesh)?;
                let why = nobody(Some(&mesh));
                output::tell(&why.unwrap_or_else(|| "no other node is in the mesh".to_owned()));
            }
            Ok(rows)
        })?;
        output::print(&match self.format {
            Format::Table => screen(&rows, asks),
            Format::Json => pretty(
                rows.iter()
                    .map(|row| described(row, asks))
                    .collect::<Value>()
                    .view(),
            ),
        });
        Ok(ExitCode::Done)
    }
}

/// The nodes but for this one, which is here for a moment only.
async fn rows(mesh: &Mesh, asks: bool) -> Vec<Row> {
    let mut nodes = mesh.nodes();
    nodes.retain(|node| node.node != mesh.node_id());
    let mut rows = Vec::new();
    for nodes in nodes.chunks(AT_ONCE) {
        let ask = |node: &SeenNode| asks.then(|| tokio::spawn(ask(mesh.clone(), node.node)));
        let asked: Vec<_> = nodes.iter().map(ask).collect();
        for (node, asked) in nodes.iter().cloned().zip(asked) {
            let answered = match asked {
                Some(asked) => asked.await.ok().flatten(),
                None => None,
            };
            rows.push(Row { node, answered });
        }
    }
    rows
}

/// How long a node takes to say that it has no tool without a name.
async fn ask(mesh: Mesh, node: NodeId) -> Option<Duration> {
    let request = ToolMetadataRequest { name: String::new() };
    let options = CallOptionsTyped {
        raw: CallOptions::new().with_deadline(PATIENCE),
        ..CallOptionsTyped::default()
    };
    let began = Instant::now();
    let answer: Result<ToolMetadataResponse, _> = mesh
        .call_typed(node, TOOL_METADATA_FETCH_SERVICE, &request, options)
        .await;
    answer.is_ok().then(|| began.elapsed())
}

fn screen(rows: &[Row], asks: bool) -> String {
    let mut headings = vec!["NAME", "NODE", "TOOLS"];
    headings.extend(asks.then_some("ANSWERS IN"));
    headings.push("TAGS");
    let cells = |row: &Row| {
        let mut cells = vec![
            row.node.name.clone(),
            row.node.node.to_string(),
            row.node.tools.to_string(),
        ];
        if asks {
            cells.push(
                row.answered
                    .map_or("no answer".to_owned(), |time| format!("{time:.1?}")),
            );
        }
        cells.push(row.node.tags.join(", "));
        cells
    };
    table(Layout::Plain, &headings, rows.iter().map(cells))
}

fn described(row: &Row, asks: bool) -> Value {
    let tags = row.node.tags.iter().map(|tag| Value::from(tag.as_str()));
    let described = Value::object()
        .put("name", row.node.name.as_str())
        .put("node", row.node.node.to_string())
        .put("tools", u64::try_from(row.node.tools).unwrap_or(u64::MAX))
        .put("tags", tags.collect::<Value>());
    if !asks {
        return described.build();
    }
    let micros = |time: Duration| Value::from(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    described
        .put("answers_in_us", row.answered.map_or_else(Value::null, micros))
        .build()
}
