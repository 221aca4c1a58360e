//! How a revision shows what the core has.

/// What of a result, a descriptor, and the server's own description a revision can express.
#[derive(Debug)]
pub(crate) struct Projection {
    /// Results carry `resultType`.
    pub(crate) result_type: bool,
    /// Cacheable results carry `ttlMs` and `cacheScope`.
    pub(crate) cache_hints: bool,
    /// Results carry the server's description in `_meta`.
    pub(crate) server_in_meta: bool,
    /// Tools, resources, templates and prompts carry icons.
    pub(crate) icons: bool,
    /// What becomes of a resource link's icons.
    pub(crate) link_icons: LinkIcons,
    /// What structured content and output schemas may be.
    pub(crate) structured: Structured,
    /// How the client is asked for input.
    pub(crate) asking: Asking,
    /// Forms and pages are told apart by `mode`, so that a page can be asked for at all.
    pub(crate) elicitation_modes: bool,
    /// Calls may become tasks, and mirrored headers are known. Tools that need either are not offered elsewhere.
    pub(crate) extensions: bool,
    /// How much of the server's description is told.
    pub(crate) server: ServerForm,
}

/// What becomes of the icons of a resource link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkIcons {
    /// They are told.
    Kept,
    /// A tool's result goes without them; a prompt that has them cannot be expressed.
    Unknown,
}

/// What structured content may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Structured {
    /// An object, and so only output schemas of objects.
    ObjectOnly,
    /// Any JSON value.
    Any,
}

/// How much a revision tells of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerForm {
    /// `name`, `title`, `version`.
    Short,
    /// Also `description`, `icons`, `websiteUrl`.
    Full,
}

/// How the client is asked for input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    /// By requests of the server while the call runs.
    InLine,
    /// By a result, after which the client calls again with the answers.
    InResult,
}
