//! The environment's forms of the keys.

use std::collections::BTreeMap;

use super::{
    Config, ConfigError, ExplorerConfig, NetworkConfig, Place, SourceConfig,
    key::{Section, variable_part},
    setting::Setting,
};

/// The variable that holds a token which callers over HTTP must have.
pub const HTTP_TOKEN_VARIABLE: &str = "TOOLMESH_HTTP_TOKEN";

/// The variable that holds the private key which signs transactions.
pub const SIGNING_KEY_VARIABLE: &str = "TOOLMESH_EVM_PRIVATE_KEY";

/// The variable that names a file with that key.
pub const SIGNING_KEY_FILE_VARIABLE: &str = "TOOLMESH_EVM_PRIVATE_KEY_FILE";

/// The variable that holds the key for Etherscan.
pub const ETHERSCAN_KEY_VARIABLE: &str = "TOOLMESH_ETHERSCAN_API_KEY";

/// The variable that names a file with that key.
pub const ETHERSCAN_KEY_FILE_VARIABLE: &str = "TOOLMESH_ETHERSCAN_API_KEY_FILE";

/// What variables of networks begin with.
const NETWORK: &str = "TOOLMESH_NETWORK_";

/// The variable that names an encrypted key file, instead of the key.
pub const KEYSTORE_VARIABLE: &str = "TOOLMESH_EVM_KEYSTORE";

/// The variable that holds the password of the encrypted key file.
pub const KEYSTORE_PASSWORD_VARIABLE: &str = "TOOLMESH_EVM_KEYSTORE_PASSWORD";

/// The variable that names a file with that password.
pub const KEYSTORE_PASSWORD_FILE_VARIABLE: &str = "TOOLMESH_EVM_KEYSTORE_PASSWORD_FILE";

/// The variable that holds the words of a mnemonic, instead of the key.
pub const MNEMONIC_VARIABLE: &str = "TOOLMESH_EVM_MNEMONIC";

/// The variable that names a file with those words.
pub const MNEMONIC_FILE_VARIABLE: &str = "TOOLMESH_EVM_MNEMONIC_FILE";

/// The variable that says which of a mnemonic's accounts signs, from 0.
pub const MNEMONIC_INDEX_VARIABLE: &str = "TOOLMESH_EVM_MNEMONIC_INDEX";

/// The variables about the key that signs. Each is for all sources, or with a source's own prefix in the place of
/// `TOOLMESH_` for that one ([`of_source`]).
const SIGNING: [&str; 8] = [
    SIGNING_KEY_VARIABLE,
    SIGNING_KEY_FILE_VARIABLE,
    KEYSTORE_VARIABLE,
    KEYSTORE_PASSWORD_VARIABLE,
    KEYSTORE_PASSWORD_FILE_VARIABLE,
    MNEMONIC_VARIABLE,
    MNEMONIC_FILE_VARIABLE,
    MNEMONIC_INDEX_VARIABLE,
];

/// The variable that holds the keys which seal the state of calls: `ID:BASE64`, several parted by commas.
pub const STATE_KEY_VARIABLE: &str = "TOOLMESH_STATE_KEY";

/// The variable that names a file with those keys.
pub const STATE_KEY_FILE_VARIABLE: &str = "TOOLMESH_STATE_KEY_FILE";

/// The variable that holds the key which signs handles of Calimero applications: base64 of at least 32 random bytes.
pub const HANDLE_KEY_VARIABLE: &str = "TOOLMESH_HANDLE_KEY";

/// The variable that names a file with that key.
pub const HANDLE_KEY_FILE_VARIABLE: &str = "TOOLMESH_HANDLE_KEY_FILE";

/// What the names of variables begin with that are taken: our own, and those by which Calimero's tools find a node.
const TAKEN: [&str; 2] = ["TOOLMESH_", "CALIMERO_"];

/// The variables of the environment that are used here (`TOOLMESH_...`, `CALIMERO_...`, `HOME`), taken once. Its debug
/// form shows no value.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// The environment of this process. A variable that is not Unicode is left out.
    #[must_use]
    pub fn of_process() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self::from_pairs(variables)
    }

    /// An environment of these variables; those of others are left out.
    pub fn from_pairs<N: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        let pairs = pairs.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self {
            variables: pairs
                .filter(|(name, _)| name == "HOME" || TAKEN.iter().any(|taken| name.starts_with(taken)))
                .collect(),
        }
    }

    /// The value of a variable; an empty one counts as none.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }
}

