//! What a client can do for a tool while it runs.

/// One ability of a client that a tool may need.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientCapability {
    /// Ask its user to fill in a form (`elicitation.form`).
    ElicitationForm,
    /// Send its user to a URL (`elicitation.url`).
    ElicitationUrl,
    /// Let its model complete a prompt (`sampling`).
    Sampling,
    /// List its roots (`roots`).
    Roots,
    /// A named extension (`extensions.<name>`).
    Extension(String),
}

/// What the client declared; a front fills it from its protocol. Empty means: nothing declared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
    /// See [`ClientCapability::ElicitationForm`].
    pub elicitation_form: bool,
    /// See [`ClientCapability::ElicitationUrl`].
    pub elicitation_url: bool,
    /// See [`ClientCapability::Sampling`].
    pub sampling: bool,
    /// See [`ClientCapability::Roots`].
    pub roots: bool,
    /// Names of the declared extensions.
    pub extensions: Vec<String>,
}

impl ClientCapabilities {
    /// Whether the client declared `capability`.
    #[must_use]
    pub fn has(&self, capability: &ClientCapability) -> bool {
        match capability {
            ClientCapability::ElicitationForm => self.elicitation_form,
            ClientCapability::ElicitationUrl => self.elicitation_url,
            ClientCapability::Sampling => self.sampling,
            ClientCapability::Roots => self.roots,
            ClientCapability::Extension(name) => self.extensions.contains(name),
        }
    }

    /// Those of `needed` that the client did not declare, in order.
    #[must_use]
    pub fn missing(&self, needed: &[ClientCapability]) -> Vec<ClientCapability> {
        needed
            .iter()
            .filter(|capability| !self.has(capability))
            .cloned()
            .collect()
    }
}
