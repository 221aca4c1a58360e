//! Names of generated tools: from the application, its service and the method, and never from what was selected or in
//! which order.

mod catalogue;
mod slug;

pub use catalogue::{NamedMethod, tool_names};
pub use slug::{application_slug, slug_of_service};

/// The longest name that is given to a tool, in characters: clients put `mcp__<server>__` before it, and the models'
/// interfaces take 64 characters.
pub const MAX_NAME_CHARS: usize = 49;

/// How tools are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameRules {
    /// The most characters of the part that stands for the application and its service.
    pub max_slug_chars: Option<usize>,
    /// A service with a name stands in the tools' names even when it is the only one.
    pub only_service_in_name: bool,
}

impl Default for NameRules {
    /// The whole last segment of the package, and a service's name only where there are several.
    fn default() -> Self {
        Self {
            max_slug_chars: None,
            only_service_in_name: false,
        }
    }
}

impl NameRules {
    /// The rules of the later reference servers: 20 characters for application and service, every named service.
    #[must_use]
    pub fn short() -> Self {
        Self {
            max_slug_chars: Some(20),
            only_service_in_name: true,
        }
    }
}
