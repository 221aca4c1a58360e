//! A Calimero node and its applications as a source.

use std::{path::Path, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use toolmesh_calimero::{
    EventChannel, Form, HandleKey, Mapping, NodeOptions, NodeSettings, NodeSource, Secret, Toolset,
};
use toolmesh_tool::{Inspection, Source};

use super::AssembleError;
use crate::config::{
    CalimeroProfile, CalimeroSchemas, Environment, HANDLE_KEY_FILE_VARIABLE, HANDLE_KEY_VARIABLE,
    SourceConfig,
};

/// The variable that says which tools about a node are offered.
const TOOLSETS_VARIABLE: &str = "CALIMERO_MCP_TOOLSETS";

/// Variables that say who logs in: a source that says it itself does not take the half of it from them.
const LOGIN_VARIABLES: [&str; 3] = ["CALIMERO_USERNAME", "CALIMERO_PASSWORD", "CALIMERO_PASSWORD_FILE"];

/// Most bytes of a file with a password or a key: more is a file by mistake.
const MAX_SECRET_BYTES: u64 = 65_536;

/// The node, ready to be asked.
pub(super) fn open(
    source: &SourceConfig,
    url: &str,
    environment: &Environment,
) -> Result<Arc<dyn Source>, AssembleError> {
    Ok(Arc::new(NodeSource::new(
        &source.name,
        options(source, url, environment)?,
    )))
}

/// The report on what is installed on a node.
pub(crate) async fn inspect(
    source: &SourceConfig,
    url: &str,
    environment: &Environment,
) -> Result<Inspection, AssembleError> {
    let node = NodeSource::new(&source.name, options(source, url, environment)?);
    let report = node.inspect(source.location.to_string()).await;
    report.map_err(|error| unreadable(source, &error.to_string()))
}

/// The same, of a node whose applications break no rule of their format.
pub(crate) async fn validate(
    source: &SourceConfig,
    url: &str,
    environment: &Environment,
) -> Result<Inspection, AssembleError> {
    let node = NodeSource::new(&source.name, options(source, url, environment)?);
    let problems = node.problems().await;
    let problems = problems.map_err(|error| unreadable(source, &error.to_string()))?;
    if !problems.is_empty() {
        return Err(AssembleError::Problems {
            location: source.location.clone(),
            problems,
        });
    }
    let report = node.inspect(source.location.to_string()).await;
    report.map_err(|error| unreadable(source, &error.to_string()))
}

fn unreadable(source: &SourceConfig, reason: &str) -> AssembleError {
    AssembleError::Unreadable {
        location: source.location.clone(),
        reason: reason.to_owned(),
    }
}

fn options(
    source: &SourceConfig,
    url: &str,
    environment: &Environment,
) -> Result<NodeOptions, AssembleError> {
    let refused = |reason: String| AssembleError::Configuration {
        location: source.location.clone(),
        reason,
    };
    let said = &source.calimero;
    let mut options = NodeOptions::new(settings(source, url, environment).map_err(refused)?);
    options.mapping = mapping(source);
    let toolsets = match (&said.toolsets, environment.get(TOOLSETS_VARIABLE)) {
        (Some(names), _) => Some(names.join(",")),
        (None, text) => text.map(str::to_owned),
    };
    if let Some(toolsets) = toolsets {
        options.toolsets = Toolset::parse_list(&toolsets).map_err(|error| refused(error.to_string()))?;
    }
    if let Some(events) = &said.events {
        options.events = events
            .parse::<EventChannel>()
            .map_err(|error| refused(error.to_string()))?;
    }
    options.handle_key = handle_key(environment).map_err(refused)?;
    Ok(options)
}

fn mapping(source: &SourceConfig) -> Mapping {
    let mapping = match source.calimero.profile {
        CalimeroProfile::Contexts => Mapping::default(),
        CalimeroProfile::Handles => Mapping::handles(),
    };
    let form = source.calimero.schemas.map(|schemas| match schemas {
        CalimeroSchemas::Inlined => Form::Inlined,
        CalimeroSchemas::Definitions => Form::Definitions,
    });
    Mapping {
        form: form.unwrap_or(mapping.form),
        ..mapping
    }
}

/// How the node is found and logged in to: by the `CALIMERO_...` variables, and over them by what the source says.
fn settings(source: &SourceConfig, url: &str, environment: &Environment) -> Result<NodeSettings, String> {
    let said = &source.calimero;
    let says_who = said.username.is_some() || said.password_file.is_some();
    let get = |name: &str| {
        let taken = !(says_who && LOGIN_VARIABLES.contains(&name) && says_itself(source, name));
        environment.get(name).filter(|_| taken).map(str::to_owned)
    };
    let mut settings = NodeSettings::from_variables(get).map_err(|error| error.to_string())?;
    if !url.is_empty() {
        settings.url = Some(url.to_owned());
    }
    if let Some(node) = &said.node {
        settings.name = Some(node.clone());
    }
    if let Some(home) = &said.node_home {
        settings.home = Some(home.clone());
    }
    if let Some(folder) = &said.token_folder {
        settings.state_dir = Some(folder.clone());
    }
    if let Some(username) = &said.username {
        settings.username = Some(username.clone());
    }
    if let Some(file) = &said.password_file {
        settings.password = Some(Secret::new(secret_in(file, "the file of `password_file`")?));
    }
    if let Some(timeout) = said.answer_timeout {
        settings.timeout = timeout;
    }
    Ok(settings)
}

/// Whether the source says what a variable says.
fn says_itself(source: &SourceConfig, variable: &str) -> bool {
    match variable {
        "CALIMERO_USERNAME" => source.calimero.username.is_some(),
        _ => source.calimero.password_file.is_some(),
    }
}

/// The key that handles are signed with, from the environment or the file that it names.
fn handle_key(environment: &Environment) -> Result<Option<HandleKey>, String> {
    let (variable, text) = match (
        environment.get(HANDLE_KEY_VARIABLE),
        environment.get(HANDLE_KEY_FILE_VARIABLE),
    ) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            return Err(format!(
                "set one of {HANDLE_KEY_VARIABLE} and {HANDLE_KEY_FILE_VARIABLE}, not both"
            ));
        }
        (Some(text), None) => (HANDLE_KEY_VARIABLE, text.to_owned()),
        (None, Some(file)) => {
            let what = format!("the file that {HANDLE_KEY_FILE_VARIABLE} names");
            (HANDLE_KEY_FILE_VARIABLE, secret_in(Path::new(file), &what)?)
        }
    };
    let key = STANDARD.decode(text.trim());
    let key = key.map_err(|_| format!("{variable} holds no base64"))?;
    HandleKey::new(&key)
        .map(Some)
        .map_err(|error| format!("{variable}: {error}"))
}

