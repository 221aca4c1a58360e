//! The configuration: `toolmesh.toml` and its environment forms.
//!
//! ```toml
//! [[source]]
//! name = "token"
//! location = "token.json"            # relative to this file
//!
//! [[source]]
//! name = "dai"
//! location = "erc20.abi"
//! address = "0x6B175474E89094C44Da98b954EedeAC495271d0F"
//! rpc = "https://rpc.example"
//! read_only = true
//!
//! [server]
//! http = "127.0.0.1:8080"
//!
//! [policy]
//! confirmation = "destructive"
//! ```
//!
//! Each key is declared once, in the table of its section ([`known_keys`] lists them all), and so has both forms:
//!
//! * `key` of `[server]` is `TOOLMESH_SERVER_KEY`, and so in `[policy]`, `[sandbox]`, `[limits]`, `[tasks]`, `[observe]` and
//!   `[mesh]`;
//! * `key` of a source is `TOOLMESH_SOURCE_NAME_KEY`, where `NAME` is the source's name in capitals with `_` for every
//!   character that is no letter and no digit; `key` of a network is `TOOLMESH_NETWORK_NAME_KEY`.
//!
//! In the environment a list is separated by commas, a flag is `true` or `false`, and a structure is JSON. What the
//! environment says wins over the file; what a flag on the command line says wins over both. A key that nobody knows
//! is refused with its place, in the file and in the environment.
//!
//! Secrets are no keys: they come from the environment or from a file that it names ([`SIGNING_KEY_VARIABLE`],
//! [`SIGNING_KEY_FILE_VARIABLE`], [`STATE_KEY_VARIABLE`], [`STATE_KEY_FILE_VARIABLE`]).

mod calimero;
mod duration;
mod environment;
mod error;
mod explorer;
mod file;
mod key;
mod limits;
mod listen;
mod mesh;
mod network;
mod observe;
mod policy;
mod sandbox;
mod server;
mod setting;
mod source;
mod tasks;

use std::path::Path;

pub use calimero::{CalimeroConfig, CalimeroProfile, CalimeroSchemas};
pub use duration::{DurationError, parse_duration};
pub use environment::{
    ETHERSCAN_KEY_FILE_VARIABLE, ETHERSCAN_KEY_VARIABLE, Environment, HANDLE_KEY_FILE_VARIABLE,
    HANDLE_KEY_VARIABLE, HTTP_TOKEN_VARIABLE, KEYSTORE_PASSWORD_FILE_VARIABLE, KEYSTORE_PASSWORD_VARIABLE,
    KEYSTORE_VARIABLE, MNEMONIC_FILE_VARIABLE, MNEMONIC_INDEX_VARIABLE, MNEMONIC_VARIABLE,
    SIGNING_KEY_FILE_VARIABLE, SIGNING_KEY_VARIABLE, STATE_KEY_FILE_VARIABLE, STATE_KEY_VARIABLE, of_source,
    source_variable_prefix,
};
pub use error::{ConfigError, Place};
pub use explorer::{ExplorerConfig, Place as ExplorerPlace};
pub use key::KnownKey;
pub use limits::LimitsConfig;
pub use listen::{DEFAULT_LISTEN, ListenError, parse_listen};
pub use mesh::MeshConfig;
pub use network::NetworkConfig;
pub use observe::ObserveConfig;
pub use policy::PolicyConfig;
pub use sandbox::SandboxConfig;
pub use server::ServerConfig;
pub use source::SourceConfig;
pub use tasks::TasksConfig;

/// Everything that a configuration says.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// What makes tools, in order.
    pub sources: Vec<SourceConfig>,
    /// How the tools are offered.
    pub server: ServerConfig,
    /// What may be called.
    pub policy: PolicyConfig,
    /// The chain inside the process.
    pub sandbox: SandboxConfig,
    /// Chains, beside those that are known anyway.
    pub networks: Vec<NetworkConfig>,
    /// Where interfaces of contracts are looked up.
    pub explorer: ExplorerConfig,
    /// How much at once, how often, how large.
    pub limits: LimitsConfig,
    /// Where work is kept that outlives its call.
    pub tasks: TasksConfig,
    /// What is told of calls, and to whom.
    pub observe: ObserveConfig,
    /// How this program is in a mesh.
    pub mesh: MeshConfig,
}

impl Config {
    /// Reads a configuration file. Locations in it are relative to its folder.
    ///
    /// # Errors
    /// [`ConfigError`] names the file, the line and the key.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        file::read(path)
    }

    /// Takes a configuration from text; `file` is what errors call it, and its folder is where locations start.
    ///
    /// # Errors
    /// As [`Config::read`].
    pub fn from_toml(text: &str, file: &Path) -> Result<Self, ConfigError> {
        file::parse(text, file)
    }

    /// Puts what the environment says over what is there.
    ///
    /// # Errors
    /// [`ConfigError`] names the variable.
    pub fn apply_environment(&mut self, environment: &Environment) -> Result<(), ConfigError> {
        environment::apply(self, environment)
    }
}

/// Every key that a configuration may have, section by section.
pub fn known_keys() -> impl Iterator<Item = KnownKey> {
    key::known::<SourceConfig>()
        .chain(key::known::<ServerConfig>())
        .chain(key::known::<PolicyConfig>())
        .chain(key::known::<SandboxConfig>())
        .chain(key::known::<NetworkConfig>())
        .chain(key::known::<ExplorerConfig>())
        .chain(key::known::<LimitsConfig>())
        .chain(key::known::<TasksConfig>())
        .chain(key::known::<ObserveConfig>())
        .chain(key::known::<MeshConfig>())
}
