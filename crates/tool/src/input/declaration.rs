//! What a tool says beforehand that it may ask for.

use crate::ClientCapability;

/// A kind of input request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InputKind {
    /// The client's user fills in a form.
    ElicitationForm,
    /// The client's user is sent to a page.
    ElicitationUrl,
    /// The client's model completes a prompt.
    Sampling,
    /// The client lists its roots.
    Roots,
}

impl InputKind {
    /// The client ability that requests of this kind need.
    #[must_use]
    pub fn capability(self) -> ClientCapability {
        match self {
            Self::ElicitationForm => ClientCapability::ElicitationForm,
            Self::ElicitationUrl => ClientCapability::ElicitationUrl,
            Self::Sampling => ClientCapability::Sampling,
            Self::Roots => ClientCapability::Roots,
        }
    }
}

/// A declared input request: a tool asks for nothing that it did not declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InputDeclaration {
    /// What may be asked.
    pub kind: InputKind,
    /// Whether every call asks: a client that lacks the ability is refused before the call. Otherwise the ability is
    /// looked at when the handler asks.
    pub required: bool,
}

impl InputDeclaration {
    /// Every call asks for it.
    #[must_use]
    pub fn required(kind: InputKind) -> Self {
        Self { kind, required: true }
    }

    /// Some calls ask for it.
    #[must_use]
    pub fn conditional(kind: InputKind) -> Self {
        Self {
            kind,
            required: false,
        }
    }
}