fn secret_in(file: &Path, what: &str) -> Result<String, String> {
    let bytes = crate::read::file(file, MAX_SECRET_BYTES);
    let bytes = bytes.map_err(|error| format!("{what} cannot be read: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{what} is not UTF-8"))?;
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::Location;

    fn source() -> SourceConfig {
        SourceConfig::new("n", Location::parse("calimero:http://localhost:1"))
    }

    fn of(source: &SourceConfig, pairs: &[(&str, &str)]) -> Result<NodeOptions, String> {
        let environment = Environment::from_pairs(pairs.iter().copied());
        options(source, "http://localhost:1", &environment).map_err(|error| error.to_string())
    }

    #[test]
    fn a_profile_is_names_schemas_and_targeting_together() {
        let mut source = source();
        assert_eq!(of(&source, &[]).unwrap().mapping, Mapping::default());
        source.calimero.profile = CalimeroProfile::Handles;
        assert_eq!(of(&source, &[]).unwrap().mapping, Mapping::handles());
        source.calimero.schemas = Some(CalimeroSchemas::Inlined);
        assert_eq!(of(&source, &[]).unwrap().mapping.form, Form::Inlined);
    }

    #[test]
    fn what_the_source_says_wins_over_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "of-the-file\n").unwrap();
        let mut source = source();
        source.calimero.username = Some("me".to_owned());
        source.calimero.password_file = Some(file);
        source.calimero.toolsets = Some(vec!["blobs".to_owned()]);
        source.calimero.node = Some("second".to_owned());
        let environment = [
            ("CALIMERO_USERNAME", "somebody"),
            ("CALIMERO_PASSWORD", "of-the-environment"),
            ("CALIMERO_MCP_TOOLSETS", "governance"),
            ("CALIMERO_NODE_NAME", "first"),
        ];
        let options = of(&source, &environment).unwrap();
        let settings = &options.settings;
        assert_eq!(settings.username.as_deref(), Some("me"));
        assert_eq!(
            settings.password.as_ref().map(Secret::reveal),
            Some("of-the-file")
        );
        assert_eq!(settings.name.as_deref(), Some("second"));
        assert_eq!(options.toolsets, [Toolset::Core, Toolset::Blobs]);
    }

    #[test]
    fn what_cannot_be_used_is_told_and_no_secret_with_it() {
        let mut missing = source();
        missing.calimero.password_file = Some("/nowhere/at/all".into());
        let mut events = source();
        events.calimero.events = Some("pigeons".to_owned());
        let short = STANDARD.encode([7; 31]);
        for (source, pairs, told) in [
            (missing, vec![], "the file of `password_file` cannot be read: "),
            (events, vec![], "`pigeons` is no way to be told of events"),
            (
                source(),
                vec![("CALIMERO_MCP_TOOLSETS", "all-of-it")],
                "`all-of-it` is no toolset",
            ),
            (
                source(),
                vec![(HANDLE_KEY_VARIABLE, "se-cret")],
                "TOOLMESH_HANDLE_KEY holds no base64",
            ),
            (
                source(),
                vec![(HANDLE_KEY_VARIABLE, short.as_str())],
                "a key for handles has 32 to 1024 bytes",
            ),
            (
                source(),
                vec![(HANDLE_KEY_VARIABLE, "a"), (HANDLE_KEY_FILE_VARIABLE, "b")],
                "set one of TOOLMESH_HANDLE_KEY and TOOLMESH_HANDLE_KEY_FILE, not both",
            ),
        ] {
            let error = of(&source, &pairs).unwrap_err();
            assert!(error.contains(told) && !error.contains("cret"), "{error}");
        }
    }

    #[test]
    fn a_key_for_handles_may_stand_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, format!("{}\n", STANDARD.encode([7; 32]))).unwrap();
        let file = file.to_str().unwrap();
        assert!(
            of(&source(), &[(HANDLE_KEY_FILE_VARIABLE, file)])
                .unwrap()
                .handle_key
                .is_some()
        );
        assert!(of(&source(), &[]).unwrap().handle_key.is_none());
    }
}
