//! `toolmesh mesh`: what there is to do around a mesh.

mod keys;
mod router;
mod status;

use std::path::PathBuf;

use clap::Subcommand;
use toolmesh::config::{Config, Environment, MeshConfig};

use crate::{exit_code::ExitCode, failure::Failure};

/// What there is to do around a mesh.
#[derive(Debug, Subcommand)]
pub(crate) enum Mesh {
    /// Show the nodes of the mesh, how long they take to answer, and how many tools each has
    Status(status::Status),
    /// List the nodes of the mesh
    Nodes(status::Nodes),
    /// Carry a mesh between nodes that cannot reach each other
    Router(router::Router),
    /// Make the key of a mesh, an authority, and certificates of nodes
    Keys(keys::Keys),
}

pub(crate) fn run(verb: &Mesh) -> Result<ExitCode, Failure> {
    match verb {
        Mesh::Status(verb) => verb.run(),
        Mesh::Nodes(verb) => verb.run(),
        Mesh::Router(verb) => verb.run(),
        Mesh::Keys(verb) => verb.run(),
    }
}

/// `[mesh]`, of a file and of the environment.
fn settings(file: Option<&PathBuf>) -> Result<MeshConfig, Failure> {
    let mut config = match file {
        Some(path) => Config::read(path)?,
        None => Config::default(),
    };
    config.apply_environment(&Environment::of_process())?;
    config.mesh.warn_of_open_secrets();
    Ok(config.mesh)
}
