//! `[[source]]`: what makes tools.

use std::path::PathBuf;

use toolmesh_json::Value;
use toolmesh_tool::{Prefix, ToolName};

use super::{
    CalimeroConfig, calimero,
    key::{Key, Section},
    limits,
    setting::Expected,
};
use crate::assemble::Location;

/// One source and how it is used.
#[derive(Clone)]
pub struct SourceConfig {
    /// Its name: in prefixes, in messages, and in its variables of the environment.
    pub name: String,
    /// Where it is.
    pub location: Location,
    /// What stands before the names of its tools; `None` leaves it to the number of sources.
    pub prefix: Option<Prefix>,
    /// Patterns of the tools to offer; empty means all.
    pub include: Vec<String>,
    /// Patterns of tools not to offer.
    pub exclude: Vec<String>,
    /// Only tools that change nothing are offered.
    pub read_only: bool,
    /// Which contract, when the location holds several: its name, or its file and name.
    pub contract: Option<String>,
    /// The contract's address, when it is deployed already.
    pub address: Option<String>,
    /// The URL of the node of the contract's chain; may hold a key of the node's operator.
    pub rpc: Option<String>,
    /// URLs of further nodes of that chain, asked when the first fails.
    pub rpc_fallbacks: Vec<String>,
    /// Arguments of what makes the state: of the constructor of a contract that is deployed here (an object or an
    /// array), or of `init` of an application that runs here (an object).
    pub constructor_arguments: Option<Value>,
    /// The file that keeps the state of an application that runs here; without one it is gone with the process.
    pub state: Option<PathBuf>,
    /// Arguments of an upstream server's command, behind those of its location.
    pub arguments: Vec<String>,
    /// Variables for an upstream server's command; they may hold secrets.
    pub environment: Vec<(String, String)>,
    /// Headers for an upstream server at a URL; they may hold secrets.
    pub headers: Vec<(String, String)>,
    /// Helper tools are offered beside those of the functions.
    pub helpers: bool,
    /// The chain that the node must be of.
    pub chain_id: Option<u64>,
    /// The most that the gas of one transaction may cost, in wei, decimal digits.
    pub max_fee_wei: Option<String>,
    /// The most that one transaction may pay, in wei, decimal digits.
    pub max_value_wei: Option<String>,
    /// The most gas that one transaction may be given.
    pub max_gas: Option<u64>,
    /// The functions that transactions may call; `None` means all.
    pub send_functions: Option<Vec<String>>,
    /// The accounts that transactions may come from; `None` means all that can sign.
    pub send_accounts: Option<Vec<String>>,
    /// Whether events have tools that find them, beside their resources.
    pub event_tools: bool,
    /// Whose registry of names (ENS) is asked: `true` for the public one, an address for another; `None` for none.
    pub ens: Option<String>,
    /// What is said of a Calimero node.
    pub calimero: CalimeroConfig,
}

impl SourceConfig {
    /// A source with nothing said about it.
    pub fn new(name: impl Into<String>, location: Location) -> Self {
        Self {
            name: name.into(),
            location,
            prefix: None,
            include: Vec::new(),
            exclude: Vec::new(),
            read_only: false,
            contract: None,
            address: None,
            rpc: None,
            rpc_fallbacks: Vec::new(),
            constructor_arguments: None,
            state: None,
            arguments: Vec::new(),
            environment: Vec::new(),
            headers: Vec::new(),
            helpers: false,
            chain_id: None,
            max_fee_wei: None,
            max_value_wei: None,
            max_gas: None,
            send_functions: None,
            send_accounts: None,
            event_tools: true,
            ens: None,
            calimero: CalimeroConfig::default(),
        }
    }

    /// A source that is named after its location.
    #[must_use]
    pub fn at(location: Location) -> Self {
        Self::new(location.source_name(), location)
    }
}

