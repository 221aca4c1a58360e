//! URIs between a server that chose them and callers who know them with the source's prefix.

use toolmesh_tool::Prefix;

/// Schemes of the open web: such a URI is the same for everybody, whoever names it.
const WEB: [&str; 2] = ["http://", "https://"];

/// What stands before the URIs of a source's entries.
#[derive(Debug, Clone)]
pub(super) struct Prefixed(pub(super) Prefix);

impl Prefixed {
    /// The URI by which callers know the server's `uri`.
    pub(super) fn published(&self, uri: &str) -> String {
        if WEB.iter().any(|scheme| uri.starts_with(scheme)) {
            uri.to_owned()
        } else {
            self.0.put_before_uri(uri)
        }
    }

    /// The server's own URI for what callers know as `uri`.
    pub(super) fn original(&self, uri: &str) -> String {
        self.0.take_from_uri(uri).unwrap_or_else(|| uri.to_owned())
    }
}
