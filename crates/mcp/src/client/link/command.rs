//! The program of an upstream server, as it is started.

use std::{fmt, path::PathBuf, process::Stdio};

use tokio::process::{Child, Command as Process};

use crate::client::error::ClientError;

/// Variables that begin so are this program's own; they hold its secrets and are not handed on.
const OWN_VARIABLES: &str = "TOOLMESH_";

/// The program of an upstream server, its arguments, and variables beyond those of this process.
#[derive(Clone)]
pub(in crate::client) struct Command {
    pub(in crate::client) program: PathBuf,
    pub(in crate::client) arguments: Vec<String>,
    pub(in crate::client) environment: Vec<(String, String)>,
}

impl Command {
    /// Starts the program with all three of its streams in our hands.
    pub(super) fn start(&self) -> Result<Child, ClientError> {
        let mut process = Process::new(&self.program);
        process
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with(OWN_VARIABLES) {
                process.env_remove(name);
            }
        }
        process.envs(self.environment.iter().map(|(name, value)| (name, value)));
        // An interrupt from the terminal is for us alone; the server is ended in order.
        #[cfg(unix)]
        process.process_group(0);
        process.spawn().map_err(|reason| ClientError::Start {
            program: self.program.display().to_string(),
            reason,
        })
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}
