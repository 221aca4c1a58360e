//! `toolmesh mesh router`: carries a mesh between nodes that cannot reach each other.

use std::path::PathBuf;

use clap::Args;

use super::settings;
use crate::{exit_code::ExitCode, failure::Failure, interrupt, output, verb::block_on};

/// What `mesh router` takes.
#[derive(Debug, Args)]
pub(crate) struct Router {
    /// Where nodes connect
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7447")]
    listen: String,
    /// Let pass only what nodes with this certificate name send; may be given several times
    #[arg(long = "member", value_name = "NAME")]
    members: Vec<String>,
    /// Print the rules for a router that is not of this program (`access_control` of zenoh's configuration), and end
    #[arg(long)]
    print_rules: bool,
    /// Read this configuration: key and certificate of [mesh]; routers in it are connected to
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Router {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let settings = settings(self.config.as_ref())?;
        let mut builder = settings.router(&self.listen)?;
        for member in &self.members {
            builder = builder.member(member);
        }
        if self.print_rules {
            output::print(
                &builder
                    .rules()
                    .map_err(toolmesh::assemble::MeshError::from)?
                    .to_json(),
            );
            return Ok(ExitCode::Done);
        }
        block_on(async {
            let stop = interrupt::listen()?;
            let router = builder
                .open()
                .await
                .map_err(toolmesh::assemble::MeshError::from)?;
            output::tell(&format!("Routing at {}", router.listens_at().join(", ")));
            stop.cancelled().await;
            router.close().await;
            Ok(ExitCode::Done)
        })
    }
}
