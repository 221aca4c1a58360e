//! What the server says of itself.

use toolmesh_tool::Icon;

/// What the server says of itself (MCP `Implementation`), and what it tells a client about its use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerInfo {
    /// A name for programs.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// The server's own version.
    pub version: String,
    /// What it is (2025-11-25 and later).
    pub description: Option<String>,
    /// Icons (2025-11-25 and later).
    pub icons: Vec<Icon>,
    /// Its page (2025-11-25 and later).
    pub website: Option<String>,
    /// Guidance for the model that uses the server.
    pub instructions: Option<String>,
}

impl ServerInfo {
    /// A server of this name and version, with nothing else told.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            version: version.into(),
            description: None,
            icons: Vec::new(),
            website: None,
            instructions: None,
        }
    }

    /// Sets the title for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets what the server is.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the guidance for the model.
    #[must_use]
    pub fn with_instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }
}
