//! `toolmesh mesh keys`: the key of a mesh, an authority, certificates of nodes.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use hex::FromHex;
use toolmesh::mesh_keys::{KeyFolder, NodeRequest};

use crate::{exit_code::ExitCode, failure::Failure, output};

/// What `mesh keys` takes.
#[derive(Debug, Args)]
pub(crate) struct Keys {
    /// The folder; made when it is not there, with an authority and a key of the mesh
    folder: PathBuf,
    /// Make a certificate for the node of this name; may be given several times
    #[arg(long = "node", value_name = "NAME")]
    nodes: Vec<String>,
    /// A subnet that these nodes are in
    #[arg(long = "subnet", value_name = "N", requires = "nodes")]
    subnets: Vec<u32>,
    /// A group that these nodes are in, as 64 hexadecimal digits
    #[arg(long = "group", value_name = "HEX", requires = "nodes", value_parser = group)]
    groups: Vec<Group>,
    /// How many days the certificates hold
    #[arg(long, value_name = "N", default_value_t = 365, requires = "nodes", value_parser = clap::value_parser!(u32).range(1..=3_650))]
    days: u32,
}

/// A group that a node may be in.
#[derive(Debug, Clone, Copy)]
struct Group([u8; 32]);

impl Keys {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let keys = KeyFolder::new(&self.folder);
        let requests: Vec<_> = self.nodes.iter().map(|name| self.request(name)).collect();
        requests.iter().try_for_each(NodeRequest::check)?;
        // Each is told when it is made: a later one may fail.
        tell(&keys.begin()?);
        for request in &requests {
            tell(&keys.node(request)?);
        }
        if !keys.has_mesh_key() {
            output::tell(
                "The folder has no mesh.key, and no new one was made: the nodes of one mesh have the same. For a new mesh take \
                 another folder.",
            );
        }
        Ok(ExitCode::Done)
    }

    fn request(&self, name: &str) -> NodeRequest {
        NodeRequest {
            name: name.to_owned(),
            subnets: self.subnets.clone(),
            groups: self.groups.iter().map(|group| group.0).collect(),
            validity: Some(Duration::from_secs(u64::from(self.days) * 24 * 3_600)),
        }
    }
}

fn tell(made: &[PathBuf]) {
    for path in made {
        output::print(&path.display().to_string());
    }
}

fn group(digits: &str) -> Result<Group, String> {
    let group = FromHex::from_hex(digits);
    group
        .map(Group)
        .map_err(|_| "64 hexadecimal digits are needed".to_owned())
}
