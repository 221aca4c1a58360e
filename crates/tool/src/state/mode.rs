//! Who protects the state of a call between its rounds.

/// Who protects the state that a tool hands to the client between the rounds of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RequestStateMode {
    /// The tool hands out none; a request that brings one is refused.
    #[default]
    None,
    /// The tool protects it itself: an opaque text of at most [`crate::MAX_STATE_BYTES`], passed through as it is. The
    /// handler must treat what comes back as a stranger's word.
    ApplicationProtected,
    /// The dispatcher seals it; the handler gets back exactly what it gave, or the call is refused before it.
    FrameworkProtected,
}