impl std::fmt::Debug for SourceConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceConfig")
            .field("name", &self.name)
            .field("location", &self.location)
            .field("prefix", &self.prefix)
            .field("include", &self.include)
            .field("exclude", &self.exclude)
            .field("read_only", &self.read_only)
            .field("contract", &self.contract)
            .field("address", &self.address)
            .field("rpc", &self.rpc.as_ref().map(|_| ".."))
            .field("rpc_fallbacks", &self.rpc_fallbacks.len())
            .field("constructor_arguments", &self.constructor_arguments)
            .field("state", &self.state)
            .field("arguments", &self.arguments.len())
            .field("environment", &names(&self.environment))
            .field("headers", &names(&self.headers))
            .field("helpers", &self.helpers)
            .field("chain_id", &self.chain_id)
            .field("max_fee_wei", &self.max_fee_wei)
            .field("max_value_wei", &self.max_value_wei)
            .field("max_gas", &self.max_gas)
            .field("send_functions", &self.send_functions)
            .field("send_accounts", &self.send_accounts)
            .field("event_tools", &self.event_tools)
            .field("ens", &self.ens)
            .field("calimero", &self.calimero)
            .finish()
    }
}

/// The names of pairs whose values may be secrets.
fn names(pairs: &[(String, String)]) -> Vec<&str> {
    pairs.iter().map(|(name, _)| name.as_str()).collect()
}

