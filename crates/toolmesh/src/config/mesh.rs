//! `[mesh]`: how this program is in a mesh.

use std::path::{Path, PathBuf};

use super::{
    key::{Key, Section},
    setting::{Expected, Setting},
};

/// How this program is in a mesh: as a node that offers its tools, as one that uses those of others, or both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeshConfig {
    /// The file with the 32 bytes of the mesh's key, as 64 hexadecimal digits.
    pub key_file: Option<PathBuf>,
    /// The node's name, where it has no certificate.
    pub name: Option<String>,
    /// Where it listens; by default at a free port of this machine alone.
    pub listen: Option<String>,
    /// Nodes that it connects to.
    pub connect: Vec<String>,
    /// Routers that it connects to instead.
    pub routers: Vec<String>,
    /// Whether nodes of the network segment are found by multicast.
    pub multicast: bool,
    /// Whether it may listen beyond this machine without a certificate.
    pub plaintext: bool,
    /// The certificate of the authority whose nodes are believed.
    pub authority: Option<PathBuf>,
    /// The node's certificate.
    pub certificate: Option<PathBuf>,
    /// The key of the certificate.
    pub private_key: Option<PathBuf>,
    /// Who may see and call what is offered on the mesh, as a document of JSON.
    pub access: Option<String>,
    /// Whose tools are seen and called, beside its own, as a document of JSON; everybody's by default.
    pub trust: Option<String>,
}

impl MeshConfig {
    /// The same, with paths that are seen from `folder`.
    pub(super) fn relative_to(&mut self, folder: &Path) {
        let paths = [
            &mut self.key_file,
            &mut self.authority,
            &mut self.certificate,
            &mut self.private_key,
        ];
        for path in paths.into_iter().flatten() {
            *path = folder.join(&path);
        }
    }
}

impl Section for MeshConfig {
    const PLACE: &'static str = "in [mesh]";
    const VARIABLE: &'static str = "TOOLMESH_MESH_";
    const KEYS: &'static [Key<Self>] = &[
        Key {
            name: "key_file",
            about: "the file with the mesh's key: 64 hexadecimal digits (`toolmesh mesh keys` makes one)",
            set: |mesh, value| put(&mut mesh.key_file, path(value)),
        },
        Key {
            name: "name",
            about: "the node's name, where it has no certificate",
            set: |mesh, value| put(&mut mesh.name, value.text()),
        },
        Key {
            name: "listen",
            about: "where the node listens, as ADDRESS:PORT; by default at a free port of this machine alone",
            set: |mesh, value| put(&mut mesh.listen, value.text()),
        },
        Key {
            name: "connect",
            about: "nodes to connect to, as HOST:PORT; the others are found through them",
            set: |mesh, value| {
                mesh.connect = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "routers",
            about: "routers to connect to instead of nodes, as HOST:PORT",
            set: |mesh, value| {
                mesh.routers = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "multicast",
            about: "find nodes of the network segment by multicast",
            set: |mesh, value| {
                mesh.multicast = value.flag()?;
                Ok(())
            },
        },
        Key {
            name: "plaintext",
            about: "listen beyond this machine without a certificate",
            set: |mesh, value| {
                mesh.plaintext = value.flag()?;
                Ok(())
            },
        },
        Key {
            name: "authority",
            about: "the PEM file of the authority whose nodes are believed",
            set: |mesh, value| put(&mut mesh.authority, path(value)),
        },
        Key {
            name: "certificate",
            about: "the PEM file of the node's certificate",
            set: |mesh, value| put(&mut mesh.certificate, path(value)),
        },
        Key {
            name: "private_key",
            about: "the PEM file of the certificate's key",
            set: |mesh, value| put(&mut mesh.private_key, path(value)),
        },
        Key {
            name: "access",
            about: "who may see and call what is offered on the mesh; everybody who is in it, unless said otherwise",
            set: |mesh, value| put(&mut mesh.access, value.json().map(|rules| rules.to_text())),
        },
        Key {
            name: "trust",
            about: "whose tools are seen and called; everybody's who is in it, unless said otherwise",
            set: |mesh, value| put(&mut mesh.trust, value.json().map(|list| list.to_text())),
        },
    ];
}

fn put<T>(place: &mut Option<T>, value: Result<T, Expected>) -> Result<(), Expected> {
    *place = Some(value?);
    Ok(())
}

fn path(value: &Setting<'_>) -> Result<PathBuf, Expected> {
    match value.text() {
        Ok(path) if !path.is_empty() => Ok(path.into()),
        _ => Err("the path of a file".to_owned()),
    }
}
