//! What a source says of a Calimero node.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::setting::{Expected, Setting};

/// What a source says of a Calimero node beside its location. What it does not say, the `CALIMERO_...` variables do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CalimeroConfig {
    /// How calls are targeted and tools are named.
    pub profile: CalimeroProfile,
    /// How named types stand in schemas; as the profile has it when this is `None`.
    pub schemas: Option<CalimeroSchemas>,
    /// The tools about the node, by the names of toolsets; `None` leaves it to the environment.
    pub toolsets: Option<Vec<String>>,
    /// How the node tells what happens: `any`, `sse`, `websocket`, `off`.
    pub events: Option<String>,
    /// Which of several configured nodes, when the location gives no URL.
    pub node: Option<String>,
    /// The folder of the configurations of nodes.
    pub node_home: Option<PathBuf>,
    /// Who logs in.
    pub username: Option<String>,
    /// The file that holds the password.
    pub password_file: Option<PathBuf>,
    /// The folder where tokens are kept.
    pub token_folder: Option<PathBuf>,
    /// How long one answer of the node may take.
    pub answer_timeout: Option<Duration>,
}

/// How calls are targeted and tools are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CalimeroProfile {
    /// By `_context`; whole names.
    #[default]
    Contexts,
    /// By `app_handle`; short names and named types in `$defs`, as the later reference servers have them.
    Handles,
}

/// How named types stand in schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalimeroSchemas {
    /// Written out, eight levels deep.
    Inlined,
    /// In `$defs`.
    Definitions,
}

impl CalimeroConfig {
    /// The same, with paths that are seen from `folder`.
    pub(super) fn relative_to(&mut self, folder: &Path) {
        let paths = [
            &mut self.node_home,
            &mut self.password_file,
            &mut self.token_folder,
        ];
        for path in paths.into_iter().flatten() {
            *path = folder.join(&*path);
        }
    }
}

pub(super) fn profile(value: &Setting<'_>) -> Result<CalimeroProfile, Expected> {
    match value.text()?.as_str() {
        "contexts" => Ok(CalimeroProfile::Contexts),
        "handles" => Ok(CalimeroProfile::Handles),
        _ => Err("`contexts` or `handles`".to_owned()),
    }
}

pub(super) fn schemas(value: &Setting<'_>) -> Result<CalimeroSchemas, Expected> {
    match value.text()?.as_str() {
        "inlined" => Ok(CalimeroSchemas::Inlined),
        "definitions" => Ok(CalimeroSchemas::Definitions),
        _ => Err("`inlined` or `definitions`".to_owned()),
    }
}