impl Environment {
    /// The same without some variables.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        let mut left = self.clone();
        left.variables.retain(|name, _| !names.contains(&name.as_str()));
        left
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

/// What the variables of the source `name` begin with.
#[must_use]
pub fn source_variable_prefix(name: &str) -> String {
    format!("TOOLMESH_SOURCE_{}_", variable_part(name))
}

/// The form of a variable about the key that signs which is for the source `name` alone.
#[must_use]
pub fn of_source(variable: &str, name: &str) -> String {
    format!("{}{}", source_variable_prefix(name), without_prefix(variable))
}

fn without_prefix(variable: &str) -> &str {
    variable.strip_prefix("TOOLMESH_").unwrap_or(variable)
}

pub(super) fn apply(config: &mut Config, environment: &Environment) -> Result<(), ConfigError> {
    let prefixes = distinct_prefixes(&config.sources)?;
    for (name, value) in &environment.variables {
        if let Some(key) = name.strip_prefix(super::ServerConfig::VARIABLE) {
            set(&mut config.server, key, name, value)?;
        } else if let Some(key) = name.strip_prefix(super::PolicyConfig::VARIABLE) {
            set(&mut config.policy, key, name, value)?;
        } else if let Some(key) = name.strip_prefix(super::SandboxConfig::VARIABLE) {
            set(&mut config.sandbox, key, name, value)?;
        } else if let Some(key) = name.strip_prefix(ExplorerConfig::VARIABLE) {
            set(&mut config.explorer, key, name, value)?;
        } else if let Some(rest) = name.strip_prefix(NETWORK)
            && let Some((network, key)) = network(&mut config.networks, rest)
        {
            set(network, key, name, value)?;
        } else if let Some(key) = name.strip_prefix(super::LimitsConfig::VARIABLE) {
            set(&mut config.limits, key, name, value)?;
        } else if let Some(key) = name.strip_prefix(super::TasksConfig::VARIABLE) {
            set(&mut config.tasks, key, name, value)?;
        } else if let Some(key) = name.strip_prefix(super::ObserveConfig::VARIABLE) {
            set(&mut config.observe, key, name, value)?;
        } else if let Some(key) = name.strip_prefix(super::MeshConfig::VARIABLE) {
            set(&mut config.mesh, key, name, value)?;
        } else if let Some((source, key)) = owner(&mut config.sources, &prefixes, name)
            && !is_about_signing(key)
        {
            set(source, key, name, value)?;
        }
    }
    Ok(())
}

/// The prefix of each source, all different: otherwise a variable would have two readings.
fn distinct_prefixes(sources: &[SourceConfig]) -> Result<Vec<String>, ConfigError> {
    let mut prefixes: Vec<String> = Vec::new();
    for source in sources {
        let prefix = source_variable_prefix(&source.name);
        if prefixes.contains(&prefix) {
            return Err(ConfigError::SameName {
                name: source.name.clone(),
                variable: format!("{prefix}..."),
            });
        }
        prefixes.push(prefix);
    }
    Ok(prefixes)
}

/// The source that a variable is of. Where one source's name begins another's, the one that has the key wins.
fn owner<'s, 'n>(
    sources: &'s mut [SourceConfig],
    prefixes: &[String],
    variable: &'n str,
) -> Option<(&'s mut SourceConfig, &'n str)> {
    let mut fitting: Vec<(usize, &str)> = prefixes
        .iter()
        .enumerate()
        .filter_map(|(index, prefix)| Some((index, variable.strip_prefix(prefix.as_str())?)))
        .collect();
    fitting.sort_by_key(|(_, key)| (!is_key_of_source(key) && !is_about_signing(key), key.len()));
    let (index, key) = fitting.first().copied()?;
    Some((sources.get_mut(index)?, key))
}

/// The network that a variable is of, made when it is not there: a chain that is known needs no section.
fn network<'s, 'n>(
    networks: &'s mut Vec<NetworkConfig>,
    rest: &'n str,
) -> Option<(&'s mut NetworkConfig, &'n str)> {
    let mut keys = NetworkConfig::KEYS.iter().map(|key| variable_part(key.name));
    let known = keys.find_map(|key| {
        let name = rest.strip_suffix(&key)?.strip_suffix('_')?;
        Some((name, rest.get(name.len() + 1..)?))
    });
    let (name, key) = known.or_else(|| rest.rsplit_once('_')).unwrap_or(("", rest));
    let is_named = |network: &NetworkConfig| variable_part(&network.name) == name;
    if !networks.iter().any(is_named) {
        networks.push(NetworkConfig::new(name.to_ascii_lowercase().replace('_', "-")));
    }
    let network = networks.iter_mut().find(|network| is_named(network))?;
    Some((network, key))
}

fn is_key_of_source(part: &str) -> bool {
    SourceConfig::KEYS
        .iter()
        .any(|key| variable_part(key.name) == part)
}

/// Whether it is a secret of the source, or belongs to one: that is read by whoever needs it, and is no key.
fn is_about_signing(part: &str) -> bool {
    SIGNING.iter().any(|variable| without_prefix(variable) == part)
}

fn set<S: Section>(section: &mut S, part: &str, variable: &str, value: &str) -> Result<(), ConfigError> {
    let place = Place::Environment(variable.to_owned());
    let Some(key) = S::KEYS.iter().find(|key| variable_part(key.name) == part) else {
        let known = S::KEYS.iter().map(|key| key.name).collect();
        return Err(ConfigError::UnknownKey {
            place,
            key: part.to_ascii_lowercase(),
            section: S::PLACE,
            known,
        });
    };
    (key.set)(section, &Setting::Environment(value)).map_err(|expected| ConfigError::BadValue {
        place,
        key: key.name.to_owned(),
        expected,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::Location;

    fn with(sources: &[&str], pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        for name in sources {
            config
                .sources
                .push(SourceConfig::new(*name, Location::parse("a.json")));
        }
        config.apply_environment(&Environment::from_pairs(pairs.iter().copied()))?;
        Ok(config)
    }

    #[test]
    fn each_section_has_its_variables() {
        let config = with(
            &["my-token"],
            &[
                ("TOOLMESH_SERVER_HTTP", "9000"),
                ("TOOLMESH_POLICY_INCLUDE", "a*,b"),
                ("TOOLMESH_SOURCE_MY_TOKEN_READ_ONLY", "true"),
                ("TOOLMESH_SOURCE_MY_TOKEN_CONSTRUCTOR_ARGUMENTS", "[1]"),
            ],
        )
        .unwrap();
        assert_eq!(config.server.http.unwrap().to_string(), "127.0.0.1:9000");
        assert_eq!(config.policy.include, ["a*", "b"]);
        let source = &config.sources[0];
        assert!(source.read_only);
        assert_eq!(source.constructor_arguments.as_ref().unwrap().to_text(), "[1]");
    }

    #[test]
    fn a_variable_of_no_section_and_of_no_source_here_is_left_alone() {
        with(
            &["a"],
            &[
                ("TOOLMESH_LOG", "debug"),
                ("TOOLMESH_SOURCE_B_RPC", "x"),
                ("TOOLMESH_X", ""),
            ],
        )
        .unwrap();
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_variable() {
        insta::assert_snapshot!(with(&[], &[("TOOLMESH_SERVER_HTPP", "1")]).unwrap_err());
        insta::assert_snapshot!(with(&["a"], &[("TOOLMESH_SOURCE_A_RCP", "1")]).unwrap_err());
        insta::assert_snapshot!(with(&["a"], &[("TOOLMESH_SOURCE_A_CHAIN_ID", "one")]).unwrap_err());
    }

    #[test]
    fn a_source_whose_name_begins_anothers_does_not_take_its_variables() {
        let config = with(
            &["a", "a_b"],
            &[("TOOLMESH_SOURCE_A_B_RPC", "x"), ("TOOLMESH_SOURCE_A_RPC", "y")],
        )
        .unwrap();
        assert_eq!(config.sources[0].rpc.as_deref(), Some("y"));
        assert_eq!(config.sources[1].rpc.as_deref(), Some("x"));
    }

    #[test]
    fn the_key_that_signs_for_a_source_is_no_key_of_the_configuration() {
        assert_eq!(
            of_source(SIGNING_KEY_VARIABLE, "my-token"),
            "TOOLMESH_SOURCE_MY_TOKEN_EVM_PRIVATE_KEY"
        );
        for variable in SIGNING {
            let variable = of_source(variable, "a");
            let config = with(&["a", "a_evm"], &[(variable.as_str(), "verysecret")]).unwrap();
            assert!(!format!("{config:?}").contains("verysecret"), "{variable}");
        }
    }

    #[test]
    fn two_sources_with_one_form_of_name_are_refused() {
        insta::assert_snapshot!(with(&["a-b", "A_b"], &[]).unwrap_err());
    }

    #[test]
    fn the_debug_form_shows_no_value() {
        let environment = Environment::from_pairs([(SIGNING_KEY_VARIABLE, "0xsecret")]);
        assert_eq!(format!("{environment:?}"), "{\"TOOLMESH_EVM_PRIVATE_KEY\"}");
        assert_eq!(environment.get(SIGNING_KEY_VARIABLE), Some("0xsecret"));
    }
}