impl Section for SourceConfig {
    const PLACE: &'static str = "in [[source]]";
    const VARIABLE: &'static str = "TOOLMESH_SOURCE_<NAME>_";
    const KEYS: &'static [Key<Self>] = &[
        Key {
            name: "name",
            about: "the source's name (default: from its location)",
            set: |source, value| {
                source.name = name(value.text()?)?;
                Ok(())
            },
        },
        Key {
            name: "location",
            about: "a file, an address or a URL; a path in a file is relative to that file",
            set: |source, value| {
                source.location = Location::parse(&value.text()?);
                Ok(())
            },
        },
        Key {
            name: "prefix",
            about: "what stands before the names of its tools (default: its name when there are several sources)",
            set: |source, value| {
                source.prefix = Some(prefix(value.text()?)?);
                Ok(())
            },
        },
        Key {
            name: "include",
            about: "offer only tools whose name matches one of these patterns",
            set: |source, value| {
                source.include = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "exclude",
            about: "do not offer tools whose name matches one of these patterns",
            set: |source, value| {
                source.exclude = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "read_only",
            about: "offer only tools that change nothing",
            set: |source, value| {
                source.read_only = value.flag()?;
                Ok(())
            },
        },
        Key {
            name: "contract",
            about: "which contract, when the location holds several: `NAME` or `FILE.sol:NAME`",
            set: |source, value| {
                source.contract = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "address",
            about: "the contract's address, when it is deployed already",
            set: |source, value| {
                source.address = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "rpc",
            about: "the URL of the node of the contract's chain",
            set: |source, value| {
                source.rpc = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "rpc_fallbacks",
            about: "URLs of further nodes of that chain, asked when the first fails",
            set: |source, value| {
                source.rpc_fallbacks = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "constructor_arguments",
            about: "arguments of the constructor, for a contract that is deployed here",
            set: |source, value| {
                source.constructor_arguments = Some(value.json()?);
                Ok(())
            },
        },
        Key {
            name: "init",
            about: "arguments of `init`, for a Calimero application that runs here",
            set: |source, value| {
                source.constructor_arguments = Some(value.json()?);
                Ok(())
            },
        },
        Key {
            name: "state",
            about: "the file that keeps the state of a Calimero application that runs here; a path in a file is relative to that file",
            set: |source, value| {
                source.state = Some(value.text()?.into());
                Ok(())
            },
        },
        Key {
            name: "args",
            about: "arguments of an `mcp:` command, behind those of the location",
            set: |source, value| {
                source.arguments = value.texts()?;
                Ok(())
            },
        },
        Key {
            name: "environment",
            about: "variables for an `mcp:` command",
            set: |source, value| {
                source.environment = value.pairs()?;
                Ok(())
            },
        },
        Key {
            name: "headers",
            about: "headers for an `mcp:` URL, `Authorization` for instance",
            set: |source, value| {
                source.headers = value.pairs()?;
                Ok(())
            },
        },
        Key {
            name: "helpers",
            about: "offer helper tools beside those of the functions",
            set: |source, value| {
                source.helpers = value.flag()?;
                Ok(())
            },
        },
        Key {
            name: "chain_id",
            about: "the chain that the node must be of",
            set: |source, value| {
                source.chain_id = Some(value.count()?);
                Ok(())
            },
        },
        Key {
            name: "max_fee_wei",
            about: "the most that the gas of one transaction may cost, in wei",
            set: |source, value| {
                source.max_fee_wei = Some(value.amount()?);
                Ok(())
            },
        },
        Key {
            name: "max_value_wei",
            about: "the most that one transaction may pay, in wei (default 0)",
            set: |source, value| {
                source.max_value_wei = Some(value.amount()?);
                Ok(())
            },
        },
        Key {
            name: "max_gas",
            about: "the most gas that one transaction may be given",
            set: |source, value| {
                source.max_gas = Some(value.count()?);
                Ok(())
            },
        },
        Key {
            name: "send_functions",
            about: "transactions may call only these functions: names, signatures or selectors; also send-raw, deploy-contract",
            set: |source, value| {
                source.send_functions = Some(value.texts()?);
                Ok(())
            },
        },
        Key {
            name: "send_accounts",
            about: "transactions may come only from these accounts",
            set: |source, value| {
                source.send_accounts = Some(value.texts()?);
                Ok(())
            },
        },
        Key {
            name: "event_tools",
            about: "`false`: events are resources, without tools that find them",
            set: |source, value| {
                source.event_tools = value.flag()?;
                Ok(())
            },
        },
        Key {
            name: "ens",
            about: "`true`, or the address of a registry: admit names (ENS) in the place of addresses",
            set: |source, value| {
                source.ens = match value.flag() {
                    Ok(true) => Some("true".to_owned()),
                    Ok(false) => None,
                    Err(_) => Some(
                        value
                            .text()
                            .map_err(|_| "true, false or the address of a registry".to_owned())?,
                    ),
                };
                Ok(())
            },
        },
        Key {
            name: "profile",
            about: "`handles`: the tools of a Calimero node are targeted by `app_handle` (default `contexts`: by `_context`)",
            set: |source, value| {
                source.calimero.profile = calimero::profile(value)?;
                Ok(())
            },
        },
        Key {
            name: "schemas",
            about: "`inlined` or `definitions`: how named types stand in schemas of a Calimero node (default: as the profile has it)",
            set: |source, value| {
                source.calimero.schemas = Some(calimero::schemas(value)?);
                Ok(())
            },
        },
        Key {
            name: "toolsets",
            about: "which tools about a Calimero node are offered: `core`, `blobs`, `governance`, `all` (default all)",
            set: |source, value| {
                source.calimero.toolsets = Some(value.texts()?);
                Ok(())
            },
        },
        Key {
            name: "events",
            about: "how a Calimero node tells what happens: `any`, `sse`, `websocket`, `off` (default any)",
            set: |source, value| {
                source.calimero.events = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "node",
            about: "which of several configured Calimero nodes, where the location gives no URL",
            set: |source, value| {
                source.calimero.node = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "node_home",
            about: "the folder of the configurations of Calimero nodes (default ~/.calimero)",
            set: |source, value| {
                source.calimero.node_home = Some(value.text()?.into());
                Ok(())
            },
        },
        Key {
            name: "username",
            about: "who logs in to a Calimero node",
            set: |source, value| {
                source.calimero.username = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "password_file",
            about: "the file that holds the password for a Calimero node",
            set: |source, value| {
                source.calimero.password_file = Some(value.text()?.into());
                Ok(())
            },
        },
        Key {
            name: "token_folder",
            about: "the folder where tokens for a Calimero node are kept (default ~/.config/calimero/mcp)",
            set: |source, value| {
                source.calimero.token_folder = Some(value.text()?.into());
                Ok(())
            },
        },
        Key {
            name: "answer_timeout",
            about: "how long one answer of a Calimero node may take (default 10 s)",
            set: |source, value| {
                source.calimero.answer_timeout = Some(limits::time(value)?);
                Ok(())
            },
        },
    ];
}

/// A source's name goes into tool names, so it has their characters.
fn name(text: String) -> Result<String, Expected> {
    match ToolName::new(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(format!("a name of letters, digits, `_`, `-` and `.` ({error})")),
    }
}

fn prefix(text: String) -> Result<Prefix, Expected> {
    if text.is_empty() {
        Ok(Prefix::None)
    } else {
        name(text).map(Prefix::Name)
    }
}
